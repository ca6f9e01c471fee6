"""From files or from memory to the same score tables."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import poolwise as pw
from poolwise.measures._derived import Logarithm
from poolwise.scores._scoring import log_scores

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


OTHERS = pw.simulate(systems=5, topics=12, depth=30, rng=4)
BOTH = OTHERS.judgments, OTHERS.runs
EVIDENCE = pw.align(*BOTH)


def test_the_mean_of_logarithms_is_that_of_the_geometric_mean() -> None:
    """The table has one geometric mean, whichever way it is computed."""
    table = pw.score(EVIDENCE, "AP")
    logs = log_scores(table)
    np.testing.assert_allclose(np.exp(logs.means()) - 1e-5, table.aggregate("gm"), rtol=1e-12)
    np.testing.assert_array_equal(logs.value, pw.score(EVIDENCE, Logarithm(of=pw.AP)).value)
    np.testing.assert_array_equal(logs.upper, pw.score(EVIDENCE, Logarithm(of=pw.AP)).upper)


def test_p_values_are_those_of_t_on_logarithms() -> None:
    """U18 §2.1: take the logarithm for the measure, and apply a t test; scipy agrees."""
    (comparisons,) = pw.compare(*BOTH, "nDCG@10", mean="geometric", correction="none", draws=0)
    logs = np.log(pw.score(EVIDENCE, "nDCG@10").value + 1e-5)
    for comparison in comparisons:
        a, b = (logs[OTHERS.runs.systems.index(name)] for name in (comparison.a, comparison.b))
        assert comparison.pvalue == pytest.approx(ttest_rel(a, b).pvalue, abs=1e-12)
        assert comparison.difference == pytest.approx((a - b).mean())


def test_scores_of_others_give_the_same_comparison() -> None:
    """A file of scores is compared as the runs are that it came from."""
    (by_table,) = pw.workflows.compare_tables([pw.score(EVIDENCE, "AP")], mean="geometric")
    (by_runs,) = pw.compare(*BOTH, "AP", mean="geometric", draws=0)
    np.testing.assert_array_equal(by_table.pvalue, by_runs.pvalue)
    assert str(by_table.measure) == "log AP"


@pytest.mark.parametrize("name", ["AP", "nDCG@5", "RBP(p=0.8)", "RR@10", "Rprec"])
def test_ranges_of_logarithms_hold_what_the_measure_can_be(name: str) -> None:
    """The range is the logarithm of the measure's, and differences stay within both."""
    measure = pw.parse_measure(name)
    logs, plain = Logarithm(of=measure).bounds(EVIDENCE), measure.bounds(EVIDENCE)
    np.testing.assert_allclose(logs.lower, np.log(plain.lower + 1e-5))
    np.testing.assert_allclose(logs.upper, np.log(plain.upper + 1e-5))
    (comparisons,) = pw.compare(*BOTH, Logarithm(of=measure), draws=20)
    assert (comparisons.bound_low <= comparisons.difference).all()
    assert (comparisons.difference <= comparisons.bound_high).all()


@given(factor=st.floats(0.1, 0.9))
def test_a_constant_ratio_is_a_constant_difference(factor: float) -> None:
    """A run that has the same share of another's score on every topic differs by its logarithm."""
    scores = np.array([0.9, 0.2, 0.05, 0.6])
    table = pw.ScoreTable.from_matrix(
        [scores, scores * factor], systems="ab", topics="1234", measure="AP"
    )
    (comparisons,) = pw.workflows.compare_tables([table], mean="geometric")
    assert comparisons[0].difference == pytest.approx(-np.log(factor), abs=1e-3)
    said = comparisons[0].sentences()[1]
    assert float(said.partition("in AP is ")[2].partition(" ")[0]) == pytest.approx(
        1 / factor, rel=2e-3
    )


def test_scores_below_0_have_no_geometric_mean() -> None:
    """A standardized score may be negative, and is refused with what to do instead."""
    table = pw.ScoreTable.from_matrix(
        [[0.1, -0.2], [0.1, 0.3]], systems="ab", topics="12", measure="z"
    )
    with pytest.raises(pw.errors.OptionError, match=r"has -0\.2\. Hint: use the arithmetic"):
        log_scores(table)


def test_gm_ap_orders_trec_8_as_its_logarithm_does(data_dir: Path) -> None:
    """U18 §2.1: the order by GM-AP is that by the mean of log AP."""
    folder = data_dir / "trec8"
    evidence = pw.align(pw.read_judgments(folder / "qrels.gz"), pw.read_runs(folder / "runs"))
    table = pw.score(evidence, "AP", bounds="none")
    assert np.array_equal(
        np.argsort(table.aggregate("gm"), kind="stable"),
        np.argsort(log_scores(table).means(), kind="stable"),
    )


def test_naive_bounds_are_said_to_be_naive() -> None:
    """The printout has a sentence on them, and the provenance names them; exact ones have none."""
    result = pw.evaluate(MADE.judgments, MADE.runs, "nDCG@10", bounds="naive")
    (said,) = [line for line in result.sentences() if "naive" in line]
    assert said.startswith("The range is naive: unjudged documents take the best grades")
    assert ("bounds", "naive") in result.provenance.options
    assert result["nDCG@10"].over_judgments.kind == "naive"
    table = pw.score(pw.align(MADE.judgments, MADE.runs), "nDCG@10", bounds="naive")
    assert ("bounds", "naive") in table.provenance.options
    assert "naive" in table.select(topics=table.topics[:2]).caveats()[-1]
    assert not any("naive" in line for line in pw.evaluate(MADE.judgments, MADE.runs).sentences())
