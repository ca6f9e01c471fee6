"""What a measure is: a value that scores evidence."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.evidence.alignment import Evidence

__all__ = ["Bounds", "Measure"]


class Bounds(NamedTuple):
    """The smallest and the largest score that the unjudged documents allow, systems × topics."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@dataclass(frozen=True)
class Measure(ABC):
    """A value that scores evidence: ``nDCG@10``, ``RBP(p=0.95)``, ``AP(rel=2)@100``.

    Two measures with the same parameters are equal; ``repr`` is the canonical name, and
    :func:`~poolwise.parse_measure` reads it back.
    """

    aliases: ClassVar[tuple[str, ...]] = ()
    citation: ClassVar[str] = ""

    @abstractmethod
    def score(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return systems × topics, unjudged documents taken as not relevant; NaN is undefined."""

    @abstractmethod
    def bounds(self, evidence: Evidence) -> Bounds:
        """Return the range over all gradings of the run's own unjudged documents."""
