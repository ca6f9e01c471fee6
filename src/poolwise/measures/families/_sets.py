"""The list as a set: precision, recall and their blends, whatever the order."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.measures import bounds
from poolwise.measures._measure import Measure, first_code, require
from poolwise.measures._ranges import Bounds, DifferenceBounds, RangeKind
from poolwise.measures.families._recall_based import RecallBased

__all__ = [
    "NonrelevantCount",
    "RelevantCount",
    "RetrievedCount",
    "SetAveragePrecision",
    "SetFMeasure",
    "SetPrecision",
    "SetRecall",
    "SetRelativePrecision",
    "SetUtility",
    "TopicCount",
]


class SetBased(RecallBased):
    """A measure of three numbers: relevant retrieved, retrieved, and relevant (R)."""

    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score. The bounds are exact: each relevant one "
        "among them adds one to R, and one to those found if the run has it."
    )

    @abstractmethod
    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:
        """Return the measure; R is NaN where a topic has no relevant document."""

    def counts(self, block: Block) -> tuple[Floats, Floats, Floats]:
        """Return relevant retrieved, retrieved, and R, each systems × topics."""
        hits = self.hits(block)
        relevant = hits.counts.reshape(hits.shape).astype(np.float64)
        R = np.broadcast_to(block.relevant(self.rel), hits.shape).astype(np.float64)
        return relevant, block.lengths.astype(np.float64), R

    def score_block(self, block: Block) -> Floats:
        """Return the measure, unjudged documents not relevant."""
        return self._with(self.counts(block), 0.0, 0.0)

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return the measure with as few and with as many relevant documents as there can be.

        It moves one way as more of those retrieved are relevant, and one way as more of those
        outside are. Gradings without any relevant document leave a recall-based measure
        undefined, and are left out.
        """
        counts, unjudged = self.counts(block), block.ungraded_counts
        none = (counts[2] == 0) & (unjudged > 0) & (unlisted == 0) & bool(self.undefined)
        corners = [
            self._with(counts, inside, others)
            for inside in (np.where(none, 1, 0), unjudged)
            for others in (0.0, unlisted)
        ]
        return Bounds(np.fmin.reduce(corners), np.fmax.reduce(corners))

    def _with(
        self,
        counts: tuple[Floats, Floats, Floats],
        more: Integers | float,
        unlisted: Floats | float,
    ) -> Floats:
        """Return the measure with more relevant documents among those retrieved, and outside."""
        relevant, retrieved, R = counts
        return self._value(relevant + more, retrieved, R + more + unlisted)

    def _value(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:
        """Return the measure; NaN where R is 0 and it has none then."""
        R = np.where(R > 0, R, np.nan if self.undefined else 0.0)
        return np.asarray(self.of(relevant, retrieved, R))

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range: both runs have the same R, and move with shared documents."""
        relevant, _, R = self.counts(block)
        counts = np.vstack([relevant, R[:1]])
        limits = bounds.set_difference(block, pairs, unlisted, self._value, counts)
        return DifferenceBounds("exact", *limits)


class SetPrecision(SetBased):
    """Set precision: the share of the retrieved documents that is relevant."""

    name: ClassVar[str] = "SetP"
    definition: ClassVar[str] = "SetP = relevant retrieved / retrieved"
    citation: ClassVar[str] = "W10 eq. 3.1; trec_eval's set_P"
    undefined: ClassVar[str] = ""
    has_ideal: ClassVar[bool] = False

    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:  # noqa: ARG002
        """Return found / retrieved."""
        return relevant / np.maximum(retrieved, 1)

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the bounds: there is no ideal to keep."""
        return self.bounds_block(block, np.zeros(block.shape))


class SetRelativePrecision(SetBased):
    """Relative set precision: set precision over the best that R allows."""

    name: ClassVar[str] = "SetRelP"
    definition: ClassVar[str] = "SetRelP = relevant retrieved / min(retrieved, R)"
    citation: ClassVar[str] = "trec_eval's set_relative_P"

    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:
        """Return found / min(retrieved, R)."""
        return relevant / np.minimum(np.maximum(retrieved, 1), R)


class SetRecall(SetBased):
    """Set recall: the share of the relevant documents that was retrieved."""

    name: ClassVar[str] = "SetR"
    definition: ClassVar[str] = "SetR = relevant retrieved / R"
    citation: ClassVar[str] = "W10 eq. 3.2; trec_eval's set_recall"

    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:  # noqa: ARG002
        """Return found / R."""
        return relevant / R


class SetFMeasure(SetBased):
    """Set F: the weighted harmonic mean of set precision and set recall.

    ``beta`` is van Rijsbergen's: recall matters beta times as much as precision. trec_eval's
    set_F_x, and ir_measures' SetF(beta=x), take x = beta².
    """

    name: ClassVar[str] = "SetF"
    definition: ClassVar[str] = "SetF = (1 + β²) P R / (β² P + R)"
    citation: ClassVar[str] = "van Rijsbergen 1979; trec_eval's set_F"

    beta: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.beta > 0, self.name, "beta is above 0", self.beta)

    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:
        """Return the F measure, in counts: precision and recall share their numerator."""
        return (1 + self.beta**2) * relevant / (self.beta**2 * R + retrieved)


