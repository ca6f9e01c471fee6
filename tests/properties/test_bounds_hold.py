"""No grading of the documents of the universe leaves a range, or turns a verdict round.

The gradings are drawn at random and sought by an adversary, over the whole catalogue. The number of
scores that are tried is small here; ``make soak`` tries a million.
"""

import os
from collections.abc import Iterator

import numpy as np
import pytest
from tests.properties.gradings import TopicGradings, random_collection

from poolwise import Evidence, Measure, parse_measure, score
from poolwise.arrays import Floats
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._differences import Differences, judgment_ranges, t_pvalue_range
from poolwise.measures import CATALOGUE

RANGED = [
    measure
    for entry in CATALOGUE
    for measure in map(parse_measure, entry.examples)
    if measure.range_kind != "none"
]
UNIVERSES = (Universe(), Universe(depth="all"), Universe("corpus"))
GRADINGS = 32
"""Of each topic, at a time."""
PARTS = 2
"""Tests that share the gradings."""
WANTED = int(os.environ.get("POOLWISE_GRADINGS", "20000"))
"""Gradings tried, over all measures and universes."""


def collections(part: int) -> Iterator[tuple[np.random.Generator, Evidence]]:
    """Go through random collections until enough gradings were tried."""
    rng = np.random.default_rng(part)
    for _ in range(max(1, WANTED // (PARTS * GRADINGS * len(RANGED) * len(UNIVERSES)))):
        yield rng, random_collection(rng)


def inside(values: Floats, lower: Floats, upper: Floats, what: str) -> None:
    """Fail if a value that is defined leaves its range by more than rounding."""
    defined = ~np.isnan(values)
    room = 1e-12 * np.maximum(1, np.abs(values))
    assert not (defined & ~(values >= lower - room)).any(), what
    assert not (defined & ~(values <= upper + room)).any(), what


def truths(
    rng: np.random.Generator, evidence: Evidence, measure: Measure, universe: Universe
) -> Floats:
    """Return scores under random gradings, systems × topics × gradings."""
    topics = [
        TopicGradings(evidence, t, universe, measure.depth) for t in range(len(evidence.topics))
    ]
    each = [topic.scores(measure, *topic.random(rng, GRADINGS)) for topic in topics]
    return np.stack(each, axis=1)


def mean_over_topics(scores: Floats) -> Floats:
    """Return means over the topics that a grading gives a score, … × gradings; NaN for none."""
    counts = (~np.isnan(scores)).sum(axis=-2)
    total = np.nansum(scores, axis=-2)
    return np.divide(total, counts, out=np.full(total.shape, np.nan), where=counts > 0)


def check_verdicts(ranges: Differences, means: Floats) -> None:
    """Fail if a verdict says of the means, pairs × gradings, what one of them denies."""
    defined = ~np.isnan(means)
    ahead = np.where(ranges.means()[1] >= -ranges.sizes.tolerance, 1, -1)[:, None] * means
    room = 1e-12 * max(1.0, float(np.nanmax(np.abs(means), initial=0)))
    for verdict, holds in (
        ("certain", ahead > 0),
        ("never behind", ahead >= -room),
        ("equal", np.abs(means) <= room),
    ):
        rows = ranges.verdict == verdict
        assert (holds | ~defined)[rows].all(), f"{ranges.measure}: {verdict}"


def check_p_values(ranges: Differences, differences: Floats) -> None:
    """Fail if the paired t test leaves its range; there is none where a topic may enter."""
    from scipy.stats import ttest_1samp

    rows = ~ranges.may_enter
    if ranges.defined.sum() < 2 or not rows.any():
        return
    of = np.ix_(rows, ranges.defined)
    low, high = t_pvalue_range(ranges.lower[of], ranges.upper[of])
    with np.errstate(all="ignore"):
        p = ttest_1samp(differences[of], 0, axis=1).pvalue
    spread = differences[of].std(axis=1) > 1e-9
    room = 1e-7
    left = (p < low[:, None] - room) | (p > high[:, None] + room)
    assert not (spread & left).any(), ranges.measure


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_grading_leaves_a_range(part: int) -> None:
    """Scores, means, differences, their means, verdicts and p values stay where they may be."""
    for rng, evidence in collections(part):
        pairs = Pairs.of_all(evidence.systems)
        for measure in RANGED:
            for universe in UNIVERSES:
                what = f"{measure} over {universe} of {evidence.provenance}"
                scores = truths(rng, evidence, measure, universe)
                table = score(evidence, measure, universe=universe)
                inside(scores, table.lower[..., None], table.upper[..., None], what)
                means = mean_over_topics(scores)
                inside(means, *(end[:, None] for end in table.mean_bounds()), what)
                ranges = judgment_ranges(evidence, measure, pairs, universe=universe)
                differences = pairs.difference(scores)
                inside(differences, ranges.lower[..., None], ranges.upper[..., None], what)
                of_means = mean_over_topics(differences)
                inside(of_means, *(end[:, None] for end in ranges.means()[1:]), what)
                check_verdicts(ranges, of_means)
                check_p_values(ranges, differences)


def climb(rng: np.random.Generator, topic: TopicGradings, measure: Measure, signs: Floats) -> float:
    """Return how large Σ sign × score gets by changing one grade at a time."""
    codes, others = topic.random(rng, 1)
    best = -np.inf
    while len(codes[0]):
        moved = topic.neighbours(codes[0])
        values = signs @ topic.scores(measure, moved, np.tile(others, (len(moved), 1)))
        if np.isnan(values).all() or not np.nanmax(values) > best + 1e-13:
            break
        best, codes = float(np.nanmax(values)), moved[[int(np.nanargmax(values))]]
    return best


@pytest.mark.parametrize("part", range(PARTS))
def test_no_adversary_leaves_a_range(part: int) -> None:
    """A search for the worst grading finds none that leaves the range of a difference."""
    for rng, evidence in collections(part + 100):
        pairs = Pairs.of_all(evidence.systems)
        for measure in RANGED:
            universe = UNIVERSES[rng.integers(len(UNIVERSES))]
            ranges = judgment_ranges(evidence, measure, pairs, universe=universe)
            pair, t = int(rng.integers(len(pairs))), int(rng.integers(len(evidence.topics)))
            topic = TopicGradings(evidence, t, universe, measure.depth)
            signs = np.zeros(len(evidence.systems))
            signs[[pairs.left[pair], pairs.right[pair]]] = 1, -1
            most = climb(rng, topic, measure, signs)
            least = -climb(rng, topic, measure, -signs)
            if np.isfinite(most):
                assert most <= ranges.upper[pair, t] + 1e-12, (measure, universe)
            if np.isfinite(least):
                assert least >= ranges.lower[pair, t] - 1e-12, (measure, universe)
