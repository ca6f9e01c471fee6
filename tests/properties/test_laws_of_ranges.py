"""What must be true of every range, whatever the measure: a new line in the catalogue is tested."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from tests.laws import heavy
from tests.properties.strategies import evidences

from poolwise import Evidence, parse_measure
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.measures import CATALOGUE, Bounds

RANGED = [
    measure
    for entry in CATALOGUE
    for measure in map(parse_measure, entry.examples)
    if measure.range_kind != "none"
]
few = settings(max_examples=heavy(12), deadline=None)


def all_pairs(evidence: Evidence) -> Pairs:
    """Pair every system with itself and every later one."""
    return Pairs(*np.triu_indices(len(evidence.systems)))


def assert_within(inner: Bounds, outer: Bounds, what: object) -> None:
    """Fail if the first range, where there is one, is not within the second."""
    defined = ~np.isnan(inner.lower)
    for less, more in ((outer.lower, inner.lower), (inner.upper, outer.upper)):
        room = 1e-12 * np.maximum(1, np.abs(np.nan_to_num(more)))
        assert (less <= more + room)[defined].all(), what


@few
@given(evidences())
def test_a_larger_universe_never_narrows_a_range(evidence: Evidence) -> None:
    """Of the run ⊆ of the runs ⊆ of the corpus; to the cut-off ⊆ whole lists."""
    chains = (
        [Universe("run"), Universe(), Universe("corpus")],
        [Universe(), Universe(depth="all"), Universe("corpus")],
        [Universe("run"), Universe("run", depth="all"), Universe(depth="all")],
    )
    pairs = all_pairs(evidence)
    for measure in RANGED:
        for chain in chains:
            own = [measure.bounds(evidence, universe=u) for u in chain]
            two = [
                Bounds(*measure.difference_bounds(evidence, pairs, universe=u)[1:]) for u in chain
            ]
            for ranges in (own, two):
                for inner, outer in pairwise(ranges):
                    assert_within(inner, outer, measure)


@few
@given(evidences())
def test_another_run_changes_no_value_and_narrows_no_range(evidence: Evidence) -> None:
    """Beside more runs, a run has the score it had, and at least the range it had."""
    first = evidence.select(np.array([0]))
    for measure in RANGED:
        np.testing.assert_allclose(measure.score(first)[0], measure.score(evidence)[0], rtol=1e-14)
        alone, beside = measure.bounds(first), measure.bounds(evidence)
        assert_within(alone, Bounds(beside.lower[:1], beside.upper[:1]), measure)


@few
@given(evidences())
def test_a_difference_stays_within_the_ranges_of_the_two(evidence: Evidence) -> None:
    """The range of a difference lies within [l_a − u_b, u_a − l_b] of the same universe."""
    pairs = all_pairs(evidence)
    for measure in RANGED:
        for universe in (Universe(), Universe("corpus"), Universe(depth="all")):
            low, high = measure.bounds(evidence, universe=universe)
            ranges = Bounds(*measure.difference_bounds(evidence, pairs, universe=universe)[1:])
            with np.errstate(invalid="ignore"):  # counts of a corpus have no end
                apart = Bounds(
                    low[pairs.left] - high[pairs.right], high[pairs.left] - low[pairs.right]
                )
            assert_within(ranges, apart, measure)


@few
@given(evidences())
def test_where_everything_is_judged_a_range_has_no_width(evidence: Evidence) -> None:
    """Without an unjudged document, lower = value = upper, also for differences."""
    blocks = [block.condensed() for block in evidence.blocks]
    judged = evidence.with_blocks(blocks)
    pairs = all_pairs(evidence)
    for measure in RANGED:
        value = measure.score(judged)
        for end in measure.bounds(judged):
            np.testing.assert_allclose(end, value, rtol=1e-14, err_msg=repr(measure))
        for end in measure.difference_bounds(judged, pairs)[1:]:
            np.testing.assert_allclose(
                end, pairs.difference(value), rtol=0, atol=1e-12, err_msg=repr(measure)
            )
