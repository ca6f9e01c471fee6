"""RR, ERR and Success."""

from itertools import product

import numpy as np
import pytest

from poolwise import ERR, RR, Evidence, Success


def err(grades: list[float], top: float, depth: int) -> float:
    """Walk down the ranking as Chapelle et al. 2009, algorithm 2, do."""
    reach, expected = 1.0, 0.0
    for rank, grade in enumerate(grades[:depth], 1):
        stop = (2**grade - 1) / 2**top
        expected += reach * stop / rank
        reach *= 1 - stop
    return expected


@pytest.mark.parametrize("depth", [2, 4])
def test_err_is_a_walk_down_the_ranking(depth: int) -> None:
    """ERR equals the walk of its definition, for all rankings of four documents."""
    rankings = [list(r) for r in product([0, 1, 3], repeat=4)]
    evidence = Evidence.from_grades(rankings, scale=[0, 1, 3])
    walked = [err(r, 3, depth) for r in rankings]
    np.testing.assert_allclose((ERR @ depth).score(evidence).ravel(), walked)


def test_reciprocal_rank() -> None:
    """RR is one over the first relevant rank, 0 without one, and 0 past the cut-off."""
    evidence = Evidence.from_grades([[0, 0, 1, 1], [0, 0], [2]], scale=[0, 1, 2])
    assert RR.score(evidence).ravel() == pytest.approx([1 / 3, 0, 1])
    assert (RR @ 2).score(evidence).ravel() == pytest.approx([0, 0, 1])
    assert RR(rel=2).score(evidence).ravel() == pytest.approx([0, 0, 1])


def test_an_unjudged_document_can_be_the_first_relevant() -> None:
    """The upper bound of RR stands at the first unjudged or relevant document."""
    evidence = Evidence.from_grades([[0, None, 1]])
    lower, upper = RR.bounds(evidence)
    assert (lower.item(), upper.item()) == pytest.approx((1 / 3, 1 / 2))


def test_success() -> None:
    """Success is 1 as soon as one relevant document is within the cut-off."""
    evidence = Evidence.from_grades([[0, 1], [1], [None, 0]], judged=[1])
    assert (Success @ 1).score(evidence).ravel().tolist() == [0, 1, 0]
    assert (Success @ 1).bounds(evidence).upper.ravel().tolist() == [0, 1, 1]
