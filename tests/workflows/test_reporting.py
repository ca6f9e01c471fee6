"""From files or objects to what the report is about."""

from pathlib import Path

import pytest

import poolwise as pw
from poolwise.cli import _options
from poolwise.errors import OptionError
from poolwise.results._columns import to_csv
from poolwise.scores.treatments._estimates import STUDIED
from poolwise.workflows._estimate import DEFAULT_TREATMENTS
from poolwise.workflows._inputs import DEFAULT_MEASURES

MADE = pw.simulate(systems=5, topics=6, depth=30, rng=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a collection, with the groups of its runs."""
    pw.write_judgments(MADE.judgments, tmp_path / "qrels")
    (tmp_path / "runs").mkdir()
    for system in MADE.runs.systems:
        pw.write_run(MADE.runs, system, tmp_path / "runs" / system)
    rows = zip(MADE.groups.systems, MADE.groups.labels, strict=True)
    (tmp_path / "groups").write_text("".join(f"{run}\t{group}\n" for run, group in rows))
    return tmp_path


def test_files_and_objects_give_the_same_numbers(folder: Path) -> None:
    """Paths, folders and lists of paths are read as the readers read them."""
    made = pw.report(MADE.judgments, MADE.runs, ["nDCG@10"], groups=MADE.groups)
    files = pw.report(folder / "qrels", folder / "runs", ["nDCG@10"], groups=folder / "groups")
    paths = [folder / "runs" / system for system in MADE.runs.systems]
    listed = pw.report(
        str(folder / "qrels"),
        paths,
        ["nDCG@10"],
        reading=pw.Reading(ties="trec_eval9"),
        groups=MADE.groups,
    )
    assert listed.provenance.tie_rule == "trec_eval9"
    order = made["nDCG@10"].columns()["run"]
    for read in (files, listed):
        assert read["nDCG@10"].columns()["run"] == order
        assert read["nDCG@10"].columns()["mean"] == made["nDCG@10"].columns()["mean"]
        assert read["nDCG@10"].sentences() == made["nDCG@10"].sentences()
    assert {run: files.group_of(run) for run in order} == {run: made.group_of(run) for run in order}
    assert files.provenance.runs[0].sha256


def test_a_report_has_the_numbers_of_the_single_calls() -> None:
    """Scores, comparisons, tiers, power and overlaps are those of the functions for them."""
    overview = pw.report(MADE.judgments, MADE.runs, ["AP@10"], baseline="bm25-1")
    part = overview["AP@10"]
    table = pw.evaluate(MADE.judgments, MADE.runs, ["AP@10"])["AP@10"]
    evidence = pw.align(judgments=MADE.judgments, runs=MADE.runs)
    compared = pw.compare_evidence(evidence, "AP@10")
    assert part.comparisons is not None
    assert part.against is not None
    assert part.power is not None
    assert overview.overlap is not None
    assert part.table.value.tolist() == table.value.tolist()
    assert part.table.upper.tolist() == table.upper.tolist()
    assert to_csv(part.comparisons.columns()) == to_csv(compared.columns())
    assert part.tier.tolist() == pw.findings.tiers(table, pw.compare_scores(table)).tolist()
    against = pw.compare_scores(table, baseline="bm25-1")
    assert part.against.p_adjusted.tolist() == against.p_adjusted.tolist()
    assert part.power.columns() == pw.findings.collection_power(table).columns()
    assert overview.overlap.ext.tolist() == pw.findings.overlap_matrix(MADE.runs).ext.tolist()


def test_a_measure_named_twice_is_found_once() -> None:
    """Map and AP are one measure."""
    assert len(pw.report(MADE.judgments, MADE.runs, ["map", "AP", "P@5"])) == 2


def test_progress_goes_to_the_end() -> None:
    """Every part is counted, and the last call says that all are done."""
    seen: list[tuple[int, int]] = []
    pw.report(
        MADE.judgments, MADE.runs, ["P@5", "AP"], progress=lambda done, of: seen.append((done, of))
    )
    assert seen == [(done, 7) for done in range(1, 8)]


def test_an_unknown_baseline_is_refused() -> None:
    """The error names the runs there are."""
    with pytest.raises(OptionError, match="baseline: 'nobody' is not known"):
        pw.report(MADE.judgments, MADE.runs, ["P@5"], baseline="nobody")


def test_groups_may_be_a_dict() -> None:
    """Groups are an object, a file, or a dict that has every run."""
    named = dict.fromkeys(MADE.runs.systems, "lab")
    assert set(pw.report(MADE.judgments, MADE.runs, ["P@5"], groups=named).groups) == {"lab"}
    with pytest.raises(OptionError, match="groups of runs: 'bm25-1' is not known"):
        pw.report(MADE.judgments, MADE.runs, ["P@5"], groups={"ql-1": "lab"})


def test_the_command_and_the_function_have_the_same_defaults() -> None:
    """The command line lists them without loading numpy, so they stand there again."""
    assert DEFAULT_MEASURES == _options.DEFAULT_MEASURES
    assert DEFAULT_TREATMENTS == _options.DEFAULT_TREATMENTS
    assert STUDIED == _options.STUDIED
