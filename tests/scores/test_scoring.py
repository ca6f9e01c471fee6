"""From files or from memory to the same score tables."""

from pathlib import Path

import numpy as np
import pytest

import poolwise as pw

MADE = pw.simulate(systems=7, topics=6, depth=30, rng=3)
MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a collection as files."""
    (tmp_path / "runs").mkdir()
    pw.write_judgments(MADE.judgments, tmp_path / "qrels")
    for system in MADE.runs.systems:
        pw.write_run(MADE.runs, system, tmp_path / "runs" / f"{system}.run.gz")
    return tmp_path


def test_files_score_as_runs_in_memory(folder: Path) -> None:
    """Grades marked while files are read give the scores of runs with their documents."""
    from_files = pw.evaluate(folder / "qrels", folder / "runs", MEASURES)
    in_memory = pw.evaluate(MADE.judgments, MADE.runs, MEASURES)
    for name in MEASURES:
        table = from_files[name].select(MADE.runs.systems)
        for part in ("value", "lower", "upper", "answered"):
            np.testing.assert_array_equal(getattr(table, part), getattr(in_memory[name], part))


def test_dicts_and_frames_score_as_objects() -> None:
    """Whatever the readers read can be evaluated."""
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"bm25": {"1": {"b": 2.0, "a": 1.0}}}
    frame = pw.results.to_frame({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0]})
    for source in (runs, frame):
        assert pw.evaluate(qrels, source, ["RR"])["RR"].value.item() == 0.5


def test_runs_with_one_tag_keep_apart(tmp_path: Path) -> None:
    """Two files with the same tag take their files' names."""
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text("1 Q0 a 1 1 same\n")
    paths = [tmp_path / "x.run", tmp_path / "y.run"]
    assert pw.evaluate({"1": {"a": 1}}, paths, ["RR"])["RR"].systems == ("x", "y")


def test_oddities_are_added_up_over_files(tmp_path: Path) -> None:
    """Counts of the runs are summed; those of the judgments are said once."""
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 a 1 1 {name}\n9 Q0 a 1 1 {name}\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 a 1\n")
    judgments = pw.read_judgments(tmp_path / "qrels", duplicates="first")
    result = pw.evaluate(judgments, [tmp_path / "x.run", tmp_path / "y.run"], ["RR"])
    counts = {n.what: n.count for n in result["RR"].provenance.notices}
    assert counts == {
        "duplicate documents, first kept": 1,
        "lists for topics without judgments, left out": 2,
    }


def test_an_error_in_a_later_file_is_raised(tmp_path: Path) -> None:
    """Reading ahead hides no error."""
    (tmp_path / "a.run").write_text("1 Q0 a 1 1 a\n")
    (tmp_path / "b.run").write_text("1 Q0 a 1 one b\n")
    with pytest.raises(pw.InputError, match=r"b\.run:1"):
        pw.evaluate({"1": {"a": 1}}, tmp_path / "*.run", ["RR"])


def test_a_name_of_other_tools_finds_the_table() -> None:
    """A table is found by its canonical name and by aliases; other names are not there."""
    result = pw.evaluate(MADE.judgments, MADE.runs, ["map", "nDCG@10"])
    assert list(result) == ["AP", "nDCG@10"]
    assert result["map"] is result["AP"]
    with pytest.raises(KeyError):
        result["P@10"]
    assert len(result.to_frame(per_topic=False)) == 14
