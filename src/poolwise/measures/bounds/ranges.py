"""Ranges of scores and of differences, and what can be done with them."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.grades import join_topics
from poolwise.evidence.pairs import Pairs

__all__ = [
    "Bounds",
    "DifferenceBounds",
    "RangeKind",
    "enclosing",
    "join_bounds",
    "no_bounds",
    "subtracted",
]

RangeKind = Literal["exact", "valid", "none"]


class Bounds(NamedTuple):
    """The smallest and the largest score that the unjudged documents allow, systems × topics.

    Attributes
    ----------
    lower, upper : float array, systems × topics
        The ends of the range; NaN where a measure gives none.

    Examples
    --------
    >>> from poolwise import Grades, P
    >>> found = (P @ 4).bounds(Grades.from_grades([[1, None, 0, None]]))
    >>> found.lower.tolist(), found.upper.tolist()
    ([[0.25]], [[0.75]])
    """

    lower: Floats
    upper: Floats


class DifferenceBounds(NamedTuple):
    """The range that unjudged documents leave to differences of scores, pairs × topics.

    ``kind`` says how good it is: ``exact`` where some assignment of grades reaches each bound and
    none leaves them, ``valid`` where none leaves them and they may be wider than need be, and
    ``none`` where nothing is known, and the bounds are NaN.
    """

    kind: RangeKind
    lower: Floats
    upper: Floats


def no_bounds(shape: tuple[int, ...]) -> Bounds:
    """Return bounds of which nothing is known."""
    nothing = np.full(shape, np.nan)
    return Bounds(nothing, nothing)


def join_bounds(parts: Iterable[Bounds]) -> Bounds:
    """Put the bounds of blocks together."""
    lower, upper = zip(*parts, strict=True)
    return Bounds(join_topics(lower), join_topics(upper))


def enclosing(found: Bounds, value: Floats) -> Bounds:
    """Return bounds that hold the value itself, which one grading gives, to the last bit.

    Where there is no value, or no range, the bounds stay as they are.

    Examples
    --------
    >>> value = np.array([0.3, np.nan])
    >>> [end.tolist() for end in enclosing(Bounds(np.array([0.4, 0.1]), np.ones(2)), value)]
    [[0.3, 0.1], [1.0, 1.0]]
    """
    lower, upper = found
    return Bounds(
        np.where(value < lower, value, lower),
        np.where(value > upper, value, upper),
    )


def subtracted(own: Bounds, pairs: Pairs) -> Bounds:
    """Return the ranges of two runs subtracted: valid where they know of each other's documents."""
    low, high = own
    return Bounds(low[pairs.left] - high[pairs.right], high[pairs.left] - low[pairs.right])
