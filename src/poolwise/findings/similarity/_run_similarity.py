"""How similar runs are to each other: topic by topic, and every pair of a set at once."""

from collections.abc import Callable, Iterator

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.collection._runs import Runs
from poolwise.errors import require_depth
from poolwise.findings.similarity._rbo import (
    Overlaps,
    Placements,
    SharedRanks,
    checked_persistence,
    checked_tied,
    later_ranks,
    overlap_one_to_many,
    some_topics,
    untied_overlaps,
)
from poolwise.findings.similarity._run_overlaps import OverlapByTopic, OverlapMatrix, RunOverlap
from poolwise.findings.similarity._two_rankings import Ranking
from poolwise.provenance._provenance import Provenance, Source
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting, progress_reporter
from poolwise.results._threads import in_threads

__all__ = [
    "average_overlap_matrix",
    "kendall_distance_matrix",
    "overlap_at_topics",
    "overlap_by_topic",
    "overlap_matrix",
    "placements",
    "run_overlap",
    "topic_similarities",
]


@recorded
def run_overlap(
    runs: Runs,
    first: str,
    second: str,
    *,
    p: float = 0.9,
    tied: str = "broken",
    depth: int | None = None,
) -> RunOverlap:
    """Return the rank-biased overlap of two runs on each topic.

    Parameters
    ----------
    first, second : str
        Names of the two runs.
    p : float
        Persistence: at 0.9 the first ten ranks carry 86% of the weight.
    tied : {"broken", "w", "a", "b"}
        ``broken`` takes the order that the tie rule gave when the runs were read; the others
        are those of :func:`~poolwise.rank_biased_overlap`.
    depth
        Compare the first ranks only.

    Returns
    -------
    RunOverlap
        Estimate and bounds on each topic.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a"], "2": ["c"]}, "ql": {"1": ["b", "x"]}})
    >>> print(run_overlap(runs, "bm25", "ql", p=0.8))
    bm25 and ql have a rank-biased overlap of 0.600 at p = 0.8, the mean over 1 of 2 topics.
    <BLANKLINE>
    run   other  topic     rbo     min     max
    bm25  ql     1      0.6000  0.4024  0.9200
    bm25  ql     2           –  0.0000  1.0000
    <BLANKLINE>
    Whatever follows the ranks given, the mean is 0.402 to 0.920.
    Ties are treated by variant 'broken': in the order given, as if there were no ties.
    """
    pair = runs.select([first, second])
    p, tied = checked_persistence(p), checked_tied(tied)
    overlaps = [
        overlap_one_to_many(lists, 0, slice(1, 2), p=p, tied=tied)
        for lists in placements(pair, tied=tied, depth=_depth(pair, p, depth))
    ]
    low, ext, high = np.array(overlaps, np.float64).reshape(-1, 3).T
    origin = _origin(pair, p, tied, depth)
    return RunOverlap(
        first, second, runs.topics, p, tied, min=low, ext=ext, max=high, provenance=origin
    )


@recorded
def topic_similarities(
    runs: Runs, first: str, second: str, measure: Callable[[Ranking, Ranking], float]
) -> Floats:
    """Return any similarity or distance of two rankings on each topic, NaN where it has none.

    Tied documents are handed over as a tie.

    Parameters
    ----------
    first, second : str
        Names of the two runs.
    measure : callable
        Takes two rankings and returns a number, as ``average_overlap`` does.

    Returns
    -------
    float array, topics
        The numbers, in the order of the topics of the runs.

    Examples
    --------
    >>> from poolwise.findings import average_overlap, kendall_distance
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> topic_similarities(runs, "a", "b", average_overlap).tolist()
    [0.5]
    >>> topic_similarities(runs, "a", "b", kendall_distance).tolist()
    [0.25]
    """
    lists = (_groups(runs, name) for name in (first, second))
    return np.array([measure(a, b) for a, b in zip(*lists, strict=True)], np.float64)


