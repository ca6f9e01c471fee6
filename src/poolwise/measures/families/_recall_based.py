"""Measures that divide by what the judgments hold: precision and recall over the relevant."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers, rank_sums
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.measures import bounds
from poolwise.measures._measure import (
    Hits,
    Measure,
    Ranked,
    binary_gains,
    find_hits,
    first_code,
    ideal_gains,
    linear_gains,
    per_relevant,
    require,
)
from poolwise.measures._ranges import Bounds, DifferenceBounds, RangeKind, naive_bounds
from poolwise.measures.bounds._exact import NormalizedForm, gain_levels, r_precision_depth
from poolwise.measures.bounds.kernels._native import (
    average_precision_bounds,
    q_bounds,
    r_precision_bounds,
)
from poolwise.measures.families._normalized import Normalized

__all__ = [
    "NO_RELEVANT",
    "AbbreviatedAP",
    "AveragePrecision",
    "ElevenPointAverage",
    "InterpolatedPrecision",
    "NormalizedCount",
    "QMeasure",
    "RPrecision",
    "RankedRecallBased",
    "Recall",
    "RecallBased",
    "RelativePrecision",
    "SumOfPrecisions",
    "capped",
    "precision_sums",
]

NO_RELEVANT = "no judged document of the topic is relevant"


class RecallBased(Measure):
    """A measure with the number of relevant documents, R, as its divisor or its yardstick."""

    undefined: ClassVar[str] = NO_RELEVANT
    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score. A document that turns out relevant also "
        "raises R, so bounds take R along, and reckon with the documents of the universe that the "
        "run lacks; naive bounds keep the pool's R (B23 §3.3)."
    )
    range_kind: ClassVar[RangeKind] = "exact"
    has_ideal: ClassVar[bool] = True

    rel: float = 1

    def __post_init__(self) -> None:
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def hits(self, block: Block) -> Hits:
        """Return the relevant documents of each list, down to the cut-off."""
        return find_hits(self.cut(block), first_code(block, self.rel))

    def can_rise(self, scale: Floats) -> bool:
        """Return whether a document can be relevant."""
        return bool(scale[-1] >= self.rel)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1: these are shares of what there is to find."""
        return 1.0

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the naive bounds (B23 §3.3)."""
        return naive_bounds(self, block, level=self.rel)


class RankedRecallBased(Ranked, RecallBased):
    """The same, with a cut-off."""

    def __post_init__(self) -> None:
        Ranked.__post_init__(self)
        RecallBased.__post_init__(self)


class AveragePrecision(RankedRecallBased):
    """Average precision: the mean over all relevant documents of the precision at their rank.

    A relevant document that was not retrieved down to the cut-off counts 0; R is not cut.
    """

    name: ClassVar[str] = "AP"
    definition: ClassVar[str] = "AP@k = (1/R) Σ_{i≤k} r_i P@i"
    citation: ClassVar[str] = "W10 eq. 3.5"
    abbreviated: ClassVar[bool] = False
    """Whether the divisor stops at the cut-off."""

    def score_block(self, block: Block) -> Floats:
        """Return the sum of precisions over R."""
        return per_relevant(precision_sums(self.hits(block)), self.divisor(block))

    def divisor(self, block: Block) -> Integers:
        """Return what the sum of precisions is divided by, per topic."""
        return block.relevant(self.rel)

    @property
    def cap(self) -> float:
        """Where the divisor stops."""
        return self.cutoff if self.abbreviated and self.cutoff else np.inf

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return the exact range, R taken along."""
        seen = self.cut(block)
        return average_precision_bounds(seen, level=self.rel, cap=self.cap, unlisted=unlisted)

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range for a cut-off that is not too deep, else a valid one."""
        # The exact search takes the cube of the shared documents: whole lists would take minutes.
        exact = bounds.exact_at(self.cutoff)
        difference = (
            bounds.precision_sums_over_relevant if exact else bounds.average_precision_difference
        )
        limits = difference(self.cut(block), pairs, level=self.rel, unlisted=unlisted, cap=self.cap)
        return DifferenceBounds("exact" if exact else "valid", *limits)


class AbbreviatedAP(AveragePrecision):
    """Average precision with abbreviated normalization: the divisor is min(k, R).

    A perfect top k then scores 1, also where more than k documents are relevant.
    """

    name: ClassVar[str] = "aAP"
    definition: ClassVar[str] = "aAP@k = (1/min(k, R)) Σ_{i≤k} r_i P@i"
    citation: ClassVar[str] = "D10 eq. 4"
    abbreviated: ClassVar[bool] = True

    def divisor(self, block: Block) -> Integers:
        """Return min(k, R)."""
        return capped(super().divisor(block), self.cutoff)


class SumOfPrecisions(RankedRecallBased):
    """Sum of precisions: average precision before it is divided by R.

    It grows with every relevant document, so its bounds are exact: none of the unjudged documents
    relevant, and all of them.
    """

    name: ClassVar[str] = "SP"
    definition: ClassVar[str] = "SP@k = Σ_{i≤k} r_i P@i"
    citation: ClassVar[str] = "W10 eq. 3.13"
    undefined: ClassVar[str] = ""
    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score and the lower bound, and all relevant in "
        "the upper bound."
    )
    has_ideal: ClassVar[bool] = False

    def score_block(self, block: Block) -> Floats:
        """Return the sum of the precisions at the relevant ranks."""
        return precision_sums(self.hits(block))

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return k: each of the first k ranks adds at most 1."""
        return np.inf if self.cutoff is None else float(self.cutoff)

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:  # noqa: ARG002
        """Return the sum with none and with all of the unjudged documents relevant."""
        seen = self.cut(block)
        gains = (seen.scale >= self.rel).astype(np.float64)
        full = seen.lookup(gains, unjudged=1.0)
        ranks = np.arange(1, seen.depth + 1)
        upper = rank_sums(full * np.cumsum(full, axis=2) / ranks)
        return Bounds(self.score_block(block), upper)

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range for a cut-off that is not too deep, else a valid one."""
        if not bounds.exact_at(self.cutoff):
            return super().difference_bounds_block(block, pairs, unlisted)
        limits = bounds.precision_sum_difference(self.cut(block), pairs, level=self.rel)
        return DifferenceBounds("exact", *limits)

    def naive_bounds_block(self, block: Block) -> Bounds:
        """Return the bounds: there is no ideal to keep."""
        return self.bounds_block(block, np.zeros(block.shape))


class NormalizedCount(Normalized, RankedRecallBased):
    """A number of relevant documents, over the number that the best ranking would hold."""


class Recall(NormalizedCount):
    """Recall: the share of the relevant documents that the first k ranks hold."""

    name: ClassVar[str] = "R"
    definition: ClassVar[str] = "R@k = (1/R) Σ_{i≤k} r_i"
    citation: ClassVar[str] = "W10 eq. 3.4"

    def score_block(self, block: Block) -> Floats:
        """Return the relevant retrieved over R."""
        hits = self.hits(block)
        return per_relevant(hits.counts.reshape(hits.shape), block.relevant(self.rel))

    def normalized_form(self, scale: Floats) -> NormalizedForm:
        """Return all weights 1, cut off in the run and not in the ideal."""
        return NormalizedForm(binary_gains(scale, self.rel), 1.0, _ones_to(self.cutoff), np.ones)


class RelativePrecision(NormalizedCount):
    """Relative precision: precision over the best that R allows; also nP, normalized precision."""

    name: ClassVar[str] = "nP"
    definition: ClassVar[str] = "nP@k = Σ_{i≤k} r_i / min(k, R)"
    citation: ClassVar[str] = "D10 §3.1; trec_eval's relative_P"
    needs_cutoff: ClassVar[bool] = True

    def score_block(self, block: Block) -> Floats:
        """Return the relevant retrieved over min(k, R)."""
        hits = self.hits(block)
        best = capped(block.relevant(self.rel), self.cutoff)
        return per_relevant(hits.counts.reshape(hits.shape), best)

    def normalized_form(self, scale: Floats) -> NormalizedForm:
        """Return all weights 1, cut off in the run and in the ideal."""
        weights = _ones_to(self.cutoff)
        k = float(self.cutoff or 0)
        return NormalizedForm(binary_gains(scale, self.rel), 1.0, weights, weights, total=k)


class RPrecision(RecallBased):
    """R-precision: precision at rank R, or at a multiple of R (``mult``)."""

    name: ClassVar[str] = "Rprec"
    definition: ClassVar[str] = "Rprec = (1/R) Σ_{i≤R} r_i"
    citation: ClassVar[str] = "W10 eq. 3.6"

    mult: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.mult > 0, self.name, "mult is above 0", self.mult)

    def depths(self, block: Block) -> Floats:
        """Return the depth of each topic: R times the multiple."""
        return r_precision_depth(block.relevant(self.rel), self.mult)

    def score_block(self, block: Block) -> Floats:
        """Return the precision at that depth."""
        hits, depths = self.hits(block), self.depths(block)
        inside = (hits.ranks <= depths[hits.topics]).astype(np.float64)
        return per_relevant(hits.total(inside), depths)

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return the exact range, R taken along."""
        return r_precision_bounds(block, level=self.rel, multiple=self.mult, unlisted=unlisted)

    def difference_bounds_block(
        self, block: DocumentBlock, pairs: Pairs, unlisted: Floats
    ) -> DifferenceBounds:
        """Return the exact range: both runs are cut at the same R."""
        limits = bounds.r_precision_difference(
            block, pairs, level=self.rel, multiple=self.mult, unlisted=unlisted
        )
        return DifferenceBounds("exact", *limits)


