"""Scores by system and topic, with what the unjudged documents leave open."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from poolwise.collection.provenance import Provenance

__all__ = ["ScoreTable"]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One measure's scores, systems × topics, each with its lower and upper bound.

    Attributes
    ----------
    measure : str
        Canonical name of the measure.
    value, lower, upper : float array, systems × topics
        The score with unjudged documents taken as not relevant, and its bounds. NaN is an
        undefined score; ``undefined`` says why.
    answered : bool array, systems × topics
        Whether the run retrieved anything for the topic.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3], [0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2"], measure="AP")
    >>> table.means().tolist()
    [0.4, 0.4]
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    answered: NDArray[np.bool_]
    undefined: str = ""
    provenance: Provenance = field(default_factory=Provenance)

    @classmethod
    def from_matrix(
        cls,
        values: Sequence[Sequence[float]] | NDArray[np.float64],
        *,
        systems: Sequence[str],
        topics: Sequence[str],
        measure: str,
    ) -> "ScoreTable":
        """Build from scores alone, systems × topics; the bounds are the scores themselves."""
        value = np.array(values, np.float64)
        answered = np.ones(value.shape, np.bool_)
        return cls(measure, tuple(systems), tuple(topics), value, value, value, answered)

    def means(self) -> NDArray[np.float64]:
        """Return each system's mean over the topics on which the measure is defined."""
        defined = ~np.isnan(self.value).all(axis=0)
        return np.asarray(self.value[:, defined].mean(axis=1))
