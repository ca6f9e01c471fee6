"""Exact ranges of differences of measures that only count: of sets, and numbers of documents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._differences import union_counts

__all__ = ["SetValue", "count_difference", "set_difference"]

SetValue = Callable[[Floats, Floats, Floats], Floats]
"""A measure, from the numbers of relevant documents retrieved, of those retrieved, and R."""

_FAR = 2.0**40
"""More documents than a corpus has."""


def count_difference(
    block: DocumentBlock, pairs: Pairs, value: Floats, *, worth: float = 1.0
) -> Bounds:
    """Return the exact range of a difference of counts, to which each document adds ``worth``.

    ``value`` is the difference now, pairs × topics. A document that both runs have moves neither.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> (block,) = Evidence.from_grades([[None, None], [1, None]]).blocks
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> [end.tolist() for end in count_difference(block, pair, np.array([[-1.0]]))]
    [[[-2.0]], [[1.0]]]
    """
    _, first, second = _shares(block, pairs)
    gained, lost = (first, second) if worth > 0 else (second, first)
    return Bounds(value - abs(worth) * lost, value + abs(worth) * gained)


def _shares(block: DocumentBlock, pairs: Pairs) -> tuple[Integers, Integers, Integers]:
    """Return how many unjudged documents both runs have, only the first, and only the second."""
    own, union = block.ungraded_counts, union_counts(block, pairs)
    first, second = own[pairs.left], own[pairs.right]
    return first + second - union, union - second, union - first


def set_difference(
    block: DocumentBlock, pairs: Pairs, unlisted: Floats, value: SetValue, relevant: Floats
) -> Bounds:
    """Return the exact range of a difference of set measures.

    ``value`` rises with the relevant documents retrieved; ``relevant`` counts those known now,
    systems × topics, and R among the judged is in the last row.
    """
    shared, first, second = (part.astype(np.float64) for part in _shares(block, pairs))
    hits, lengths = relevant[:-1], block.lengths.astype(np.float64)
    pair = _PairCounts(
        value,
        (hits[pairs.left], hits[pairs.right]),
        (lengths[pairs.left], lengths[pairs.right]),
        np.broadcast_to(relevant[-1], shared.shape),
        (first, shared, unlisted, second),
    )
    return Bounds(0.0 - pair.swapped().largest(), pair.largest())


@dataclass(frozen=True, eq=False)
class _PairCounts:
    """What two lists are known to hold, and what they could, each pairs × topics."""

    value: SetValue
    found: tuple[Floats, Floats]
    retrieved: tuple[Floats, Floats]
    R: Floats
    room: tuple[Floats, Floats, Floats, Floats]
    """Unjudged documents that only the first run has, both, neither, and only the second."""

    def swapped(self) -> "_PairCounts":
        """Return the same pairs the other way round."""
        first, shared, unlisted, second = self.room
        return replace(
            self,
            found=self.found[::-1],
            retrieved=self.retrieved[::-1],
            room=(second, shared, unlisted, first),
        )

    def difference(self, chosen: tuple[Floats, ...]) -> Floats:
        """Return the difference with so many relevant documents of each kind; −∞ if undefined."""
        first, shared, unlisted, second = chosen
        R = self.R + first + shared + unlisted + second
        one = self.value(self.found[0] + first + shared, self.retrieved[0], R)
        other = self.value(self.found[1] + shared + second, self.retrieved[1], R)
        return np.where(np.isnan(one - other), -np.inf, one - other)

    # With the number of relevant documents, and so R, held fixed, one that only the first run has
    # is better than any other, and one that only the second has is worse. So the first kind is
    # relevant before all others, and the second after them. Of the rest, precision, recall, F and
    # relative precision are linear for each R, and always prefer those that both runs have to those
    # that neither has, or the other way round; of set AP none or all of the latter are relevant, as
    # its R divides what is left. That leaves six ways to go, of one kind of document each.
    def largest(self) -> Floats:
        """Return the largest difference; NaN where no grading has one."""
        first, shared, unlisted, _ = self.room
        none = np.zeros_like(first)
        ways = (
            ((none, none, none, none), 0),
            ((first, none, none, none), 1),
            ((first, none, none, none), 2),
            ((first, none, unlisted, none), 1),
            ((first, shared, none, none), 2),
            ((first, shared, unlisted, none), 3),
        )
        best = np.maximum.reduce([self._along(start, kind) for start, kind in ways])
        return np.where(np.isneginf(best), np.nan, best)

    def _along(self, start: tuple[Floats, ...], kind: int) -> Floats:
        """Return the largest difference while one kind goes from none to all relevant."""
        most = self.room[kind]
        base = self.R + sum(start)
        # Relative precision has a kink where R passes the length of a list.
        kinks = (np.where(np.isfinite(base), n - base, 0.0) for n in self.retrieved)
        first, second = (np.clip(kink, 0, np.minimum(most, _FAR)) for kink in kinks)
        edges = (
            np.zeros_like(most),
            np.minimum(first, second),
            np.maximum(first, second),
            np.minimum(most, _FAR),
        )
        at_ends = [self._with(start, kind, most), *(self._with(start, kind, e) for e in edges)]
        within = [
            self._peak(start, kind, low, high)
            for low, high in pairwise(edges)
            if (high > low + 1).any()
        ]
        return np.maximum.reduce([*at_ends, *within])

    def _with(self, start: tuple[Floats, ...], kind: int, number: Floats) -> Floats:
        chosen = tuple(number if i == kind else part for i, part in enumerate(start))
        return self.difference(chosen)

    def _peak(self, start: tuple[Floats, ...], kind: int, low: Floats, high: Floats) -> Floats:
        """Return the difference where it stops to rise, if it rises first.

        Between kinks its slope is a/(R + b)² − c/(R + d)², or a constant and c/R², and changes its
        sign once at most.
        """
        for _ in range(int(np.log2((high - low).max(initial=1.0))) + 2):
            middle = np.floor((low + high) / 2)
            here, beyond = (self._with(start, kind, middle + step) for step in (0.0, 1.0))
            rises = (beyond > here) & (middle < high)
            low, high = np.where(rises, middle + 1, low), np.where(rises, high, middle)
        return self._with(start, kind, np.maximum(low, 0.0))
