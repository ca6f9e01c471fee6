"""Weighted precision with weights that depend on the rank alone."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block, Grades, join_topics
from poolwise.measures import bounds
from poolwise.measures._measure import (
    DCG_FORMS,
    GAINS,
    Ranked,
    discounts,
    exponential_gains,
    find_hits,
    first_code,
    linear_gains,
    require,
    scaled_gains,
    weighted_sum,
)
from poolwise.measures._ranges import Bounds, DifferenceBounds, RangeKind
from poolwise.measures.bounds.kernels._native import open_weight
from poolwise.provenance._recorded import recorded

__all__ = [
    "DiscountedCumulativeGain",
    "Precision",
    "RankBiasedPrecision",
    "ScaledDCG",
    "StaticWeights",
    "TruncatedRBP",
    "check_dcg",
    "check_gain",
    "check_persistence",
    "persistence",
]


class StaticWeights(Ranked):
    """Σ weight × gain over the ranks: the family whose bounds follow from its weights."""

    unknowns: ClassVar[str] = (
        "Unjudged documents have no gain in the score and the lower bound, and that of the highest "
        "grade in the upper bound; no assignment of grades leaves these bounds, and some reach "
        "them."
    )
    range_kind: ClassVar[RangeKind] = "exact"

    all_ranks: ClassVar[bool] = False
    """Whether it looks past the end of a list when it has no cut-off."""

    @abstractmethod
    def rank_weights(self, depth: int) -> Floats:
        """Return the weight of each rank, cut-off aside."""

    @abstractmethod
    def gain_table(self, scale: Floats) -> Floats:
        """Return the gain of each grade of the collection's scale."""

    def full_gain(self, scale: Floats) -> float:
        """Return the gain of the best document there can be: that of the highest grade."""
        return float(self.gain_table(scale)[-1])

    def weights(self, depth: int) -> Floats:
        """Return the weight of each of the first ranks: 0 past the cut-off."""
        self.check_complete()
        weights = self.rank_weights(depth)
        weights[depth if self.cutoff is None else int(self.cutoff) :] = 0.0
        return weights

    def weight_past(self, depths: Integers) -> Floats:
        """Return the total weight of the ranks past these depths, without a cut-off."""
        return np.full(depths.shape, np.inf)

    def total_weight(self) -> float:
        """Return the weight of all ranks together, down to the cut-off if there is one."""
        if self.cutoff is not None:
            return float(self.weights(int(self.cutoff)).sum())
        return float(self.weight_past(np.array(0)))

    def maximum(self, scale: Floats) -> float:
        """Return what documents of the highest grade at all ranks would score."""
        return self.full_gain(scale) * self.total_weight() if self.full_gain(scale) else 0.0

    def score_block(self, block: Block) -> Floats:
        """Return Σ weight × gain, unjudged documents without gain."""
        seen = self.cut(block)
        return weighted_sum(seen, self.gain_table(seen.scale), self.weights(seen.depth))

    def residual(self, grades: Grades) -> Floats:
        """Return how much of the score the unknown documents hold, systems × topics."""
        return join_topics(self.residual_block(block) for block in grades.blocks)

    def residual_block(self, block: Block) -> Floats:
        """Return how much of the score the unknown documents hold.

        Without a cut-off, a measure that looks at all ranks also has the ranks past the end of
        the list among its unknowns (U18 eq. 3), a list without documents being all unknown.
        """
        return self._open_weight(block) + self._past_the_end(block)

    def tail_block(self, block: Block) -> Floats:
        """Return what the ranks past the end of the list could add."""
        return np.where(block.lengths > 0, self._past_the_end(block), 0.0)

    def _past_the_end(self, block: Block) -> Floats:
        if not self.all_ranks or self.cutoff is not None:
            return np.zeros(block.shape)
        return self.full_gain(block.scale) * self.weight_past(block.lengths)

    def _open_weight(self, block: Block) -> Floats:
        """Return what the unjudged documents of the list could add."""
        seen = self.cut(block)
        return self.full_gain(seen.scale) * open_weight(seen, self.weights(seen.depth))

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:  # noqa: ARG002
        """Return the score, and the score with full gain for unjudged documents: exact."""
        lower = self.score_block(block)
        return Bounds(lower, lower + self._open_weight(block))

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range: a document that both runs have moves both."""
        seen = self.cut(block)
        limits = bounds.weighted_difference(
            seen,
            self.weights(seen.depth),
            self.bounds_block(block, unlisted),
            pairs,
            full_gain=self.full_gain(block.scale),
        )
        return DifferenceBounds("exact", *limits)


class Precision(StaticWeights):
    """Precision: the share of the first k ranks that hold a relevant document."""

    name: ClassVar[str] = "P"
    definition: ClassVar[str] = "P@k = (1/k) Σ_{i≤k} r_i"
    citation: ClassVar[str] = "W10 eq. 3.3"
    needs_cutoff: ClassVar[bool] = True

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain(self.name, "binary", self.rel)

    def rank_weights(self, depth: int) -> Floats:
        """Return 1/k for every rank."""
        return np.full(depth, 1 / (self.cutoff or 1))

    def gain_table(self, scale: Floats) -> Floats:
        """Return 1 from the relevance level up."""
        return scaled_gains(scale, "binary", self.rel)

    def score_block(self, block: Block) -> Floats:
        """Return a count over k, which is rounded once only, as trec_eval's is."""
        hits = find_hits(self.cut(block), first_code(block, self.rel))
        return np.asarray(hits.counts.reshape(hits.shape) / (self.cutoff or 1))


