"""A folder of Parquet that an engine wrote is one table."""

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli.main import main

ROWS = {
    "run": ["x", "y", "x", "y"],
    "topic": ["1", "1", "2", "2"],
    "document": ["a", "b", "c", "a"],
    "score": [3.0, 2.0, 1.0, 0.5],
}
GRADES = {"topic": ["1", "2", "2"], "document": ["a", "c", "a"], "grade": [1, 1, 0]}


def write_parts(folder: Path, rows: dict[str, list[object]], name: str) -> None:
    """Write each row into a part of its own."""
    folder.mkdir(parents=True)
    (folder / "_SUCCESS").touch()
    for i in range(len(rows["topic"])):
        row = {column: cells[i : i + 1] for column, cells in rows.items()}
        pl.DataFrame(row).write_parquet(folder / name.format(i))


@pytest.mark.parametrize("name", ["part-{:05d}-ab.snappy.parquet", "part.{}.parquet"])
def test_the_lines_of_a_run_may_lie_in_any_part(tmp_path: Path, name: str) -> None:
    """What Spark and Dask write is read as the table it was."""
    write_parts(tmp_path / "lines", ROWS, name)
    runs = pw.read_runs(tmp_path / "lines")
    assert runs.systems == ("x", "y")
    assert [runs.ranking("x", t) for t in ("1", "2")] == [["a"], ["c"]]


def test_folders_name_the_run(tmp_path: Path) -> None:
    """The values of a column may be names of folders."""
    for name in ("x", "y"):
        folder = tmp_path / "lines" / f"run={name}"
        folder.mkdir(parents=True)
        rows = pl.DataFrame(ROWS).filter(pl.col("run") == name).drop("run")
        rows.write_parquet(folder / "0.parquet")
    assert pw.read_runs(tmp_path / "lines").to_dict() == pw.read_runs(pl.DataFrame(ROWS)).to_dict()


def test_judgments_may_lie_in_parts(tmp_path: Path) -> None:
    """Whatever the files are called: judgments are one table."""
    write_parts(tmp_path / "qrels", GRADES, "{}.parquet")
    judgments = pw.read_judgments(tmp_path / "qrels")
    assert list(judgments) == [("1", "a", 1.0), ("2", "a", 0.0), ("2", "c", 1.0)]


def test_the_record_names_every_part(tmp_path: Path) -> None:
    """Each file that was read is among the inputs, with its hash."""
    write_parts(tmp_path / "lines", ROWS, "part-{}.parquet")
    write_parts(tmp_path / "qrels", GRADES, "part-{}.parquet")
    output = tmp_path / "scores.json"
    done = CliRunner().invoke(
        main,
        ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "lines"), "-o", str(output)],
    )
    assert done.exit_code == 0, done.output
    for i in range(4):
        assert f"lines/part-{i}.parquet" in output.read_text()


def test_a_part_that_is_no_parquet_is_one_sentence(tmp_path: Path) -> None:
    """The folder, the rule and what to do."""
    write_parts(tmp_path / "lines", ROWS, "part-{}.parquet")
    (tmp_path / "lines" / "part-1.parquet").write_text("no")
    with pytest.raises(pw.InputError, match="lines: the files must be intact Parquet"):
        pw.read_runs(tmp_path / "lines")
