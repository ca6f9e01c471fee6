"""Exact ranges of differences are what enumeration of every grading finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy
from tests.oracles.graded_pairs import (
    Case,
    average_precision,
    cases,
    expected_reciprocal_rank,
    sum_of_precisions,
)

from poolwise.evidence._evidence import Pairs
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._staircase import (
    precision_sum_difference,
    precision_sums_over_relevant,
    stopping_difference,
)

PAIR = Pairs(np.array([0]), np.array([1]))
cutoffs = st.integers(1, 7)


def assert_range(bounds: Bounds, expected: tuple[float, float]) -> None:
    ends = [end.item() for end in bounds]
    assert ends == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=heavy(300))
@given(cases(), cutoffs, st.sampled_from([1, 2]), st.booleans())
def test_average_precision(case: Case, cutoff: int, level: int, abbreviated: bool) -> None:  # noqa: FBT001
    """No grading leaves the range of a difference of AP or aAP, and two gradings reach its ends."""
    cap = cutoff if abbreviated else np.inf
    bounds = precision_sums_over_relevant(
        case.block().truncate(cutoff),
        PAIR,
        level=level,
        unlisted=np.array([[float(case.unlisted)]]),
        cap=cap,
    )
    scorer = average_precision(level, cap)
    assert_range(bounds, case.differences(scorer, cutoff=cutoff, level=level, grades=(0, 2)))


@settings(deadline=None, max_examples=heavy(150))
@given(cases(), cutoffs)
def test_sum_of_precisions(case: Case, cutoff: int) -> None:
    """No grading leaves the range of a difference of SP, and two gradings reach its ends."""
    bounds = precision_sum_difference(case.block().truncate(cutoff), PAIR, level=1)
    assert_range(bounds, case.differences(sum_of_precisions(1), cutoff=cutoff, grades=(0, 1)))


@settings(deadline=None, max_examples=heavy(150))
@given(cases(unknown=5), cutoffs)
def test_expected_reciprocal_rank(case: Case, cutoff: int) -> None:
    """No grading leaves the range of a difference of ERR, and two gradings reach its ends."""
    stops = np.array([0.0, 0.25, 0.75])
    bounds = stopping_difference(case.block().truncate(cutoff), PAIR, stops=stops)
    assert_range(bounds, case.differences(expected_reciprocal_rank, cutoff=cutoff))