@recorded
def overlap_matrix(
    runs: Runs, *, p: float = 0.9, tied: str = "broken", depth: int | None = None
) -> OverlapMatrix:
    """Return the mean rank-biased overlap of every pair of runs.

    The options are those of :func:`~poolwise.run_overlap`. Runs with ties take about ten times
    as long under ``w``, ``a`` and ``b`` as with the ties broken.

    Parameters
    ----------
    p : float
        Persistence: at 0.9 the first ten ranks carry 86% of the weight.
    tied : {"broken", "w", "a", "b"}
        How tied documents are taken.
    depth : int, optional
        Compare the first ranks only.

    Returns
    -------
    OverlapMatrix
        Estimates and bounds for every pair, the means over topics.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> overlap_matrix(runs, p=0.5).ext.tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    p, tied = checked_persistence(p), checked_tied(tied)
    cells = (len(runs.systems), len(runs.systems))
    total, answered = np.zeros((3, *cells)), np.zeros(cells, np.int64)
    for lengths, overlaps in _by_topics(runs, p, tied, _depth(runs, p, depth)):
        both = np.minimum(lengths[:, :, None], lengths[:, None]) > 0
        # Topic after topic, so that sums do not depend on how many are compared at a time.
        for of_topic in np.where(both, overlaps, 0.0).swapaxes(0, 1):
            total += of_topic
        answered += both.sum(axis=0)
    with np.errstate(invalid="ignore"):
        # Sums over a thousand ranks can round to a few units in the last place above 1.
        low, ext, high = np.minimum(total / np.where(answered > 0, answered, np.nan), 1.0)
    origin = _origin(runs, p, tied, depth)
    return OverlapMatrix(
        runs.systems, p, tied, answered, min=low, ext=ext, max=high, provenance=origin
    )


@recorded
def overlap_by_topic(
    runs: Runs,
    *,
    p: float = 0.9,
    tied: str = "broken",
    depth: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> OverlapByTopic:
    """Return the rank-biased overlap of every pair of runs on each topic, and on average.

    Parameters
    ----------
    p, tied, depth
        As in :func:`run_overlap`.

    Returns
    -------
    OverlapByTopic
        The overlap of every pair on each topic, and the matrix of their means.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"], "2": ["z"]},
    ...                            "b": {"1": ["y", "x"], "2": ["z"]}})
    >>> overlaps = overlap_by_topic(runs, p=0.5)
    >>> overlaps.columns()["topic"], overlaps.columns()["rbo"]
    (['1', '2', 'all'], [0.5, 1.0, 0.75])
    """
    matrices = []
    for topic in runs.topics:
        matrices.append(overlap_matrix(runs.select(topics=[topic]), p=p, tied=tied, depth=depth))
        if progress:
            progress(len(matrices), len(runs.topics))
    overall = overlap_matrix(runs, p=p, tied=tied, depth=depth)
    return OverlapByTopic(runs.topics, tuple(matrices), overall, provenance=overall.provenance)


def overlap_at_topics(runs: Runs, *, p: float) -> Floats:
    """Return the RBO of every pair of runs, topics × runs × runs, as lists are given; NaN unknown.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["x"]}})
    >>> overlap_at_topics(runs, p=0.9)[:, 0, 1].tolist()
    [1.0, nan]
    """
    parts = [
        np.where((lengths[:, :, None] > 0) & (lengths[:, None, :] > 0), pairs[1], np.nan)
        for lengths, pairs in _by_topics(
            runs, checked_persistence(p), "broken", _depth(runs, p, None)
        )
    ]
    return np.concatenate(parts) if parts else np.empty((0, len(runs.systems), len(runs.systems)))


def _by_topics(
    runs: Runs, p: float, tied: str, depth: int
) -> Iterator[tuple[Integers, Overlaps | Floats]]:
    """Yield the lengths of lists, topics × lists, and min, ext and max of every pair of them."""
    if tied == "broken" or not runs.tied.any():
        kept, report = np.minimum(runs.lengths, depth), progress_reporter(None, "topics compared")
        parts = [*some_topics(runs)]
        found = in_threads(
            lambda topics: untied_overlaps(SharedRanks.of_runs(runs, kept, topics), p), parts
        )
        for topics, overlaps in zip(parts, found, strict=True):
            yield kept[:, topics].T, overlaps
            report(topics.stop, len(runs.topics))
        return
    placed = placements(runs, tied=tied, depth=depth)
    for lists in counting(placed, "topics compared", len(runs.topics)):
        untied = lists.untied and untied_overlaps(SharedRanks.of_placements(lists), p)
        yield lists.lengths[None], untied or _tied_pairs(lists, p, tied)[:, None]


def _origin(runs: Runs, p: float, tied: str, depth: int | None) -> Provenance:
    """Return where rankings come from that are compared without judgments."""
    return Provenance(
        judgments=Source("none"),
        runs=runs.sources,
        tie_rule=runs.tie_rule,
        topic_rule="answered by both runs",
        notices=runs.notices,
        options=(("p", p), ("tied", tied), ("depth", depth or "all ranks")),
    )


def _depth(runs: Runs, p: float, depth: int | None) -> int:
    """Return the depth past which no rank weighs more than rounding does, or the one given."""
    if depth is not None:
        require_depth(depth)
    longest = int(runs.lengths.max(initial=0))
    felt = int(np.ceil(np.log(1e-18) / np.log(p))) if p > 0 else 1
    return min(longest, felt, longest if depth is None else depth)


def placements(runs: Runs, *, tied: str, depth: int) -> Iterator[Placements]:
    """Yield where each run places the documents of each topic."""
    kept = np.minimum(runs.lengths, depth)
    starts = runs.list_starts[:-1].reshape(kept.shape)
    flags = np.zeros_like(runs.tied) if tied == "broken" else runs.tied
    for t, documents in enumerate(np.diff(runs.topic_starts).tolist()):
        cuts = [slice(a, a + n) for a, n in zip(starts[:, t], kept[:, t], strict=True)]
        yield Placements.from_lists(
            [runs.rankings[c] for c in cuts], [flags[c] for c in cuts], documents=documents
        )


def _tied_pairs(lists: Placements, p: float, tied: str) -> Floats:
    """Return min, ext and max of every pair, from the agreement at each depth."""
    n = len(lists.items)
    overlaps = np.empty((3, n, n))
    for i in range(n):
        overlaps[:, i, i:] = overlap_one_to_many(lists, i, slice(i, n), p=p, tied=tied)
        overlaps[:, i:, i] = overlaps[:, i, i:]
    return overlaps


def _groups(runs: Runs, system: str) -> Iterator[Ranking]:
    """Yield the ranking of each topic, tied documents as a list."""
    only = runs.select([system])
    for t, topic in enumerate(only.topics):
        cut = slice(only.list_starts[t], only.list_starts[t + 1])
        groups: list[list[str]] = []
        for document, joins in zip(only.ranking(system, topic), only.tied[cut], strict=True):
            groups[-1].append(document) if joins and groups else groups.append([document])
        yield groups


@recorded
def average_overlap_matrix(runs: Runs, *, depth: int) -> Floats:
    """Return the mean average overlap of every pair of runs, over the topics both answer.

    For one pair and topic it is :func:`~poolwise.average_overlap`, in the order that the tie
    rule gave; NaN where a pair has no topic in common.

    Parameters
    ----------
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

    def of_one(lists: Placements, index: int) -> Floats:
        of_rank = np.concatenate([[np.nan], weight[: lists.depth], [0.0]])
        return of_rank.take(later_ranks(lists.top, lists.items[index], index), mode="clip").sum(
            axis=0
        )

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
    for lists in placements(runs, tied="broken", depth=depth):
        both = np.minimum.outer(lists.lengths, lists.lengths) > 0
        for index in np.flatnonzero(lists.lengths).tolist():
            total[index, index:] += np.where(both[index, index:], of_one(lists, index), 0.0)
        answered += both
    mean = np.triu(total) + np.triu(total, k=1).T
    return mean / np.where(answered > 0, answered, np.nan)


def _distances(lists: Placements, index: int) -> Floats:
    """Return the distance of a list from itself and those after it."""
    ranks = lists.top[lists.items[index], index:]
    s, t = lists.lengths[index], lists.lengths[index:]
    held = ranks <= lists.depth
    shared = held.sum(axis=0)
    # A document the other list lacks ranks past its end: what it precedes here is discordant.
    apart = sum((np.count_nonzero(ranks[:i] > ranks[i], axis=0) for i in range(1, s)), start=0)
    # In the other list: what it holds alone, ahead of a shared document.
    alone = np.where(held, ranks - 1.0, 0.0).sum(axis=0) - shared * (shared - 1) / 2
    with np.errstate(invalid="ignore"):
        return (apart + alone + (s - shared) * (t - shared)) / (s * t)
