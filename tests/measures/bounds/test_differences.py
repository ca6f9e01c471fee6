"""Ranges of differences of RR and Success are what enumeration of every grading finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy
from tests.oracles.graded_pairs import Case, Scorer, cases, reciprocal_rank, success

from poolwise.evidence._evidence import Pairs
from poolwise.measures.bounds._differences import first_relevant_difference

PAIR = Pairs(np.array([0]), np.array([1]))


@settings(deadline=None, max_examples=heavy(150))
@given(cases(), st.integers(1, 7), st.sampled_from([1, 2]))
def test_first_relevant_rank(case: Case, cutoff: int, level: int) -> None:
    """No grading leaves the range of a difference of RR or Success, and two reach its ends."""
    seen = case.block().truncate(cutoff)
    ranks = np.arange(1, seen.depth + 1)
    scorers: tuple[tuple[np.ndarray, Scorer], ...] = (
        (1 / ranks, reciprocal_rank(level)),
        (np.ones(seen.depth), success(level)),
    )
    for worth, scorer in scorers:
        bounds = first_relevant_difference(seen, PAIR, level=level, worth=worth)
        expected = case.differences(scorer, cutoff=cutoff, level=level, grades=(0, 2))
        assert [end.item() for end in bounds] == pytest.approx(expected, abs=1e-12)
