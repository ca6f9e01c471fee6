"""Average precision for graded relevance."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.grades import Block
from poolwise.measures.bounds.kernels.list_kernels import q_bounds
from poolwise.measures.bounds.ratio_range import gain_levels
from poolwise.measures.families.recall_based import RankedRecallBased, capped
from poolwise.measures.gains import ideal_gains, linear_gains
from poolwise.measures.measure import Bounds, RangeKind, require
from poolwise.measures.relevant_ranks import Hits, per_relevant

__all__ = ["QMeasure"]


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
        found = self.found(block)
        ideal = self._ideal(block)[found.topics, found.ranks]
        ratios = self._blend(found.nth, self._gained(found, block), found.ranks, ideal)
        return per_relevant(found.total(ratios), capped(block.relevant(self.rel), self.cutoff))

    def kind_of_range(self, scale: Floats) -> RangeKind:
        """Return exact where there is one relevant grade, else valid."""
        return "exact" if len(gain_levels(self.gain_table(scale))) < 2 else "valid"

    def bounds_block(self, block: Block, outside: Floats) -> Bounds:
        """Return a range that no grading leaves; with one relevant grade, the exact one."""
        return q_bounds(
            self.cut(block),
            gains=self.gain_table(block.scale),
            beta=self.beta,
            cutoff=self.cutoff,
            outside=outside,
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

    def _gained(self, found: Hits, block: Block) -> Floats:
        """Return the gain of each list down to each hit: so many steps of each grade."""
        steps = np.diff(self.gain_table(block.scale), prepend=0.0)
        start = np.arange(len(found.lists)) - found.nth + 1
        gained = np.zeros(len(found.lists))
        for code in np.flatnonzero(steps).tolist():
            reached = np.concatenate([[0], np.cumsum(found.codes >= code)])
            gained += steps[code] * (reached[1:] - reached[start])
        return gained
