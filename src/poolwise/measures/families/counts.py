"""Counts of documents and of topics."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.grades import Block
from poolwise.measures.measure import Bounds, Measure, require
from poolwise.measures.relevant_ranks import first_code

__all__ = ["NonrelevantCount", "RelevantCount", "RetrievedCount", "TopicCount"]


class Count(Measure):
    """A number of documents, for each topic."""

    citation: ClassVar[str] = "trec_eval"
    unknowns: ClassVar[str] = (
        "The score counts what is known; the upper bound adds every unjudged document of the list "
        "that could be one more."
    )

    rel: float | None = 1

    def __post_init__(self) -> None:
        require(self.rel is None or self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def bounds_block(self, block: Block) -> Bounds:
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

    def bounds_block(self, block: Block) -> Bounds:
        """Return the count; unjudged documents leave only the relevant ones open."""
        count = self.score_block(block)
        return Bounds(count, count) if self.rel is None else super().bounds_block(block)


class RelevantCount(Count):
    """Number relevant: R, the judged documents of the topic that are relevant."""

    name: ClassVar[str] = "NumRel"
    definition: ClassVar[str] = "NumRel = R"

    rel: float | None = 1

    def score_block(self, block: Block) -> Floats:
        """Return R, the same for every system."""
        R = block.relevant(self.rel or 1)
        return np.tile(R.astype(np.float64), (len(block.codes), 1))


class NonrelevantCount(Count):
    """Number of documents retrieved that were judged not relevant."""

    name: ClassVar[str] = "NumNonrelRet"
    definition: ClassVar[str] = "NumNonrelRet = judged documents retrieved − relevant retrieved"

    rel: float | None = 1

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

    def score_block(self, block: Block) -> Floats:
        """Return 1 for every topic."""
        return np.ones(block.shape)

    def bounds_block(self, block: Block) -> Bounds:
        """Return the score twice."""
        value = self.score_block(block)
        return Bounds(value, value)