class RankBiasedPrecision(StaticWeights):
    """Rank-biased precision: a reader goes on from each document to the next with probability p.

    Without a cut-off it looks at all ranks, so there is a tail: the weight past the end of a list.
    With one it is the sum over the first k ranks, whose largest value is 1 − p^k.
    """

    name: ClassVar[str] = "RBP"
    definition: ClassVar[str] = "RBP = (1 − p) Σ_i g_i p^(i−1)"
    citation: ClassVar[str] = "Moffat and Zobel 2008; U18 eq. 1–3; D10 eq. 7"
    shown: ClassVar[tuple[str, ...]] = ("p",)
    all_ranks: ClassVar[bool] = True

    p: float = 0.8
    rel: float = 1
    gain: str = "binary"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_persistence(self.name, self.p)
        check_gain(self.name, self.gain, self.rel)

    def rank_weights(self, depth: int) -> Floats:
        """Return (1 − p) p^(i−1)."""
        return (1 - self.p) * self.p ** np.arange(depth, dtype=np.float64)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the gains, from 0 to 1."""
        return scaled_gains(scale, self.gain, self.rel)

    def weight_past(self, depths: Integers) -> Floats:
        """Return p^depth, the weight of all ranks below (U18 §2.1)."""
        return np.asarray(self.p ** depths.astype(np.float64))


class TruncatedRBP(RankBiasedPrecision):
    """Truncated rank-biased precision: RBP down to rank k, with weights rescaled to sum to 1."""

    name: ClassVar[str] = "tRBP"
    definition: ClassVar[str] = "tRBP@k = (1 − p)/(1 − p^k) Σ_{i≤k} g_i p^(i−1)"
    citation: ClassVar[str] = "W10 §6.1.1"
    needs_cutoff: ClassVar[bool] = True

    def rank_weights(self, depth: int) -> Floats:
        """Return RBP's weights over their sum down to the cut-off."""
        return super().rank_weights(depth) / (1 - self.p ** (self.cutoff or 1))


