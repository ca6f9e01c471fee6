"""Bounds of Q-measure over every grading of the unjudged documents."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, rank_sums
from poolwise.evidence._grades import Block
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._exact import Counts, finite_counts, gain_levels, running

__all__ = ["q_bounds", "running_ideal", "search_tolerance", "unlisted_counts", "within_limits"]

Limit = Callable[[Integers, Integers, Integers], Floats]

_LISTS = 500
"""Lists to work on at a time."""
_ROUNDING = 1e-13
"""How close the search comes where the bounds can be exact."""
_CLOSE = 1e-4
"""How close it comes where they cannot."""


def q_bounds(
    block: Block,
    *,
    gains: Floats,
    beta: float,
    cutoff: int | None = None,
    unlisted: Counts = 0,
) -> Bounds:
    """Return bounds of Q@k: exact for binary gains, else valid (no grading leaves them).

    The lists are cut to the first k ranks; ``gains`` has the gain of each grade, 0 where it is not
    relevant, and ``cutoff`` is k, where there is one: the divisor is min(k, R).

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None, 0, None]], judged=[1, 0, 1]).blocks
    >>> low, high = q_bounds(block, gains=np.array([0.0, 1.0]), beta=1.0)
    >>> low.round(3).item(), high.round(3).item()
    (0.5, 0.688)
    """
    # Let s unjudged documents of the list be relevant. Their gains lie between the lowest g₁
    # and the highest g_L of the relevant gains, and so does the ideal ranking between those where
    # all of them have g₁ and all have g_L. With the ideal fixed, Q sums counts and gains with
    # weights 1/(i + β ideal_i) that fall with the rank, and the argument for average precision
    # holds: the sum is largest for the top-most s with gain g_L, and smallest for the bottom-most s
    # with gain g₁ (a chosen document being credited g₁ for each judged one above it). Unlisted
    # documents only raise R and the ideal: none is best, and all with gain g_L are worst. With one
    # gain level both ideals are the true one and the bounds are reached.
    #
    # Of the numbers s a search by halves looks at few: for all s from a to b at once, running sums
    # with the ideal for a limit the upper bound, and those with the ideal for b the lower.
    lists = _Lists.of(
        block,
        gains=gains,
        beta=beta,
        cutoff=cutoff,
        unlisted=unlisted,
    )
    # A topic without a relevant document has no score: where none is judged, one at least is new.
    least, most = (lists.judged + lists.below == 0) * 1, (lists.judged == 0) * 1
    tolerance = search_tolerance(lists.levels)
    lowest = _largest(lists.low_limit, least, lists.unjudged, tolerance)
    highest = _largest(lists.high_limit, most, lists.unjudged, tolerance)
    limits = Bounds((0.0 - lowest).reshape(block.shape), highest.reshape(block.shape))
    return within_limits(limits, block, gains=gains, cutoff=cutoff, unlisted=unlisted)


def search_tolerance(levels: Floats) -> float:
    """Return how close the search for an end comes."""
    # With several gains the limits are not reached anyway, and a closer search buys nothing.
    return _ROUNDING if len(levels) == 1 else _CLOSE


def within_limits(
    limits: Bounds, block: Block, *, gains: Floats, cutoff: int | None, unlisted: Counts
) -> Bounds:
    """Return the ends that were found, cut off at 0 and 1, and what unlisted documents leave."""
    none_inside = block.pool[:, gains > 0].sum(axis=1) + block.ungraded_counts == 0
    upper = np.where(none_inside & (np.asarray(unlisted) > 0), 0.0, np.minimum(limits.upper, 1.0))
    # Without a cut-off, endless relevant documents leave nothing of the mean over them.
    vanishing = np.isinf(unlisted) & (cutoff is None)
    return Bounds(np.where(vanishing, 0.0, np.maximum(limits.lower, 0.0)), upper)


@dataclass(frozen=True, eq=False)
class _Lists:
    """The lists of all systems and topics, one after another, down to the cut-off."""

    known: Booleans
    open: Booleans
    """Unjudged documents."""
    hits: Integers
    """Known relevant documents down to each rank."""
    gained: Floats
    """Their gains."""
    opened: Integers
    """Unjudged documents down to each rank."""
    judged: Integers
    """R₀ of each list's topic."""
    below: Integers
    """Unlisted unjudged documents."""
    topic: Integers
    ideal: Floats
    """Gains of the first 0, 1, … ranks of the ideal ranking of the pool, topics × ranks + 1."""
    levels: Floats
    beta: float
    cap: float

    @classmethod
    def of(
        cls,
        block: Block,
        *,
        gains: Floats,
        beta: float,
        cutoff: int | None,
        unlisted: Counts,
    ) -> "_Lists":
        """Lay out the block."""
        systems, topics = block.shape
        shape = (systems * topics, block.depth)
        worth = block.lookup(gains).reshape(shape)
        inside = block.ungraded.reshape(shape)
        return cls(
            known=worth > 0,
            open=inside,
            hits=running(worth > 0)[:, 1:],
            gained=np.cumsum(worth, axis=1),
            opened=running(inside)[:, 1:],
            judged=np.tile(block.pool[:, gains > 0].sum(axis=1), systems),
            below=unlisted_counts(unlisted, block, cutoff).ravel(),
            topic=np.tile(np.arange(topics), systems),
            ideal=running_ideal(block.pool, gains, block.depth),
            levels=gain_levels(gains),
            beta=beta,
            cap=np.inf if cutoff is None else cutoff,
        )

    @property
    def unjudged(self) -> Integers:
        """How many unjudged documents each list has above the cut-off."""
        return self.open.sum(axis=1)

    @property
    def ranks(self) -> Integers:
        """The ranks, from 1."""
        return np.arange(1, self.known.shape[1] + 1)

    def high_limit(self, lists: Integers, least: Integers, most: Integers) -> Floats:
        """Return what Q cannot exceed with ``least`` to ``most`` unjudged documents relevant."""
        judged, known, opened = self.judged[lists, None], self.known[lists], self.opened[lists]
        # The smallest ideal of the range, with the fewest documents and these of the lowest gain.
        added = np.clip(self.ranks - judged, 0, least[:, None])
        ideal = self.ideal[self.topic[lists], 1:] + self.levels[0] * added
        weight = 1 / (self.ranks + self.beta * ideal)
        step = 1 + self.beta * self.levels[-1]
        credit = (self.hits[lists] + self.beta * self.gained[lists]) * weight
        # A document adds its own credit, and one step to each known one below it.
        more = credit + step * (opened * weight + _left_after(known * weight))
        total = _running_from(rank_sums(known * credit)[:, None], self.open[lists] * more)
        count = np.pad(opened, ((0, 0), (1, 0)))
        return self._best(total, count, judged, least, most)

    def low_limit(self, lists: Integers, least: Integers, most: Integers) -> Floats:
        """Return minus what Q cannot fall below with so many unjudged documents relevant."""
        known, unjudged = self.known[lists], self.open[lists]
        below = self.below[lists, None]
        added = below + most[:, None]
        # The largest ideal of the range: these documents before all judged ones.
        ideal = self.ideal[self.topic[lists, None], np.maximum(self.ranks - added, 0)]
        ideal += self.levels[-1] * np.minimum(self.ranks, added)
        weight = 1 / (self.ranks + self.beta * ideal)
        step = 1 + self.beta * self.levels[0]
        credit = (self.hits[lists] + self.beta * self.gained[lists]) * weight
        # Bottom-most first: every open document further down is relevant already, and gains a step.
        after = running(((known | unjudged) * weight)[:, ::-1])[:, -2::-1]
        more = (self.hits[lists] + 1) * weight + after
        from_below = (unjudged * step * more)[:, ::-1]
        total = _running_from(rank_sums(known * credit)[:, None], from_below)
        count = running(unjudged[:, ::-1])
        return self._best(-total, count, self.judged[lists, None] + below, least, most)

    def _best(
        self,
        total: Floats,
        count: Integers,
        relevant: Integers,
        least: Integers,
        most: Integers,
    ) -> Floats:
        """Return the largest total over R among the numbers asked for."""
        asked = (count >= least[:, None]) & (count <= most[:, None])
        ratio = total / np.minimum(np.maximum(relevant + count, 1), self.cap)
        return np.where(asked, ratio, -np.inf).max(axis=1)


