"""Weighted precision with weights that depend on what was found higher up."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, rank_sums
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.measures import bounds
from poolwise.measures._measure import (
    Measure,
    Ranked,
    exponential_shares,
    first_code,
    require,
    top_grade,
)
from poolwise.measures._ranges import Bounds, DifferenceBounds, RangeKind
from poolwise.measures.families._static_weights import check_gain

__all__ = [
    "AdaptiveWeights",
    "ExpectedReciprocalRank",
    "HitRate",
    "ReciprocalRank",
    "check_highest",
    "highest_grade",
]


class AdaptiveWeights(Ranked):
    """A measure that never falls when a document's gain rises, so that two scores bound it."""

    unknowns: ClassVar[str] = (
        "Unjudged documents have no gain in the score and the lower bound, and that of the highest "
        "grade in the upper bound; no assignment of grades leaves these bounds, and some reach "
        "them. A list ends where it ends."
    )
    range_kind: ClassVar[RangeKind] = "exact"

    @abstractmethod
    def score_gains(self, block: Block, *, unjudged: bool) -> Floats:
        """Return the score with unjudged documents without gain, or all with full gain."""

    def score_block(self, block: Block) -> Floats:
        """Return the score, unjudged documents without gain."""
        return self.score_gains(self.cut(block), unjudged=False)

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:  # noqa: ARG002
        """Return the score without and with full gain for every unjudged document: exact."""
        seen = self.cut(block)
        upper = self.score_gains(seen, unjudged=True)
        return Bounds(self.score_gains(seen, unjudged=False), upper)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1: these are means of gains, or of 1/rank."""
        return 1.0


class FirstRelevant(AdaptiveWeights):
    """A measure that asks only at which rank the first relevant document stands."""

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain(self.name, "binary", self.rel)

    @abstractmethod
    def worth(self, depth: int) -> Floats:
        """Return the score with the first relevant document at each rank."""

    def can_rise(self, scale: Floats) -> bool:
        """Return whether a document can be relevant."""
        return bool(scale[-1] >= self.rel)

    def score_gains(self, block: Block, *, unjudged: bool) -> Floats:
        """Return the worth of the first document that counts as relevant."""
        known_relevant = block.codes >= first_code(block, self.rel)
        relevant = known_relevant | block.ungraded if unjudged else known_relevant
        # A rank behind the list, always relevant and worth 0, ends the search of lists without one.
        none = np.ones((*block.shape, 1), np.bool_)
        first = np.append(relevant, none, axis=2).argmax(axis=2)
        return np.append(self.worth(block.depth), 0.0)[first]

    def difference_bounds_block(
        self,
        block: DocumentBlock,
        pairs: Pairs,
        unlisted: Floats,  # noqa: ARG002  (no ideal)
    ) -> DifferenceBounds:
        """Return the exact range: a document that both runs have moves both."""
        seen = self.cut(block)
        limits = bounds.first_relevant_difference(
            seen, pairs, level=self.rel, worth=self.worth(seen.depth)
        )
        return DifferenceBounds("exact", *limits)


class ReciprocalRank(FirstRelevant):
    """Reciprocal rank: one over the rank of the first relevant document, 0 without one."""

    name: ClassVar[str] = "RR"
    definition: ClassVar[str] = "RR@k = 1 / min{i ≤ k : r_i = 1}, or 0"
    citation: ClassVar[str] = "W10 eq. 3.11"

    def worth(self, depth: int) -> Floats:
        """Return 1/rank."""
        return 1 / np.arange(1, depth + 1)


class HitRate(FirstRelevant):
    """Success: 1 where the first k ranks hold a relevant document, else 0; also hit rate."""

    name: ClassVar[str] = "Success"
    definition: ClassVar[str] = "Success@k = max_{i≤k} r_i"
    citation: ClassVar[str] = "trec_eval's success"

    def worth(self, depth: int) -> Floats:
        """Return 1 for every rank."""
        return np.ones(depth)


class ExpectedReciprocalRank(AdaptiveWeights):
    """Expected reciprocal rank: a reader stops at each document with a chance set by its grade.

    ``max_rel`` is the highest grade there can be. By default it is that of the collection's scale,
    as in the authors' definition: a grade means something on its own scale only, and binary grades
    read as if they went up to 4 would end no search. gdeval, and ir_measures through it, take 4
    for every collection: write ``ERR(max_rel=4)`` for their numbers.

    It never falls when a stop becomes likelier: what moves up to rank i counts 1/i, and less than
    1/(i + 1) wherever else it would have counted.
    """

    name: ClassVar[str] = "ERR"
    definition: ClassVar[str] = (
        "ERR@k = Σ_{i≤k} (1/i) s_i Π_{j<i} (1 − s_j),  s = (2^grade − 1) / 2^highest"
    )
    citation: ClassVar[str] = "Chapelle et al. 2009; U18 §2.1"

    max_rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_highest(self.name, self.max_rel)

    def highest(self, scale: Floats) -> float:
        """Return the grade at which a stop is likeliest; no grade of the scale is above it."""
        return highest_grade(self, self.max_rel, scale)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the chance to stop at each grade."""
        return exponential_shares(scale, self.highest(scale))

    def score_gains(self, block: Block, *, unjudged: bool) -> Floats:
        """Return the expected 1/rank of the stop."""
        table = self.gain_table(block.scale)
        stop = block.lookup(table, unjudged=float(table[-1]) if unjudged else 0.0)
        reach = np.cumprod(1 - stop, axis=2)
        reach[:, :, 1:] = reach[:, :, :-1]
        reach[:, :, :1] = 1.0
        return rank_sums(reach * stop / np.arange(1, block.depth + 1))

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range for a cut-off that is not too deep, else a valid one."""
        if not bounds.exact_at(self.cutoff):
            return super().difference_bounds_block(block, pairs, unlisted)
        limits = bounds.stopping_difference(
            self.cut(block), pairs, stops=self.gain_table(block.scale)
        )
        return DifferenceBounds("exact", *limits)


def check_highest(measure: str, max_rel: float | None) -> None:
    """Raise unless the highest grade is a grade that can be relevant."""
    above = max_rel is None or max_rel > 0
    require(above, measure, "max_rel is a grade above 0", max_rel)


def highest_grade(measure: Measure, max_rel: float | None, scale: Floats) -> float:
    """Return the highest grade there can be: that of the scale, unless a higher one is given."""
    top = top_grade(scale)
    if max_rel is None:
        return top
    require(
        max_rel >= top,
        repr(measure),
        "max_rel is at least the highest grade",
        top,
        remedy=f"write {measure(max_rel=top)!r}, or leave max_rel out",
    )
    return max_rel
