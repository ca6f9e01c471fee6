"""Readers who stop once they have found something: nearly ERR, and the Bejeweled player."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, rank_sums
from poolwise.evidence._grades import BEYOND, Block
from poolwise.measures._measure import Ranked, linear_gains, require
from poolwise.measures._ranges import Bounds, RangeKind
from poolwise.measures.families._adaptive_weights import (
    AdaptiveWeights,
    check_highest,
    highest_grade,
)
from poolwise.measures.families._goal_based import inverse_square_sum
from poolwise.measures.families._static_weights import check_persistence

__all__ = [
    "BejeweledPlayer",
    "NearlyERR",
    "NearlyERRByGoal",
    "NearlyERRByPersistence",
    "NearlyERRByRank",
]

_ROUNDING = 1e-12
"""Gains that fall short of a goal by less have reached it: three thirds are one."""


class NearlyERR(AdaptiveWeights):
    """Nearly ERR: the mean gain of the documents read by one who stops at each as its gain says.

    The reader goes on from rank i with chance 1 − g_i, where g is the grade over the highest
    (``max_rel``), and no further than rank k. It never falls when a gain rises: what is found later
    on adds up to at most 1, and fewer documents are read.
    """

    name: ClassVar[str] = "NERR8"
    definition: ClassVar[str] = "NERR8@k = Σ_{i≤k} g_i v_i / Σ_{i≤k} v_i,  v_(i+1) = v_i (1 − g_i)"
    citation: ClassVar[str] = "Azzopardi, Mackenzie and Moffat 2021, eq. 8"
    needs_cutoff: ClassVar[bool] = True

    max_rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_highest(self.name, self.max_rel)

    def gain_table(self, scale: Floats) -> Floats:
        """Return the grades over the highest there can be."""
        return linear_gains(scale) / highest_grade(self, self.max_rel, scale)

    def patience(self, ranks: Integers) -> Floats:
        """Return the chance to go on from each rank where nothing was found there."""
        return np.ones(ranks.shape)

    def views_past(self, lengths: Integers) -> Floats:
        """Return how many documents past the end one would read who is about to: without gain."""
        return (int(self.cutoff or 0) - lengths).astype(np.float64)

    def score_gains(self, block: Block, *, unjudged: bool) -> Floats:
        """Return the mean gain of the documents read."""
        gained, read, last = self._reading(block, unjudged=unjudged)
        return gained / (read + last * self.views_past(block.lengths))

    def _reading(self, block: Block, *, unjudged: bool) -> tuple[Floats, Floats, Floats]:
        """Return gain found in the list, documents read there, and the chance to read past it."""
        table = self.gain_table(block.scale)
        gains = block.lookup(table, unjudged=float(table[-1]) if unjudged else 0.0)
        viewed = np.ones((*block.shape, block.depth + 1))
        on = self.patience(np.arange(1, block.depth + 1)) * (1 - gains)
        np.cumprod(on, axis=2, out=viewed[:, :, 1:])
        last = np.take_along_axis(viewed, block.lengths[:, :, None], axis=2)[:, :, 0]
        here = viewed[:, :, :-1] * (block.codes != BEYOND)
        return rank_sums(here * gains), rank_sums(here), last


class NearlyERRByRank(NearlyERR):
    """Nearly ERR of a reader who also tires with the rank, as 1/i falls.

    The reader goes on from rank i with chance (1 − g_i) i/(i + 1), and no further than rank k.
    """

    name: ClassVar[str] = "NERR9"
    definition: ClassVar[str] = (
        "NERR9@k = Σ_{i≤k} g_i v_i / Σ_{i≤k} v_i,  v_(i+1) = v_i (1 − g_i) i/(i + 1)"
    )
    citation: ClassVar[str] = "Azzopardi, Mackenzie and Moffat 2021, eq. 9"

    def patience(self, ranks: Integers) -> Floats:
        """Return i/(i + 1)."""
        return np.asarray(ranks / (ranks + 1))

    def views_past(self, lengths: Integers) -> Floats:
        """Return Σ (n + 1)/i over the ranks i from n + 1 to k, where n is the length."""
        k = int(self.cutoff or 0)
        sums = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, k + 1))])
        return np.asarray((lengths + 1) * (sums[k] - sums[lengths]))


class _Endless(NearlyERR):
    """Nearly ERR without a last rank, so that there is a tail: what is past the end of a list."""

    needs_cutoff: ClassVar[bool] = False

    def tail_block(self, block: Block) -> Floats:
        """Return what a document of the highest grade past the end of the list adds at most."""
        if self.cutoff is not None:
            return np.zeros(block.shape)
        gained, read, last = self._reading(block, unjudged=True)
        beyond = (gained + last) / (read + last)
        return np.where(block.lengths > 0, beyond - self.score_gains(block, unjudged=True), 0.0)


class NearlyERRByPersistence(_Endless):
    """Nearly ERR of a reader who goes on with probability p where nothing was found, as in RBP.

    Without a cut-off it looks at all ranks: past the end of a list there is no gain in the score
    and its range, and full gain in the tail.
    """

    name: ClassVar[str] = "NERR10"
    definition: ClassVar[str] = "NERR10 = Σ_i g_i v_i / Σ_i v_i,  v_(i+1) = v_i p (1 − g_i)"
    citation: ClassVar[str] = "Azzopardi, Mackenzie and Moffat 2021, eq. 10"
    shown: ClassVar[tuple[str, ...]] = ("p",)

    p: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check_persistence(self.name, self.p)

    def patience(self, ranks: Integers) -> Floats:
        """Return p."""
        return np.full(ranks.shape, self.p)

    def views_past(self, lengths: Integers) -> Floats:
        """Return 1/(1 − p), a geometric sum."""
        return np.full(lengths.shape, 1 / (1 - self.p))


class NearlyERRByGoal(_Endless):
    """Nearly ERR of a reader who tires as in INSQ, the slower the larger T is.

    Without a cut-off it looks at all ranks: past the end of a list there is no gain in the score
    and its range, and full gain in the tail.
    """

    name: ClassVar[str] = "NERR11"
    definition: ClassVar[str] = (
        "NERR11 = Σ_i g_i v_i / Σ_i v_i,  v_(i+1) = v_i (1 − g_i) ((i + 2T − 1)/(i + 2T))²"
    )
    citation: ClassVar[str] = "Azzopardi, Mackenzie and Moffat 2021, eq. 11"
    shown: ClassVar[tuple[str, ...]] = ("T",)

    T: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.T >= 0.5, self.name, "T is a gain to look for, 0.5 or more", self.T)

    def patience(self, ranks: Integers) -> Floats:
        """Return ((i + 2T − 1)/(i + 2T))²."""
        return np.asarray((1 - 1 / (ranks + 2 * self.T)) ** 2)

    def views_past(self, lengths: Integers) -> Floats:
        """Return Σ_{m≥0} (a/(a + m))², the views to come from rank n + 1, a = n + 2T."""
        ahead = lengths.astype(np.float64) + 2 * self.T
        return ahead**2 * inverse_square_sum(ahead)


class BejeweledPlayer(Ranked):
    """Bejeweled player model: the mean gain of the documents read until T is found, or k are read.

    A gain is the grade over the highest (``max_rel``). A higher grade can end the reading sooner
    and lower the mean, so the range is valid and not always exact.
    """

    name: ClassVar[str] = "BPM"
    definition: ClassVar[str] = (
        "BPM@k = (1/s) Σ_{i≤s} g_i,  s = min{k, first i with Σ_{j≤i} g_j ≥ T}"
    )
    citation: ClassVar[str] = "Zhang et al. 2017, the static model, as in cwl_eval"
    unknowns: ClassVar[str] = (
        "Unjudged documents have no gain in the score. The bounds ask of every rank whether the "
        "reading can end there, and how much can have been found by then; no assignment of grades "
        "leaves them."
    )
    range_kind: ClassVar[RangeKind] = "valid"
    shown: ClassVar[tuple[str, ...]] = ("T",)
    needs_cutoff: ClassVar[bool] = True

    T: float = 1
    max_rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.T > 0, self.name, "T is a gain to look for, above 0", self.T)
        check_highest(self.name, self.max_rel)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1: it is a mean of gains."""
        return 1.0

    def score_block(self, block: Block) -> Floats:
        """Return the mean gain down to where the reading ends."""
        gains = self._gains(block, unjudged=False)
        gained = np.cumsum(gains, axis=2)
        end = self._ends(gained).argmax(axis=2)[:, :, None]
        return np.take_along_axis(gained, end, axis=2)[:, :, 0] / (end[:, :, 0] + 1)

    def bounds_block(self, block: Block, unlisted: Floats) -> Bounds:  # noqa: ARG002
        """Return the least and the most gain per document, over the ranks to end at."""
        gains = self._gains(block, unjudged=True)
        least = np.cumsum(self._gains(block, unjudged=False), axis=2)
        most = np.cumsum(gains, axis=2)
        reached = np.zeros_like(least)
        reached[:, :, 1:] = least[:, :, :-1]
        possible = self._ends(most) & (reached < self.T - _ROUNDING)
        # Ending above rank k means that T was found there, and not one rank higher up.
        short, enough = self._around_goal(block.scale)
        goal = np.where(np.arange(least.shape[2]) < least.shape[2] - 1, enough, 0.0)
        ranks = np.arange(1, least.shape[2] + 1)
        low = np.maximum(least, goal) / ranks
        high = np.minimum(most, short + gains) / ranks
        return Bounds(
            np.where(possible, low, np.inf).min(axis=2), np.where(possible, high, 0.0).max(axis=2)
        )

    def _around_goal(self, scale: Floats) -> tuple[float, float]:
        """Return the most that falls short of T, and the least that reaches it."""
        highest = highest_grade(self, self.max_rel, scale)
        if not (scale == np.round(scale)).all():
            return self.T, self.T - _ROUNDING
        # Whole grades add up to whole numbers, so that no sum lies between two of them.
        steps = np.ceil(self.T * highest - _ROUNDING)
        return float(steps - 1) / highest, float(steps) / highest - _ROUNDING

    def _gains(self, block: Block, *, unjudged: bool) -> Floats:
        """Return the gain of each of the first k ranks, 0 past the end of a list."""
        seen, k = self.cut(block), int(self.cutoff or 0)
        table = linear_gains(seen.scale) / highest_grade(self, self.max_rel, seen.scale)
        gains = seen.lookup(table, unjudged=float(table[-1]) if unjudged else 0.0)
        return np.pad(gains, ((0, 0), (0, 0), (0, k - gains.shape[2])))

    def _ends(self, gained: Floats) -> Booleans:
        """Return at which ranks T has been found, or k documents read."""
        ends = gained >= self.T - _ROUNDING
        ends[:, :, -1] = True
        return ends
