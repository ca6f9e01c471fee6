"""Hits and F1."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.properties.strategies import all_gradings, single_lists

import poolwise as pw
from poolwise import F1, Evidence, Hits, P, R
from poolwise.arrays import Floats
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._ungraded import Universe

RANKINGS = [[1, 0, None, 1], [0, 2], [None, None, 1]]
EVIDENCE = Evidence.from_grades(RANKINGS, judged=[2, 1, 1, 0, 0])


def harmonic(one: Floats, other: Floats) -> Floats:
    """Return the harmonic mean, 0 of two zeros."""
    return 2 * one * other / np.where(one + other > 0, one + other, 1)


@pytest.mark.parametrize("depth", [1, 2, 3, 10])
def test_f1_is_the_harmonic_mean_of_precision_and_recall(depth: int) -> None:
    """F1@k equals the harmonic mean of P@k and R@k, also for a list shorter than k."""
    p, r = ((m @ depth).score(EVIDENCE) for m in (P, R))
    np.testing.assert_allclose((F1 @ depth).score(EVIDENCE), harmonic(p, r))


def test_hits_are_counted() -> None:
    """Hits@k is k times P@k, and unjudged documents are as many that could be added."""
    assert (Hits @ 3).score(EVIDENCE).ravel().tolist() == [1, 1, 1]
    assert (Hits @ 3).bounds(EVIDENCE).upper.ravel().tolist() == [2, 1, 3]
    assert Hits.score(EVIDENCE).ravel().tolist() == [2, 1, 1]
    assert Hits(rel=2).score(EVIDENCE).ravel().tolist() == [0, 1, 0]


@settings(max_examples=60, deadline=None)
@given(single_lists())
def test_the_bounds_of_f1_are_the_extremes_over_all_gradings(evidence: Evidence) -> None:
    """Some grading reaches each end of the range of F1@k, and none leaves it."""
    for depth in (1, 2, 4):
        scores = (F1 @ depth).score(all_gradings(evidence))
        lower, upper = (F1 @ depth).bounds(evidence, universe=Universe(depth="all"))
        if np.isnan(scores).all():
            assert np.isnan(lower).all()
            continue
        assert np.nanmin(scores) == pytest.approx(lower.item(), abs=1e-12)
        assert np.nanmax(scores) == pytest.approx(upper.item(), abs=1e-12)


def test_a_shared_document_cancels_in_the_difference() -> None:
    """Two runs with the same unjudged document, one of them with a relevant one: never behind."""
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": ["u", "a"]}, "y": {"1": ["u", "b"]}}
    evidence = pw.align(pw.read_judgments(qrels), pw.read_runs(runs))
    kind, lower, upper = (F1 @ 2).difference_bounds(evidence, Pairs.of_all(evidence.systems))
    assert (kind, lower.item(), upper.item()) == pytest.approx(("exact", 2 / 4, 2 / 3))
