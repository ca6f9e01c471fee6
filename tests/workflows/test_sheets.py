"""Sheets for assessors: blind when written, and taken back done or half-done."""

from pathlib import Path

import pytest

import poolwise as pw
from poolwise.errors import InputError

RUNS = {"bm25": {"1": {"c": 3.0, "a": 2.0}}, "dense": {"1": {"c": 3.0, "b": 2.0}}}


def test_a_sheet_tells_no_ranks_and_no_runs() -> None:
    """It has a topic, a document by id and an empty grade in each line, and nothing else."""
    assert pw.next(None, RUNS).document[0] == "c"  # which all runs have first
    for listed in (pw.pool_to_judge(RUNS, depth=2), pw.next(None, RUNS)):
        assert listed.sheet().columns() == {
            "topic": ["1"] * 3, "document": ["a", "b", "c"], "grade": [""] * 3,
        }  # fmt: skip


@pytest.mark.parametrize("between", ["\t", ",", ";"])
def test_a_half_done_sheet_merges_what_is_done(tmp_path: Path, between: str) -> None:
    """An empty grade is not judged: it is left out and counted, and never 0."""
    sheet = tmp_path / ("sheet.tsv" if between == "\t" else "sheet.csv")
    rows = ["topic,document,grade", "1,a,2", "1,b,", "1,c,0", "2,x,"]
    sheet.write_text("\n".join(rows).replace(",", between) + "\n")
    merged = pw.merge({"1": {"z": 1}}, sheet)
    assert merged.judgments.to_dict() == {"1": {"z": 1, "a": 2, "c": 0}, "2": {}}
    assert [n.count for n in merged.provenance.notices] == [2]


def test_a_grade_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    """A sheet with a slip is not half done."""
    (tmp_path / "sheet.tsv").write_text("topic\tdocument\tgrade\n1\ta\tx\n1\tb\t\n")
    with pytest.raises(InputError, match=r"sheet\.tsv:2: a grade must be a number"):
        pw.merge(None, tmp_path / "sheet.tsv")
