"""Counts of documents and of topics."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.alignment import Evidence
from poolwise.measures.bounds.naive_bounds import unjudged_counts
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

    def bounds(self, evidence: Evidence) -> Bounds:
        """Return the count, and the count with all unjudged documents of the list."""
        count = self.score(evidence)
        return Bounds(count, count + unjudged_counts(evidence))


class RetrievedCount(Count):
    """Number retrieved; with ``rel``, of the relevant documents among them."""

    name: ClassVar[str] = "NumRet"
    definition: ClassVar[str] = "NumRet = length of the list; NumRet(rel=l): those of grade ≥ l"

    rel: float | None = None

    def score(self, evidence: Evidence) -> Floats:
        """Return the number of documents."""
        if self.rel is None:
            return evidence.lengths.astype(np.float64)
        found = evidence.codes >= first_code(evidence, self.rel)
        return np.asarray(found.sum(axis=2), np.float64)

    def bounds(self, evidence: Evidence) -> Bounds:
        """Return the count; unjudged documents leave only the relevant ones open."""
        count = self.score(evidence)
        return Bounds(count, count) if self.rel is None else super().bounds(evidence)


class RelevantCount(Count):
    """Number relevant: R, the judged documents of the topic that are relevant."""

    name: ClassVar[str] = "NumRel"
    definition: ClassVar[str] = "NumRel = R"

    rel: float | None = 1

    def score(self, evidence: Evidence) -> Floats:
        """Return R, the same for every system."""
        R = evidence.relevant(self.rel or 1)
        return np.tile(R.astype(np.float64), (len(evidence.systems), 1))


class NonrelevantCount(Count):
    """Number of documents retrieved that were judged not relevant."""

    name: ClassVar[str] = "NumNonrelRet"
    definition: ClassVar[str] = "NumNonrelRet = judged documents retrieved − relevant retrieved"

    rel: float | None = 1

    def score(self, evidence: Evidence) -> Floats:
        """Return the number of documents with a grade below the relevance level."""
        codes = evidence.codes
        low = (codes >= 0) & (codes < first_code(evidence, self.rel or 1))
        return np.asarray(low.sum(axis=2), np.float64)


class TopicCount(Measure):
    """Number of topics: 1 for each."""

    name: ClassVar[str] = "NumQ"
    definition: ClassVar[str] = "NumQ = 1 per topic"
    citation: ClassVar[str] = "trec_eval"
    unknowns: ClassVar[str] = "Unjudged documents have no part in it."

    def score(self, evidence: Evidence) -> Floats:
        """Return 1 for every topic."""
        return np.ones(evidence.codes.shape[:2])

    def bounds(self, evidence: Evidence) -> Bounds:
        """Return the score twice."""
        value = self.score(evidence)
        return Bounds(value, value)
