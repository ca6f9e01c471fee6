"""How far the unjudged documents can move a difference of average precisions."""

from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.cell_parts import Counts
from poolwise.measures.bounds.exact_bounds import precision_sums, quotient, running
from poolwise.measures.bounds.outside_documents import union_counts
from poolwise.measures.bounds.ranges import Bounds
from poolwise.measures.bounds.shared_documents import (
    PairBatch,
    TopicLists,
    take_rows,
    topic_lists,
)
from poolwise.measures.relevant_ranks import first_code

__all__ = ["average_precision_difference"]


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
    outside: Floats
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
        extra = np.where(sums > 0, 0, self.outside[:, None])
        divisor = np.minimum(self.judged + numbers + extra, self.cap)
        possible = np.where(numbers <= self.union[:, None], divisor, 0)
        return np.fmax.reduce(quotient(sums, possible), axis=1)


def average_precision_difference(
    block: DocumentBlock,
    pairs: Pairs,
    *,
    level: float,
    cap: float = np.inf,
    outside: Counts = 0,
) -> Bounds:
    """Return a valid range of a difference of AP: no grading leaves it, some may not reach it.

    The lists are cut to what the measure looks at, and the divisor is at most ``cap``. Both runs
    are divided by the same R = R₀ + s when s of the documents that either retrieved are
    relevant. For each s, the difference of the two sums of precisions is at most

    1. the first run's largest sum with as many of its documents relevant as s allows, less the
       second run's smallest sum with as few as s allows; and
    2. what the s best documents add to the difference when each is taken alone (a document that
       both retrieved counts once), plus the most that documents can give each other in the first
       run, less the least that they must give each other in the second.

    The smaller of the two holds for s, and the largest of these over s holds for all gradings.
    Documents ``outside`` both only add to R: none of them is relevant where the difference is
    above 0, and all where it is below.
    """
    union = union_counts(block, pairs)
    others = np.broadcast_to(outside, union.shape)
    relevant = block.relevant(level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in topic_lists(block):
        known = block.codes[:, topic.index] >= first_code(block, level)
        sums, alone = _by_number(known, topic)
        for m in topic.batches(pairs):
            room = Room(relevant[topic.index], union[m.cells], others[m.cells], cap)
            low, high = _bounds(m, sums, alone, room)
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def _by_number(known: Booleans, topic: TopicLists) -> tuple[Sums, Floats]:
    """Return the sums by number of documents, and each document's worth alone, by rank."""
    sums = precision_sums(known, topic.unjudged)
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
        0.0 - _largest(sums, other, one, back, room), _largest(sums, one, other, forth, room)
    )


def _largest(sums: Sums, one: Indices, other: Indices, alone: Floats, room: Room) -> Floats:
    """Return the largest possible difference: the smaller of two limits, over all numbers."""
    numbers = np.arange(room.most + 1)
    most = np.minimum(numbers, sums.unjudged[one])
    least = np.maximum(numbers - (room.union[:, None] - sums.unjudged[other]), 0)
    least = np.minimum(least, sums.unjudged[other])
    apart = take_rows(sums.best, one, most) - take_rows(sums.worst, other, least)
    joint = take_rows(sums.best_joint, one, most) - take_rows(sums.worst_joint, other, least)
    together = (sums.best[one, 0] - sums.worst[other, 0])[:, None] + alone + joint
    return room.largest_quotient(np.minimum(apart, together))
