"""Counts of documents and of topics."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.grades import Block
from poolwise.measures.measure import Bounds, Measure, RangeKind, require
from poolwise.measures.relevant_ranks import first_code

__all__ = ["NonrelevantCount", "RelevantCount", "RetrievedCount", "TopicCount"]


class Count(Measure):
    """A number of documents, for each topic."""

    citation: ClassVar[str] = "trec_eval"
    unknowns: ClassVar[str] = (
        "The score counts what is known; the upper bound adds every unjudged document of the list "
        "that could be one more."
    )
    range_kind: ClassVar[RangeKind] = "exact"

    rel: float | None = 1

    def __post_init__(self) -> None:
        require(self.rel is None or self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def can_rise(self, scale: Floats) -> bool:
        """Return whether a document can be relevant."""
        return self.rel is not None and bool(scale[-1] >= self.rel)

    def bounds_block(self, block: Block, outside: Floats) -> Bounds:  # noqa: ARG002
        """Return the count, and the count with all unjudged documents of the list."""
        count = self.score_block(block)
        return Bounds(count, count + block.ungraded_counts)


class RetrievedCount(Count):
    """Number retrieved; with ``rel``, of the relevant documents among them."""

    name: ClassVar[str] = "NumRet"
    definition: ClassVar[str] = "NumRet = length of the list; NumRet(rel=l): those of grade ≥ l"

    rel: float | None = None

    def score_block(self, block: Block) -> Floats:
        """Return the number of documents."""
        if self.rel is None:
            return block.lengths.astype(np.float64)
        found = block.codes >= first_code(block, self.rel)
        return np.asarray(found.sum(axis=2), np.float64)


class RelevantCount(Count):
    """Number relevant: R, the judged documents of the topic that are relevant."""

    name: ClassVar[str] = "NumRel"
    definition: ClassVar[str] = "NumRel = R"
    unknowns: ClassVar[str] = (
        "The score counts what is known; the upper bound adds every unjudged document of the "
        "universe."
    )
    has_ideal: ClassVar[bool] = True

    rel: float | None = 1

    def score_block(self, block: Block) -> Floats:
        """Return R, the same for every system."""
        R = block.relevant(self.rel or 1)
        return np.tile(R.astype(np.float64), (len(block.codes), 1))

    def bounds_block(self, block: Block, outside: Floats) -> Bounds:
        """Return R, and R with all unjudged documents."""
        lower, upper = super().bounds_block(block, outside)
        return Bounds(lower, upper + outside)


class NonrelevantCount(Count):
    """Number of documents retrieved that were judged not relevant."""

    name: ClassVar[str] = "NumNonrelRet"
    definition: ClassVar[str] = "NumNonrelRet = judged documents retrieved − relevant retrieved"

    rel: float | None = 1

    def can_rise(self, scale: Floats) -> bool:  # noqa: ARG002
        """Return True: a document can always turn out not relevant."""
        return True

    def score_block(self, block: Block) -> Floats:
        """Return the number of documents with a grade below the relevance level."""
        codes = block.codes
        low = (codes >= 0) & (codes < first_code(block, self.rel or 1))
        return np.asarray(low.sum(axis=2), np.float64)


class TopicCount(Measure):
    """Number of topics: 1 for each."""

    name: ClassVar[str] = "NumQ"
    definition: ClassVar[str] = "NumQ = 1 per topic"
    citation: ClassVar[str] = "trec_eval"
    unknowns: ClassVar[str] = "Unjudged documents have no part in it."
    range_kind: ClassVar[RangeKind] = "exact"

    def score_block(self, block: Block) -> Floats:
        """Return 1 for every topic."""
        return np.ones(block.shape)

    def can_rise(self, scale: Floats) -> bool:  # noqa: ARG002
        """Return False: no grade changes it."""
        return False

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1."""
        return 1.0
