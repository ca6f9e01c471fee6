"""How many relevant documents the first ranks hold: as a number, and against k and R together."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence._grades import Block
from poolwise.measures._measure import binary_gains, per_relevant
from poolwise.measures.bounds._exact import NormalizedForm
from poolwise.measures.families._recall_based import NormalizedCount
from poolwise.measures.families._static_weights import StaticWeights, check_gain

__all__ = ["F1AtCutoff", "HitCount"]


class HitCount(StaticWeights):
    """Hits: the number of relevant documents in the first k ranks; k times P@k.

    Link prediction calls Hits@k what is Success@k here: whether there is any at all.
    """

    name: ClassVar[str] = "Hits"
    definition: ClassVar[str] = "Hits@k = Σ_{i≤k} r_i"
    citation: ClassVar[str] = "ranx's hits"

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain(self.name, "binary", self.rel)

    def rank_weights(self, depth: int) -> Floats:
        """Return 1 for every rank."""
        return np.ones(depth)

    def gain_table(self, scale: Floats) -> Floats:
        """Return 1 from the relevance level up."""
        return binary_gains(scale, self.rel)


class F1AtCutoff(NormalizedCount):
    """F1 at a cut-off: the harmonic mean of precision and recall at rank k.

    A list shorter than k is not helped by it: precision divides by k, as P@k does. SetF looks at
    whole lists, whatever their length is.
    """

    name: ClassVar[str] = "F1"
    definition: ClassVar[str] = "F1@k = 2 P@k R@k / (P@k + R@k) = 2 Σ_{i≤k} r_i / (k + R)"
    citation: ClassVar[str] = "van Rijsbergen 1979; ranx's f1"
    needs_cutoff: ClassVar[bool] = True

    def score_block(self, block: Block) -> Floats:
        """Return twice the relevant retrieved over k + R."""
        hits, R = self.hits(block), block.relevant(self.rel)
        both = np.where(R > 0, R + int(self.cutoff or 0), 0)
        return per_relevant(2 * hits.counts.reshape(hits.shape), both)

    def normalized_form(self, scale: Floats) -> NormalizedForm:
        """Return weights of 2 down to the cut-off; in the ideal, the first one brings k along."""
        gains = binary_gains(scale, self.rel)
        return NormalizedForm(gains, 1.0, self._weights, self._ideal_weights)

    def _weights(self, depth: int) -> Floats:
        return np.where(np.arange(depth) < int(self.cutoff or 0), 2.0, 0.0)

    def _ideal_weights(self, depth: int) -> Floats:
        weights = np.ones(depth)
        weights[:1] += int(self.cutoff or 0)
        return weights
