"""A weighted sum over its ideal: the best ranking of the judged documents."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, rank_sums
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.measures import bounds
from poolwise.measures._measure import Ranked, per_relevant
from poolwise.measures._ranges import Bounds, DifferenceBounds, RangeKind, naive_bounds
from poolwise.measures.bounds._exact import NormalizedForm
from poolwise.measures.bounds.kernels._native import normalized_bounds
from poolwise.measures.families._static_weights import (
    DiscountedCumulativeGain,
    RankBiasedPrecision,
    StaticWeights,
    check_dcg,
    check_gain,
    check_persistence,
)

__all__ = [
    "ExpandedNDCG",
    "Normalized",
    "NormalizedDCG",
    "NormalizedRBP",
    "NormalizedSum",
    "ideal_sums",
]


class Normalized(Ranked):
    """A weighted sum, over that of the best ranking of the topic's documents."""

    @abstractmethod
    def normalized_form(self, scale: Floats) -> NormalizedForm:
        """Return the gains and weights of the run and of the ideal."""

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return the exact range, the ideal taken along."""
        form = self.normalized_form(block.scale)
        return normalized_bounds(self.cut(block), form, unlisted=unlisted)

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range: both runs are divided by the same ideal."""
        form = self.normalized_form(block.scale)
        limits = bounds.normalized_difference(self.cut(block), form, pairs, unlisted)
        return DifferenceBounds("exact", *limits)


class NormalizedSum(Normalized):
    """A measure of static weights, divided by what the best ranking of the topic would score."""

    undefined: ClassVar[str] = "no judged document of the topic has any gain"
    unknowns: ClassVar[str] = (
        "Unjudged documents have no gain in the score. A document that turns out relevant also "
        "raises the ideal, so bounds take the ideal along, and reckon with the documents of the "
        "universe that the run lacks; naive bounds keep the pool's ideal (B23 §3.3)."
    )
    range_kind: ClassVar[RangeKind] = "exact"
    has_ideal: ClassVar[bool] = True
    expanded: ClassVar[bool] = False
    """Whether the ideal goes on below the cut-off."""

    @abstractmethod
    def raw(self) -> StaticWeights:
        """Return the measure before it is divided."""

    def ideal(self) -> StaticWeights:
        """Return the measure that scores the ideal ranking."""
        return self.raw()(cutoff=None) if self.expanded else self.raw()

    def weights(self, depth: int) -> Floats:
        """Return the weight of each of the first ranks: 0 past the cut-off."""
        return self.raw().weights(depth)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the gain of each grade of the collection's scale."""
        return self.raw().gain_table(scale)

    def score_block(self, block: Block) -> Floats:
        """Return the weighted sum over the ideal."""
        return per_relevant(self.raw().score_block(block), ideal_sums(self.ideal(), block))

    def normalized_form(self, scale: Floats) -> NormalizedForm:
        """Return the gains and weights of the run and of the ideal."""
        raw, ideal = self.raw(), self.ideal()
        return NormalizedForm(
            gains=raw.gain_table(scale),
            full_gain=raw.full_gain(scale),
            weights=raw.weights,
            ideal_weights=ideal.weights,
            total=ideal.total_weight(),
        )

    def can_rise(self, scale: Floats) -> bool:
        """Return whether a document can have any gain: nRBP(rel=2) gives none to grades 0 and 1."""
        return bool(self.raw().full_gain(scale) > 0)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1, the score of the ideal ranking."""
        return 1.0

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the naive bounds (B23 §3.3)."""
        return naive_bounds(self, block)


class NormalizedDCG(NormalizedSum):
    """Normalized discounted cumulative gain: DCG over that of the best ranking of the topic.

    With a cut-off the ideal is cut as well (abbreviated normalization), so that a perfect top k
    scores 1.
    """

    name: ClassVar[str] = "nDCG"
    definition: ClassVar[str] = "nDCG@k = Σ_{i≤k} g_i d_i / Σ_{i≤k} g*_i d_i"
    citation: ClassVar[str] = "Järvelin and Kekäläinen 2002; W10 eq. 3.12; B23 §2"

    dcg: str = "log2"
    base: float = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_dcg(self.name, self.dcg, self.base)

    def raw(self) -> StaticWeights:
        """Return DCG."""
        return DiscountedCumulativeGain(dcg=self.dcg, base=self.base, cutoff=self.cutoff)


class ExpandedNDCG(NormalizedDCG):
    """nDCG with expanded normalization: the ideal holds all relevant documents, whatever k is.

    As R does in AP@k: where more is relevant than the cut-off can hold, no ranking scores 1.
    """

    name: ClassVar[str] = "enDCG"
    definition: ClassVar[str] = "enDCG@k = Σ_{i≤k} g_i d_i / Σ_i g*_i d_i"
    citation: ClassVar[str] = "D10 §3.1"
    expanded: ClassVar[bool] = True


class NormalizedRBP(NormalizedSum):
    """Normalized rank-biased precision: RBP over that of the best ranking of the topic."""

    name: ClassVar[str] = "nRBP"
    definition: ClassVar[str] = "nRBP@k = Σ_{i≤k} g_i p^(i−1) / Σ_{i≤k} g*_i p^(i−1)"
    citation: ClassVar[str] = "D10 §3.1"
    shown: ClassVar[tuple[str, ...]] = ("p",)

    p: float = 0.8
    rel: float = 1
    gain: str = "binary"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_persistence(self.name, self.p)
        check_gain(self.name, self.gain, self.rel)

    def raw(self) -> StaticWeights:
        """Return RBP."""
        return RankBiasedPrecision(p=self.p, rel=self.rel, gain=self.gain, cutoff=self.cutoff)


def ideal_sums(measure: StaticWeights, block: Block) -> Floats:
    """Return what the best ranking of the judged documents scores, per topic.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[0, 1]], judged=[0, 1, 2]).blocks
    >>> ideal_sums(DiscountedCumulativeGain(), block).round(3).tolist()
    [2.631]
    """
    steps = np.diff(measure.gain_table(block.scale), prepend=0.0)
    at_least = block.pool[:, ::-1].cumsum(axis=1)[:, ::-1]
    weights = measure.weights(int(at_least.max(initial=0)))
    totals = np.concatenate([[0.0], np.cumsum(weights)])
    return rank_sums(totals[at_least] * steps)
