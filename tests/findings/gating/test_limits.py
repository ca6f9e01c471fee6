"""The limits that a gate decides by, against scipy, brute force and theory."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poolwise.findings.gating._limits import (
    _powered_again,
    _powered_limits,
    labelled_again,
    largest_pvalue,
    mean_limits,
    prediction_limits,
    unseen_share,
)

DELTAS = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=12) | st.lists(
    st.sampled_from([-0.5, -0.1, 0.0, 0.0, 0.2]), min_size=48, max_size=52
)
MARGINS = st.sampled_from([0.0, 0.01, 0.1])


@given(DELTAS.filter(lambda x: len(set(x)) > 1), MARGINS)
def test_limits_are_the_more_careful_of_two_t_tests(deltas: list[float], margin: float) -> None:
    """Of the topics, and with the worst or the best one counted again: scipy says the same."""
    limits = mean_limits(np.array([deltas]), margin, alpha=0.05)
    more = 1 if len(deltas) >= 50 else 2
    below, above = (
        [stats.ttest_1samp(x, -margin, alternative=side) for x in (deltas, deltas + [end] * more)]
        for side, end in (("greater", min(deltas)), ("less", max(deltas)))
    )
    assert limits.low[0] == pytest.approx(min(t.confidence_interval(0.95).low for t in below))
    assert limits.high[0] == pytest.approx(max(t.confidence_interval(0.95).high for t in above))
    assert limits.p_pass[0] == pytest.approx(max(t.pvalue for t in below))
    assert limits.p_fail[0] == pytest.approx(max(t.pvalue for t in above))


@given(DELTAS, MARGINS, st.sampled_from([0.01, 0.05, 0.2]))
def test_a_limit_is_past_the_margin_where_its_p_value_is_below_alpha(
    deltas: list[float], margin: float, alpha: float
) -> None:
    """Whoever asks the limits and whoever asks the p values get one answer."""
    limits = mean_limits(np.array([deltas]), margin, alpha=alpha)
    apart = np.abs(np.array([limits.low[0], limits.high[0]]) + margin) > 1e-9
    if apart[0]:
        assert (limits.low[0] > -margin) == (limits.p_pass[0] < alpha)
    if apart[1]:
        assert (limits.high[0] < -margin) == (limits.p_fail[0] < alpha)


@pytest.mark.parametrize(("constant", "p_pass", "p_fail"), [(0.1, 0, 1), (-0.1, 1, 0)])
def test_differences_that_do_not_vary_are_certain(
    constant: float, p_pass: float, p_fail: float
) -> None:
    """Rounding is no variation."""
    limits = mean_limits(np.full((1, 7), constant), 0.01)
    assert (limits.low[0], limits.high[0]) == pytest.approx((constant, constant))
    assert (limits.p_pass[0], limits.p_fail[0]) == (p_pass, p_fail)


def test_one_topic_has_no_limits() -> None:
    """Nor has none."""
    for topics in (0, 1):
        assert all(np.isnan(end).all() for end in mean_limits(np.zeros((3, topics)), 0.01))
    assert np.isnan(largest_pvalue(np.zeros(1), np.ones(1), 0.01))


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(
            lambda ends: tuple(sorted(round(x, 3) for x in ends))
        ),
        min_size=2,
        max_size=5,
    ),
    MARGINS,
)
def test_no_assignment_within_bounds_has_a_larger_p_value(
    ends: list[tuple[float, float]], margin: float
) -> None:
    """Corners and points between them, each with its own worst topic counted again."""
    lower, upper = np.array(ends).T
    most = largest_pvalue(lower, upper, margin)
    grid = np.array(list(itertools.product(*(np.linspace(*e, 3) for e in ends))))
    pvalues = mean_limits(grid, margin).p_pass
    assert np.isnan(most) or (pvalues <= most + 1e-9).all()


def test_another_corner_than_the_lower_ends_can_be_the_worst() -> None:
    """The t test on the lower ends is not the largest p value: a gain elsewhere adds spread."""
    lower, upper = np.array([0.1, 0.1, 0.1, 0.1]), np.array([0.1, 0.1, 0.1, 0.9])
    at_lower_ends = mean_limits(lower[None], 0.0).p_pass[0]
    assert at_lower_ends == 0
    assert largest_pvalue(lower, upper, 0.0) > 0.05


def test_the_share_that_is_not_seen_is_that_of_the_binomial() -> None:
    """With so many hurt topics a sample holds none of them with the probability alpha."""
    for topics, alpha in ((25, 0.05), (50, 0.05), (200, 0.01)):
        share = unseen_share(topics, alpha)
        assert stats.binom.pmf(0, topics, share) == pytest.approx(alpha)
    assert round(100 * unseen_share(50), 1) == 5.8


@pytest.mark.parametrize("topics", [20, 30, 60])
def test_people_on_all_topics_have_the_limits_of_their_differences(topics: int) -> None:
    """Then the machine adds nothing, and each topic pulls as far as its difference does."""
    rng = np.random.default_rng(topics)
    human, machine = rng.random((2, topics)), rng.random((2, topics))
    limits = prediction_limits(human, machine, np.arange(topics), 0.02)
    deltas = (human[1] - human[0])[None]
    alone = mean_limits(deltas, 0.02, again=labelled_again(topics))
    for one, other in zip(limits, alone, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_the_topic_that_pulls_down_most_is_counted_again() -> None:
    """By brute force: of all topics that people judged, no other lowers the limit further."""
    rng = np.random.default_rng(3)
    human, machine, judged = rng.random((2, 30)), rng.random((2, 90)), np.arange(0, 90, 3)
    machine[:, judged] = 0.6 * human + 0.4 * rng.random((2, 30))
    limits = prediction_limits(human, machine, judged, 0.02)
    estimates = [
        _powered_again(human, machine, judged, topic).estimate[0] for topic in range(len(judged))
    ]
    lowest = _powered_again(human, machine, judged, int(np.argmin(estimates)))
    assert limits.low[0] <= _powered_limits(lowest, 0.02, 0.05).low[0] + 1e-12
