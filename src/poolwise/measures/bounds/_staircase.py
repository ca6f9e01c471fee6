"""Which documents of two runs to make relevant, so that one run gains most on the other.

Let two runs share c unjudged documents, a column each by their rank in the first run and a row
each by their rank in the second. Where a document stands higher in the first run and lower in the
second than another, moving relevance to it from the other never lowers the difference. So a best
set is a *staircase*: a path goes right, past the columns, and up, past the rows, and a document is
relevant if its column is passed before its row. With i columns and h rows passed, and m relevant
documents among those that are in both (the box), the second run has met m of them and the first
m + i − |box|: all that a next step needs to know. There are at most c³/3 such states.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.measures._measure import first_code
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._differences import PairBatch, TopicLists, topic_lists
from poolwise.measures.bounds._exact import quotient, running

__all__ = [
    "Walk",
    "edges_of",
    "exact_at",
    "precision_sum_difference",
    "precision_sums_over_relevant",
    "precision_walk",
    "staircase",
    "stopping_difference",
    "stopping_walk",
]


class Walk(NamedTuple):
    """What a run collects along its list, in segments between the shared documents.

    With M of the shared documents relevant above it, a segment adds reach(M) × slope + base, and
    so does a shared document that is relevant: reach(M) = M for sums of precisions, and the chance
    to get past M documents for ERR. All arrays begin with an axis of pairs.
    """

    slope: Floats
    """Of each segment, c + 1."""
    base: Floats
    own_slope: Floats
    """Of each shared document, c."""
    own_base: Floats

    def end(self, reach: Floats) -> Floats:
        """Return what the last segment adds, for reaches … × numbers."""
        return _line(self.slope[:, -1:], reach, self.base[:, -1:])


def precision_walk(fixed: Booleans, shared: Integers) -> Walk:
    """Return the sum of precisions, where some ranks are relevant whatever becomes of the rest.

    Parameters
    ----------
    fixed : bool array, pairs × ranks
        The ranks that are relevant.
    shared : int array, pairs × c
        The ranks of the shared documents, ascending, from 0.
    """
    weight = 1 / np.arange(1, fixed.shape[1] + 1)
    above = running(fixed)
    above_shared = np.take_along_axis(above, shared, axis=1)
    slope, base = running(fixed * weight), running(fixed * above[:, 1:] * weight)
    own = weight[shared]
    return Walk(_segments(slope, shared), _segments(base, shared), own, (above_shared + 1) * own)


def stopping_walk(stops: Floats, shared: Integers, *, full: float) -> Walk:
    """Return the expected reciprocal rank of the stop, given the chances to stop at known ranks.

    ``full`` is the chance to stop at a shared document that is relevant.
    """
    # Multilinear in the chances to stop: between shared documents, what a relevant one does is to
    # scale everything below it by 1 − full, which is what the reach of a walk says.
    weight = 1 / np.arange(1, stops.shape[1] + 1)
    reach = np.cumprod(np.append(np.ones((len(stops), 1)), 1 - stops, axis=1), axis=1)
    slope = _segments(running(reach[:, :-1] * stops * weight), shared)
    own = np.take_along_axis(reach, shared, axis=1) * full * weight[shared]
    return Walk(slope, np.zeros_like(slope), own, np.zeros_like(own))


def edges_of(shared: Integers, depth: int) -> Integers:
    """Return where the segments begin, and where the last one ends."""
    pairs = len(shared)
    return np.hstack([np.zeros((pairs, 1), np.int64), shared, np.full((pairs, 1), depth)])


def _segments(sums: Floats, shared: Integers) -> Floats:
    """Cut running sums at the shared documents, which add nothing to them."""
    edges = edges_of(shared, sums.shape[1] - 1)
    return np.diff(np.take_along_axis(sums, edges, axis=1), axis=1)


def staircase(one: Walk, other: Walk, row: Integers, reach: Floats) -> tuple[Floats, Floats]:
    """Return the largest difference on the way to every state of the upper and the right edge.

    Parameters
    ----------
    one, other : Walk
        The run that is to gain, and the other.
    row : int array, pairs × c
        The row of the document in each column.
    reach : float array, c + 1
        What a segment's slope is multiplied by, for each number of relevant documents above.

    Returns
    -------
    upper, right : float arrays, pairs × (c + 1) × (c + 1)
        With all rows passed, by columns passed and m; with all columns passed, by rows passed and
        m. States that no path reaches have −∞.
    """
    pairs, count = row.shape
    column, box = np.argsort(row, axis=1), _boxes(row)
    best = np.full((pairs, count + 1, count + 1), -np.inf)
    best[:, 0, 0] = 0.0
    right = np.empty_like(best)
    for h in range(count + 1):
        if h:
            best = _up(best, other, h - 1, column[:, h - 1], reach)
        # A step to the right starts from the column before it in the same row.
        for i in range(count):
            # Passed columns whose rows are still ahead are relevant: i − |box| beside the m.
            met = np.minimum(np.arange(count + 1) + (i - box[:, i, h, None]), count)
            step = _step(one, i, row[:, i] >= h, reach[met])
            best[:, i + 1] = np.maximum(best[:, i + 1], best[:, i] + step)
        right[:, h] = best[:, count]
    return best, right


def _boxes(row: Integers) -> Integers:
    """Return how many documents are in the first i columns and the first h rows, … × i × h."""
    pairs, count = row.shape
    box = np.zeros((pairs, count + 1, count + 1), np.int64)
    box[:, 1:, 1:] = row[:, :, None] == np.arange(count)
    return box.cumsum(axis=1).cumsum(axis=2)


def _up(best: Floats, other: Walk, h: int, column: Integers, reach: Floats) -> Floats:
    """Pass one row: its document is relevant if its column is passed, and counts in the box."""
    inside = column[:, None] < np.arange(best.shape[1])
    without = best - _step(other, h, np.zeros_like(column, np.bool_), reach)[:, None]
    within = best - _step(other, h, np.ones_like(column, np.bool_), reach)[:, None]
    # A document in the box was made relevant when its column was passed: now m counts it.
    more = np.full_like(best, -np.inf)
    more[:, :, 1:] = within[:, :, :-1]
    return np.where(inside[:, :, None], more, without)


def _step(walk: Walk, at: int, relevant: Booleans, reach: Floats) -> Floats:
    """Return what a segment and the shared document after it add, pairs × numbers."""
    slope = walk.slope[:, at] + relevant * walk.own_slope[:, at]
    base = walk.base[:, at] + relevant * walk.own_base[:, at]
    return _line(slope[:, None], reach, base[:, None])


def _line(slope: Floats, reach: Floats, base: Floats) -> Floats:
    return slope * reach + base


_DEEPEST = 100
"""The deepest cut-off at which an exact range is worth its work."""

_CELLS = 1 << 18
"""Pairs × states to work on at a time."""

Largest = Callable[["SharedPairs"], Floats]
"""The largest difference, first − second run of each pair."""


@dataclass(frozen=True, eq=False)
class SharedPairs:
    """Pairs of runs on one topic that share the same number of unjudged documents."""

    batch: PairBatch
    count: int

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return self.batch.topic.depth

    @cached_property
    def shared(self) -> Booleans:
        """Which ranks of the first run hold a shared unjudged document, pairs × ranks."""
        return self.batch.mine & (self.batch.their_ranks < self.depth)

    @property
    def alone(self) -> Booleans:
        """Which ranks of the first run hold an unjudged document that the second lacks."""
        return self.batch.mine & ~self.shared

    @property
    def columns(self) -> Integers:
        """The ranks of the shared documents in the first run, pairs × count."""
        return np.nonzero(self.shared)[1].reshape(len(self.shared), self.count)

    @property
    def rows(self) -> Integers:
        """Which row the document in each column has, by its rank in the second run."""
        ranks = self.batch.their_ranks[self.shared].reshape(len(self.shared), self.count)
        return np.argsort(np.argsort(ranks, axis=1), axis=1)

    @cached_property
    def swapped(self) -> "SharedPairs":
        """The same pairs the other way round."""
        return SharedPairs(self.batch.swapped(), self.count)


def pairs_by_shared_count(topic: TopicLists, pairs: Pairs) -> Iterator[SharedPairs]:
    """Go through the pairs by the number of unjudged documents that they share."""
    shares = np.concatenate(
        [(m.mine & (m.their_ranks < topic.depth)).sum(axis=1) for m in topic.batches(pairs)]
    )
    # Pairs that share as many documents have tables of one shape, and are walked as one array.
    for count in np.unique(shares).tolist():
        of_count = np.flatnonzero(shares == count)
        room = max(1, _CELLS // ((topic.depth + 1) * (count + 1)))
        for rows in np.split(of_count, range(room, len(of_count), room)):
            batch = PairBatch(topic, (rows, topic.index), pairs.left[rows], pairs.right[rows])
            yield SharedPairs(batch, count)


def exact_at(cutoff: int | None) -> bool:
    """Return whether the range of a difference is found exactly with this cut-off."""
    return cutoff is not None and cutoff <= _DEEPEST


def _both_ends(
    seen: DocumentBlock, pairs: Pairs, largest_of: Callable[[TopicLists], Largest]
) -> Bounds:
    """Return the range of a difference: the lower end is that of the pair the other way round."""
    shape = len(pairs), seen.shape[1]
    limits = Bounds(np.empty(shape), np.empty(shape))
    for topic in topic_lists(seen):
        largest = largest_of(topic)
        for alike in pairs_by_shared_count(topic, pairs):
            cells = alike.batch.cells
            limits.upper[cells] = largest(alike)
            limits.lower[cells] = 0.0 - largest(alike.swapped)
    return limits


def precision_sum_difference(seen: DocumentBlock, pairs: Pairs, *, level: float) -> Bounds:
    """Return the exact range of a difference of sums of precisions."""
    # What only the first run has helps it, and what only the second has hurts: at best all of the
    # former is relevant and none of the latter.

    def largest_of(topic: TopicLists) -> Largest:
        relevant = seen.codes[:, topic.index] >= first_code(seen, level)

        def largest(pair: SharedPairs) -> Floats:
            one = precision_walk(relevant[pair.batch.first] | pair.alone, pair.columns)
            other = precision_walk(relevant[pair.batch.second], pair.swapped.columns)
            return _whole_way(one, other, pair.rows, np.arange(pair.count + 1.0))

        return largest

    return _both_ends(seen, pairs, largest_of)


def stopping_difference(seen: DocumentBlock, pairs: Pairs, *, stops: Floats) -> Bounds:
    """Return the exact range of a difference of expected reciprocal ranks.

    ``stops`` has the chance to stop at each grade of the scale, the highest last.
    """
    # ERR is linear in the chance to stop at each document, so that an unjudged one has the highest
    # grade or none. What only one run has is relevant for its own good alone.
    chances, full = seen.lookup(stops), float(stops[-1])

    def largest_of(topic: TopicLists) -> Largest:
        of_topic = chances[:, topic.index]

        def largest(pair: SharedPairs) -> Floats:
            alone = np.where(pair.alone, full, of_topic[pair.batch.first])
            one = stopping_walk(alone, pair.columns, full=full)
            other = stopping_walk(of_topic[pair.batch.second], pair.swapped.columns, full=full)
            return _whole_way(one, other, pair.rows, (1 - full) ** np.arange(pair.count + 1.0))

        return largest

    return _both_ends(seen, pairs, largest_of)


def _whole_way(one: Walk, other: Walk, rows: Integers, reach: Floats) -> Floats:
    """Return the largest difference once both lists are walked to their ends."""
    # Without R there is no reason to stop early: what helps is relevant down to the last rank.
    upper, _ = staircase(one, other, rows, reach)
    total = upper[:, -1] + one.end(reach) - other.end(reach)
    return np.asarray(total.max(axis=1))


def precision_sums_over_relevant(
    seen: DocumentBlock, pairs: Pairs, *, level: float, unlisted: Floats, cap: float = np.inf
) -> Bounds:
    """Return the exact range of a difference of AP, or of aAP, whose divisor stops at a cap."""
    # Both runs are divided by the same R. Of the documents that only the first run has, the
    # top-most are relevant; those that only the second has may be relevant where that raises R, its
    # bottom-most first, and once all others are. Unlisted documents raise R alone: none of them is
    # relevant where the difference is above 0, all where it is below.
    R = seen.relevant(level)

    def largest_of(topic: TopicLists) -> Largest:
        relevant = seen.codes[:, topic.index] >= first_code(seen, level)

        def largest(pair: SharedPairs) -> Floats:
            ends = _Ends(pair, relevant[pair.batch.first], relevant[pair.batch.second])
            further = unlisted[pair.batch.cells][:, None, None]
            quotients = [
                _largest_quotient(total, R[topic.index] + relevant, further, cap)
                for total, relevant in (ends.stop_early(), ends.go_on())
            ]
            return np.asarray(np.fmax(*quotients))

        return largest

    return _both_ends(seen, pairs, largest_of)


def _largest_quotient(sums: Floats, relevant: Integers, unlisted: Floats, cap: float) -> Floats:
    """Return the largest sum over R, for the sums that some path reaches."""
    # R divides both runs: the smallest R is best for a lead, and the largest for a deficit.
    divisor = np.minimum(relevant + np.where(sums > 0, 0.0, unlisted), cap)
    ratios = quotient(sums, np.where(np.isfinite(sums), divisor, 0.0))
    return np.asarray(np.fmax.reduce(ratios, axis=(1, 2)))


class _Ends:
    """The ways in which a staircase for average precision can end, … × ranks × numbers m."""

    def __init__(self, pair: SharedPairs, known: Booleans, known_there: Booleans) -> None:
        self.pair, self.known, self.known_there = pair, known, known_there
        self.numbers = np.arange(pair.count + 1)
        self.columns, self.row_ranks = pair.columns, pair.swapped.columns
        self.one = precision_walk(known | pair.alone, self.columns)
        self.other = precision_walk(known_there, self.row_ranks)
        self.reach = self.numbers.astype(np.float64)
        self.upper, self.right = staircase(self.one, self.other, pair.rows, self.reach)

    def stop_early(self) -> tuple[Floats, Integers]:
        """Pass all rows, and make nothing relevant from a rank of the first run on.

        Return the sums of precisions and the numbers of relevant unjudged documents.
        """
        alone, known = self.pair.alone, self.known
        segment, chosen = running(self.pair.shared), running(alone)
        reached = _at(self.upper, segment) - self.other.end(self.reach)[:, None]
        down_to = _Stretch.of(known | alone, np.zeros_like(known[:, :1], np.int64))
        start = np.take_along_axis(edges_of(self.columns, self.pair.depth), segment, axis=1)
        here = down_to.between(start, self.numbers)
        after = _Stretch.of(known, chosen).after(self.numbers)
        return reached + here + after, chosen[:, :, None] + self.numbers

    def go_on(self) -> tuple[Floats, Integers]:
        """Pass all columns, and make everything relevant from a rank of the second run on."""
        there, known_there, pair = self.pair.swapped, self.known_there, self.pair
        segment = running(there.shared)
        met = self.numbers + (pair.count - segment)[:, :, None]
        first_end = self.one.slope[:, -1:, None] * met + self.one.base[:, -1:, None]
        none = np.zeros_like(known_there[:, :1], np.int64)
        start = np.take_along_axis(edges_of(self.row_ranks, pair.depth), segment, axis=1)
        here = _Stretch.of(known_there, none).between(start, self.numbers)
        everything = known_there | there.batch.mine
        # Down to the rank only known documents counted, and m shared ones.
        passed = running(known_there) - running(everything)
        after = _Stretch.of(everything, passed).after(self.numbers)
        more = running(there.alone)
        relevant = met + (pair.alone.sum(axis=1)[:, None] + more[:, -1:] - more)[:, :, None]
        return _at(self.right, segment) + first_end - here - after, relevant


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Precisions summed over marked ranks, as running sums."""

    weight: Floats
    """Σ 1/rank down to each rank."""
    total: Floats
    """Σ (marked ranks so far)/rank."""
    extra: Integers
    """How many more relevant documents there are above each rank from which to sum."""

    @classmethod
    def of(cls, marked: Booleans, extra: Integers) -> "_Stretch":
        weight = marked / np.arange(1, marked.shape[1] + 1)
        return cls(running(weight), running(weight * running(marked)[:, 1:]), extra)

    def between(self, start: Integers, numbers: Integers) -> Floats:
        """Return the sums from a start down to each rank, with m more above."""
        weight = self.weight - np.take_along_axis(self.weight, start, axis=1)
        total = self.total - np.take_along_axis(self.total, start, axis=1)
        return weight[:, :, None] * numbers + total[:, :, None]

    def after(self, numbers: Integers) -> Floats:
        """Return the sums from each rank to the end, with m and the extra ones more above."""
        weight = self.weight[:, -1:] - self.weight
        total = self.total[:, -1:] - self.total + weight * self.extra
        return weight[:, :, None] * numbers + total[:, :, None]


def _at(states: Floats, segment: Integers) -> Floats:
    """Return the states by rank instead of by segment."""
    return np.take_along_axis(states, segment[:, :, None], axis=1)
