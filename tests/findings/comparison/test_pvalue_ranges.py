"""No differences inside their bounds have a p value outside its range."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import ttest_1samp

from poolwise.errors import OptionError
from poolwise.findings.comparison._pvalue_ranges import t_pvalue_range, t_range

Box = tuple[np.ndarray, np.ndarray]


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """Return lower and upper bounds of a few differences, some of them known."""
    cell = st.integers(-20, 20).map(lambda i: i / 20)
    ends = draw(st.lists(st.tuples(cell, cell), min_size=2, max_size=6))
    array = np.sort(np.array(ends), axis=1)
    return array[None, :, 0], array[None, :, 1]


def corners(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return every choice of a bound per topic."""
    chosen = np.indices((2,) * lower.shape[1]).reshape(lower.shape[1], -1).T
    return np.where(chosen, upper[0], lower[0])


@given(boxes(), st.sampled_from(["two-sided", "greater", "less"]), st.integers(0, 99))
def test_nothing_inside_the_bounds_leaves_the_range(box: Box, sided: str, seed: int) -> None:
    """Corners and random points inside the bounds have p values inside the range."""
    lower, upper = box
    low, high = t_pvalue_range(lower, upper, alternative=sided)
    inside = np.random.default_rng(seed).uniform(lower, upper, (50, lower.shape[1]))
    points = np.concatenate([corners(lower, upper), inside])
    points = points[np.ptp(points, axis=1) > 1e-9]
    if len(points):
        found = ttest_1samp(points, 0, axis=1, alternative=sided).pvalue
        assert low.item() <= found.min() + 1e-9
        assert found.max() <= high.item() + 1e-9


def test_the_largest_t_is_what_an_optimizer_finds() -> None:
    """The smallest p value is reached: a search inside the bounds gets there, and no further."""
    rng = np.random.default_rng(3)
    lower = rng.normal(0.1, 0.2, (5, 8))
    upper = lower + rng.random((5, 8)) * (rng.random((5, 8)) < 0.6) * 0.2
    for low, high, best in zip(lower, upper, t_range(lower, upper)[1], strict=True):

        def downhill(x: np.ndarray) -> float:
            return -float(ttest_1samp(x, 0).statistic)

        found = minimize(downhill, (low + high) / 2, bounds=np.stack([low, high], axis=1))
        assert -found.fun == pytest.approx(best, rel=1e-4)


def test_the_smallest_t_is_close_to_a_corner() -> None:
    """Over 50 topics some choice of bounds comes within a hundredth of the largest p value."""
    rng = np.random.default_rng(4)
    lower = rng.normal(0.2, 0.2, (20, 50))
    upper = lower + rng.random((20, 50)) * (rng.random((20, 50)) < 0.6) * 0.1
    high = t_pvalue_range(lower, upper).high
    for low, up, most in zip(lower, upper, high, strict=True):
        order = np.argsort(-(low + up))
        raised = np.tri(51, 50, -1, dtype=bool)[:, np.argsort(order)]
        found = ttest_1samp(np.where(raised, up, low), 0, axis=1).pvalue.max()
        assert found * (1 - 1e-9) <= most <= found * 1.01


def test_known_differences_leave_one_p_value() -> None:
    """Where nothing is open, both ends are the p value of the t test."""
    known = np.random.default_rng(1).normal(0.1, 0.3, (40, 50))
    expected = ttest_1samp(known, 0, axis=1).pvalue
    for end in t_pvalue_range(known, known):
        np.testing.assert_allclose(end, expected, rtol=1e-9)


def test_a_possible_reversal_leaves_p_1() -> None:
    """Bounds on both sides of 0 let the test say nothing; equal differences let it be sure."""
    low, high = t_pvalue_range(np.array([[-0.1, -0.1]]), np.array([[0.2, 0.3]]))
    assert (low.item(), high.item()) == (0.0, 1.0)


def test_rounding_errors_do_no_harm() -> None:
    """Ends that rounding put the wrong way round, or next to 0, give p = 1 and no warning."""
    lower = np.array([[0.3, -0.1, -0.2], [0.3, -0.1, -0.2], [0.0, 0.0, 0.0]])
    upper = lower - np.array([[1e-17, 0, 1e-17], [0, 0, 5e-17], [0, 0, 0]])
    low, high = t_pvalue_range(lower, upper)
    np.testing.assert_allclose(high, [1, 1, np.nan])
    np.testing.assert_allclose(low, [1, 1, np.nan])


def test_one_topic_has_no_range() -> None:
    """One topic has no t, so no p value either."""
    assert np.isnan(t_pvalue_range(np.array([[0.1]]), np.array([[0.2]]))).all()


def test_a_wrong_side_is_refused() -> None:
    """The alternative is one of three."""
    with pytest.raises(OptionError, match="alternative: 'up' is not known"):
        t_pvalue_range(np.zeros((1, 2)), np.zeros((1, 2)), alternative="up")
