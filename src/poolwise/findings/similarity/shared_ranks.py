"""Rank-biased overlap of every pair of lists without ties, on many topics at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, Integers
from poolwise.collection._identifiers import starts_of
from poolwise.collection._runs import Runs
from poolwise.findings.similarity.rank_agreement import Overlaps, Placements, rank_weights

__all__ = ["SharedRanks", "some_topics", "untied_overlaps"]

_CELLS = 1 << 18
"""Documents × lists whose ranks are held at a time: what is made of them stays in the cache."""


@dataclass(frozen=True, eq=False)
class SharedRanks:
    """Where lists without ties place the documents of some topics.

    Attributes
    ----------
    rows : sequence of int arrays
        The documents of each list, topic after topic, best first.
    places : sequence of int arrays
        The topic of each of these.
    ranks : int array, documents × lists
        The rank of a document, from 1; past the longest list where a list lacks it.
    lengths : int array, lists × topics
        How many documents a list has.
    """

    rows: Sequence[NDArray[np.integer]]
    places: Sequence[Indices]
    ranks: NDArray[np.integer]
    lengths: Integers

    @classmethod
    def of_placements(cls, lists: Placements) -> "SharedRanks":
        """Take the lists of one topic as they are placed already."""
        places = [np.zeros(len(rows), np.intp) for rows in lists.items]
        return cls(lists.items, places, lists.top, lists.lengths[:, None])

    @classmethod
    def of_runs(cls, runs: Runs, lengths: Integers, topics: slice) -> "SharedRanks":
        """Place the first documents of each list, as many as ``lengths`` says, on some topics."""
        kept, starts = lengths[:, topics], runs.list_starts[:-1].reshape(lengths.shape)[:, topics]
        edges = runs.topic_starts[topics.start : topics.stop + 1] - runs.topic_starts[topics.start]
        absent = int(kept.max(initial=0)) + 1
        ranks = np.full((edges[-1], len(kept)), absent, np.min_scalar_type(absent))
        ends = starts_of(kept.ravel())
        whose, nth = np.repeat(np.arange(kept.size), kept.ravel()), np.arange(ends[-1])
        systems, places = np.divmod(whose, kept.shape[1])
        rows = runs.rankings[nth + (starts.ravel() - ends[:-1])[whose]] + edges[places]
        ranks[rows, systems] = nth - ends[whose] + 1
        cuts = ends[kept.shape[1] : -1 : kept.shape[1]]
        return cls(np.split(rows, cuts), np.split(places, cuts), ranks, kept)

    @cached_property
    def depth(self) -> int:
        """Length of the longest list."""
        return int(self.lengths.max(initial=0))

    def later(self, one: int) -> NDArray[np.integer]:
        """Return the depth at which each document of a list is shared, with it and later ones."""
        rows = self.rows[one]
        later = self.ranks[rows, one:]
        return np.maximum(later, self.ranks[rows, one, None], out=later)

    def summed(self, values: NDArray[Any], one: int) -> NDArray[Any]:
        """Add up what is known of the documents of a list, topics × lists, rank after rank."""
        topics, lists = self.lengths.shape[1], values.shape[1]
        if topics == 1:
            # A narrow type for counts, which adds up several times as fast as a wide one.
            narrow = np.int32 if values.dtype == np.bool_ else None
            return np.asarray(values.sum(axis=0, dtype=narrow)[None])
        cells = self.places[one][:, None] * lists + np.arange(lists)
        return np.bincount(cells.ravel(), values.ravel(), topics * lists).reshape(topics, lists)


def some_topics(runs: Runs) -> Iterator[slice]:
    """Cut the topics into parts, so that each has few documents; a large topic is a part."""
    starts, most = runs.topic_starts, _CELLS // max(len(runs.systems), 1)
    first = 0
    while first < len(runs.topics):
        past = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        past = min(max(past, first + 1), len(runs.topics))
        yield slice(first, past)
        first = past


def untied_overlaps(lists: SharedRanks, p: float) -> Overlaps:
    """Return RBO of every pair on every topic, topics × lists × lists, from what a pair shares.

    A shared document adds the weight of the later of its two ranks, whatever else is ranked.

    Examples
    --------
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}})
    >>> lists = SharedRanks.of_runs(runs, runs.lengths, slice(0, 1))
    >>> untied_overlaps(lists, 0.5).ext.tolist()
    [[[1.0, 0.5], [0.5, 1.0]]]
    """
    lengths = lists.lengths.T
    s, l = (f(lengths[:, :, None], lengths[:, None]) for f in (np.minimum, np.maximum))
    weight = rank_weights(p, 2 * lists.depth + 1)
    of_rank = np.append(weight[: lists.depth + 1], 0.0)
    least, X_s, X_l = np.empty(s.shape), np.empty(s.shape, np.int64), np.empty(s.shape, np.int64)
    for i in range(s.shape[1]):
        later = lists.later(i)
        # No document that both lists hold stands below the end of the longer one.
        counts = lists.summed(later <= lists.depth, i)
        least[:, i:, i] = least[:, i, i:] = lists.summed(of_rank.take(later, mode="clip"), i)
        X_l[:, i:, i] = X_l[:, i, i:] = counts
        X_s[:, i:, i] = X_s[:, i, i:] = _count_within(lists, i, later, s[:, i, i:], counts)
    return _bounds(least, X_s=X_s, X_l=X_l, s=s, l=l, W=weight, p=p)


def _count_within(
    lists: SharedRanks,
    one: int,
    later: NDArray[np.integer],
    depths: Integers,
    shared: NDArray[Any],
) -> NDArray[Any]:
    """Count the documents that two lists share down to the end of the shorter one."""
    if (lists.lengths == lists.depth).all():
        return shared
    # One narrow type throughout: a comparison across types is several times slower.
    return lists.summed(later <= depths.astype(later.dtype)[lists.places[one]], one)


def _bounds(
    least: Floats,
    *,
    X_s: Integers,
    X_l: Integers,
    s: Integers,
    l: Integers,
    W: Floats,
    p: float,
) -> Overlaps:
    """Return RBO's bounds and estimate from its minimum and the overlap at both lists' ends.

    ``W[d]`` is the weight of rank d, (1 − p)/p · Σ_{i ≥ d} p^i/i.
    """
    f = l + s - X_l
    power = p ** np.arange(len(W))
    # W10 eq. 7.30.
    residual = power[s] + power[l] - power[f]
    residual -= s * (W[s + 1] - W[f + 1]) + l * (W[l + 1] - W[f + 1]) + X_l * W[f + 1]
    with np.errstate(invalid="ignore"):
        # W10 eq. 7.32; the least score holds X_l/d past depth l, which is taken out again.
        ext = ((X_l - X_s) / l + X_s / s) * power[l] + least - X_l * W[l + 1]
        ext += X_s / s * (power[s] - power[l] - s * (W[s + 1] - W[l + 1]))
    return Overlaps(least, ext, least + residual)
