"""The rank rule of conformal ranges, against theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.scores.treatments._calibration import conformal_factor, promised_level


@pytest.mark.parametrize(("groups", "level"), [(19, 0.95), (40, 0.95), (9, 0.9), (25, 0.8)])
def test_ranges_hold_for_new_groups_at_the_level(groups: int, level: float) -> None:
    """Over many collections, a new group's error is within the factor at least as often."""
    rng = np.random.default_rng(4)
    errors = np.abs(rng.standard_t(3, (4000, groups + 1)))
    units = np.arange(groups)
    held = [row[-1] <= conformal_factor(row[:-1], units, level) for row in errors]
    assert level - 0.012 <= np.mean(held) <= level + 1 / (groups + 1) + 0.012


def test_a_group_counts_once_however_many_runs_it_has() -> None:
    """Runs with many sisters do not outvote the other groups."""
    scaled = np.concatenate([np.arange(1.0, 20.0), np.full(500, 0.1)])
    units = np.concatenate([np.arange(19), np.zeros(500, np.intp)])
    assert conformal_factor(scaled, units, 0.95) == 19
    assert conformal_factor(scaled, units, 0.5) == 10


def test_too_few_groups_promise_nothing() -> None:
    """18 groups cannot promise 95%, 19 can; with fewer the level falls to m/(m + 1)."""
    assert conformal_factor(np.arange(18.0), np.arange(18), 0.95) == float("inf")
    assert conformal_factor(np.arange(19.0), np.arange(19), 0.95) == 18
    for groups in range(5, 19):
        assert promised_level(groups) == groups / (groups + 1) < 0.95
        factor = conformal_factor(
            np.arange(float(groups)), np.arange(groups), groups / (groups + 1)
        )
        assert factor == groups - 1


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=30),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
)
def test_a_higher_level_never_takes_a_smaller_factor(
    scaled: list[float], one: float, other: float
) -> None:
    """Ranges of a higher level hold those of a lower one."""
    values, units = np.array(scaled), np.arange(len(scaled)) // 2
    low, high = sorted([one, other])
    assert conformal_factor(values, units, low) <= conformal_factor(values, units, high)