class SetAveragePrecision(SetBased):
    """Set AP: set precision times set recall."""

    name: ClassVar[str] = "SetAP"
    definition: ClassVar[str] = "SetAP = SetP × SetR"
    citation: ClassVar[str] = "trec_eval's set_map"

    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:
        """Return found² / (retrieved × R)."""
        return relevant**2 / (np.maximum(retrieved, 1) * R)


class SetUtility(SetBased):
    """Utility: so much for each relevant document retrieved, non-relevant retrieved, and missed."""

    name: ClassVar[str] = "Utility"
    definition: ClassVar[str] = (
        "Utility = gain × relevant retrieved + cost × other retrieved + missed × relevant missed"
    )
    citation: ClassVar[str] = "trec_eval's utility"
    undefined: ClassVar[str] = ""

    gain: float = 1
    cost: float = -1
    missed: float = 0

    def of(self, relevant: Floats, retrieved: Floats, R: Floats) -> Floats:
        """Return the weighted sum of the counts."""
        # What costs nothing does so also where there is no end of it.
        lost = self.missed * (R - relevant) if self.missed else 0.0
        return self.gain * relevant + self.cost * (retrieved - relevant) + lost

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return no limit: it is a sum over documents."""
        return np.inf

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the bounds: there is no ideal to keep."""
        return self.bounds_block(block, np.zeros(block.shape))

    def difference_bounds_block(
        self,
        block: DocumentBlock,
        pairs: Pairs,
        unlisted: Floats,  # noqa: ARG002  (what both miss cancels out)
    ) -> DifferenceBounds:
        """Return the exact range: a document that one run alone has is found, not missed."""
        value = pairs.difference(self.score_block(block))
        worth = self.gain - self.cost - self.missed
        limits = bounds.count_difference(block, pairs, value, worth=worth)
        return DifferenceBounds("exact", *limits)


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

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:  # noqa: ARG002
        """Return the count, and the count with all unjudged documents of the list."""
        count = self.score_block(block)
        return Bounds(count, count + block.ungraded_counts)

    def difference_bounds_block(
        self,
        block: DocumentBlock,
        pairs: Pairs,
        unlisted: Floats,  # noqa: ARG002  (they are in neither list)
    ) -> DifferenceBounds:
        """Return the exact range: a document that one run alone has can be one more."""
        value = pairs.difference(self.score_block(block))
        return DifferenceBounds("exact", *bounds.count_difference(block, pairs, value))


class RetrievedCount(Count):
    """Number retrieved; with ``rel``, of the relevant documents among them."""

    name: ClassVar[str] = "NumRet"
    definition: ClassVar[str] = "NumRet = length of the list; NumRet(rel=l): those of grade ≥ l"

    rel: float | None = None

    def score_block(self, block: Block) -> Floats:
        """Return the number of documents."""
        if self.rel is None:
            return block.lengths.astype(np.float64)
        relevant = block.codes >= first_code(block, self.rel)
        return np.asarray(relevant.sum(axis=2), np.float64)


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

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return R, and R with all unjudged documents."""
        lower, upper = super().bounds_block(block, unlisted)
        return Bounds(lower, upper + unlisted)

    def difference_bounds_block(
        self,
        block: DocumentBlock,
        pairs: Pairs,
        unlisted: Floats,  # noqa: ARG002  (they count for both)
    ) -> DifferenceBounds:
        """Return 0: R is the same for every run."""
        nothing = np.zeros((len(pairs), block.shape[1]))
        return DifferenceBounds("exact", nothing, nothing)


class NonrelevantCount(Count):
    """Number of documents retrieved that were judged not relevant."""

    name: ClassVar[str] = "NumNonrelRet"
    definition: ClassVar[str] = "NumNonrelRet = judged documents retrieved − relevant retrieved"
    no_range: ClassVar[str] = "no grade of the scale is relevant, so that judging only adds to it"

    rel: float | None = 1

    def can_rise(self, scale: Floats) -> bool:  # noqa: ARG002
        """Return True: a document can always turn out not relevant."""
        return True

    def kind_of_range(self, scale: Floats) -> RangeKind:
        """Return none where no grade is relevant: then all judging can do is to add one each."""
        # The count now, of judged documents alone, would not be that of any complete grading.
        return "exact" if scale[-1] >= (self.rel or 1) else "none"

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
