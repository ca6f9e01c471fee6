"""A file can be made again from what it says of itself, and a change is found."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import Result
from tests.cli.writers import (
    BOTH,
    POOL,
    PRINTING,
    Writer,
    every_writer,
    lay_beside,
)

from poolwise.results._replays import compare_numbers

Command = Callable[..., Result]
EVALUATE = PRINTING["evaluate"]
ENDINGS = ("tsv", "csv", "txt", "json", "md", "tex", "html", "parquet")
SAME = "The numbers are the same, to the last digit."


@pytest.fixture(autouse=True)
def scores(collection: Path) -> None:
    """Put whatever commands read beside the runs."""
    lay_beside(collection)


def everything(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """Return the contents of all files and when each was changed."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@every_writer
def test_every_command_comes_out_the_same(collection: Path, run: Command, writer: Writer) -> None:
    """What a command wrote is made again, by the same inputs; nothing is written."""
    assert run(*writer.words).exit_code == 0
    before = everything(collection)
    target = writer.target if writer.target != "demo/qrels.txt" else "demo/provenance.json"
    result = run("replay", target)
    assert result.exit_code == 0, result.output
    assert SAME in result.stdout
    assert "The inputs are the same: " in result.stdout
    assert everything(collection) == before


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_can_be_replayed(run: Command, ending: str) -> None:
    """By the file itself, or by its sidecar."""
    words = ("compare", *BOTH, "-m", "P@2", "--seed", "3", "--test", "bootstrap", "--draws", "5")
    assert run(*words, "-o", f"out.{ending}").exit_code == 0
    result = run("replay", f"out.{ending}")
    assert (result.exit_code, SAME in result.stdout) == (0, True), result.output


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_input_that_changed_is_found(collection: Path, run: Command, ending: str) -> None:
    """The answer is no, and says which file it was."""
    assert run(*EVALUATE, "-o", f"out.{ending}").exit_code == 0
    with (collection / "qrels.txt").open("a") as file:
        file.write("1 0 x 1\n")
    result = run("replay", f"out.{ending}")
    assert result.exit_code == 1
    assert "The inputs are not the same: qrels.txt has changed." in result.stdout
    assert "The numbers are not the same" in result.stdout


def test_an_input_that_changed_without_effect_is_found(collection: Path, run: Command) -> None:
    """Inputs and numbers are two answers."""
    assert run(*EVALUATE, "-o", "out.tsv").exit_code == 0
    with (collection / "qrels.txt").open("a") as file:
        file.write("\n")
    result = run("replay", "out.tsv")
    assert result.exit_code == 1
    assert "qrels.txt has changed" in result.stdout
    assert SAME in result.stdout


def test_a_run_that_is_new_is_found(collection: Path, run: Command) -> None:
    """A folder may hold more than it did."""
    assert run(*EVALUATE, "-o", "out.json").exit_code == 0
    (collection / "runs" / "more.run").write_text("1 Q0 a 1 1 more\n")
    result = run("replay", "out.json")
    assert result.exit_code == 1
    assert "runs/more.run is new" in result.stdout
    assert "there are other rows or columns" in result.stdout


def alter_json(path: Path) -> None:
    """Change a number of a JSON file."""
    content = json.loads(path.read_text())
    content["rows"][0]["value"] += 0.25
    path.write_text(json.dumps(content))


def alter_tsv(path: Path) -> None:
    """Change a number of a TSV file."""
    head, first, *rest = path.read_text().splitlines()
    cells = first.split("\t")
    cells[3] = str(float(cells[3]) + 0.25)
    path.write_text("\n".join([head, "\t".join(cells), *rest]) + "\n")


def alter_parquet(path: Path) -> None:
    """Change a number of a Parquet file."""
    table = pq.read_table(path)
    values = pa.array([table["value"][0].as_py() + 0.25, *table["value"].to_pylist()[1:]])
    pq.write_table(table.set_column(table.column_names.index("value"), "value", values), path)


