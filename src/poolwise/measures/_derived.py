"""Measures that are made of others, or name scores which did not come straight from grades."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import MeasureError
from poolwise.evidence._grades import Block
from poolwise.measures._measure import Lists, Measure
from poolwise.measures._ranges import Bounds, RangeKind
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.words import counted

__all__ = ["External", "Logarithm", "Residual", "Standardized"]


class _Derived(Measure):
    """A measure that stands for scores made elsewhere, and cannot score grades itself."""

    def score_block(self, block: Block) -> Floats:
        """Refuse: these scores are not computed from grades."""
        raise self._refusal(block)

    def _refusal(self, block: Block) -> MeasureError:
        return MeasureError(
            f"{self!r}: these scores were not computed from grades, so they cannot be computed for "
            f"{counted(len(block.codes), 'run')}. Hint: name a measure of the catalogue, such as "
            "nDCG@10."
        )


class External(_Derived):
    """Scores that someone else computed, under the name they came with.

    Examples
    --------
    >>> External(label="user satisfaction")
    user satisfaction
    """

    name: ClassVar[str] = "external"

    label: str = "score"

    def __repr__(self) -> str:
        return self.label


class Standardized(_Derived):
    """A measure's scores as distances from what reference systems achieve on the topic.

    Examples
    --------
    >>> from poolwise import AP
    >>> Standardized(of=AP), Standardized(of=AP, mapping="normal")
    (sAP, sAP:normal)
    """

    name: ClassVar[str] = "standardized"

    of: Measure = External()
    mapping: str = "none"

    def __repr__(self) -> str:
        return f"s{self.of!r}" + (f":{self.mapping}" if self.mapping != "none" else "")


class Residual(_Derived):
    """How much of a weighted measure the unknown documents hold.

    Examples
    --------
    >>> from poolwise import RBP
    >>> Residual(of=RBP(p=0.95))
    RBP(p=0.95) residual
    """

    name: ClassVar[str] = "residual"

    of: Measure = External()

    def score_block(self, block: Block) -> Floats:
        """Return the residual of the measure, which must have fixed weights by rank."""
        if not isinstance(self.of, StaticWeights):
            raise self._refusal(block)
        return self.of.residual_block(block)

    def __repr__(self) -> str:
        return f"{self.of!r} residual"


class Logarithm(Measure):
    """The natural logarithm of a measure, whose mean is that of the geometric mean (U18 §2.1).

    ``epsilon`` is added to each score first, so that a score of 0 has a logarithm, too.

    Examples
    --------
    >>> from poolwise import AP, Evidence
    >>> Logarithm(of=AP)
    log AP
    >>> float(np.exp(Logarithm(of=AP).score(Evidence.from_grades([[0, 1]])).item()).round(4))
    0.5
    """

    name: ClassVar[str] = "log"

    of: Measure = External()
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        """Be like the measure in whatever asks for its level, cut-off or topics."""
        alike = ("has_ideal", "own_topics", "no_range", "undefined", "rel", "cutoff")
        vars(self).update({n: getattr(self.of, n) for n in alike if hasattr(self.of, n)})

    def of_scores(self, scores: Floats) -> Floats:
        """Return the logarithm of scores of the measure."""
        return np.asarray(np.log(scores + self.epsilon))

    def score_block(self, block: Block) -> Floats:
        """Return the logarithms of the scores."""
        return self.of_scores(self.of.score_block(block))

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return the logarithms of the range, whose ends are reached by the same grades."""
        return Bounds(*map(self.of_scores, self.of.bounds_block(block, unlisted)))

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the logarithms of the naive bounds."""
        return Bounds(*map(self.of_scores, self.of.naive_bounds_block(block)))

    @property
    def depth(self) -> int | None:
        """How many ranks the measure looks at; None for whole lists."""
        return self.of.depth

    def kind_of_range(self, scale: Floats) -> RangeKind:
        """Return of which kind the measure's own range is: a logarithm keeps it."""
        return self.of.kind_of_range(scale)

    def can_rise(self, scale: Floats) -> bool:
        """Return whether any grade of the scale counts for the measure."""
        return self.of.can_rise(scale)

    def limits(self, scale: Floats) -> tuple[float, float]:
        """Return the logarithms of the measure's limits."""
        low, high = self.of_scores(np.maximum(self.of.limits(scale), 0.0)).tolist()
        return low, high

    def cut(self, lists: Lists) -> Lists:
        """Return the ranks that the measure looks at."""
        return self.of.cut(lists)

    def __repr__(self) -> str:
        return f"log {self.of!r}"
