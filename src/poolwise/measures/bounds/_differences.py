"""Exact ranges of differences between two runs, over the documents they share and have apart."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import first_code
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._exact import (
    Counts,
    NormalizedForm,
    finite_counts,
    past_the_end,
    precision_sums,
    quotient,
    r_precision_depth,
    ratio_bounds,
    running,
)
from poolwise.measures.bounds.kernels._native import NativePairs, library

__all__ = [
    "PairBatch",
    "Steps",
    "TopicLists",
    "average_precision_difference",
    "first_relevant_difference",
    "normalized_difference",
    "r_precision_difference",
    "separate_difference",
    "take_rows",
    "topic_lists",
    "union_counts",
    "unlisted_by_pairs",
    "weighted_difference",
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
    scored, reached = (
        block if depth is None else block.truncate(depth)
        for depth in (cutoff, universe.reach(cutoff))
    )
    if universe.kind == "run":
        return (union_counts(reached, pairs) - union_counts(scored, pairs)).astype(np.float64)
    everyone = reached.best_ranks.sum(axis=1, dtype=np.float64)
    return everyone - union_counts(scored, pairs)


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
    none_relevant = np.zeros(seen.codes.shape, np.bool_)
    return NativePairs(kernels, seen, pairs, none_relevant).shared_worth(np.append(0.0, worth))


def shared_worth_in_numpy(seen: DocumentBlock, pairs: Pairs, worth: Floats) -> Floats:
    """Return the same without the kernel."""
    sums = np.zeros((len(pairs), seen.shape[1]))
    for topic in topic_lists(seen):
        for batch in topic.batches(pairs):
            sums[batch.cells] = batch.shared(np.append(worth, 0.0))
    return sums


_PAIRS = 64
"""Pairs to lay out at a time."""


def weighted_difference(
    seen: DocumentBlock, weights: Floats, own: Bounds, pairs: Pairs, *, full_gain: float
) -> Bounds:
    """Return the exact range of a difference of weighted sums, from the runs' own ranges."""
    # A document adds (w_a − w_b) × gain, so it is worth full gain to the upper bound where w_a is
    # the larger, and to the lower bound where w_b is. Summed up: each run's residual, less the
    # weight min(w_a, w_b) of the documents that both retrieved, which moves both alike.
    shared = full_gain * shared_worth(seen, pairs, weights)
    value, residual = pairs.difference(own.lower), own.upper - own.lower
    return Bounds(value - (residual[pairs.right] - shared), value + (residual[pairs.left] - shared))


