"""A measure as a user would write it: what it computes is P@2, so P@2 is its oracle."""

from typing import ClassVar

import numpy as np

import poolwise as pw
from poolwise.arrays import Floats
from poolwise.evidence import Block
from poolwise.measures import Ranked


class TopShare(Ranked):
    """Share of relevant documents in the first two ranks, or down to another cut-off."""

    name: ClassVar[str] = "TopShare"
    range_kind: ClassVar[str] = "exact"

    cutoff: int | None = 2

    def score_block(self, block: Block) -> Floats:
        """Count relevant documents, over the number of ranks."""
        top = self.cut(block)
        relevant = top.lookup((top.scale >= 1).astype(np.float64)) > 0
        return relevant.sum(axis=2) / (self.cutoff or 1)

    def bounds_block(self, block: Block, outside: Floats) -> pw.measures.Bounds:  # noqa: ARG002
        """Take every unjudged document as not relevant, and as relevant."""
        unknown = self.cut(block).ungraded.sum(axis=2)
        lower = self.score_block(block)
        return pw.measures.Bounds(lower, lower + unknown / (self.cutoff or 1))

    def maximum(self, scale: Floats) -> float:
        """Return the share where every rank holds a relevant document."""
        del scale
        return 1.0
