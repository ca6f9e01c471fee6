"""Sums over sampled documents, each weighed by one over its chance of being judged."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence._evidence import DocumentBlock, Evidence, Pairs
from poolwise.evidence._grades import Block
from poolwise.measures._measure import Measure, first_code, per_relevant, require
from poolwise.measures._ranges import Bounds
from poolwise.measures.families._static_weights import Precision, StaticWeights
from poolwise.measures.sampled._sampled_measure import (
    Influence,
    OpenDocuments,
    SampledLists,
    SampledMeasure,
    shared_covariances,
)

__all__ = ["HorvitzThompson", "StatAP"]


class HorvitzThompson(SampledMeasure):
    """A weighted precision estimated from a sample: each judged gain over the chance to see it.

    It is unbiased: over all samples that could have been drawn, its mean is the score under
    complete judgments, documents aside that could not be drawn.
    """

    name: ClassVar[str] = "HT"
    definition: ClassVar[str] = "HT(M) = Σ_i w_i g_i / π_i, over the judged documents"
    citation: ClassVar[str] = "Horvitz and Thompson 1952; W10 §3.4.5"
    unknowns: ClassVar[str] = (
        "Each judged document stands for 1/π documents of its kind. A document that could not be "
        "drawn (π = 0) stays unknown: what those could add stands beside the interval over samples."
    )

    of: Measure = Precision(cutoff=10)

    def __post_init__(self) -> None:
        require(
            isinstance(self.of, StaticWeights),
            self.name,
            "it is for measures whose weights depend on the rank alone",
            self.of,
            remedy="use P, RBP, tRBP, DCG, SDCG or INSQ; or xinfAP, infNDCG or statAP, which are "
            "estimates already",
        )

    @property
    def base(self) -> StaticWeights:
        """The measure that is estimated."""
        if not isinstance(self.of, StaticWeights):
            raise TypeError(self.of)
        return self.of

    @property
    def depth(self) -> int | None:
        """The cut-off; None for whole lists."""
        return self.of.depth

    def check_complete(self) -> None:
        """Raise if the measure lacks a cut-off without which it has no meaning."""
        self.of.check_complete()

    def score_block(self, block: Block) -> Floats:
        """Return Σ weight × gain / π."""
        lists = self.lists(block)
        return (self.gains(lists) * lists.weights).sum(axis=2)

    def lists(self, block: Block) -> SampledLists:
        """Return the ranks that the measure looks at, with what the sample says of them."""
        return SampledLists(self.of.cut(block), repr(self))

    def gains(self, lists: SampledLists) -> Floats:
        """Return weight × gain of each document, systems × topics × ranks."""
        gains = lists.block.lookup(self.base.gain_table(lists.block.scale))
        return gains * self.base.weights(lists.block.depth)

    def influence_block(self, block: Block) -> Influence:
        """Return weight × gain: the estimate is the sum of these over π."""
        lists = self.lists(block)
        return Influence(lists, self.gains(lists), np.zeros((*block.shape, len(block.scale))))

    def interval_covariances(self, evidence: Evidence) -> Iterator[Floats]:
        """Go through the topics: covariances by which intervals hold, since they vary little."""
        return shared_covariances(evidence, self.open_documents)

    def open_documents(self, block: DocumentBlock) -> OpenDocuments:
        """Return the documents that the sample might have drawn or not."""
        lists = self.lists(block)
        gains = lists.block.lookup(self.base.gain_table(block.scale))
        return OpenDocuments(
            lists.block,
            self.base.weights(lists.block.depth),
            gains**2,
            lists.probability,
            by_strata=bool(lists.sample.strata),
            highest=self.base.full_gain(block.scale) ** 2,
        )

    def never_drawn_block(self, block: Block) -> Floats:
        """Return what the documents that could not be drawn might add, systems × topics."""
        lists = self.lists(block)
        weights = self.base.weights(lists.block.depth)
        return self.base.full_gain(block.scale) * (lists.never_drawn * weights).sum(axis=2)

    def never_drawn_difference_block(self, block: DocumentBlock, pairs: Pairs) -> Bounds:
        """Return by how much such documents might change differences: exact."""
        lists = self.lists(block)
        drawable = lists.block.ungraded & ~lists.never_drawn
        # The estimate stands for documents that could be drawn: here they are no longer unknown.
        rest = replace(lists.block, codes=np.where(drawable, 0, lists.block.codes))
        nothing = np.zeros((len(pairs), block.shape[1]))
        _, lower, upper = self.base.difference_bounds_block(rest, pairs, nothing)
        now = pairs.difference(self.base.score_block(rest))
        return Bounds(lower - now, upper - now)

    def __repr__(self) -> str:
        return f"{self.name}({self.of!r})"


class StatAP(SampledMeasure):
    """Average precision estimated from a sample: sums over the relevant documents, over their sum.

    A ratio of two estimates, so that it has a small bias. It needs no strata, only the
    probability with which each judged document was drawn.
    """

    name: ClassVar[str] = "statAP"
    definition: ClassVar[str] = (
        "statAP = (1/R) Σ_{relevant} (1/π_i) (1 + Σ_{relevant above} 1/π_j)/i, R = Σ_{relevant} 1/π"
    )
    citation: ClassVar[str] = "Aslam and Pavlu 2008"
    unknowns: ClassVar[str] = (
        "Each relevant document stands for 1/π documents of its kind; a document that could not "
        "be drawn is not relevant. No range is given: the score need not be among those that "
        "complete judgments could give."
    )
    undefined: ClassVar[str] = "no sampled document of the topic is relevant"

    rel: float = 1

    def __post_init__(self) -> None:
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def lists(self, block: Block) -> SampledLists:
        """Return the lists of a block with what the sample says of them."""
        return SampledLists(block, self.name)

    def score_block(self, block: Block) -> Floats:
        """Return the estimated sum of precisions over the estimated R."""
        lists = self.lists(block)
        relevant = self.relevant_weights(lists)
        return per_relevant((self.precisions(relevant) * relevant).sum(axis=2), self.R(lists))

    def relevant_weights(self, lists: SampledLists) -> Floats:
        """Return 1/π of each relevant document, 0 of any other."""
        return np.where(lists.block.codes >= first_code(lists.block, self.rel), lists.weights, 0.0)

    def precisions(self, relevant: Floats) -> Floats:
        """Return the estimated precision at each rank, given that its document is relevant."""
        above = relevant.cumsum(axis=2) - relevant
        return (1 + above) / np.arange(1, relevant.shape[2] + 1)

    def R(self, lists: SampledLists) -> Floats:  # noqa: N802 -- the field's own name
        """Return the estimated number of relevant documents, per topic."""
        return lists.sample.estimated[:, first_code(lists.block, self.rel) :].sum(axis=1)

    def influence_block(self, block: Block) -> Influence:
        """Return the derivative of the ratio by the weight of each document (Taylor)."""
        lists, first = self.lists(block), first_code(block, self.rel)
        relevant, value = self.relevant_weights(lists), self.score_block(block)
        # A relevant document raises the precision at its own rank, and at those below it.
        shares = relevant / np.arange(1, lists.block.depth + 1)
        below = shares[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - shares
        raised = self.precisions(relevant) + below - value[:, :, None]
        lacking = np.zeros((*block.shape, len(block.scale)))
        lacking[:, :, first:] = -value[:, :, None]
        cells = np.where(lists.block.codes >= first, raised, 0.0)
        return Influence(lists, cells, lacking).over(self.R(lists))
