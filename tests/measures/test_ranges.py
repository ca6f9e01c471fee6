"""Naive bounds, which need only the pool."""

import numpy as np
import pytest
from tests.whole_arrays import only_block

from poolwise import AP, Bpref, Evidence, nDCG
from poolwise.measures._ranges import fill_from_pool


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
    """A document takes a relevant grade or none."""
    evidence = Evidence.from_grades([[None, 2]], judged=[1, 2])
    lower, upper = AP(rel=2).naive_bounds(evidence)
    assert lower.item() == upper.item() == 0.5


def test_a_measure_that_passes_over_unjudged_documents_has_none() -> None:
    """Without a range over gradings there is no naive one either."""
    assert np.isnan(Bpref.naive_bounds(Evidence.from_grades([[None, 2]]))).all()
