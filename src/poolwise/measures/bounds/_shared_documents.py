"""Pairs of runs on one topic, and the unjudged documents that they share or have alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.evidence._evidence import DocumentBlock
from poolwise.evidence._pairs import Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.measures.bounds._exact import running
from poolwise.measures.bounds.kernels._native import NativePairs, library

__all__ = [
    "PairBatch",
    "Steps",
    "TopicLists",
    "take_rows",
    "topic_lists",
    "union_counts",
    "unlisted_by_pairs",
]

_CELLS = 1 << 16
"""Pairs × ranks to work on at a time, so that arrays stay within the processor's cache."""


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The lists of one topic. Ranks count from 0; ``depth`` stands for a missing document."""

    index: int
    documents: NDArray[np.intp]
    """The unjudged documents by number, systems × ranks; −1 for all else."""
    unjudged: Booleans
    """Which ranks hold an unjudged document."""
    rank: NDArray[np.int32]
    """The rank of every unjudged document, systems × documents, and one column for the rest."""

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return self.documents.shape[1]

    def batches(self, pairs: Pairs) -> Iterator["PairBatch"]:
        """Go through the pairs, many at once."""
        step = max(1, _CELLS // max(1, self.depth))
        for start in range(0, len(pairs), step):
            rows = slice(start, start + step)
            yield PairBatch(self, (rows, self.index), pairs.left[rows], pairs.right[rows])


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Pairs of systems on one topic, and the unjudged documents that they share."""

    topic: TopicLists
    cells: tuple[slice | Indices, int]
    """Where the results go: pairs, topic."""
    first: Indices
    second: Indices

    @cached_property
    def mine(self) -> Booleans:
        """Which ranks of the first system hold an unjudged document, pairs × ranks."""
        return self.topic.unjudged[self.first]

    @cached_property
    def their_ranks(self) -> NDArray[np.int32]:
        """Where the second system has the documents of the first, pairs × ranks."""
        return self._elsewhere(self.first, self.second)

    def swapped(self) -> "PairBatch":
        """Return the same pairs the other way round."""
        return PairBatch(self.topic, self.cells, self.second, self.first)

    def _elsewhere(self, one: Indices, other: Indices) -> NDArray[np.int32]:
        return take_rows(self.topic.rank, other, self.topic.documents[one])

    def shared(self, worth: Floats) -> Floats:
        """Return the sum of what the shared unjudged documents are worth where they stand lower.

        ``worth`` falls with the rank, and ends with that of no document.
        """
        lower = np.minimum(worth[:-1], worth[self.their_ranks])
        return np.einsum("pr,pr->p", lower, self.mine)

    def steps(self, worth: Floats, union: Integers) -> "Steps":
        """Return what each unjudged document adds to the difference, the largest first.

        ``worth`` is by system and rank, with a last column for no document; ``union`` counts the
        unjudged documents that either run retrieved, also below the ranks looked at.
        """
        topic, depth = self.topic, self.topic.depth
        every = np.zeros((len(self.first), 2 * depth + 1))
        here, there = every[:, :depth], every[:, depth : 2 * depth]
        np.subtract(
            worth[self.first, :-1],
            take_rows(worth, self.second, self.their_ranks),
            out=here,
            where=self.mine,
        )
        alone = self._elsewhere(self.second, self.first) == depth
        np.negative(worth[self.second, :-1], out=there, where=alone & topic.unjudged[self.second])
        every.sort(axis=1)
        return Steps.of(every[:, ::-1], union)


@dataclass(frozen=True, eq=False)
class Steps:
    """What unjudged documents add to a difference, as running sums, the largest first.

    All documents that add nothing are taken in one step.
    """

    gained: Floats
    """The worth of the documents so far."""
    added: Integers
    """Their number."""

    @classmethod
    def of(cls, descending: Floats, documents: Integers) -> "Steps":
        """Build from sorted worths, among them a 0, and the number of all documents."""
        added = running(descending != 0)
        neutral = documents - added[:, -1]
        added[:, 1:] += neutral[:, None] * (descending <= 0)
        return cls(running(descending), added)

    def reversed(self) -> "Steps":
        """Return the steps of the opposite difference."""
        return Steps(
            self.gained[:, ::-1] - self.gained[:, -1:], self.added[:, -1:] - self.added[:, ::-1]
        )

    def by_number(self, most: int) -> Floats:
        """Return the worth of the best 0, 1, … documents."""
        worth = np.full((len(self.gained), most + 1), -np.inf)
        np.put_along_axis(worth, self.added, self.gained, axis=1)
        # Inside the one step of documents that add nothing, the worth stays at its peak.
        gap = np.isneginf(worth)
        return np.where(gap, self.gained.max(axis=1, keepdims=True), worth)


