"""What counts as equal: ranks, ties and signs beyond rounding error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from poolwise.arrays import levels, settle, tolerance

wholes = st.lists(st.integers(-50, 50), min_size=1, max_size=20)


@given(scores=wholes)
def test_levels_of_whole_numbers_are_their_dense_ranks(scores: list[int]) -> None:
    """Without rounding error, a level is a distinct score."""
    ranks = levels(np.array(scores, np.float64), 1e-12)
    assert (ranks + 1).tolist() == rankdata(scores, method="dense").tolist()


@given(scores=wholes, scale=st.sampled_from([1e-9, 0.1, 1 / 3, 1e9]))
def test_levels_do_not_depend_on_the_unit(scores: list[int], scale: float) -> None:
    """The tolerance grows with the scores."""
    whole, scaled = np.array(scores, np.float64), np.array(scores) * scale
    assert levels(scaled, tolerance(scaled)).tolist() == levels(whole, tolerance(whole)).tolist()


def test_neighbours_tie_in_a_chain() -> None:
    """A score is level with the next lower one, whatever the distance to the lowest."""
    assert levels(np.array([0.0, 2.0, 1.0, 4.0]), 1.5).tolist() == [0, 0, 0, 1]


def test_each_row_has_its_own_tolerance() -> None:
    """Tolerances go along all axes but the last."""
    ranks = levels(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.5, 2.0]))
    assert ranks.tolist() == [[0, 1], [0, 0]]


def test_undefined_scores_have_no_say() -> None:
    """The largest of the known scores sets the tolerance; without any it is 0."""
    assert tolerance(np.array([np.nan, -3.0])) == pytest.approx(3e-12)
    assert tolerance(np.array([np.nan])) == tolerance(np.empty(0)) == 0
    assert np.isnan(settle(np.array([np.nan]), 1.0)).all()
