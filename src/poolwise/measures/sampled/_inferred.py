"""Inferred measures: precision, AP and nDCG from a stratified sample (Yilmaz and others 2008)."""

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence._grades import Block
from poolwise.measures._measure import Ranked, discounts, first_code, per_relevant, require
from poolwise.measures.sampled._sampled_measure import Influence, SampledLists, SampledMeasure

__all__ = [
    "LONGEST",
    "VARIANTS",
    "Inferred",
    "InferredAPByStrata",
    "InferredCount",
    "InferredInterpolated",
    "InferredLists",
    "InferredNDCG",
    "InferredPrecision",
    "InferredRelevant",
]

_SOURCE = "Yilmaz, Kanoulas and Aslam 2008, as in NIST's sample_eval"
_RECALL_LEVELS = 10

VARIANTS = {
    "nist2011": "as NIST's script of 2011 has it",
    "trecvid": "times R/1000 where R is above 1000, as for TRECVID since 2012",
}
"""What becomes of AP where more documents are relevant than a run may retrieve."""

LONGEST = 1000
"""How many ranks NIST's script looks at, of lists and of the ideal one."""
_EPSILON = 1e-5


class InferredLists(SampledLists):
    """Lists of a stratified sample, and how many relevant documents they hold, estimated."""

    def __init__(self, block: Block, measure: str, rel: float) -> None:
        super().__init__(block.truncate(LONGEST), measure, needs_strata=True)
        self.relevant = self.block.codes >= first_code(block, rel)
        self.judged = self.block.codes >= 0

    @cached_property
    def expansion(self) -> Floats:
        """N/n of each stratum, topics × strata; 0 where nothing of it was drawn."""
        return _over(self.sample.sizes.astype(np.float64), self.sample.drawn)

    @cached_property
    def strata(self) -> list[Booleans]:
        """Which cells hold a document of each stratum."""
        stratum = self.stratum
        return [stratum == c for c in range(len(self.sample.strata))]

    @cached_property
    def found(self) -> Floats:
        """How many relevant documents are among the first ranks, systems × topics × ranks.

        (rel + ε)/(smp + 3ε) of the documents of a stratum there: of one without a sample, ⅓.
        """
        total = np.zeros(self.block.codes.shape)
        for inside in self.strata:
            relevant = (inside & self.relevant).cumsum(axis=2) + _EPSILON
            drawn = (inside & self.judged).cumsum(axis=2) + 3 * _EPSILON
            total += inside.cumsum(axis=2) * relevant / drawn
        return total

    @cached_property
    def cell_expansion(self) -> Floats:
        """N/n of the stratum of each relevant document, 0 elsewhere."""
        topics = np.arange(self.block.shape[1])[:, None]
        return np.where(self.relevant, self.expansion[topics, self.stratum], 0.0)

    @cached_property
    def precisions(self) -> Floats:
        """The precision at each rank, given that the document there is relevant."""
        return (1 + _above(self.found)) / np.arange(1, self.block.depth + 1)

    def expanded(self, values: Floats) -> tuple[Floats, Floats]:
        """Let the judged documents of a stratum in a list stand for all of it there.

        Returns the sum over the list, systems × topics, and what each document adds to it: of an
        estimate for part of a stratum, how far it is from the mean there (Cochran 1977 §5A.14).
        """
        total, cells = np.zeros(self.block.shape), np.zeros(self.block.codes.shape)
        for c, inside in enumerate(self.strata):
            drawn = inside & self.judged
            count, there = drawn.sum(axis=2), inside.sum(axis=2)
            mean = _over((values * drawn).sum(axis=2), count)
            total += there * mean
            share = _over(_spread(there, count), self.expansion[:, c])
            cells += drawn * share[:, :, None] * (values - mean[:, :, None])
        return total, cells

    def expanded_above(self, weights: Floats) -> Floats:
        """Return what each document adds to the sum of the counts above the ranks, each weighed.

        As :meth:`expanded`, for the number of relevant documents above every rank at once.
        """
        cells = np.zeros(self.block.codes.shape)
        for c, inside in enumerate(self.strata):
            drawn = inside & self.judged
            count = _above(drawn.cumsum(axis=2))
            there = _above(inside.cumsum(axis=2))
            share = _over(_spread(there, count), self.expansion[:, c, None])
            rate = _over(_above((drawn & self.relevant).cumsum(axis=2)), count)
            raised, mean = _below(weights * share), _below(weights * share * rate)
            cells += drawn * (self.relevant * raised - mean)
        return cells


