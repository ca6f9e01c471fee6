"""Interpolated precision at levels of recall."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.grades import Block
from poolwise.measures.families.recall_based import RecallBased
from poolwise.measures.measure import RangeKind, require

__all__ = ["ElevenPointAverage", "InterpolatedPrecision"]

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
        found = np.take_along_axis(best, np.broadcast_to(inside, (len(best), *inside.shape)), 2)
        reached = (needed < best.shape[2]) & (R > 0)[:, None]
        undefined = np.where(R > 0, 0.0, np.nan)[:, None]
        return np.where(reached, found, undefined)

    def needed(self, recalled: Floats) -> Integers:
        """Return how many relevant documents a level of recall takes."""
        up = np.floor(recalled + 0.5) if self.version == 10 else recalled + 0.9
        return up.astype(np.int64)

    def _best_precisions(self, block: Block) -> Floats:
        """Return, for n from 0, the best precision from the n-th relevant document on."""
        found = self.found(block)
        nth = found.nth
        best = np.zeros((found.shape[0] * found.shape[1], int(nth.max(initial=0)) + 2))
        best[found.lists, nth] = nth / found.ranks
        best = np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
        return best.reshape(*found.shape, -1)


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
