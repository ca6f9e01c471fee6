"""Measures that name scores which did not come straight from grades."""

from typing import ClassVar

from poolwise.arrays import Floats
from poolwise.errors import MeasureError
from poolwise.evidence.grades import Block
from poolwise.measures.families.static_weights import StaticWeights
from poolwise.measures.measure import Measure
from poolwise.printout.words import counted

__all__ = ["External", "Residual", "Standardized"]


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