def _above(values: NDArray[Any]) -> NDArray[Any]:
    """Return what stood at the rank above; 0 at the first rank."""
    shifted = np.zeros_like(values)
    shifted[:, :, 1:] = values[:, :, :-1]
    return shifted


def _below(values: Floats) -> Floats:
    """Return the sum over the ranks below."""
    return values[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - values


def _spread(there: NDArray[Any], count: NDArray[Any]) -> Floats:
    """Return the documents that each drawn one stands for, as their spread about a mean has it.

    Distances from the mean of n documents are too small by √((n − 1)/n).
    """
    return _over(there, count) * np.sqrt(_over(count, count - 1))


def _over(total: NDArray[Any], count: NDArray[Any]) -> Floats:
    """Divide by a count; 0 where there is none."""
    shape = np.broadcast_shapes(total.shape, count.shape)
    return np.divide(total, count, out=np.zeros(shape), where=np.broadcast_to(count > 0, shape))


class Inferred(SampledMeasure):
    """A measure whose score is estimated from a stratified sample of the pool."""

    citation: ClassVar[str] = _SOURCE
    unknowns: ClassVar[str] = (
        "A document that was in the universe and not sampled is as often relevant as the sampled "
        "ones of its stratum; a document outside the universe is not relevant. No range is given: "
        "the score need not be among those that complete judgments could give."
    )

    rel: float = 1

    def __post_init__(self) -> None:
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def lists(self, block: Block) -> InferredLists:
        """Return the lists of a block with what the sample says of them."""
        return InferredLists(block, self.name, self.rel)

    def relevant_grades(self, block: Block) -> Floats:
        """Return 1 for each grade that is relevant, else 0."""
        return (block.scale >= self.rel).astype(np.float64)

    def estimated_relevant(self, lists: InferredLists) -> Floats:
        """Return the estimated number of relevant documents, per topic."""
        return lists.sample.estimated[:, first_code(lists.block, self.rel) :].sum(axis=1)


class InferredAPByStrata(Inferred):
    """Extended inferred average precision: AP estimated from a stratified sample of the pool.

    The precision at a relevant document takes the documents above it as the sample has them,
    stratum by stratum. Down to rank 1000.
    """

    name: ClassVar[str] = "xinfAP"
    definition: ClassVar[str] = (
        "xinfAP = (1/R) Σ_c (N_c/n_c) Σ_{relevant in c} (1 + Σ_d u_d (rel_d + ε)/(smp_d + 3ε))/i, "
        "with u, smp and rel the documents of stratum d above rank i: all, sampled, relevant; "
        "R = Σ_c r_c N_c/n_c; ε = 1e-5"
    )
    undefined: ClassVar[str] = "no sampled document of the topic is relevant"

    variant: str = "nist2011"

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = ", ".join(VARIANTS)
        require(self.variant in VARIANTS, self.name, f"variant is one of {kinds}", self.variant)

    def score_block(self, block: Block) -> Floats:
        """Return the inferred average precision."""
        lists = self.lists(block)
        total = (lists.precisions * lists.cell_expansion).sum(axis=2)
        return per_relevant(total, self.divisor(self.estimated_relevant(lists)))

    def divisor(self, R: Floats) -> Floats:
        """Return the estimated number of relevant documents, for TRECVID 1000 at most."""
        return np.minimum(R, LONGEST) if self.variant == "trecvid" else R

    def influence_block(self, block: Block) -> Influence:
        """Return the derivative of the ratio by the weight of each document (Taylor)."""
        lists = self.lists(block)
        R = self.estimated_relevant(lists)
        divisor = self.divisor(R)
        # A divisor of 1000 is no estimate, so that no document moves it.
        falls = np.where(divisor < R, 0.0, self.score_block(block))
        ranks = np.arange(1, lists.block.depth + 1)
        raised = lists.expanded_above(lists.cell_expansion / ranks)
        own = lists.relevant * (lists.precisions - falls[:, :, None])
        lacking = -falls[:, :, None] * self.relevant_grades(block)
        return Influence(lists, own + raised, lacking).over(divisor)


class InferredNDCG(Inferred):
    """Inferred nDCG: the gains of each stratum's sampled documents stand for all of it in the list.

    The ideal ranking has the estimated number of documents of each grade. Down to rank 1000.
    """

    name: ClassVar[str] = "infNDCG"
    definition: ClassVar[str] = (
        "infNDCG = Σ_c u_c (Σ_{sampled in c} g_i / log2(i + 1)) / smp_c / ideal, with u and smp "
        "the retrieved documents of stratum c: all, sampled"
    )
    undefined: ClassVar[str] = "no sampled document of the topic has any gain"

    def score_block(self, block: Block) -> Floats:
        """Return the inferred DCG over the inferred ideal."""
        lists = self.lists(block)
        return per_relevant(lists.expanded(self.discounted(lists))[0], self.ideal(lists))

    def influence_block(self, block: Block) -> Influence:
        """Return the derivative of the ratio by the weight of each document (Taylor)."""
        lists = self.lists(block)
        ideal, falls = self.ideal(lists), self.ideal_slopes(lists)
        lacking = -self.score_block(block)[:, :, None] * falls
        cells = lists.expanded(self.discounted(lists))[1]
        codes = np.maximum(lists.block.codes, 0)
        cells += np.take_along_axis(lacking, codes, axis=2) * lists.judged
        return Influence(lists, cells, lacking).over(ideal)

    def discounted(self, lists: InferredLists) -> Floats:
        """Return gain × discount of each document; 0 where it is not judged."""
        gains = lists.block.lookup(self.gains(lists.block))
        return gains * discounts(lists.block.depth, "log2", 2)

    def gains(self, block: Block) -> Floats:
        """Return the gain of each grade: the grade itself, from the relevance level up."""
        return np.where(block.scale >= self.rel, block.scale, 0.0)

    def ideal(self, lists: InferredLists) -> Floats:
        """Return the DCG of the best ranking, per topic."""
        weights = discounts(LONGEST, "log2", 2)
        best, ends = np.append(0.0, weights.cumsum()), self.ideal_ends(lists)
        steps = np.diff(self.gains(lists.block), prepend=0.0)
        return (best[ends] * steps).sum(axis=1)

    def ideal_slopes(self, lists: InferredLists) -> Floats:
        """Return how far one more document of each grade raises the ideal, topics × grades."""
        ends, steps = self.ideal_ends(lists), np.diff(self.gains(lists.block), prepend=0.0)
        next_weight = np.append(discounts(LONGEST, "log2", 2), 0.0)[ends]
        return (next_weight * steps).cumsum(axis=1)

    def ideal_ends(self, lists: InferredLists) -> Integers:
        """Return the last rank of each grade or a higher one in the best ranking."""
        whole = np.floor(lists.sample.estimated + 0.5).astype(np.int64)
        return np.minimum(whole[:, ::-1].cumsum(axis=1)[:, ::-1], LONGEST)


class InferredPrecision(Ranked, Inferred):
    """Inferred precision: the share of the first k ranks that hold a relevant document, estimated.

    Of the documents of a stratum there, as many are taken as relevant as in its sampled ones.
    """

    name: ClassVar[str] = "iP"
    definition: ClassVar[str] = "iP@k = (1/k) Σ_c u_c (rel_c + ε)/(smp_c + 3ε), over the first k"
    needs_cutoff: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Ranked.__post_init__(self)
        Inferred.__post_init__(self)

    def score_block(self, block: Block) -> Floats:
        """Return the estimated share."""
        return _last(self.lists(self.cut(block)).found) / (self.cutoff or 1)

    def influence_block(self, block: Block) -> Influence:
        """Return how far each document is from the mean of its stratum in the first k."""
        lists = self.lists(self.cut(block))
        return _of_count(lists, float(self.cutoff or 1))


class InferredCount(Inferred):
    """The estimated number of relevant documents that were retrieved, down to rank 1000."""

    name: ClassVar[str] = "iNumRelRet"
    definition: ClassVar[str] = "iNumRelRet = Σ_c u_c (rel_c + ε)/(smp_c + 3ε), over the list"

    def score_block(self, block: Block) -> Floats:
        """Return the estimated number."""
        return _last(self.lists(block).found)

    def influence_block(self, block: Block) -> Influence:
        """Return how far each document is from the mean of its stratum in the list."""
        return _of_count(self.lists(block), 1.0)


class InferredRelevant(Inferred):
    """The estimated number of relevant documents that there are."""

    name: ClassVar[str] = "iNumRel"
    definition: ClassVar[str] = "iNumRel = Σ_c r_c N_c/n_c"

    def score_block(self, block: Block) -> Floats:
        """Return the estimated number, the same for every run."""
        relevant = self.estimated_relevant(self.lists(block))
        return np.broadcast_to(relevant, block.shape).copy()

    def influence_block(self, block: Block) -> Influence:
        """Return 1 for each relevant document: the estimate is the sum of these over π."""
        lists, grades = self.lists(block), self.relevant_grades(block)
        lacking = np.broadcast_to(grades, (*block.shape, len(grades)))
        return Influence(lists, lists.relevant.astype(np.float64), lacking)


class InferredInterpolated(Inferred):
    """Inferred interpolated precision: the highest estimated precision from a level of recall on.

    As NIST's script has it: the levels are tenths, the rank just above a level counts for it, and
    a rank that passes several levels at once counts for the highest of them.
    """

    name: ClassVar[str] = "iIPrec"
    at: ClassVar[str] = "recall"
    definition: ClassVar[str] = "iIPrec@r = max_{i ≥ k} found_i/i, found_k the last below r R"
    undefined: ClassVar[str] = InferredAPByStrata.undefined

    recall: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        tenth = self.recall * _RECALL_LEVELS
        whole = 0 <= self.recall <= 1 and abs(tenth - round(tenth)) < 1e-9
        require(whole, self.name, "recall is a tenth from 0 to 1", self.recall)

    def score_block(self, block: Block) -> Floats:
        """Return the interpolated precision at the level of recall."""
        lists = self.lists(block)
        R = self.estimated_relevant(lists)
        ranks = np.arange(1, lists.block.depth + 1)
        inside = ranks <= lists.block.lengths[:, :, None]
        precision = np.where(inside, lists.found / ranks, 0.0)
        from_here = np.maximum.accumulate(precision[:, :, ::-1], axis=2)[:, :, ::-1]
        place = self._ranks(np.where(inside, lists.found, np.inf), _last(lists.found), R)
        highest = np.take_along_axis(from_here, np.maximum(place, 1)[:, :, None] - 1, axis=2)
        reached = (place >= 0) & (block.lengths > 0)
        return np.where(R > 0, np.where(reached, highest[:, :, 0], 0.0), np.nan)

    def influence_block(self, block: Block) -> None:  # noqa: ARG002
        """Return nothing: how far another sample moves a maximum is not worked out."""
        return

    def _ranks(self, hits: Floats, retrieved: Floats, R: Floats) -> Integers:
        """Return the rank from which on a precision counts; −1 where recall is never so high.

        From the highest level downwards, each passed at a rank of its own.
        """
        place = np.full(retrieved.shape, hits.shape[2] + 1)
        ranks = np.arange(1, hits.shape[2] + 1)
        for tenth in range(_RECALL_LEVELS, round(self.recall * _RECALL_LEVELS) - 1, -1):
            level = (tenth / _RECALL_LEVELS * R)[:, None]
            below = (hits < level) & (ranks < place[:, :, None])
            last = np.where(below, ranks, 0).max(axis=2, initial=0)
            reached = level[:, 0] <= retrieved
            place = np.where(reached, last, place)
        return np.where(reached, place, -1)


def _of_count(lists: InferredLists, k: float) -> Influence:
    """Return what each document adds to the number of relevant ones in a list, over k."""
    cells = lists.expanded(lists.relevant.astype(np.float64))[1]
    return Influence(lists, cells / k, np.zeros((*lists.block.shape, len(lists.block.scale))))


def _last(hits: Floats) -> Floats:
    """Return what was found down to the end; past the end of a list nothing is added."""
    return hits[:, :, -1] if hits.shape[2] else np.zeros(hits.shape[:2])