def precision_sums(hits: Hits) -> Floats:
    """Return the sum over each list of the precision at its relevant ranks."""
    return hits.total(hits.nth / hits.ranks)


def capped(relevant: Integers, cutoff: int | None) -> Integers:
    """Return min(k, R)."""
    return relevant if cutoff is None else np.minimum(relevant, cutoff)


def _ones_to(cutoff: int | None) -> Callable[[int], Floats]:
    """Return weights of 1 down to the cut-off."""
    return lambda depth: (np.arange(depth) < (cutoff or depth)).astype(np.float64)


class QMeasure(RankedRecallBased):
    """Q-measure: average precision for graded relevance.

    The precision at each relevant rank becomes a blend of precision and cumulative gain over
    ideal cumulative gain; ``beta`` is the weight of the gain (0 gives AP). With a cut-off the
    divisor is min(k, R).
    """

    name: ClassVar[str] = "Q"
    definition: ClassVar[str] = (
        "Q@k = (1/min(k, R)) Σ_{i≤k} r_i (Σ_{j≤i} r_j + β Σ_{j≤i} g_j) / (i + β Σ_{j≤i} g*_j)"
    )
    citation: ClassVar[str] = "Sakai 2004; Sakai 2007"
    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score. The bounds hold for every grade of "
        "them, with R and the ideal taken along; they are exact where there is one relevant grade, "
        "and else need not be the narrowest. Naive bounds keep the pool's ideal (B23 §3.3)."
    )

    beta: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.beta >= 0, self.name, "beta is 0 or more", self.beta)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the grades, 0 below the relevance level."""
        return np.where(scale >= self.rel, linear_gains(scale), 0.0)

    def score_block(self, block: Block) -> Floats:
        """Return the mean blended ratio."""
        hits = self.hits(block)
        ideal = self._ideal(block)[hits.topics, hits.ranks]
        ratios = self._blend(hits.nth, self._gained(hits, block), hits.ranks, ideal)
        return per_relevant(hits.total(ratios), capped(block.relevant(self.rel), self.cutoff))

    def kind_of_range(self, scale: Floats) -> RangeKind:
        """Return exact where there is one relevant grade, else valid."""
        return "exact" if len(gain_levels(self.gain_table(scale))) < 2 else "valid"

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:
        """Return a range that no grading leaves; with one relevant grade, the exact one."""
        return q_bounds(
            self.cut(block),
            gains=self.gain_table(block.scale),
            beta=self.beta,
            cutoff=self.cutoff,
            unlisted=unlisted,
        )

    def _blend(
        self,
        relevant: Integers,
        gained: Floats,
        ranks: Integers,
        ideal: Floats,
    ) -> Floats:
        return (relevant + self.beta * gained) / (ranks + self.beta * ideal)

    def _ideal(self, block: Block) -> Floats:
        """Return the ideal cumulative gain of each topic at each rank, from rank 0."""
        depth = self.cut(block).depth
        gains = ideal_gains(block.pool, self.gain_table(block.scale), depth)
        return np.pad(gains.cumsum(axis=1), ((0, 0), (1, 0)))

    def _gained(self, hits: Hits, block: Block) -> Floats:
        """Return the gain of each list down to each hit: so many steps of each grade."""
        steps = np.diff(self.gain_table(block.scale), prepend=0.0)
        start = np.arange(len(hits.lists)) - hits.nth + 1
        gained = np.zeros(len(hits.lists))
        for code in np.flatnonzero(steps).tolist():
            reached = np.concatenate([[0], np.cumsum(hits.codes >= code)])
            gained += steps[code] * (reached[1:] - reached[start])
        return gained


ELEVEN_POINTS = tuple(i / 10 for i in range(11))


class Interpolated(RecallBased):
    """Precision at or past the rank that reaches a level of recall, the best there is.

    The level is turned into a number of relevant documents as trec_eval 9 does it
    (``version=9``: x·R + 0.9, cut) or as trec_eval 10 does (``version=10``: x·R, rounded).
    """

    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score. No range is given: how far their "
        "grades could move it is not worked out."
    )
    range_kind: ClassVar[RangeKind] = "none"
    no_range: ClassVar[str] = "how far grades could move it is not worked out"

    version: int = 9

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.version in {9, 10}, self.name, "version is 9 or 10", self.version)

    def at_recall(self, block: Block, levels: tuple[float, ...]) -> Floats:
        """Return systems × topics × levels."""
        R = block.relevant(self.rel)
        best = self._best_precisions(block)
        needed = np.maximum(self.needed(np.multiply.outer(R, levels)), 1)
        inside = np.minimum(needed, best.shape[2] - 1)
        precision = np.take_along_axis(best, np.broadcast_to(inside, (len(best), *inside.shape)), 2)
        reached = (needed < best.shape[2]) & (R > 0)[:, None]
        undefined = np.where(R > 0, 0.0, np.nan)[:, None]
        return np.where(reached, precision, undefined)

    def needed(self, recalled: Floats) -> Integers:
        """Return how many relevant documents a level of recall takes."""
        up = np.floor(recalled + 0.5) if self.version == 10 else recalled + 0.9
        return up.astype(np.int64)

    def _best_precisions(self, block: Block) -> Floats:
        """Return, for n from 0, the best precision from the n-th relevant document on."""
        hits = self.hits(block)
        nth = hits.nth
        best = np.zeros((hits.shape[0] * hits.shape[1], int(nth.max(initial=0)) + 2))
        best[hits.lists, nth] = nth / hits.ranks
        best = np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
        return best.reshape(*hits.shape, -1)


class InterpolatedPrecision(Interpolated):
    """Interpolated precision: the best precision at or past a level of recall."""

    name: ClassVar[str] = "IPrec"
    at: ClassVar[str] = "recall"
    definition: ClassVar[str] = "IPrec@x = max{P@i : R@i ≥ x}"
    citation: ClassVar[str] = "W10 fig. 3.3; trec_eval"

    recall: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        fits = self.recall is None or 0 <= self.recall <= 1
        require(fits, self.name, "a level of recall lies from 0 to 1", self.recall)

    def check_complete(self) -> None:
        """Raise if there is no level of recall."""
        require(
            self.recall is not None,
            self.name,
            "it needs a level of recall",
            remedy=f"write {self!r}@0.1, or another level",
        )

    def score_block(self, block: Block) -> Floats:
        """Return the interpolated precision."""
        self.check_complete()
        return self.at_recall(block, (float(self.recall or 0),))[:, :, 0]


class ElevenPointAverage(Interpolated):
    """Eleven-point average: interpolated precision, averaged over recall 0, 0.1, … 1."""

    name: ClassVar[str] = "AvgIPrec"
    definition: ClassVar[str] = "AvgIPrec = (1/11) Σ_{x = 0, 0.1, …, 1} IPrec@x"
    citation: ClassVar[str] = "W10 §3.2.2; trec_eval's 11pt_avg"

    def score_block(self, block: Block) -> Floats:
        """Return the mean over the eleven points."""
        return self.at_recall(block, ELEVEN_POINTS).mean(axis=2)
