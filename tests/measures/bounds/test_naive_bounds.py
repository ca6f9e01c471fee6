"""Bounds that need only the pool."""

import pytest
from tests.examples import example
from tests.whole_arrays import only_block

from poolwise import Bpref, Evidence, nDCG
from poolwise.measures.bounds.naive_bounds import fill_from_pool, plain_range


def test_the_best_grades_left_go_to_the_top() -> None:
    """Unjudged documents take, from the top, what the pool holds outside the ranking."""
    evidence = Evidence.from_grades([[None, 2, None, None, None]], judged=[0, 0, 1, 2, 2])
    assert fill_from_pool(only_block(evidence)).codes.tolist() == [[[2, 2, 1, -2, -2]]]


def test_the_ranking_ends_at_the_cutoff() -> None:
    """A grade retrieved below the cut-off is still to be had above it (B23 alg. 1)."""
    evidence = Evidence.from_grades([[None, 0, 2]], judged=[0, 2])
    assert (nDCG @ 2).naive_bounds(evidence).upper.item() == 1
    assert nDCG.naive_bounds(evidence).upper.item() == pytest.approx(0.5)


def test_a_grade_below_the_level_is_not_handed_out() -> None:
    """Non-relevant grades would cost a measure that skips the unjudged."""
    evidence = Evidence.from_grades([[None, 2]], judged=[1, 2])
    lower, upper = Bpref(rel=2).naive_bounds(evidence)
    assert lower.item() == upper.item() == 1


def test_a_judged_list_has_no_range() -> None:
    """The plain range is the score where nothing is unjudged."""
    block = only_block(example("all judged"))
    value = Bpref.score_block(block)
    assert plain_range(value, block).lower.tolist() == value.tolist()
    assert plain_range(value, only_block(example("none judged"))).upper.tolist() == [[1, 1]]
