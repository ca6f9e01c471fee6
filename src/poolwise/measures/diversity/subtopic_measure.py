"""What a measure of diversity is: a value that scores lists by what they tell about subtopics."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import MeasureError
from poolwise.evidence.grades import Block
from poolwise.evidence.subtopic_lists import SubtopicLists
from poolwise.measures.measure import Measure, Ranked, require

__all__ = ["RankedSubtopicMeasure", "SubtopicMeasure"]


class SubtopicMeasure(Measure):
    """A measure that needs judgments by subtopic, and has no range over unjudged documents."""

    undefined: ClassVar[str] = "no judged document of the topic is relevant to a subtopic"
    unknowns: ClassVar[str] = (
        "Unjudged documents tell nothing about any subtopic. No range is given: how far their "
        "grades could move it is not worked out."
    )
    no_range: ClassVar[str] = "how far grades by subtopic could move it is not worked out"

    rel: float = 1

    def __post_init__(self) -> None:
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    @abstractmethod
    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the score of each system; the topic has a subtopic that can be found."""

    def score_topic(self, lists: SubtopicLists) -> Floats:
        """Return the score of each system, NaN where no document is relevant to a subtopic."""
        self.check_complete()
        if not lists.covered(self.rel).any():
            return np.full(len(lists.places), np.nan)
        return self.score_lists(lists)

    def score_block(self, block: Block) -> Floats:  # noqa: ARG002
        """Refuse: grades of whole topics do not say which subtopic a document is about."""
        raise MeasureError(
            f"{self!r}: it needs judgments by subtopic. Hint: use `poolwise diversity` "
            "(workflows.evaluate_subtopics), or a measure that needs none, such as nDCG@10."
        )

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1."""
        return 1.0


class RankedSubtopicMeasure(Ranked, SubtopicMeasure):
    """The same, with a cut-off, which it needs."""

    needs_cutoff: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Ranked.__post_init__(self)
        SubtopicMeasure.__post_init__(self)
