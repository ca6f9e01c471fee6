"""How close a list is to the ideal order: to the ideal ranking most like it, and pair by pair."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._grades import Block
from poolwise.measures._measure import Hits, Measure, Ranked, find_hits, first_code, require
from poolwise.measures.families._recall_based import NO_RELEVANT
from poolwise.measures.families._static_weights import check_persistence

__all__ = ["Compatibility", "PairAccuracy"]


class Compatibility(Measure):
    """Compatibility: rank-biased overlap with the ideal ranking, over the most that it can be.

    The ideal ranking holds the documents of a grade above 0, best grade first; within a grade,
    first those that the run has, in its order. Both are compared down to the length of the longer
    one. ir_measures' Compat(normalize=False) is not offered.
    """

    name: ClassVar[str] = "Compat"
    definition: ClassVar[str] = (
        "Compat = Σ_d p^(d−1) |first d ∩ ideal first d|/d over Σ_d p^(d−1) min(d, R)/d"
    )
    citation: ClassVar[str] = "Clarke, Vtyurina and Smucker 2021; as in ir_measures"
    undefined: ClassVar[str] = NO_RELEVANT
    unknowns: ClassVar[str] = (
        "Unjudged documents are not in the ideal ranking. No range is given: a grade moves the "
        "places of other documents in the ideal ranking, and how far that could move the score is "
        "not worked out."
    )
    no_range: ClassVar[str] = "how far grades could move it is not worked out"
    shown: ClassVar[tuple[str, ...]] = ("p",)

    p: float = 0.95

    def __post_init__(self) -> None:
        check_persistence(self.name, self.p)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1, the score of an ideal ranking."""
        return 1.0

    def score_block(self, block: Block) -> Floats:
        """Return the overlap, each document counted from where both rankings hold it."""
        positive = int(np.searchsorted(block.scale, 0.0, side="right"))
        hits, R = find_hits(block, positive), block.pool[:, positive:].sum(axis=1)
        depths = np.maximum(block.lengths, R)
        sums = self._sums(int(depths.max(initial=0)))
        both = np.maximum(hits.ranks, _ideal_ranks(block, hits))
        overlap = hits.total(sums[depths.reshape(-1)[hits.lists]] - sums[both - 1])
        return np.asarray(overlap / self._most(depths, R))

    def _sums(self, depth: int) -> Floats:
        """Return Σ p^(d−1)/d over the first d, from none of them on."""
        ranks = np.arange(1, depth + 1, dtype=np.float64)
        return np.concatenate([[0.0], np.cumsum(self.p ** (ranks - 1) / ranks)])

    def _most(self, depths: Integers, R: Integers) -> Floats:
        """Return the overlap of the ideal ranking with itself; NaN where there is none."""
        sums = self._sums(int(depths.max(initial=0)))
        within = (1 - self.p**R) / (1 - self.p)
        most = within + R * (sums[depths] - sums[R])
        return np.where(R > 0, most, np.nan)


def _ideal_ranks(block: Block, hits: Hits) -> Integers:
    """Return the rank of each document found in the ideal ranking most like its list."""
    above = block.pool.sum(axis=1, keepdims=True) - block.pool.cumsum(axis=1)
    ranks = above[hits.topics, hits.codes]
    for code in np.unique(hits.codes).tolist():
        at = np.flatnonzero(hits.codes == code)
        _, first = np.unique(hits.lists[at], return_index=True)
        counts = np.diff(np.append(first, len(at)))
        ranks[at] += np.arange(1, len(at) + 1) - np.repeat(first, counts)
    return ranks


class PairAccuracy(Ranked):
    """Accuracy: the chance that a relevant document of the list stands above one that is not.

    It is the area under the ROC curve of the list. Relevant documents that were not retrieved have
    no part in it, so it serves to watch the training of a ranker, not to compare systems.
    """

    name: ClassVar[str] = "Accuracy"
    definition: ClassVar[str] = (
        "Accuracy@k = 1 − Σ_{relevant in the first k} others above it / (relevant × others there)"
    )
    citation: ClassVar[str] = "ir_measures' Accuracy; Bamber 1975"
    undefined: ClassVar[str] = "the list holds no relevant document, or nothing else"
    unknowns: ClassVar[str] = (
        "Unjudged documents are not relevant in the score. No range is given: it is a share of the "
        "pairs of the list, and grades change which pairs there are."
    )
    no_range: ClassVar[str] = "grades change which pairs of documents it is a share of"
    own_topics: ClassVar[bool] = True

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1, all pairs in order."""
        return 1.0

    def score_block(self, block: Block) -> Floats:
        """Return the share of pairs in order."""
        seen = self.cut(block)
        hits = find_hits(seen, first_code(seen, self.rel))
        relevant = hits.counts.reshape(hits.shape)
        pairs = relevant * (seen.lengths - relevant)
        wrong = hits.total((hits.ranks - hits.nth).astype(np.float64))
        return np.asarray(1 - wrong / np.where(pairs > 0, pairs, np.nan))
