"""Every pair of runs by their first ranks alone: average overlap and Kendall's distance."""

from collections.abc import Callable

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._runs import Runs
from poolwise.errors import require_depth
from poolwise.findings.similarity.rank_agreement import Placements
from poolwise.findings.similarity.run_similarity import later_ranks, placements

__all__ = ["average_overlap_matrix", "kendall_distance_matrix"]


def average_overlap_matrix(runs: Runs, *, depth: int) -> Floats:
    """Return the mean average overlap of every pair of runs, over the topics both answer.

    For one pair and topic it is :func:`~poolwise.average_overlap`, in the order that the tie
    rule gave; NaN where a pair has no topic in common.

    Parameters
    ----------
    runs : Runs
        What was retrieved.
    depth : int
        The last depth that is averaged over.

    Returns
    -------
    float array, systems × systems
        1 on the diagonal, where a run meets itself.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> average_overlap_matrix(runs, depth=2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    require_depth(depth)
    # W10 eq. 7.4: a document shared from rank m on adds Σ 1/d over d = m…depth, over depth.
    weight = np.cumsum(1 / np.arange(depth, 0, -1))[::-1] / depth

    def of_one(lists: Placements, one: int) -> Floats:
        of_rank = np.concatenate([[np.nan], weight[: lists.depth], [0.0]])
        return of_rank.take(later_ranks(lists, one), mode="clip").sum(axis=0)

    return _mean_over_topics(runs, depth, of_one)


def kendall_distance_matrix(runs: Runs, *, depth: int) -> Floats:
    """Return the mean Kendall's distance of every pair of runs, over the topics both answer.

    For one pair and topic it is :func:`~poolwise.kendall_distance` at penalty 0, in the order
    that the tie rule gave. The work grows with the square of the depth.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> kendall_distance_matrix(runs, depth=2).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    require_depth(depth)
    return _mean_over_topics(runs, depth, _distances)


def _mean_over_topics(
    runs: Runs, depth: int, of_one: Callable[[Placements, int], Floats]
) -> Floats:
    n = len(runs.systems)
    total, answered = np.zeros((n, n)), np.zeros((n, n))
    for lists in placements(runs, ties="broken", depth=depth):
        both = np.minimum.outer(lists.lengths, lists.lengths) > 0
        for one in np.flatnonzero(lists.lengths).tolist():
            total[one, one:] += np.where(both[one, one:], of_one(lists, one), 0.0)
        answered += both
    mean = np.triu(total) + np.triu(total, k=1).T
    return mean / np.where(answered > 0, answered, np.nan)


def _distances(lists: Placements, one: int) -> Floats:
    """Return the distance of a list from itself and those after it."""
    ranks = lists.top[lists.items[one], one:]
    s, t = lists.lengths[one], lists.lengths[one:]
    held = ranks <= lists.depth
    shared = held.sum(axis=0)
    # A document the other list lacks ranks past its end: what it precedes here is discordant.
    apart = sum((np.count_nonzero(ranks[:i] > ranks[i], axis=0) for i in range(1, s)), start=0)
    # In the other list: what it holds alone, ahead of a shared document.
    alone = np.where(held, ranks - 1.0, 0.0).sum(axis=0) - shared * (shared - 1) / 2
    with np.errstate(invalid="ignore"):
        return (apart + alone + (s - shared) * (t - shared)) / (s * t)
