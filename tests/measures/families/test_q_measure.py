"""Q-measure."""

import pytest

from poolwise import AP, Evidence, Q


def test_q_by_hand() -> None:
    """Each relevant rank counts (relevant + gain) / (rank + ideal gain) so far."""
    evidence = Evidence.from_grades([[0, 1, 3]], judged=[3, 1, 1, 0])
    # Ideal gains 3 1 1: cumulated 3 4 5.
    assert Q.score(evidence).item() == pytest.approx(((1 + 1) / (2 + 4) + (2 + 4) / (3 + 5)) / 3)
    assert (Q @ 2).score(evidence).item() == pytest.approx((1 + 1) / (2 + 4) / 2)


def test_without_gain_q_is_average_precision() -> None:
    """With beta = 0 only the counts are left."""
    evidence = Evidence.from_grades([[0, 1, 3, 0, 2]], judged=[3, 2, 1, 1, 0])
    assert Q(beta=0).score(evidence).item() == pytest.approx(AP.score(evidence).item())


def test_bounds_of_a_judged_list_are_its_score() -> None:
    """With nothing unjudged the bounds meet."""
    evidence = Evidence.from_grades([[0, 1, 3, 0, 2]], judged=[3, 2, 1, 1, 0])
    lower, upper = Q.bounds(evidence)
    assert lower.item() == upper.item() == pytest.approx(Q.score(evidence).item())
