"""How often the documents of a list stand in the right order, two at a time."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.grades import Block
from poolwise.measures.measure import Ranked, require
from poolwise.measures.relevant_ranks import first_code, hits

__all__ = ["PairAccuracy"]


class PairAccuracy(Ranked):
    """Accuracy: the chance that a relevant document of the list stands above one that is not.

    It is the area under the ROC curve of the list. Relevant documents that were not retrieved have
    no part in it, so it serves to watch the training of a ranker, not to compare systems.
    """

    name: ClassVar[str] = "Accuracy"
    definition: ClassVar[str] = (
        "Accuracy@k = 1 − Σ_{relevant in the first k} others above it / (relevant × others there)"
    )
    citation: ClassVar[str] = "ir_measures' Accuracy; Bamber 1975"
    undefined: ClassVar[str] = "the list holds no relevant document, or nothing else"
    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score. No range is given: it is a share of the "
        "pairs of the list, and grades change which pairs there are."
    )
    no_range: ClassVar[str] = "grades change which pairs of documents it is a share of"
    own_topics: ClassVar[bool] = True

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1, all pairs in order."""
        return 1.0

    def score_block(self, block: Block) -> Floats:
        """Return the share of pairs in order."""
        seen = self.cut(block)
        found = hits(seen, first_code(seen, self.rel))
        relevant = found.counts.reshape(found.shape)
        pairs = relevant * (seen.lengths - relevant)
        wrong = found.total((found.ranks - found.nth).astype(np.float64))
        return np.asarray(1 - wrong / np.where(pairs > 0, pairs, np.nan))