def unlisted_counts(unlisted: Counts, block: Block, cutoff: int | None) -> Integers:
    """Return how many unlisted documents count for each list, systems × topics."""
    # More than k of them are worth what k are.
    others = finite_counts(unlisted if cutoff is None else np.minimum(unlisted, cutoff))
    return np.broadcast_to(others, block.shape)


def running_ideal(pool: Integers, gains: Floats, depth: int) -> Floats:
    """Return the running gain of the best ranking of the judged documents, from rank 0."""
    total = np.zeros((len(pool), depth + 1))
    levels = gain_levels(gains)
    for level, step in zip(levels, np.diff(levels, prepend=0.0), strict=True):
        total += step * np.minimum(np.arange(depth + 1), pool[:, gains >= level].sum(1)[:, None])
    return total


def _running_from(start: Floats, values: Floats) -> Floats:
    """Return running sums that begin with a start, lists × 1.

    Added one by one, as the native kernel does it: the same to the last bit, whatever the depth.
    """
    return np.cumsum(np.concatenate([start, values], axis=1), axis=1)


def _left_after(values: Floats) -> Floats:
    """Return what is left of the sum of all values after each is taken away, one by one."""
    return _running_from(rank_sums(values)[:, None], -values)[:, 1:]


def _largest(limit: Limit, first: Integers, last: Integers, tolerance: float) -> Floats:
    """Return the largest value over the numbers first … last of each list, NaN without any.

    ``limit(lists, least, most)`` is at least the value at every number between, and the value
    itself where the two are equal. Ranges whose limit is above what was found by no more than
    the tolerance count with their limit; the others are halved.
    """
    # Both ends are tried first: a range of numbers is worth halving only if its limit exceeds what
    # some number reaches.
    best = np.full(len(first), np.nan)
    lists = np.flatnonzero(first <= last)
    least, most = first[lists], last[lists]
    ends = (_in_parts(limit, lists, end, end) for end in (least, most))
    best[lists] = np.maximum(*ends)
    while len(lists):
        inner = np.flatnonzero(most - least > 1)
        lists, least, most = lists[inner], least[inner], most[inner]
        limits = _in_parts(limit, lists, least + 1, most - 1)
        above = limits > best[lists] + tolerance
        np.maximum.at(best, lists[~above], limits[~above])
        lists, least, most = lists[above], least[above], most[above]
        middle = (least + most) // 2
        np.maximum.at(best, lists, _in_parts(limit, lists, middle, middle))
        lists = np.concatenate([lists, lists])
        least, most = np.concatenate([least, middle]), np.concatenate([middle, most])
    return best


def _in_parts(limit: Limit, lists: Integers, least: Integers, most: Integers) -> Floats:
    """Return the limits, a bounded number of lists at a time."""
    parts = np.array_split(np.arange(len(lists)), len(lists) // _LISTS + 1)
    return np.concatenate([limit(lists[p], least[p], most[p]) for p in parts])
