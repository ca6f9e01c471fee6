"""What a comparison of two systems answers, prints and exports."""

import json

import narwhals as nw
import numpy as np
import pytest
from scipy import stats
from tests.each import over

from poolwise.errors import OptionError
from poolwise.findings.comparison._compare import compare_pair, compare_scores
from poolwise.findings.comparison._significance import TESTS
from poolwise.scores._score_table import ScoreTable

A = np.random.default_rng(1).random(30)
B = A - np.random.default_rng(2).normal(0.03, 0.1, 30)
TABLE = ScoreTable.from_matrix(
    [A, B], systems=["a", "b"], topics=[str(t) for t in range(30)], measure="nDCG@10"
)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_t_intervals_are_scipys(level: float) -> None:
    """The interval of a t test is scipy's, paired and for two samples."""
    paired = compare_pair(TABLE, "a", "b").interval(level)
    np.testing.assert_allclose(paired, stats.ttest_rel(A, B).confidence_interval(level))
    pooled = compare_pair(TABLE, "a", "b", test="pooled-t").interval(level)
    np.testing.assert_allclose(pooled, stats.ttest_ind(A, B).confidence_interval(level))


@pytest.mark.parametrize("method", ["basic", "percentile", "bca"])
def test_bootstrap_intervals_are_scipys(method: str) -> None:
    """Basic, percentile and BCa intervals agree with scipy's to the noise of resampling."""
    pair = compare_pair(TABLE, "a", "b", test="bootstrap", resamples=40_000, rng=2)
    theirs = stats.bootstrap(
        (A - B,), np.mean, method=method.replace("bca", "BCa"), n_resamples=40_000, random_state=2
    ).confidence_interval
    np.testing.assert_allclose(pair.interval(0.95, method=method), theirs, atol=1e-3)


def test_an_interval_around_zero_goes_with_a_p_value_above_alpha() -> None:
    """The t interval of level 1−α leaves out 0 exactly when p < α."""
    pair = compare_pair(TABLE, "a", "b")
    low, high = pair.interval(1 - pair.pvalue)
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-12)


def test_studentized_interval_nears_the_t_interval() -> None:
    """With normal differences, the bootstrap-t interval is about that of t."""
    pair = compare_pair(TABLE, "a", "b", test="studentized", rng=1)
    np.testing.assert_allclose(pair.interval(), pair.interval(method="t"), atol=0.01)


def test_an_interval_the_test_does_not_have_is_refused() -> None:
    """Only a bootstrap test has bootstrap intervals, and a level is a share."""
    pair = compare_pair(TABLE, "a", "b")
    with pytest.raises(OptionError, match="'basic' is not an interval of the paired t test"):
        pair.interval(method="basic")
    with pytest.raises(OptionError, match="level: "):
        pair.interval(95)


@over("test", list(TESTS))
def test_every_test_prints_the_same_block(test: str) -> None:
    """One block for all tests: the same lines in the same order."""
    (table,) = compare_pair(TABLE, "a", "b", test=test, rng=1).tables()
    assert table.title.startswith("a − b, nDCG@10: ")
    assert [row[0] for row in table.rows] == [
        "difference",
        "95% interval",
        "p value",
        "effect size",
        "topics",
        "null",
        "alternative",
        "state",
    ]


def test_effect_size_is_the_standardized_mean_difference() -> None:
    """The effect size is mean over standard deviation of the per-topic differences."""
    delta = A - B
    pair = compare_pair(TABLE, "a", "b")
    assert pair.effect_size == pytest.approx(delta.mean() / delta.std(ddof=1))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_what_the_comparisons_say(backend: str) -> None:
    """A frame has one row per pair, with the numbers of the comparison."""
    comparisons = compare_scores(TABLE)
    frame = comparisons.to_frame(backend=backend)
    pair = comparisons[0]
    for shown in (frame, pair.to_frame(backend=backend)):
        cells = nw.from_native(shown, eager_only=True).to_dict(as_series=False)
        np.testing.assert_equal(cells, comparisons.columns())
    assert len(frame) == 1
    assert json.loads(json.dumps(pair.columns()))["wins"] == [pair.wins]


def test_comparisons_are_a_sequence() -> None:
    """A comparison past the end is an IndexError, as for any sequence."""
    comparisons = compare_scores(TABLE)
    assert comparisons[-1].pvalue == comparisons[0].pvalue
    with pytest.raises(IndexError):
        comparisons[1]


@pytest.mark.parametrize(
    ("sided", "words"), [("two-sided", "not 0"), ("greater", "above 0"), ("less", "below 0")]
)
def test_the_alternative_is_said_in_words(sided: str, words: str) -> None:
    """What is claimed can be read off the finding."""
    pair = compare_pair(TABLE, "a", "b", test="sign", alternative=sided)
    assert pair.alternative == f"the median difference is {words}"
    assert pair.null == "a win is as likely as a loss"
