"""Ranges of scores and of differences: their ends, what they are over, and naive ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._grades import Block, Graded, join_topics
from poolwise.evidence._ungraded import Universe

if TYPE_CHECKING:
    from poolwise.measures._measure import Measure

__all__ = [
    "NO_SCOPE",
    "Bounds",
    "DifferenceBounds",
    "RangeKind",
    "RangeScope",
    "enclosing",
    "fill_from_pool",
    "join_bounds",
    "naive_bounds",
    "no_bounds",
    "range_options",
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
    >>> bounds = (P @ 4).bounds(Grades.from_grades([[1, None, 0, None]]))
    >>> bounds.lower.tolist(), bounds.upper.tolist()
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


def enclosing(limits: Bounds, value: Floats) -> Bounds:
    """Return bounds that hold the value itself, which one grading gives, to the last bit.

    Where there is no value, or no range, the bounds stay as they are.

    Examples
    --------
    >>> value = np.array([0.3, np.nan])
    >>> [end.tolist() for end in enclosing(Bounds(np.array([0.4, 0.1]), np.ones(2)), value)]
    [[0.3, 0.1], [1.0, 1.0]]
    """
    # Bounds add up in another order than the score does, and without this thousands of cells would
    # lie 3e-16 outside of their own range.
    lower, upper = limits
    return Bounds(
        np.where(value < lower, value, lower),
        np.where(value > upper, value, upper),
    )


def subtracted(own: Bounds, pairs: Pairs) -> Bounds:
    """Return the ranges of two runs subtracted: valid where they know of each other's documents."""
    # The left run at its lowest while the right one is at its highest: no grading need do both.
    low, high = own
    return Bounds(low[pairs.left] - high[pairs.right], high[pairs.left] - low[pairs.right])


@dataclass(frozen=True)
class RangeScope:
    """What the ranges of a measure are over.

    Attributes
    ----------
    kind : {"exact", "valid", "none"}
        Whether the ends are reached, only hold, or there is no range.
    documents : str
        The universe, in words.
    grades : tuple of float
        The scale: the grades that a document can have.
    reason : str
        Why there is no range.
    remedy : str
        What gives a narrower one, where it is wide by nature.
    tail : float
        The most that ranks past the ends of the lists could add to a mean; it is left out.

    Examples
    --------
    >>> from poolwise import AP, Grades
    >>> print(*RangeScope.of(AP, Grades.from_grades([[1, None]]), Universe()).sentences())
    The range is over every grade (0, 1) of the unjudged documents of the run (exact). Without a
    cut-off it is wide by nature, as any document further down may be relevant. Hint: give a
    cut-off, such as AP@10, use RBP, or estimate.
    """

    kind: RangeKind = "none"
    documents: str = ""
    grades: tuple[float, ...] = ()
    reason: str = ""
    remedy: str = ""
    tail: float = 0.0

    @classmethod
    def of(
        cls, measure: "Measure", grades: Graded, universe: Universe, tail: Floats | None = None
    ) -> "RangeScope":
        """Describe the ranges of a measure; ``tail`` is what lists past their ends could add."""
        kind = measure.kind_of_range(grades.scale)
        if kind == "none":
            return cls(reason=f"{measure} has none: {measure.no_range}")
        reach = universe if measure.has_ideal else Universe(universe.kind)
        return cls(
            kind=kind,
            documents=reach.words(measure.depth, runs=len(grades.systems)),
            grades=tuple(grades.scale.tolist()),
            remedy=_remedy(measure) if measure.has_ideal and measure.depth is None else "",
            tail=0.0 if tail is None or not tail.size else float(tail.mean(axis=1).max()),
        )

    def sentences(self) -> tuple[str, ...]:
        """Say what the range is over, how good it is, and what is left out of it."""
        if self.kind == "none":
            return (f"There is no range over judgments, since {self.reason}.",) * bool(self.reason)
        scale = ", ".join(f"{grade:g}" for grade in self.grades)
        tail = (
            f"The tail, past the ends of the lists, where no document is known, could add up to "
            f"{self.tail:.4f} to a mean; it is no part of the range."
        )
        return (
            f"The range is over every grade ({scale}) of {self.documents} ({self.kind}).",
            *filter(None, [self.remedy]),
            *((tail,) if np.round(self.tail, 4) else ()),
        )


def _remedy(measure: "Measure") -> str:
    cut = f"give a cut-off, such as {measure @ 10}, " if measure.at == "cutoff" else ""
    return (
        "Without a cut-off it is wide by nature, as any document further down may be relevant. "
        f"Hint: {cut}use RBP, or estimate."
    )


NO_SCOPE = RangeScope()
"""Of scores that have no range, or one of another kind."""


def range_options(grades: Graded, universe: Universe) -> dict[str, object]:
    """Return what every range depends on, for the provenance.

    Examples
    --------
    >>> from poolwise import Grades
    >>> range_options(Grades.from_grades([[1, None]]), Universe("corpus"))
    {'universe': 'corpus', 'grades': '0,1'}
    """
    depth = {} if universe.depth is None else {"universe_depth": universe.depth}
    scale = ",".join(f"{grade:g}" for grade in grades.scale)
    return {"universe": universe.kind, **depth, "grades": scale}


def naive_bounds(measure: "Measure", block: Block, *, level: float = 0.0) -> Bounds:
    """Return the score, and the score once unjudged documents took what the pool has left.

    The ideal stays that of the pool, so that runs can be compared; a true grading can lie outside
    (B23 §3.3, table 1).
    """
    lower = measure.score_block(block)
    filled = fill_from_pool(measure.cut(block), level=level)
    return Bounds(lower, measure.score_block(filled))


def fill_from_pool(block: Block, *, level: float = 0.0) -> Block:
    """Give each unjudged document, from the top down, the highest grade left in the pool.

    Left is what the pool holds outside the ranking. Once no grade above 0, or of at least
    ``level``, is left, documents stay unjudged.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[None, 1, None, None]], judged=[1, 1, 2]).blocks
    >>> fill_from_pool(block).codes.tolist()
    [[[2, 1, 1, -2]]]
    """
    # The n-th unjudged document takes the n-th best grade that is left: for each grade, those whose
    # number lies between what higher grades took and what they and this one have.
    nth = np.cumsum(block.ungraded, axis=2, dtype=np.int32)
    codes = block.codes.copy()
    available = np.zeros(block.shape, np.int64)
    for code in range(len(block.scale) - 1, -1, -1):
        if block.scale[code] <= 0 or block.scale[code] < level:
            break
        taken = available
        retrieved = (block.codes == code).sum(axis=2)
        available = taken + np.maximum(block.pool[:, code] - retrieved, 0)
        here = block.ungraded & (nth > taken[:, :, None]) & (nth <= available[:, :, None])
        codes[here] = code
    return Block(codes=codes, scale=block.scale, pool=block.pool)
