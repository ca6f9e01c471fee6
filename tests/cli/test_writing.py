"""Files: the old one or the new one, never a part; nobody's work is lost."""

import errno
import gzip
import json
import os
import re
import resource
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import click
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.cli.writers import (
    BOTH,
    POOL,
    PRINTING,
    WRITERS,
    Writer,
    every_writer,
    lay_beside,
)

from poolwise.cli._delivery import OutputPath
from poolwise.cli.main import main
from poolwise.errors import OutputError
from poolwise.provenance._files import Staged, write_file

pytestmark = pytest.mark.usefixtures("collection")

Command = Callable[..., Result]
EVALUATE = PRINTING["evaluate"]
KILL_POINTS = ("write", "fsync", "replace")
SMALL = 200
"""Bytes that a file may have when the disk is full."""


@pytest.fixture(autouse=True)
def scores(collection: Path) -> None:
    """Put whatever commands read beside the runs."""
    lay_beside(collection)


@pytest.fixture
def no_page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the demo write no report, which takes seconds; the report is a writer of its own."""
    if "demo" in request.node.callspec.id:
        monkeypatch.setitem(sys.modules, "vl_convert", None)


def in_child(work: Callable[[], object]) -> int:
    """Do something in a copy of this process, and return how that ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(point: str, words: tuple[str, ...]) -> Callable[[], object]:
    """Return a command that is killed just before it writes, syncs or renames its file."""

    def die(*_args: object, **_options: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        patch = pytest.MonkeyPatch()
        if point == "write":
            patch.setattr(os, "fdopen", die)
        elif point == "fsync":
            patch.setattr(os, "fsync", die)
        else:
            patch.setattr(Path, "replace", die)
        CliRunner().invoke(main, list(words))

    return work


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of every file that a user sees."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@every_writer
@pytest.mark.usefixtures("no_page")
def test_a_killed_command_leaves_the_old_file_or_the_new_one(
    collection: Path, run: Command, writer: Writer
) -> None:
    """Whenever it is killed, the file is whole, and the same command can run again."""
    assert run(*writer.words).exit_code == 0
    whole = (collection / writer.target).read_bytes()
    for point in KILL_POINTS:
        assert in_child(killed_at(point, writer.words)) == -signal.SIGKILL
        assert (collection / writer.target).read_bytes() == whole
    again = run(*writer.words)
    assert again.exit_code == 0, again.output


@every_writer
@pytest.mark.usefixtures("no_page")
def test_a_killed_command_leaves_no_part_of_a_new_file(collection: Path, writer: Writer) -> None:
    """Where there was no file, there is none, beside hidden ones and whole sidecars."""
    for point in KILL_POINTS:
        assert in_child(killed_at(point, writer.words)) == -signal.SIGKILL
        assert not (collection / writer.target).exists()


@every_writer
@pytest.mark.usefixtures("no_page")
def test_a_full_disk_leaves_the_files_as_they_were(
    collection: Path, run: Command, writer: Writer
) -> None:
    """When no more bytes fit, the command says so with exit code 3, and nothing has changed."""
    assert run(*writer.words).exit_code == 0
    before = files_of(collection)

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        result = CliRunner().invoke(main, list(writer.words))
        is_told = (
            result.exit_code == 3 and "cannot be written: file too large. Hint:" in result.stderr
        )
        os._exit(0 if is_told else 1)

    assert in_child(work) == 0
    assert files_of(collection) == before


@every_writer
@pytest.mark.usefixtures("no_page")
def test_a_read_only_disk_is_told(
    collection: Path, run: Command, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder in which nothing can be made is one sentence, and nothing has changed."""
    assert run(*writer.words).exit_code == 0
    before, open_file = files_of(collection), os.open

    def refuse(path: str, flags: int, *rest: int, **options: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return open_file(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    result = run(*writer.words)
    monkeypatch.undo()
    assert result.exit_code == 3
    assert "the file cannot be written: read-only file system. Hint:" in result.stderr
    assert files_of(collection) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights_is_told_before_the_work(collection: Path, run: Command) -> None:
    """Rights are looked at first."""
    (collection / "locked").mkdir(mode=0o500)
    result = run(*EVALUATE, "-o", "locked/out.tsv")
    assert result.exit_code == 3
    assert "permission denied" in result.stderr


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere/out.tsv", "no such file or directory. Hint: make the folder first"),
        ("runs", "is a directory"),
        ("qrels.txt/out.tsv", "not a directory"),
        ("x" * 300, "file name too long. Hint: choose a shorter name"),
    ],
)
def test_where_nothing_can_be_written_is_told(run: Command, target: str, message: str) -> None:
    """A missing folder, a folder, a file as a folder, a name that is too long."""
    result = run(*EVALUATE, "-o", target)
    assert result.exit_code == 3
    assert message in result.stderr
    assert result.stdout == ""


# ---- inputs


def _links(path: Path) -> Iterator[str]:
    """Yield names of one file: its own, a symbolic and a hard link, a way round."""
    symbolic, hard = path.with_name("symbolic"), path.with_name("hard")
    symbolic.symlink_to(path)
    hard.hardlink_to(path)
    yield from (path.name, str(path), f"runs/../{path.name}", "symbolic", "hard")


@pytest.mark.parametrize(
    "words",
    [
        ("pool", *POOL, "-o"),
        ("sample", "runs", "--design", "depths:2=1", "--grades-from", "qrels.txt", "-o"),
        ("report", *BOTH, "-o"),
        ("standardize", *BOTH, "-m", "P@2", "--save"),
        (*EVALUATE, "-o"),
        (*EVALUATE, "--plot"),
        (*EVALUATE, "--provenance"),
        ("trec_eval", "qrels.txt", "runs/bm25.run", "--output"),
    ],
)
def test_an_output_is_never_an_input(
    collection: Path, run: Command, words: tuple[str, ...]
) -> None:
    """Under whatever name, and even with --force, an input is not written over."""
    before = (collection / "qrels.txt").read_bytes()
    for name in _links(collection / "qrels.txt"):
        for force in ((), ("--force",)):
            result = run(*words, name, *force)
            assert result.exit_code == 3
            assert "an output must not be an input" in result.stderr
    assert (collection / "qrels.txt").read_bytes() == before


def test_a_run_in_a_folder_or_a_glob_is_an_input(run: Command) -> None:
    """Files count that were named by their folder, or by a pattern."""
    for runs in ("runs", "runs/*.run"):
        result = run("evaluate", "qrels.txt", runs, "-o", "runs/bm25.run", "--force")
        assert "runs/bm25.run: an output must not be an input" in result.stderr


def test_two_results_never_share_a_file(run: Command) -> None:
    """A plot and a table have a file each."""
    result = run(*EVALUATE, "-o", "out.png", "--plot", "./out.png")
    assert result.exit_code == 3
    assert "two results go to this file" in result.stderr


# ---- files of others


@every_writer
@pytest.mark.usefixtures("no_page")
def test_a_file_of_somebody_else_is_replaced_by_force_alone(
    collection: Path, run: Command, writer: Writer
) -> None:
    """Without --force a file stays that poolwise did not write."""
    target = collection / writer.target
    target.parent.mkdir(exist_ok=True)
    target.write_text("my notes")
    refused = run(*writer.words)
    assert refused.exit_code == 3
    assert "not as poolwise wrote it. Hint: name another file, or use --force" in refused.stderr
    assert target.read_text() == "my notes"
    assert run(*writer.words, "--force").exit_code == 0
    assert target.read_bytes() != b"my notes"


def test_a_file_that_was_edited_is_somebody_elses(collection: Path, run: Command) -> None:
    """A sidecar vouches for the bytes that were written, not for those of an editor."""
    assert run(*EVALUATE, "-o", "out.tsv").exit_code == 0
    with (collection / "out.tsv").open("a") as file:
        file.write("my remark\n")
    assert run(*EVALUATE, "-o", "out.tsv").exit_code == 3


def alterations(ours: bytes) -> dict[str, bytes]:
    """Return what a user may have made of a file of ours: more, less, or a part of another."""
    return {
        "prose added": ours + b"\nWhat I think of it.\n",
        "prose put first": b"# My paper\n\n" + ours,
        "put at the end of a paper": b"\\documentclass{article}\n" * 9 + ours,
        "put far down": b"A long introduction.\n" * 400 + ours,
        "twice": ours + ours,
        "a byte less": ours[:-1],
        "a byte more": ours + b" ",
        "another digit": ours.replace(b"0.5", b"0.6").replace(b"0.2", b"0.3"),
        "other line ends": ours.replace(b"\n", b"\r\n"),
        "no record any more": ours.replace(b"poolwise", b"another"),
        "an open seal": re.sub(rb'(?<="seal": ")[0-9a-f]{64}', b"0" * 64, ours),
        "no seal": re.sub(rb'"seal": "[0-9a-f]{64}", ', b"", ours),
        "the record alone": ours[: ours.find(b"\n\n") + 1] or b"x",
        "empty": b"",
    }


HOLDING = {
    **{ending: ("table", *BOTH, "-m", "P@2", "-o", f"out.{ending}") for ending in ("tex", "md")},
    "json": (*EVALUATE, "-o", "out.json"),
    "html": (*EVALUATE, "-o", "out.html"),
    "parquet": (*EVALUATE, "-o", "out.parquet"),
    "xml": WRITERS["gate --junit"].words,
    "provenance.json": (*EVALUATE, "--provenance", "out.provenance.json"),
    "page.html": ("report", *BOTH, "-m", "P@2", "-o", "out.page.html"),
}
"""Commands whose file holds its own record, by the ending of the file."""


@pytest.mark.parametrize("ending", HOLDING)
def test_a_file_with_our_record_in_it_is_no_more_ours_once_it_is_altered(
    collection: Path, run: Command, ending: str
) -> None:
    """A record vouches for every byte of its file: a paper that a table was put into stays."""
    target = collection / f"out.{ending}"
    assert run(*HOLDING[ending]).exit_code == 0
    ours = target.read_bytes()
    for what, altered in alterations(ours).items():
        if altered == ours:
            continue
        target.write_bytes(altered)
        refused = run(*HOLDING[ending])
        assert (refused.exit_code, target.read_bytes() == altered) == (3, True), what
        assert "not as poolwise wrote it" in refused.stderr, what
    target.write_bytes(ours)
    assert run(*HOLDING[ending]).exit_code == 0
    target.write_bytes(ours + b"mine")
    assert run(*HOLDING[ending], "--force").exit_code == 0
    assert not target.read_bytes().endswith(b"mine")


def test_what_was_printed_into_a_file_is_ours(collection: Path, run: Command) -> None:
    """A shell may send the result to the file that -o names the next time."""
    words = ("table", *BOTH, "-m", "P@2", "--format", "latex")
    (collection / "out.tex").write_text(run(*words).stdout)
    assert run(*words, "-o", "out.tex").exit_code == 0


def test_a_sidecar_of_somebody_else_is_replaced_by_force_alone(
    collection: Path, run: Command
) -> None:
    """What lies where the provenance would go is a file like any other."""
    beside = collection / "out.tsv.provenance.json"
    beside.write_text('{"my": "notes"}')
    refused = run(*EVALUATE, "-o", "out.tsv")
    assert refused.exit_code == 3
    assert "out.tsv.provenance.json: the file exists, and is not as poolwise" in refused.stderr
    assert beside.read_text() == '{"my": "notes"}'
    assert not (collection / "out.tsv").exists()
    assert run(*EVALUATE, "-o", "out.tsv", "--force").exit_code == 0


def test_a_file_that_appears_while_a_command_works_is_not_lost(
    collection: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose a file is, is asked again when the result goes into its place."""
    add = Staged.add

    def meanwhile(staged: Staged, path: Path, content: bytes) -> object:
        (collection / "out.md").write_text("my notes")
        return add(staged, path, content)

    monkeypatch.setattr(Staged, "add", meanwhile)
    result = run(*EVALUATE, "-o", "out.md")
    assert result.exit_code == 3
    assert (collection / "out.md").read_text() == "my notes"


@pytest.mark.parametrize("ending", ["tsv", "csv", "txt", "json", "md", "tex", "html", "parquet"])
def test_a_file_of_ours_is_replaced(run: Command, ending: str) -> None:
    """Every format shows that poolwise wrote it."""
    for _ in range(2):
        result = run(*EVALUATE, "-o", f"out.{ending}")
        assert result.exit_code == 0, result.output
        assert result.stdout == ""


# ---- where provenance is


def told(collection: Path, name: str) -> dict[str, object]:
    """Return the provenance of a file, by what a reader would look for."""
    if name.endswith(".json"):
        return json.loads((collection / name).read_text())["provenance"]
    if name.endswith(".parquet"):
        return json.loads(pq.read_schema(collection / name).metadata[b"poolwise"])
    if name.endswith((".md", ".html", ".tex")):
        text = (collection / name).read_text()
        return json.JSONDecoder().raw_decode(text[text.index("{") :])[0]
    return json.loads((collection / f"{name}.provenance.json").read_text())


@pytest.mark.parametrize("ending", ["tsv", "csv", "txt", "json", "md", "tex", "html", "parquet"])
def test_provenance_goes_with_the_numbers(collection: Path, run: Command, ending: str) -> None:
    """In the file where the format has a place for it, else in a sidecar."""
    words = ("compare", *BOTH, "-m", "P@2", "--seed", "7", "--draws", "5", "-o", f"out.{ending}")
    assert run(*words).exit_code == 0
    record = told(collection, f"out.{ending}")
    assert record["command"] == list(words)
    options = record["options"]
    assert (options["seed"], options["draws"], options["alpha"]) == (7, 5, 0.05)
    assert (options["prior"], options["correction"]) == ("model", "holm")
    paths = [entry["path"] for entry in record["inputs"]]
    assert paths == ["qrels.txt", "runs/bm25.run", "runs/dense.run"]
    beside = collection / f"out.{ending}.provenance.json"
    assert beside.exists() == (ending in ("tsv", "csv", "txt"))


def test_tsv_and_csv_stay_plain(collection: Path, run: Command) -> None:
    """A file holds the same bytes as standard output, so that every reader reads them."""
    for ending, form in (("tsv", "tsv"), ("csv", "csv"), ("txt", "tsv"), ("dat", "tsv")):
        assert run(*EVALUATE, "-o", f"out.{ending}").exit_code == 0
        printed = run(*EVALUATE, "--format", form).stdout
        assert (collection / f"out.{ending}").read_text() == printed


@pytest.mark.usefixtures("collection")
def test_a_drawn_table_is_written_where_it_is_asked_for(collection: Path, run: Command) -> None:
    """`--format table` goes before the ending of the file."""
    assert run(*EVALUATE, "--format", "table", "-o", "out.txt").exit_code == 0
    assert "───" in (collection / "out.txt").read_text()


def test_what_is_printed_can_have_its_provenance_in_a_file(collection: Path, run: Command) -> None:
    """--provenance is for pipes."""
    assert run(*EVALUATE, "--provenance", "made.json").stdout.startswith("run\t")
    made = json.loads((collection / "made.json").read_text())
    assert made["command"] == [*EVALUATE, "--provenance", "made.json"]


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def test_every_command_that_prints_numbers_can_write_them() -> None:
    """A command has --output, --provenance and --force, or is known to have none to write."""
    without_numbers = {"cite", "explain", "replay"}
    of_ledgers = {"ledger add", "ledger retract", "ledger site"}  # tests/cli/test_ledger.py
    of_journals = {"journal start", "journal step", "journal finish"}  # tests/cli/test_journal.py
    # tests/workflows/campaigns
    of_campaigns = {f"campaign {name}" for name in (
        "init", "add-run", "add-topics", "add-documents", "add-common", "export", "import",
        "demo")}  # fmt: skip
    own_output = {"convert", "merge", "sample", "report", "demo", "ledger site", "card make"}
    for name, command in commands(main):
        options = {option for parameter in command.params for option in parameter.opts}
        if name in without_numbers | {"campaign backup", "campaign serve"}:
            continue
        assert {"--output", "--force"} <= options, name
        assert name in own_output or "--provenance" in options, name
        assert name in WRITERS.keys() | of_ledgers | of_journals | of_campaigns, (
            f"put {name} into tests/cli/writers.py"
        )


def test_every_option_that_names_a_file_to_write_meets_the_faulty_disk() -> None:
    """Each stands in the words of a command of tests/cli/writers.py, with its own file."""
    files = {
        frozenset(parameter.opts)
        for _, command in commands(main)
        for parameter in command.params
        if isinstance(parameter.type, OutputPath)
    }
    used = {word for writer in WRITERS.values() for word in writer.words}
    assert len(files) >= 6
    assert [sorted(names) for names in files if not names & used] == []


def test_one_seed_for_all_commands() -> None:
    """Whatever draws at random starts from the same seed where none is given."""
    seeds = {p.default for _, c in commands(main) for p in c.params if "--seed" in p.opts}
    assert seeds == {1}


# ---- the one place that writes


def test_a_link_stays_a_link_and_a_file_keeps_its_rights(tmp_path: Path) -> None:
    """What a name leads to is replaced, with the rights it had."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to("target")
    write_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    """It is as readable as what any other program makes here."""
    (tmp_path / "plain").touch()
    write_file(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("name", ["scores.tsv", os.devnull])
def test_content_says_itself_what_is_wrong_with_it(tmp_path: Path, name: str) -> None:
    """What cannot be made for want of another place is not told of the file it goes to."""

    def content(file: IO[bytes]) -> None:
        file.write(b"run")
        raise OutputError("TMPDIR", "there is no room", remedy="name another")

    before = {*tmp_path.iterdir()}
    with pytest.raises(OutputError, match=r"^TMPDIR: there is no room"):
        write_file(tmp_path / name, content)
    assert {*tmp_path.iterdir()} == before


def test_devices_are_written_to(run: Command) -> None:
    """/dev/null takes a result, and - is standard output."""
    assert run(*EVALUATE, "-o", os.devnull).exit_code == 0
    assert run(*EVALUATE, "-o", "-").stdout == run(*EVALUATE).stdout


def test_a_sidecar_is_no_run(collection: Path, run: Command) -> None:
    """Provenance beside a run in a folder of runs is passed over."""
    (collection / "runs" / "bm25.run.provenance.json").write_text("{}")
    for runs in ("runs", "runs/*"):
        assert run("evaluate", "qrels.txt", runs, "-m", "AP").exit_code == 0


def test_compressed_qrels_are_the_same_bytes_every_time(collection: Path, run: Command) -> None:
    """The same command writes the same file."""
    copies = []
    for _ in range(2):
        assert run("pool", *POOL, "-o", "out.gz").exit_code == 0
        copies.append((collection / "out.gz").read_bytes())
    assert copies[0] == copies[1]
    assert gzip.decompress(copies[0]).startswith(b"1 0 a 1\n")
