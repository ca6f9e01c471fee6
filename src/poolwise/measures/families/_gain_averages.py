"""The experimental measures of trec_eval: nDCG averaged over ranks, and gain against cost."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers, rank_sums
from poolwise.evidence._grades import Block
from poolwise.measures._measure import Measure, discounts, ideal_gains, linear_gains, per_relevant
from poolwise.measures._ranges import RangeKind
from poolwise.measures.families._recall_based import RecallBased

__all__ = ["BinaryGain", "NDCGAtLevels", "NDCGAtRelevant", "NormalizedGain"]


class GradedAverage(Measure):
    """A measure of the gain found so far against the best that could have been found."""

    undefined: ClassVar[str] = "no judged document of the topic has any gain"
    unknowns: ClassVar[str] = (
        "Unjudged documents have no gain in the score. No range is given: how far their grades "
        "could move it is not worked out."
    )
    no_range: ClassVar[str] = "how far grades could move it is not worked out"

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1, the score of a perfect ranking."""
        return 1.0


class NDCGAtRelevant(GradedAverage):
    """nDCG averaged over the relevant documents, each at the rank where it stands.

    A relevant document that was not retrieved counts with nDCG at the end of the list.
    """

    name: ClassVar[str] = "nDCGRel"
    definition: ClassVar[str] = "nDCGRel = (1/R) (Σ_{relevant retrieved} nDCG@i + missed × nDCG)"
    citation: ClassVar[str] = "trec_eval's ndcg_rel"

    def score_block(self, block: Block) -> Floats:
        """Return the average over the relevant documents."""
        gains, ratio = _gains(block), _running_ndcg(block)
        relevant = gains > 0
        R = block.pool[:, block.scale > 0].sum(axis=1)
        missed = R - relevant.sum(axis=2)
        end = _final_ndcg(block)
        return per_relevant((ratio * relevant).sum(axis=2) + missed * end, R)


class NDCGAtLevels(GradedAverage):
    """nDCG averaged over the ranks at which the ideal ranking passes to a lower grade.

    The end of the list is one more such rank if it lies two or more past the last of them.
    """

    name: ClassVar[str] = "RnDCG"
    definition: ClassVar[str] = "RnDCG = mean of nDCG@n, n the number of documents of grade ≥ g"
    citation: ClassVar[str] = "trec_eval's Rndcg"

    def score_block(self, block: Block) -> Floats:
        """Return the average over the levels."""
        positive = block.scale > 0
        depths = block.pool[:, ::-1].cumsum(axis=1)[:, ::-1][:, positive]
        levels = block.pool[:, positive] > 0
        R = depths.max(axis=1, initial=0)
        at_level = _ndcg_at(block, np.where(levels, depths, 1)) * levels
        late = block.lengths > R + 1
        total = at_level.sum(axis=2) + np.where(late, _final_ndcg(block), 0.0)
        return total / np.where(R > 0, levels.sum(axis=1) + late, np.nan)


class NormalizedGain(GradedAverage):
    """Gain of each document over a logarithm of what the reader has missed so far, normalized."""

    name: ClassVar[str] = "G"
    definition: ClassVar[str] = (
        "G = Σ_i g_i / log2(2 + Σ_{j≤i} max(g*_j, 1) − Σ_{j≤i} g_j), over Σ g*"
    )
    citation: ClassVar[str] = "trec_eval's G"

    def score_block(self, block: Block) -> Floats:
        """Return the normalized gain."""
        gains = _gains(block)
        cost = np.maximum(_ideal(block, block.depth), 1.0).cumsum(axis=1)
        behind = np.log2(2 + cost - gains.cumsum(axis=2))
        ideal = rank_sums(block.pool * linear_gains(block.scale))
        return per_relevant(rank_sums(gains / behind), ideal)


class BinaryGain(RecallBased):
    """Mean over the relevant documents of 1/log2(2 + documents above that are not relevant)."""

    name: ClassVar[str] = "binG"
    definition: ClassVar[str] = "binG = (1/R) Σ_{relevant retrieved} 1/log2(2 + non-relevant above)"
    citation: ClassVar[str] = "trec_eval's binG"
    unknowns: ClassVar[str] = GradedAverage.unknowns
    range_kind: ClassVar[RangeKind] = "none"
    no_range: ClassVar[str] = GradedAverage.no_range

    def score_block(self, block: Block) -> Floats:
        """Return the mean over the relevant documents."""
        hits = self.hits(block)
        above = hits.ranks - hits.nth
        return per_relevant(hits.total(1 / np.log2(2 + above)), block.relevant(self.rel))


def _gains(block: Block) -> Floats:
    return block.lookup(linear_gains(block.scale))


def _ideal(block: Block, depth: int) -> Floats:
    return ideal_gains(block.pool, linear_gains(block.scale), depth)


def _running_ndcg(block: Block) -> Floats:
    """Return nDCG at every rank of the lists; 0 where the ideal is 0."""
    weights = discounts(block.depth, "log2", 2)
    gained = (_gains(block) * weights).cumsum(axis=2)
    best = (_ideal(block, block.depth) * weights).cumsum(axis=1)
    return gained / np.where(best > 0, best, np.inf)


def _ndcg_at(block: Block, depths: Integers) -> Floats:
    """Return nDCG at depths by topic, which may lie past the end of the lists."""
    deepest = int(depths.max(initial=max(block.depth, 1)))
    weights = discounts(deepest, "log2", 2)
    gained = (_gains(block) * weights[: block.depth]).cumsum(axis=2)
    best = (_ideal(block, deepest) * weights).cumsum(axis=1)
    best = np.take_along_axis(best, depths - 1, axis=1)
    if not block.depth:
        return np.zeros((*gained.shape[:2], depths.shape[1]))
    inside = np.broadcast_to(np.minimum(depths, block.depth) - 1, (len(gained), *depths.shape))
    return np.take_along_axis(gained, inside, axis=2) / np.where(best > 0, best, np.inf)


def _final_ndcg(block: Block) -> Floats:
    """Return nDCG over the whole lists and the whole ideal."""
    R = block.pool[:, block.scale > 0].sum(axis=1)
    everything = np.maximum(R, block.depth)
    return _ndcg_at(block, np.maximum(everything, 1)[:, None])[:, :, 0]