class DiscountedCumulativeGain(StaticWeights):
    """Discounted cumulative gain: gains summed, each divided by a logarithm of its rank.

    A list ends where it ends: its sum over all ranks would have no limit.
    """

    name: ClassVar[str] = "DCG"
    definition: ClassVar[str] = "DCG@k = Σ_{i≤k} g_i d_i"
    citation: ClassVar[str] = "Järvelin and Kekäläinen 2002; W10 eq. 3.8–3.9"

    dcg: str = "log2"
    base: float = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_dcg(self.name, self.dcg, self.base)

    def rank_weights(self, depth: int) -> Floats:
        """Return the discount of each rank."""
        return discounts(depth, self.dcg, self.base)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the gains, not scaled."""
        return exponential_gains(scale) if self.dcg.startswith("exp") else linear_gains(scale)


class ScaledDCG(DiscountedCumulativeGain):
    """Scaled DCG: DCG over what k documents of the highest grade would reach.

    The divisor is the same for every topic, so it is a weighted precision, unlike nDCG.
    """

    name: ClassVar[str] = "SDCG"
    definition: ClassVar[str] = "SDCG@k = Σ_{i≤k} g_i d_i / (g_max Σ_{i≤k} d_i)"
    citation: ClassVar[str] = "Moffat and Zobel 2008; U18 §2.1"
    needs_cutoff: ClassVar[bool] = True

    top: float = 0
    """The highest grade there can be, declared; 0 for the highest of the judgments."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.top >= 0, self.name, "top is the highest grade there can be", self.top)

    def rank_weights(self, depth: int) -> Floats:
        """Return DCG's weights over their sum down to the cut-off."""
        return super().rank_weights(depth) / super().rank_weights(int(self.cutoff or 1)).sum()

    def gain_table(self, scale: Floats) -> Floats:
        """Return the gains, from 0 to 1."""
        kind = "exponential" if self.dcg.startswith("exp") else "linear"
        if not self.top:
            return scaled_gains(scale, kind, 1)
        highest = float(scale.max(initial=0))
        require(
            highest <= self.top,
            self.name,
            "top is the highest grade there can be, and no grade is above it",
            f"top={self.top:g} with a grade of {highest:g}",
            remedy=f"write top={highest:g}",
        )
        # With the declared grade last, the scale's own gains are shares of it.
        return scaled_gains(np.append(scale, self.top), kind, 1)[:-1]


@recorded
def persistence(residual: float, *, depth: int) -> float:
    """Return the ``p`` at which RBP has this much weight past this depth: r^(1/k).

    Parameters
    ----------
    residual : float
        The weight that is left past the depth, between 0 and 1.
    depth : int
        The rank down to which the rest of the weight lies.

    Returns
    -------
    float
        The persistence ``p``, less than 1.

    Examples
    --------
    >>> round(persistence(0.1, depth=10), 3), round(persistence(0.1, depth=100), 3)
    (0.794, 0.977)
    """
    require(0 < residual < 1, "persistence", "a residual lies between 0 and 1", residual)
    require(depth >= 1, "persistence", "a depth is 1 or more", depth)
    return float(residual ** (1 / depth))  # D10 eq. 7


def check_persistence(measure: str, p: float) -> None:
    """Raise unless 0 < p < 1."""
    require(0 < p < 1, measure, "p is a probability between 0 and 1, neither included", p)


def check_gain(measure: str, gain: str, rel: float) -> None:
    """Raise unless the gain is known and the relevance level goes with it."""
    kinds = ", ".join(GAINS)
    require(gain in GAINS, measure, f"gain is one of {kinds}", gain)
    require(rel > 0, measure, "rel is a grade above 0", rel)
    require(
        gain == "binary" or rel == 1,
        measure,
        f"rel goes with gain='binary', not with gain={gain!r}",
        rel,
        remedy="leave one of the two out",
    )


def check_dcg(measure: str, dcg: str, base: float) -> None:
    """Raise unless the form of DCG is known and the base is a base of logarithms."""
    require(dcg in DCG_FORMS, measure, f"dcg is one of {', '.join(DCG_FORMS)}", dcg)
    require(base > 1, measure, "base is above 1", base)
    require(
        base == 2 or dcg.endswith("jk"),
        measure,
        f"base goes with dcg='jk', not with dcg={dcg!r}",
        base,
        remedy="leave base out, or write dcg='jk'",
    )
