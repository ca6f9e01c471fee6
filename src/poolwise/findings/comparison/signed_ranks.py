"""Wilcoxon's signed ranks, for all pairs at once."""

import numpy as np

from poolwise.arrays import Floats, Indices, levels, settle

__all__ = ["signed_rank_chances", "signed_rank_pvalues"]


EXACT_TOPICS = 50
"""Up to here the exact distribution is used when no two differences tie."""
EXACT_TIED_TOPICS = 13
"""Up to here it is also used when some tie, or are zero."""


def signed_rank_pvalues(deltas: Floats, sided: str, *, within: float) -> Floats:
    """Return Wilcoxon's p value for each row of differences; zeros are dropped.

    Differences of at most ``within`` are 0, and those that differ by no more than it tie. Exact for
    few topics, else the normal approximation with correction for ties and none for continuity: the
    choices of ``scipy.stats.wilcoxon``. NaN for a row of zeros.

    Examples
    --------
    >>> deltas = np.array([[0.1, 0.2, 0.3, -0.4, 0.5]])
    >>> signed_rank_pvalues(deltas, "two-sided", within=1e-12).tolist()
    [0.4375]
    """
    deltas = settle(deltas, within)
    ranks = _ranks_without_zeros(deltas, within)
    upper = np.where(deltas > 0, ranks, 0).sum(axis=1)
    n = np.count_nonzero(ranks, axis=1)
    untied = 6 * (ranks**2).sum(axis=1) == n * (n + 1) * (2 * n + 1)
    topics = deltas.shape[1]
    plain = untied & (n == topics) & (topics <= EXACT_TOPICS)
    exact = plain | ((topics <= EXACT_TIED_TOPICS) & (n > 0))
    pvalues = _normal_pvalues(ranks, upper, sided)
    if plain.any():
        pvalues[plain] = _exact_pvalues(np.arange(1.0, topics + 1)[None], upper[plain], sided)
    if (exact & ~plain).any():
        pvalues[exact & ~plain] = _exact_pvalues(
            ranks[exact & ~plain], upper[exact & ~plain], sided
        )
    return pvalues


def signed_rank_chances(topics: int) -> Floats:
    """Return the probability of each sum of ranks above 0, if every sign is a fair coin.

    Examples
    --------
    >>> (8 * signed_rank_chances(3)).tolist()
    [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]
    """
    return _ways(np.arange(1, topics + 1)[None])[0]


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
    for rank in doubled.T[:, :, None]:
        shifted = np.take_along_axis(chance, np.maximum(sums - rank, 0), axis=1)
        chance = (chance + np.where(sums >= rank, shifted, 0.0)) / 2
    return chance


def _choose_tail(lower: Floats, upper: Floats, sided: str) -> Floats:
    if sided == "two-sided":
        return np.minimum(1.0, 2 * np.minimum(lower, upper))
    return upper if sided == "greater" else lower