def topic_lists(block: DocumentBlock) -> Iterator[TopicLists]:
    """Go through the topics of a block."""
    systems, _, depth = block.documents.shape
    for t, size in enumerate(np.diff(block.document_starts).tolist()):
        documents, count = _numbered(block.documents[:, t], block.ungraded[:, t], size)
        rank = np.full((systems, count + 1), depth, np.int32)
        # Number −1, of a document that is judged or that is none, falls on the last column.
        rank[np.arange(systems)[:, None], documents] = np.arange(depth, dtype=np.int32)
        rank[:, -1] = depth
        yield TopicLists(t, documents, block.ungraded[:, t], rank)


def _numbered(
    documents: NDArray[np.int32], unjudged: Booleans, size: int
) -> tuple[NDArray[np.intp], int]:
    """Give the unjudged documents among so many of a topic numbers; the others are −1."""
    met = np.zeros(size + 1, np.intp)
    met[documents[unjudged]] = 1
    number = np.where(met, met.cumsum() - 1, -1)
    return number[documents], int(met.sum())


def take_rows(values: NDArray[Any], rows: Indices, columns: NDArray[np.integer]) -> NDArray[Any]:
    """Return ``values[rows[i], columns[i, j]]``, which this module spends its time on.

    Column −1 is the last one of some row, so the rows have to agree there.

    Examples
    --------
    >>> take_rows(np.array([[1, 2], [3, 4]]), np.array([1, 0]), np.array([[1, 1, 0], [0, 1, 1]]))
    array([[4, 4, 3],
           [1, 2, 2]])
    """
    return values.ravel().take(rows[:, None] * values.shape[1] + columns)


def union_counts(block: DocumentBlock, pairs: Pairs) -> Integers:
    """Return how many unjudged documents either run of a pair retrieved, pairs × topics."""
    if ("union", pairs) not in block.memo:
        block.memo["union", pairs] = _count_union(block, pairs)
    return block.memo["union", pairs]


def _count_union(block: DocumentBlock, pairs: Pairs) -> Integers:
    own = block.ungraded_counts
    shared = shared_worth(block, pairs, np.ones(block.depth)).astype(np.int64)
    return own[pairs.left] + own[pairs.right] - shared


def unlisted_by_pairs(
    block: DocumentBlock, pairs: Pairs, universe: Universe, cutoff: int | None
) -> Floats:
    """Return how many documents of the universe neither run of a pair has in its first ranks.

    The counts, pairs × topics, are as those of single lists; of kind ``run``, the universe is that
    of the two runs.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> (block,) = Evidence.from_grades([[None, None], [1, None], [None]]).blocks
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> unlisted_by_pairs(block, pair, Universe(), cutoff=None).tolist()
    [[1.0]]
    >>> unlisted_by_pairs(block, pair, Universe("run", depth=2), cutoff=1).tolist()
    [[2.0]]
    """
    if universe.kind == "corpus":
        return np.full((len(pairs), block.shape[1]), np.inf)
    known, reached = (
        block if depth is None else block.truncate(depth)
        for depth in (cutoff, universe.reach(cutoff))
    )
    if universe.kind == "run":
        return (union_counts(reached, pairs) - union_counts(known, pairs)).astype(np.float64)
    everyone = reached.best_ranks.sum(axis=1, dtype=np.float64)
    return everyone - union_counts(known, pairs)


def shared_worth(seen: DocumentBlock, pairs: Pairs, worth: Floats) -> Floats:
    """Return the sum of what shared unjudged documents are worth where they stand lower.

    ``worth`` is by rank and never rises; with 1 everywhere, shared documents are counted. By the
    native kernel, or its twin in numpy where there is none.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["u", "x"]}, "b": {"1": ["v", "u"]}})
    >>> (block,) = align(Judgments.from_dict({"1": {"x": 1}}), runs).blocks
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> shared_worth(block, pair, np.array([0.5, 0.25])).tolist()
    [[0.25]]
    """
    if (kernels := library()) is None:
        return shared_worth_in_numpy(seen, pairs, worth)
    known = np.zeros(seen.codes.shape, np.bool_)
    return NativePairs(kernels, seen, pairs, known).shared_worth(np.append(0.0, worth))


def shared_worth_in_numpy(seen: DocumentBlock, pairs: Pairs, worth: Floats) -> Floats:
    """Return the same without the kernel."""
    sums = np.zeros((len(pairs), seen.shape[1]))
    for topic in topic_lists(seen):
        for batch in topic.batches(pairs):
            sums[batch.cells] = batch.shared(np.append(worth, 0.0))
    return sums
