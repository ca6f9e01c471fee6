"""Folders and files as people have them: a README beside the runs, Parquet, things swapped."""

from pathlib import Path

import polars as pl
import pytest

import poolwise as pw

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 a 1 2.5 x\n1 Q0 b 2 1 x\n"
FRAME = {"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]}
BESIDE = (
    *("README", "README.md", "LICENSE.txt", "config.yaml", "bm25.config.json", "plot.PNG"),
    *("x.run.md5", "x.run~", "y.run.bak"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of two runs, with what lies beside them."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("x", "y"):
        (runs / f"{name}.run").write_text(RUN.replace("x", name))
    for name in BESIDE:
        (runs / name).write_text("These are our runs, by Jane & Joe.\n")
    return runs


def test_what_lies_beside_runs_is_passed_over_and_counted(folder: Path) -> None:
    """A README is no run, and a notice says that it was not read, on either way of reading."""
    said = "files in a folder that are by their names no data, passed over: 9 (first at"
    runs = pw.read_runs(folder)
    assert runs.systems == ("x", "y")
    assert any(str(notice).startswith(said) for notice in runs.notices)
    evaluation = pw.evaluate({"1": {"a": 1}}, str(folder), "P@1")
    assert any(line.startswith(said) for line in evaluation.provenance.lines())


def test_a_file_that_is_named_is_read(folder: Path) -> None:
    """Only a folder passes files over: who names one, means it."""
    (folder / "run.log").write_text(RUN)
    assert pw.read_runs(folder / "run.log").systems == ("x",)


def test_a_folder_of_descriptions_holds_no_runs(tmp_path: Path) -> None:
    """Nothing to read is an error."""
    (tmp_path / "README.md").write_text("No runs yet.\n")
    with pytest.raises(pw.InputError, match="a folder must hold files to read"):
        pw.read_runs(tmp_path)


def test_parquet_runs_are_called_by_their_files(tmp_path: Path) -> None:
    """Two files without a column of systems are two systems."""
    for name in ("bm25", "dense"):
        pl.DataFrame(FRAME).write_parquet(tmp_path / f"{name}.parquet")
    assert pw.read_runs(tmp_path).systems == ("bm25", "dense")
    assert pw.evaluate({"1": {"a": 1}}, tmp_path, "P@1").scores[0].systems == ("bm25", "dense")


def test_parquet_runs_of_one_tag_are_called_by_their_files(tmp_path: Path) -> None:
    """A tag that two files have names neither, as with TREC's files."""
    for name in ("bm25", "dense"):
        pl.DataFrame(FRAME | {"run": ["mine"] * 2}).write_parquet(tmp_path / f"{name}.parquet")
    assert pw.read_runs(tmp_path).systems == ("bm25", "dense")
    assert pw.read_runs(tmp_path / "bm25.parquet").systems == ("mine",)


def test_swapped_files_are_told(tmp_path: Path) -> None:
    """Qrels for runs and a run for qrels are recognised by their fields."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    order = "Hint: name the judgments first and the runs after them"
    with pytest.raises(pw.InputError, match=f"run:1: .*, and this looks like a run; .*{order}"):
        pw.evaluate(tmp_path / "run", tmp_path / "qrels")
    with pytest.raises(pw.InputError, match=f"qrels:1: .* looks like judgments; .*{order}"):
        pw.evaluate(tmp_path / "qrels", tmp_path / "qrels")


def test_a_header_of_metadata_is_a_comment(tmp_path: Path) -> None:
    """Lines of ir_metadata stand before a run, and are not read as entries."""
    path = tmp_path / "bm25.run"
    header = (
        "# ir_metadata.start\n# platform:\n#   hardware:\n#     cpu:\n#       model: 'A B C D'\n"
        "# tag: bm25\n# actor:\n#   mail:\n#     - someone@example.org\n# ir_metadata.end\n"
    )
    path.write_text(header + RUN)
    runs = pw.read_runs(path)
    assert runs.ranking("x", "1") == ["a", "b"]
    assert runs.notices == ()
    assert pw.evaluate({"1": {"a": 1}}, path, "P@1").scores[0].systems == ("x",)