def normalized_difference(
    block: DocumentBlock, form: NormalizedForm, pairs: Pairs, unlisted: Counts = 0
) -> Bounds:
    """Return the exact range of a difference of normalized gains."""
    # Both runs are divided by the same ideal, so the difference is a ratio as the score of one run
    # is, with the differences of the two weights of a document in the place of its weight.
    weights = form.weights(block.depth)
    difference = pairs.difference(block.lookup(form.gains) @ weights)
    others = np.broadcast_to(unlisted, difference.shape)
    every = union_counts(block, pairs) + finite_counts(others)
    worth = np.tile(np.append(weights, 0.0), (len(block.codes), 1))
    result = Bounds(np.empty(difference.shape), np.empty(difference.shape))
    ideal = form.ideal(block.pool, added=int(every.max(initial=0)))
    for topic in topic_lists(block):
        of_topic = replace(ideal, judged=ideal.judged[topic.index])
        for m in topic.batches(pairs):
            steps = m.steps(worth, every[m.cells])
            here = of_topic.repeated(m.second.shape)
            limits = ratio_bounds(difference[m.cells], steps.gained, steps.added, here)
            most = steps.gained.max(axis=1)
            least = steps.gained[:, -1] - most
            low, high = form.in_corpus(
                limits,
                difference[m.cells] + form.full_gain * least,
                difference[m.cells] + form.full_gain * most,
                endless=np.isinf(others[m.cells]),
            )
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def r_precision_difference(
    block: DocumentBlock,
    pairs: Pairs,
    *,
    level: float,
    multiple: float = 1.0,
    unlisted: Counts = 0,
) -> Bounds:
    """Return the exact range of a difference of R-Prec."""
    # With t unjudged documents relevant, both runs are cut at R = R₀ + t. Documents that only the
    # first has above the cut add 1, those that only the second has there take 1 away, and the rest
    # do nothing: at best the first kind is relevant before the rest and the second kind comes last.
    # Once R is past the ends of the lists, only R moves, until more are relevant than there are
    # unlisted documents.
    union = union_counts(block, pairs)
    others = np.broadcast_to(unlisted, union.shape)
    codes = first_code(block, level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in topic_lists(block):
        most = union[:, topic.index].max(initial=0)
        near = np.arange(past_the_end(block.depth, multiple) + most + 1.0)
        R = block.relevant(level)[topic.index]
        hits, unjudged = (
            running(cells)[:, _ranks(R + near, multiple, topic.depth)]
            for cells in (block.codes[:, topic.index] >= codes, topic.unjudged)
        )
        for m in topic.batches(pairs):
            both = _both_above(m)[:, _ranks(R + near, multiple, topic.depth)]
            cut = _AtCuts(
                hits[m.first] - hits[m.second],
                unjudged[m.first] - both,
                unjudged[m.second] - both,
                (union[m.cells] + others[m.cells])[:, None],
            )
            far = others[m.cells][:, None] + np.arange(most + 1.0)
            ends = (
                cut.ratios(near, r_precision_depth(R + near, multiple)),
                cut.at_end().ratios(
                    far, np.where(far > near[-1], r_precision_depth(R + far, multiple), 0)
                ),
            )
            result.lower[m.cells] = np.fmin(*(low for low, _ in ends))
            result.upper[m.cells] = np.fmax(*(high for _, high in ends))
    return result


class _AtCuts(NamedTuple):
    """What two lists hold above the cuts of R-Prec, pairs × cuts."""

    base: Integers
    """Known relevant documents of the first, less those of the second."""
    plus: Integers
    """Unjudged documents that only the first has there."""
    minus: Integers
    """Those that only the second has."""
    every: Floats
    """All unjudged documents, pairs × 1."""

    def at_end(self) -> "_AtCuts":
        """Return what the whole lists hold."""
        base, plus, minus, every = self
        return _AtCuts(base[:, -1:], plus[:, -1:], minus[:, -1:], every)

    def ratios(self, added: Floats, depth: Floats) -> tuple[Floats, Floats]:
        """Return the extremes of the difference over these numbers of relevant documents."""
        possible = np.where(added <= self.every, depth, 0)
        least = self._forced(added, self.plus) - np.minimum(added, self.minus)
        most = np.minimum(added, self.plus) - self._forced(added, self.minus)
        low, high = (quotient(self.base + moved, possible) for moved in (least, most))
        return np.fmin.reduce(low, axis=1), np.fmax.reduce(high, axis=1)

    def _forced(self, added: Floats, kind: Integers) -> Floats:
        """Return how many of a kind are relevant once all others are."""
        endless = np.isinf(self.every)
        return np.maximum(np.where(endless, 0, added - np.where(endless, 0, self.every) + kind), 0)


def _ranks(relevant: Floats, multiple: float, last: int) -> Indices:
    return np.minimum(r_precision_depth(relevant, multiple), last).astype(np.intp)


def separate_difference(
    block: DocumentBlock,
    pairs: Pairs,
    unlisted: Counts,
    bounds_of: Callable[[Block, Floats], Bounds],
) -> Bounds:
    """Return the two ranges subtracted, each with the other run's documents counted in: valid.

    ``bounds_of(block, unlisted)`` bounds the scores of runs where so many further documents,
    outside their lists, may be relevant: they belong to the same R and the same ideal.
    """
    # Each range is taken as if the other run's documents could be anything, also what the other
    # range forbids: so none leaves the difference, and some ends may not be reached. For graded
    # Q, whose ideal is one per rank, and INST, which depends on its history, no better is known.
    every = union_counts(block, pairs) + np.asarray(unlisted, np.float64)
    own = block.ungraded_counts.astype(np.float64)
    left, right = (
        _of_sides(block, side, every - own[side], bounds_of) for side in (pairs.left, pairs.right)
    )
    return Bounds(left.lower - right.upper, left.upper - right.lower)


def _of_sides(
    block: DocumentBlock,
    systems: Indices,
    unlisted: Floats,
    bounds_of: Callable[[Block, Floats], Bounds],
) -> Bounds:
    """Return the bounds of these systems; equal ones are found once."""
    rows, of_pair = np.unique(np.column_stack([systems, unlisted]), axis=0, return_inverse=True)
    parts = np.array_split(rows, len(rows) // _PAIRS + 1)
    limits = [bounds_of(block.take(part[:, 0].astype(np.intp)), part[:, 1:]) for part in parts]
    lower, upper = (np.concatenate(ends)[of_pair.ravel()] for ends in zip(*limits, strict=True))
    return Bounds(lower, upper)


def _both_above(batch: PairBatch) -> Integers:
    """Return how many shared unjudged documents both runs have above each rank, pairs × ranks."""
    depth = batch.topic.depth
    deeper = np.where(batch.mine, np.maximum(np.arange(depth), batch.their_ranks), depth)
    flat = (np.arange(len(deeper))[:, None] * (depth + 1) + deeper).ravel()
    counts = np.bincount(flat, minlength=len(deeper) * (depth + 1)).reshape(-1, depth + 1)
    return running(counts[:, :-1])


class Sums(NamedTuple):
    """Sums of precisions by the number of relevant unjudged documents, systems × numbers."""

    best: Floats
    """With the top-most documents relevant."""
    worst: Floats
    """With the bottom-most."""
    best_joint: Floats
    """What the top-most give each other: the part of ``best`` that none of them has alone."""
    worst_joint: Floats
    """What the bottom-most give each other."""
    unjudged: Integers
    """How many there are, systems × 1."""


class Room(NamedTuple):
    """How many documents of a topic can be relevant, for the pairs of a batch."""

    judged: int
    """R₀, those judged relevant."""
    union: Integers
    """The unjudged ones that either run has."""
    unlisted: Floats
    """Those of the universe that neither has."""
    cap: float
    """Where the divisor stops."""

    @property
    def most(self) -> int:
        """The largest number of unjudged documents that two runs have."""
        return int(self.union.max(initial=0))

    def largest_quotient(self, sums: Floats) -> Floats:
        """Return the largest sum over R, for sums by number of relevant unjudged documents."""
        numbers = np.arange(sums.shape[1])
        # A larger R brings a lead and a deficit nearer to 0.
        extra = np.where(sums > 0, 0, self.unlisted[:, None])
        divisor = np.minimum(self.judged + numbers + extra, self.cap)
        possible = np.where(numbers <= self.union[:, None], divisor, 0)
        return np.fmax.reduce(quotient(sums, possible), axis=1)


def average_precision_difference(
    block: DocumentBlock,
    pairs: Pairs,
    *,
    level: float,
    cap: float = np.inf,
    unlisted: Counts = 0,
) -> Bounds:
    """Return a valid range of a difference of AP: no grading leaves it, some may not reach it.

    The lists are cut to what the measure looks at, and the divisor is at most ``cap``.
    """
    # Both runs are divided by the same R = R₀ + s when s of the documents that either retrieved are
    # relevant. For each s, the difference of the two sums of precisions is at most
    #
    # 1. the first run's largest sum with as many of its documents relevant as s allows, less the
    #    second run's smallest sum with as few as s allows; and
    # 2. what the s best documents add to the difference when each is taken alone (a document that
    #    both retrieved counts once), plus the most that documents can give each other in the first
    #    run, less the least that they must give each other in the second.
    #
    # The smaller of the two holds for s, and the largest of these over s holds for all gradings.
    # Unlisted documents only add to R: none of them is relevant where the difference is above 0,
    # and all where it is below.
    union = union_counts(block, pairs)
    others = np.broadcast_to(unlisted, union.shape)
    relevant = block.relevant(level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in topic_lists(block):
        relevant_here = block.codes[:, topic.index] >= first_code(block, level)
        sums, alone = _by_number(relevant_here, topic)
        for m in topic.batches(pairs):
            room = Room(relevant[topic.index], union[m.cells], others[m.cells], cap)
            low, high = _bounds(m, sums, alone, room)
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def _by_number(relevant: Booleans, topic: TopicLists) -> tuple[Sums, Floats]:
    """Return the sums by number of documents, and each document's worth alone, by rank."""
    sums = precision_sums(relevant, topic.unjudged)
    base, alone = sums.best[:, :1], sums.alone
    best = _at_count(sums.best, sums.best_count)
    worst = _at_count(sums.worst, sums.worst_count)
    alone_best = _at_count(base + running(alone), sums.best_count)
    alone_worst = _at_count(base + running(alone[:, ::-1]), sums.worst_count)
    by_number = Sums(best, worst, best - alone_best, worst - alone_worst, sums.best_count[:, -1:])
    return by_number, np.append(alone, np.zeros((len(alone), 1)), axis=1)


def _at_count(sums: Floats, counts: Integers) -> Floats:
    """Return rising sums by count instead of by rank; the last one stays."""
    by_count = np.zeros_like(sums)
    np.put_along_axis(by_count, counts, sums, axis=1)
    return np.maximum.accumulate(by_count, axis=1)


def _bounds(batch: PairBatch, sums: Sums, alone: Floats, room: Room) -> Bounds:
    steps = batch.steps(alone, room.union)
    one, other = batch.first, batch.second
    forth, back = (s.by_number(room.most) for s in (steps, steps.reversed()))
    return Bounds(
        0.0 - _largest_ap(sums, other, one, back, room), _largest_ap(sums, one, other, forth, room)
    )


def _largest_ap(sums: Sums, one: Indices, other: Indices, alone: Floats, room: Room) -> Floats:
    """Return the largest possible difference: the smaller of two limits, over all numbers."""
    numbers = np.arange(room.most + 1)
    most = np.minimum(numbers, sums.unjudged[one])
    least = np.maximum(numbers - (room.union[:, None] - sums.unjudged[other]), 0)
    least = np.minimum(least, sums.unjudged[other])
    # Neither is always the smaller: the first does not know which documents the runs share, the
    # second adds up what cannot all be had at once.
    apart = take_rows(sums.best, one, most) - take_rows(sums.worst, other, least)
    joint = take_rows(sums.best_joint, one, most) - take_rows(sums.worst_joint, other, least)
    together = (sums.best[one, 0] - sums.worst[other, 0])[:, None] + alone + joint
    return room.largest_quotient(np.minimum(apart, together))


def first_relevant_difference(
    seen: DocumentBlock, pairs: Pairs, *, level: float, worth: Floats
) -> Bounds:
    """Return the exact range of a difference of RR or Success.

    ``worth`` is the score with the first relevant document at each rank, not rising; it is 0
    without one.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["u", "x"]}, "b": {"1": ["v", "u", "x"]}})
    >>> (block,) = align(Judgments.from_dict({"1": {"x": 1}}), runs).blocks
    >>> pairs = Pairs(np.array([0]), np.array([1]))
    >>> low, high = first_relevant_difference(block, pairs, level=1, worth=1 / np.arange(1, 4))
    >>> low.round(3).item(), high.round(3).item()
    (-0.5, 0.5)
    """
    # Either no unjudged document is relevant, or just one of those that the first run has above its
    # first known relevant one: more of them can only help the second run.
    relevant = seen.codes >= first_code(seen, level)
    none = np.ones((*seen.shape, 1), np.bool_)
    first = np.append(relevant, none, axis=2).argmax(axis=2)
    worth = np.append(worth, 0.0)
    limits = Bounds(*np.empty((2, len(pairs), seen.shape[1])))
    for topic in topic_lists(seen):
        for batch in topic.batches(pairs):
            limits.upper[batch.cells] = _largest_first(batch, first[:, topic.index], worth)
            limits.lower[batch.cells] = 0.0 - _largest_first(
                batch.swapped(), first[:, topic.index], worth
            )
    return limits


def _largest_first(batch: PairBatch, first: Integers, worth: Floats) -> Floats:
    """Return the largest difference, first − second run of each pair."""
    mine, theirs = first[batch.first][:, None], worth[first[batch.second]][:, None]
    above = batch.mine & (np.arange(batch.topic.depth) < mine)
    # With the higher of two ranks goes the higher worth.
    gain = worth[:-1] - np.maximum(theirs, worth[batch.their_ranks])
    best = np.where(above, gain, -np.inf).max(axis=1, initial=-np.inf)
    return np.maximum(best, (worth[mine] - theirs)[:, 0])
