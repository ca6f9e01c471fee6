"""A test on geometric means is a test on logarithms of scores (U18 §2.1)."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import poolwise as pw
from poolwise.measures._derived import Logarithm
from poolwise.scores.geometric_means import log_scores

MADE = pw.simulate(systems=5, topics=12, depth=30, rng=4)
BOTH = MADE.judgments, MADE.runs
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
    (found,) = pw.compare(*BOTH, "nDCG@10", mean="geometric", correction="none", draws=0)
    logs = np.log(pw.score(EVIDENCE, "nDCG@10").value + 1e-5)
    for one in found:
        a, b = (logs[MADE.runs.systems.index(name)] for name in (one.a, one.b))
        assert one.pvalue == pytest.approx(ttest_rel(a, b).pvalue, abs=1e-12)
        assert one.difference == pytest.approx((a - b).mean())


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
    (found,) = pw.compare(*BOTH, Logarithm(of=measure), draws=20)
    assert (found.bound_low <= found.difference).all()
    assert (found.difference <= found.bound_high).all()


@given(factor=st.floats(0.1, 0.9))
def test_a_constant_ratio_is_a_constant_difference(factor: float) -> None:
    """A run that has the same share of another's score on every topic differs by its logarithm."""
    scores = np.array([0.9, 0.2, 0.05, 0.6])
    table = pw.ScoreTable.from_matrix(
        [scores, scores * factor], systems="ab", topics="1234", measure="AP"
    )
    (found,) = pw.workflows.compare_tables([table], mean="geometric")
    assert found[0].difference == pytest.approx(-np.log(factor), abs=1e-3)
    said = found[0].sentences()[1]
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