@pytest.mark.parametrize(
    ("ending", "alter"), [("json", alter_json), ("tsv", alter_tsv), ("parquet", alter_parquet)]
)
def test_a_number_that_was_altered_is_found(
    collection: Path, run: Command, ending: str, alter: Callable[[Path], None]
) -> None:
    """The rows of the file are compared, not what the file says of them."""
    assert run(*EVALUATE, "-o", f"out.{ending}").exit_code == 0
    alter(collection / f"out.{ending}")
    result = run("replay", f"out.{ending}")
    assert result.exit_code == 1
    assert "cells differs, numbers by 0.25 at most" in result.stdout


def test_qrels_that_were_altered_are_found(collection: Path, run: Command) -> None:
    """A file without rows that a program could compare goes by its hash."""
    assert run("pool", *POOL, "-o", "out.qrels").exit_code == 0
    with (collection / "out.qrels").open("a") as file:
        file.write("9 0 z 1\n")
    result = run("replay", "out.qrels")
    assert result.exit_code == 1
    assert "out.qrels is no longer as it was written." in result.stdout


def test_it_runs_in_the_folder_that_is_named(
    collection: Path,
    run: Command,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Paths of the command start from where it was run."""
    assert run(*EVALUATE, "-o", "out.md").exit_code == 0
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run("replay", str(collection / "out.md")).exit_code == 3
    result = run("replay", str(collection / "out.md"), "--folder", str(collection))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the file must exist"),
        (b"", "neither it nor a sidecar does"),
        (b"run\tvalue\n", "neither it nor a sidecar does"),
        (b"{", "neither it nor a sidecar does"),
        (b"[1]", "neither it nor a sidecar does"),
        (b'{"provenance": 3}', "neither it nor a sidecar does"),
        (b"{" * 100_000, "neither it nor a sidecar does"),
        (b"\xff\xfe\x00", "neither it nor a sidecar does"),
        (b"PAR1 is not enough", "the file must be readable as Parquet"),
        (b"% poolwise provenance: {oops", "neither it nor a sidecar does"),
        ({"command": []}, "must hold the command that made the numbers"),
        ({"command": [3]}, "must hold the command that made the numbers"),
        ({"command": ["replay", "file"]}, "must hold the command that made the numbers"),
        ({"command": ["explain", "AP"]}, "its command makes no numbers"),
        ({"command": ["rm", "-rf"]}, "No such command 'rm'"),
        ({"command": ["evaluate", "gone.qrels", "runs"]}, "gone.qrels: the file must exist"),
    ],
)
def test_what_cannot_be_replayed_is_wrong_input(
    collection: Path, run: Command, content: bytes | dict[str, object] | None, message: str
) -> None:
    """One sentence and exit code 3, whatever the file holds."""
    if isinstance(content, dict):
        record = {"poolwise": "0.1", "inputs": [], "numbers": "", **content}
        content = json.dumps(record).encode()
    if content is not None:
        (collection / "file").write_bytes(content)
    result = run("replay", "file")
    assert result.exit_code == 3
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_the_version_that_made_a_file_is_named(collection: Path, run: Command) -> None:
    """Another version may count differently, so that it is said."""
    assert run(*EVALUATE, "-o", "out.tsv").exit_code == 0
    beside = collection / "out.tsv.provenance.json"
    beside.write_text(json.dumps({**json.loads(beside.read_text()), "poolwise": "0.0.1"}))
    assert (
        "The file was made by poolwise 0.0.1; this is poolwise" in run("replay", "out.tsv").stdout
    )


@pytest.mark.parametrize(
    ("factor", "same"), [(1 + 1e-12, True), (1 + 5e-10, True), (1 + 3e-9, False), (1.0001, False)]
)
def test_nine_digits_make_two_numbers_the_same(factor: float, same: bool) -> None:  # noqa: FBT001 -- drawn
    """What another machine may round otherwise is the same; the tenth digit is not looked at."""
    numbers = {"value": [0.123456789, 1234.5]}
    other = {"value": [cell * factor for cell in numbers["value"]]}
    assert compare_numbers(numbers, other).same is same
