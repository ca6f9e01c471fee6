"""Intervals belong to their tests: a value lies inside if its test does not reject it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from poolwise.errors import OptionError
from poolwise.findings.comparison import _signed_ranks
from poolwise.findings.comparison._compare import compare_pair, compare_scores
from poolwise.findings.comparison._significance import TESTS, fewest_topics
from poolwise.scores._score_table import ScoreTable

DELTAS = np.random.default_rng(5).normal(0.05, 0.1, 20)
PAIRED = [name for name in TESTS if name not in ("pooled-t", "welch-t")]


def table_of(deltas: NDArray[np.float64]) -> ScoreTable:
    """Return two systems that differ by these deltas."""
    base = np.random.default_rng(6).random(len(deltas))
    topics = [str(t) for t in range(len(deltas))]
    return ScoreTable.from_matrix([base + deltas, base], systems="ab", topics=topics, measure="AP")


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization"])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_an_interval_holds_what_its_test_does_not_reject(test: str, alpha: float) -> None:
    """Just inside either end the shifted differences have p > α, and just outside p ≤ α."""
    pair = compare_pair(table_of(DELTAS), "a", "b", test=test, alpha=alpha, rng=1)
    low, high = pair.ci_low, pair.ci_high
    # Where the p value is counted in resamples, that many of them decide.
    step = (high - low) * (0.03 if test == "randomization" else 1e-6)
    for value, inside in ((low + step, 1), (high - step, 1), (low - step, 0), (high + step, 0)):
        again = compare_pair(table_of(DELTAS - value), "a", "b", test=test, rng=1)
        assert (again.pvalue > alpha) == bool(inside)


@pytest.mark.parametrize("test", PAIRED)
def test_one_pair_has_the_interval_of_all_pairs(test: str) -> None:
    """The interval of compare_pair is that of compare, and of the columns."""
    scores = np.random.default_rng(8).random((3, 15))
    table = ScoreTable.from_matrix(scores, systems="abc", topics=map(str, range(15)), measure="AP")
    many = compare_scores(table, test=test, rng=4, resamples=800)
    for i, (a, b) in enumerate(["ab", "ac", "bc"]):
        pair = compare_pair(table, a, b, test=test, rng=4, resamples=800)
        assert pair.interval() == pytest.approx((many.ci_low[i], many.ci_high[i]))
        assert many[i].interval(0.8) == pytest.approx(pair.interval(0.8))
        assert pair.interval_method == many.columns()["interval"][i] == TESTS[test].intervals[0]


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("t", "95% interval "),
        ("wilcoxon", "95% Hodges–Lehmann interval "),
        ("sign", "95% interval of the median "),
        ("bootstrap", "95% basic bootstrap interval "),
    ],
)
def test_what_is_printed_says_which_interval_it_is(test: str, said: str) -> None:
    """The sentence has the words, and the column the name."""
    comparisons = compare_scores(table_of(DELTAS), test=test, rng=1, resamples=200)
    assert said in comparisons[0].sentences()[1]
    title = f"95% over topics ({TESTS[test].intervals[0]})"
    assert title in [column.title for column in comparisons.tables()[0].columns]


def test_another_interval_can_be_asked_for() -> None:
    """It is one of the test's, is shown instead, and is part of the provenance."""
    table = table_of(DELTAS)
    comparisons = compare_scores(table, test="bootstrap", interval="bca", rng=1, resamples=2000)
    pair = compare_pair(table, "a", "b", test="bootstrap", rng=1, resamples=2000)
    assert (comparisons.ci_low[0], comparisons.ci_high[0]) == pytest.approx(
        pair.interval(method="bca")
    )
    assert "interval bca" in str(comparisons.provenance.lines())
    with pytest.raises(OptionError, match=r"'bca' is no interval of the paired t test. Hint: use"):
        compare_scores(table, interval="bca")


@given(
    deltas=st.lists(st.integers(-6, 6), min_size=6, max_size=30),
    outside=st.integers(1, 10),
)
def test_averages_are_found_without_a_list_of_them(deltas: list[int], outside: int) -> None:
    """Counting leads to the same ends as listing, ties and all."""
    rows = np.array([deltas], np.float64) / 7
    listed = _signed_ranks._listed(rows, outside)
    counted = _signed_ranks._counted(rows, outside)
    np.testing.assert_allclose(counted, listed, atol=1e-12)


def test_the_interval_of_the_median_has_conovers_order_statistics() -> None:
    """Of 16 differences the fourth and the thirteenth are the ends (Conover 1999, section 3.2)."""
    pair = compare_pair(table_of(np.arange(1.0, 17)), "a", "b", test="sign")
    assert pair.interval(0.95) == pytest.approx((4, 13))


def test_hodges_lehmann_of_many_topics_nears_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the distribution is approximated, the ends move by an average or two."""
    deltas = np.random.default_rng(2).normal(0.1, 1, 50)
    exact = compare_pair(table_of(deltas), "a", "b", test="wilcoxon").interval()
    monkeypatch.setattr(_signed_ranks, "EXACT_TOPICS", 10)
    assert compare_pair(table_of(deltas), "a", "b", test="wilcoxon").interval() == pytest.approx(
        exact, abs=0.01
    )


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "randomization"])
def test_five_topics_leave_these_tests_no_interval(test: str) -> None:
    """Nothing can be rejected, so nothing is outside; six topics leave some."""
    few = compare_pair(table_of(DELTAS[:5]), "a", "b", test=test, rng=1)
    assert np.isnan([few.ci_low, few.ci_high]).all()
    enough = compare_pair(table_of(DELTAS[:6]), "a", "b", test=test, rng=1)
    assert not np.isnan([enough.ci_low, enough.ci_high]).any()


def test_two_topics_are_too_few_for_anything() -> None:
    """The t test's p is small and the effect size 48, and nothing is significant: it is said."""
    table = ScoreTable.from_matrix(
        [[0.9, 0.9], [0.1, 0.11], [0.4, 0.2]], systems="abc", topics="12", measure="AP"
    )
    comparisons = compare_scores(table, correction="none")
    assert comparisons.pvalue[0] < 0.05
    assert not comparisons.significant().any()
    assert not any(pair.is_significant for pair in comparisons)
    assert comparisons.reasons()[0] == (
        "2 topics are too few for any difference to be significant at 0.05: a system that wins on "
        "all of them does so by chance with p = 0.5, and it takes 6 topics to tell."
    )


@given(alpha=st.floats(1e-6, 0.5), sided=st.sampled_from(["two-sided", "greater", "less"]))
def test_the_fewest_topics_are_those_of_a_sign_test_won_throughout(
    alpha: float, sided: str
) -> None:
    """With so many wins and no loss the sign test has p < α, and with one fewer it has not."""
    tails, fewest = 2 if sided == "two-sided" else 1, fewest_topics(alpha, sided)
    assert tails * 0.5**fewest < alpha <= tails * 0.5 ** (fewest - 1)


def test_no_p_value_is_0() -> None:
    """A difference too large for the t distribution's tail still has a p value above 0."""
    deltas = 1 + 1e-9 * np.random.default_rng(1).normal(size=50)
    pair = compare_pair(table_of(deltas), "a", "b")
    assert stats.ttest_1samp(deltas, 0).pvalue == 0
    assert 0 < pair.pvalue < 1e-300
    assert pair.p_adjusted > 0
    assert "p < 0.0001" in pair.sentences()[1]
