"""How far the unjudged documents can move the difference between two runs, topic by topic.

Two runs of one collection share unjudged documents, and recall-based measures share R and the
ideal ranking. So the range of a difference is narrower than the difference of two ranges. Each
function here takes pairs of systems and returns bounds, pairs × topics, over every grading of the
documents that either run retrieved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.evidence.alignment import Evidence
from poolwise.measures.exact_bounds import (
    NormalizedForm,
    quotient,
    r_precision_depth,
    running,
    unjudged_ranks,
)
from poolwise.measures.measure import Bounds
from poolwise.measures.q_measure import QMeasure
from poolwise.measures.ratio_range import ratio_bounds
from poolwise.measures.relevant_ranks import first_code
from poolwise.measures.static_weights import StaticWeights

__all__ = [
    "Indices",
    "Meeting",
    "Pairs",
    "Steps",
    "Topic",
    "by_topic",
    "normalized_difference",
    "q_measure_difference",
    "r_precision_difference",
    "take_rows",
    "union_counts",
    "weighted_difference",
]

Indices = NDArray[np.intp]

_CELLS = 1 << 16
"""Pairs × ranks to work on at a time, so that arrays stay within the processor's cache."""
_PAIRS = 64
"""Pairs to lay out at a time."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which systems are compared: ``first[i]`` with ``second[i]``."""

    first: Indices
    second: Indices

    def __len__(self) -> int:
        return len(self.first)

    def difference(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return first − second, pairs × topics."""
        return values[self.first] - values[self.second]


@dataclass(frozen=True, eq=False)
class Topic:
    """The lists of one topic. Ranks count from 0; ``depth`` stands for a missing document."""

    index: int
    documents: NDArray[np.int32]
    """Document codes, systems × ranks."""
    unjudged: NDArray[np.bool_]
    """Which ranks hold an unjudged document."""
    rank: NDArray[np.int32]
    """The rank of every document of the topic, systems × documents, and one column for none."""

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return self.documents.shape[1]

    def meetings(self, pairs: Pairs) -> Iterator["Meeting"]:
        """Go through the pairs, many at once."""
        step = max(1, _CELLS // max(1, self.depth))
        for start in range(0, len(pairs), step):
            rows = slice(start, start + step)
            yield Meeting(self, (rows, self.index), pairs.first[rows], pairs.second[rows])


@dataclass(frozen=True, eq=False)
class Meeting:
    """Pairs of systems on one topic, and the unjudged documents that they share."""

    topic: Topic
    cells: tuple[slice, int]
    """Where the results go: pairs, topic."""
    first: Indices
    second: Indices

    @cached_property
    def mine(self) -> NDArray[np.bool_]:
        """Which ranks of the first system hold an unjudged document, pairs × ranks."""
        return self.topic.unjudged[self.first]

    @cached_property
    def their_ranks(self) -> NDArray[np.int32]:
        """Where the second system has the documents of the first, pairs × ranks."""
        return self._elsewhere(self.first, self.second)

    def _elsewhere(self, one: Indices, other: Indices) -> NDArray[np.int32]:
        return take_rows(self.topic.rank, other, self.topic.documents[one])

    def shared(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of what the shared unjudged documents are worth where they stand lower.

        ``worth`` falls with the rank, and ends with that of no document.
        """
        lower = np.minimum(worth[:-1], worth[self.their_ranks])
        return np.einsum("pr,pr->p", lower, self.mine)

    def steps(self, worth: NDArray[np.float64], union: NDArray[np.int64]) -> "Steps":
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

    gained: NDArray[np.float64]
    """The worth of the documents so far."""
    added: NDArray[np.int64]
    """Their number."""

    @classmethod
    def of(cls, descending: NDArray[np.float64], documents: NDArray[np.int64]) -> "Steps":
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

    def by_number(self, most: int) -> NDArray[np.float64]:
        """Return the worth of the best 0, 1, … documents."""
        worth = np.full((len(self.gained), most + 1), -np.inf)
        np.put_along_axis(worth, self.added, self.gained, axis=1)
        # Inside the one step of documents that add nothing, the worth stays at its peak.
        gap = np.isneginf(worth)
        return np.where(gap, self.gained.max(axis=1, keepdims=True), worth)


def by_topic(evidence: Evidence) -> Iterator[Topic]:
    """Go through the topics."""
    unjudged = unjudged_ranks(evidence)
    systems, _, depth = evidence.documents.shape
    for t, size in enumerate(np.diff(evidence.document_starts).tolist()):
        documents = evidence.documents[:, t]
        rank = np.full((systems, size + 1), depth, np.int32)
        # Code −1, past the end of a list, falls on the last column.
        rank[np.arange(systems)[:, None], documents] = np.arange(depth, dtype=np.int32)
        rank[:, -1] = depth
        yield Topic(t, documents, unjudged[:, t], rank)


def union_counts(evidence: Evidence, pairs: Pairs) -> NDArray[np.int64]:
    """Return how many unjudged documents either run of a pair retrieved, pairs × topics."""
    own = unjudged_ranks(evidence).sum(axis=2)
    union = own[pairs.first] + own[pairs.second]
    for topic in by_topic(evidence):
        for m in topic.meetings(pairs):
            union[m.cells] -= ((m.their_ranks < topic.depth) & m.mine).sum(axis=1)
    return union


def weighted_difference(evidence: Evidence, measure: StaticWeights, pairs: Pairs) -> Bounds:
    """Return the exact range of a difference of weighted sums.

    A document adds (w_a − w_b) × gain, so it is worth full gain to the upper bound where w_a is
    the larger, and to the lower bound where w_b is. Summed up: each run's residual, less the
    weight min(w_a, w_b) of the documents that both retrieved, which moves both alike. Past the
    ends of the lists, where RBP goes on, the runs can have different documents, so those tails
    count in full, each for its own run.
    """
    seen = measure.cut(evidence)
    weights = np.append(measure.weights(seen.depth), 0.0)
    shared = np.zeros((len(pairs), len(evidence.topics)))
    for topic in by_topic(seen):
        for m in topic.meetings(pairs):
            shared[m.cells] = m.shared(weights)
    shared *= measure.full_gain(evidence.scale)
    low, high = measure.bounds(evidence)
    value, residual = pairs.difference(low), high - low
    return Bounds(
        value - (residual[pairs.second] - shared), value + (residual[pairs.first] - shared)
    )


def normalized_difference(evidence: Evidence, form: NormalizedForm, pairs: Pairs) -> Bounds:
    """Return the exact range of a difference of normalized gains.

    Both runs are divided by the same ideal, so the difference is a ratio as the score of one run
    is, with the differences of the two weights of a document in the place of its weight.
    """
    weights = form.weights(evidence.depth)
    known = pairs.difference(evidence.lookup(form.gains) @ weights)
    union = union_counts(evidence, pairs)
    seen = evidence.truncate(int(np.count_nonzero(weights)))
    worth = np.tile(np.append(weights[: seen.depth], 0.0), (len(seen.systems), 1))
    result = Bounds(np.empty(known.shape), np.empty(known.shape))
    ideal = form.ideal(evidence.pool, added=int(union.max(initial=0)))
    for topic in by_topic(seen):
        of_topic = replace(ideal, judged=ideal.judged[topic.index])
        for m in topic.meetings(pairs):
            steps = m.steps(worth, union[m.cells])
            here = of_topic.repeated(m.second.shape)
            low, high = ratio_bounds(known[m.cells], steps.gained, steps.added, here)
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def r_precision_difference(
    evidence: Evidence, pairs: Pairs, *, level: float, multiple: float = 1.0
) -> Bounds:
    """Return the exact range of a difference of R-Prec.

    With s unjudged documents relevant, both runs are cut at R = R₀ + s. Documents that only the
    first has above the cut add 1, those that only the second has there take 1 away, and the rest
    do nothing: at best the first kind is relevant before the rest and the second kind comes last.
    """
    union = union_counts(evidence, pairs)
    codes = first_code(evidence, level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in by_topic(evidence):
        added = np.arange(union[:, topic.index].max(initial=0) + 1)
        depth = r_precision_depth(evidence.relevant(level)[topic.index] + added, multiple)
        at = np.minimum(depth, topic.depth)
        known = running(evidence.codes[:, topic.index] >= codes)[:, at]
        unjudged = running(topic.unjudged)[:, at]
        for m in topic.meetings(pairs):
            both = _both_above(m)[:, at]
            plus, minus = unjudged[m.first] - both, unjudged[m.second] - both
            open_to = union[m.cells][:, None]
            possible = np.where(added <= open_to, depth, 0)
            base = known[m.first] - known[m.second]
            # What is left once the first kind and the rest are all relevant is of the other kind.
            most = np.minimum(added, plus) - np.maximum(added - (open_to - minus), 0)
            least = np.maximum(added - (open_to - plus), 0) - np.minimum(added, minus)
            result.lower[m.cells] = np.fmin.reduce(quotient(base + least, possible), axis=1)
            result.upper[m.cells] = np.fmax.reduce(quotient(base + most, possible), axis=1)
    return result


def q_measure_difference(evidence: Evidence, measure: QMeasure, pairs: Pairs) -> Bounds:
    """Return a valid range of a difference of Q: the two ranges subtracted.

    Each run's range counts the documents of the other as documents that may be relevant, since
    they belong to the same R and the same ideal.
    """
    union = union_counts(evidence, pairs)
    own = unjudged_ranks(evidence).sum(axis=2)
    first, second = (
        np.concatenate(
            [
                measure.bounds(_take(evidence, side[part]), elsewhere=(union - own[side])[part])
                for part in np.array_split(np.arange(len(pairs)), len(pairs) // _PAIRS + 1)
            ],
            axis=1,
        )
        for side in (pairs.first, pairs.second)
    )
    return Bounds(first[0] - second[1], first[1] - second[0])


def _take(evidence: Evidence, systems: Indices) -> Evidence:
    """Return some systems, perhaps several times."""
    return replace(evidence, codes=evidence.codes[systems], documents=evidence.documents[systems])


def _both_above(meeting: Meeting) -> NDArray[np.int64]:
    """Return how many shared unjudged documents both runs have above each rank, pairs × ranks."""
    depth = meeting.topic.depth
    deeper = np.where(meeting.mine, np.maximum(np.arange(depth), meeting.their_ranks), depth)
    flat = (np.arange(len(deeper))[:, None] * (depth + 1) + deeper).ravel()
    counts = np.bincount(flat, minlength=len(deeper) * (depth + 1)).reshape(-1, depth + 1)
    return running(counts[:, :-1])


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
