"""Tests of ranks and signs, for all pairs at once: Wilcoxon's p values, and both intervals."""

import numpy as np

from poolwise.arrays import Floats, Indices, levels, settle
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.comparison._samples import Sample, pair_blocks

__all__ = ["hodges_lehmann_ends", "median_ends", "signed_rank_pvalues"]


EXACT_TOPICS = 50
"""Up to so many differences that are not zero the exact distribution is used when none tie."""
EXACT_TIED = 25
"""Up to so many differences that are not zero it is also used when some tie."""
LISTED = 500
"""Topics up to which the means of all pairs of differences are listed; beyond, only counted."""

_ROWS = 500
"""Pairs whose exact laws are worked out together."""
_HALVINGS = 100
"""Steps after which a search between two numbers has come down to rounding error."""


def signed_rank_pvalues(deltas: Floats, sided: str, *, within: float) -> Floats:
    """Return Wilcoxon's p value for each row of differences; zeros are dropped.

    Differences of at most ``within`` are 0, and those that differ by no more than it tie. The
    exact law is used where at most 50 differences are not zero, or 25 with ties among them; else
    the normal approximation with correction for ties and none for continuity. NaN for a row of
    zeros.

    Examples
    --------
    >>> deltas = np.array([[0.1, 0.2, 0.3, -0.4, 0.5]])
    >>> signed_rank_pvalues(deltas, "two-sided", within=1e-12).tolist()
    [0.4375]
    >>> wins = np.array([[0.1] * 5 + [0.0] * 45])  # five wins and 45 ties
    >>> signed_rank_pvalues(wins, "two-sided", within=1e-12).tolist()
    [0.0625]
    """
    deltas = settle(deltas, within)
    ranks = _ranks_without_zeros(deltas, within)
    upper = np.where(deltas > 0, ranks, 0).sum(axis=1)
    n = np.count_nonzero(ranks, axis=1)
    # Mean ranks of ties have a smaller sum of squares than 1, 2, …, n.
    untied = 6 * (ranks**2).sum(axis=1) == n * (n + 1) * (2 * n + 1)
    topics = deltas.shape[1]
    plain = untied & (n == topics) & (topics <= EXACT_TOPICS)
    exact = (n > 0) & (n <= np.where(untied, EXACT_TOPICS, EXACT_TIED))
    pvalues = _normal_pvalues(ranks, upper, sided)
    if plain.any():
        pvalues[plain] = _exact_pvalues(np.arange(1.0, topics + 1)[None], upper[plain], sided)
    # A few rows at a time: each has a law of its own, as long as its sum of ranks.
    others = np.flatnonzero(exact & ~plain)
    for rows in np.array_split(others, max(1, len(others) // _ROWS)):
        if len(rows):
            pvalues[rows] = _exact_pvalues(_without_zeros(ranks[rows]), upper[rows], sided)
    return pvalues


def _without_zeros(ranks: Floats) -> Floats:
    """Return the ranks of each row in as few columns as the longest row needs."""
    return np.sort(ranks, axis=1)[:, -int(np.count_nonzero(ranks, axis=1).max()) :]


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
        return int(np.count_nonzero(np.cumsum(_ways(np.arange(1, topics + 1)[None])[0]) <= tail))
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


def _ranks_without_zeros(deltas: Floats, within: float) -> Floats:
    """Return mean ranks of the absolute differences; a zero has rank 0 and counts for nothing."""
    from scipy.stats import rankdata  # noqa: PLC0415 -- late: scipy is slow to import

    zero = deltas == 0
    ranks = rankdata(levels(np.abs(deltas), within), axis=1) - zero.sum(axis=1, keepdims=True)
    return np.where(zero, 0.0, ranks)


def _normal_pvalues(ranks: Floats, upper: Floats, sided: str) -> Floats:
    from scipy.special import ndtr  # noqa: PLC0415 -- late: scipy is slow to import

    # Given the ranks, each has its sign by a fair coin: mean Σr/2, variance Σr²/4.
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (upper - ranks.sum(axis=1) / 2) / np.sqrt((ranks**2).sum(axis=1) / 4)
    return _choose_tail(ndtr(z), ndtr(-z), sided)


def _exact_pvalues(ranks: Floats, upper: Floats, sided: str) -> Floats:
    """Count sign assignments; ``ranks`` has one row for all, or one per entry of ``upper``."""
    # Ranks of ties are halves, so they are doubled to count in whole numbers.
    ways = _ways(np.rint(2 * ranks).astype(np.intp))
    at_most = np.broadcast_to(ways.cumsum(axis=1), (len(upper), ways.shape[1]))
    at = np.rint(2 * upper).astype(np.intp)[:, None]
    below = np.take_along_axis(at_most, at, axis=1)[:, 0]
    under = np.where(at > 0, np.take_along_axis(at_most, np.maximum(at - 1, 0), axis=1), 0.0)[:, 0]
    return _choose_tail(below, 1 - under, sided)


def _ways(doubled: Indices) -> Floats:
    """Return the probability of each doubled rank sum, when every sign is a fair coin."""
    sums = np.arange(int(doubled.sum(axis=1).max()) + 1)
    chance = np.broadcast_to(sums == 0, (len(doubled), len(sums))).astype(np.float64)
    # A sum is reached without this rank, or with it from a sum that is smaller by it.
    for rank in doubled.T[:, :, None]:
        shifted = np.take_along_axis(chance, np.maximum(sums - rank, 0), axis=1)
        chance = (chance + np.where(sums >= rank, shifted, 0.0)) / 2
    return chance


def _choose_tail(lower: Floats, upper: Floats, sided: str) -> Floats:
    if sided == "two-sided":
        return np.minimum(1.0, 2 * np.minimum(lower, upper))
    return upper if sided == "greater" else lower
