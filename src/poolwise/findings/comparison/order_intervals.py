"""Intervals whose ends are order statistics of the differences: they belong to tests of ranks."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.findings.comparison.resampling import Resamples
from poolwise.findings.comparison.samples import Sample, pair_blocks
from poolwise.findings.comparison.signed_ranks import EXACT_TOPICS, signed_rank_chances

__all__ = ["hodges_lehmann_ends", "median_ends"]

LISTED = 500
"""Topics up to which the means of all pairs of differences are listed; beyond, only counted."""

_HALVINGS = 100
"""Steps after which a search between two numbers has come down to rounding error."""


def median_ends(sample: Sample, _: Resamples | None, level: float) -> tuple[Floats, Floats]:
    """Return the interval of the median difference that the sign test leaves; NaN if none.

    Its ends are the k-th lowest and the k-th highest difference, with the largest k such that at
    most (1 − level)/2 of fair coins show fewer than k heads. It covers at least the level, also
    where differences tie (Conover 1999, section 3.2).
    """
    from scipy.special import bdtr  # noqa: PLC0415 -- late: scipy is slow to import

    topics = sample.scores.shape[1]
    heads = bdtr(np.arange(topics), topics, 0.5)
    outside = int(np.count_nonzero(heads <= (1 - level) / 2))
    ends = np.full((2, len(sample.pairs)), np.nan)
    for block in pair_blocks(sample.pairs, topics):
        if outside:
            ends[:, block] = _outermost(sample.deltas(block), outside)
    return ends[0], ends[1]


def hodges_lehmann_ends(sample: Sample, _: Resamples | None, level: float) -> tuple[Floats, Floats]:
    """Return the interval of the centre of the differences that Wilcoxon's test leaves.

    The Hodges–Lehmann estimate is the median of the means of all pairs of differences, each with
    itself included (Walsh averages); the ends are the k-th lowest and the k-th highest of these,
    with k from the distribution of the signed-rank statistic (Hollander and Wolfe 1999, section
    3.3). It covers at least the level, also where differences tie. NaN with too few topics.
    """
    topics = sample.scores.shape[1]
    outside = _walsh_averages_outside(topics, level)
    ends = np.full((2, len(sample.pairs)), np.nan)
    width = topics * (topics + 1) // 2 if topics <= LISTED else topics
    find = _listed if topics <= LISTED else _counted
    for block in pair_blocks(sample.pairs, width):
        if outside:
            ends[:, block] = find(sample.deltas(block), outside)
    return ends[0], ends[1]


def _walsh_averages_outside(topics: int, level: float) -> int:
    """Return how many averages lie beyond each end, the end included; 0 if there is no end."""
    from scipy.special import ndtri  # noqa: PLC0415 -- late: scipy is slow to import

    tail = (1 - level) / 2
    if topics <= EXACT_TOPICS:
        return int(np.count_nonzero(np.cumsum(signed_rank_chances(topics)) <= tail))
    mean = topics * (topics + 1) / 4
    deviation = np.sqrt(mean * (2 * topics + 1) / 6)
    return int(np.floor(mean + ndtri(tail) * deviation))


def _listed(deltas: Floats, outside: int) -> tuple[Floats, Floats]:
    first, second = np.triu_indices(deltas.shape[1])
    return _outermost((deltas[:, first] + deltas[:, second]) / 2, outside)


def _outermost(rows: Floats, outside: int) -> tuple[Floats, Floats]:
    """Return the number of each row with so many at or below it, and at or above it."""
    parted = np.partition(rows, [outside - 1, rows.shape[1] - outside], axis=1)
    return parted[:, outside - 1], parted[:, rows.shape[1] - outside]


def _counted(deltas: Floats, outside: int) -> tuple[Floats, Floats]:
    """Search for the same ends by counting the averages below, without a list of them."""
    low = np.array([_lowest(row, outside) for row in np.sort(deltas, axis=1)])
    high = np.array([-_lowest(row, outside) for row in np.sort(-deltas, axis=1)])
    return low, high


def _lowest(ascending: Floats, outside: int) -> float:
    """Return the smallest number that so many averages do not exceed."""
    low, high = float(ascending[0]), float(ascending[-1])
    own = np.arange(len(ascending))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        # A difference pairs with those from its own place on that lead to no more than the middle.
        partners = np.searchsorted(ascending, 2 * middle - ascending, side="right") - own
        low, high = (low, middle) if np.maximum(partners, 0).sum() >= outside else (middle, high)
    return high
