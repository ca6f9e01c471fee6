"""What a range is over, in words: which documents, which grades, and how good it is."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.grades import Graded
from poolwise.evidence.unknowns.universe import Universe
from poolwise.measures.bounds.ranges import RangeKind
from poolwise.measures.measure import Measure

__all__ = ["NO_SCOPE", "RangeScope", "range_options"]


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
        cls, measure: Measure, grades: Graded, universe: Universe, tail: Floats | None = None
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


def _remedy(measure: Measure) -> str:
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
