"""Rank-biased overlap of orders of systems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.errors import InputError
from poolwise.findings.agreement.top_agreement import order_overlap
from poolwise.findings.similarity.rank_overlap import rank_biased_overlap

scores = st.lists(st.integers(0, 3), min_size=6, max_size=6)


def _ranking(values: list[int]) -> list[list[int]]:
    return [
        [i for i, v in enumerate(values) if v == level]
        for level in sorted(set(values), reverse=True)
    ]


@given(scores, st.lists(scores, min_size=1, max_size=3), st.sampled_from(["w", "a", "b", "broken"]))
def test_each_order_is_a_ranking(first: list[int], second: list[list[int]], ties: str) -> None:
    """The overlap of orders is that of the rankings they stand for, equal scores tied."""
    found = order_overlap(first, second, p=0.8, ties=ties)
    for value, other in zip(found, second, strict=True):
        expected = rank_biased_overlap(_ranking(first), _ranking(other), p=0.8, ties=ties)
        assert value == pytest.approx(expected.ext)


def test_shapes() -> None:
    """A single order gives a single number, no systems give none, and one meets many."""
    assert order_overlap([2, 1], [2, 1]).shape == ()
    assert order_overlap([2, 1], np.ones((3, 4, 2))).shape == (3, 4)
    assert np.isnan(order_overlap([], []))
    with pytest.raises(InputError, match="one order is compared with many"):
        order_overlap([[2, 1]], [2, 1])
