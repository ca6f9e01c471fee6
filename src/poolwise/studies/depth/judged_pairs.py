"""What judging two systems alone, to some depth, costs and tells (W10 §5.4)."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pairs import Pairs
from poolwise.measures._catalogue import SP
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["JudgedPairs", "judge_pairs"]


@finding
class JudgedPairs(Finding):
    """Pairs of systems, each judged and scored to one depth as if there were no others.

    Attributes
    ----------
    systems : tuple of str
    pairs : Pairs
        Which of the systems are compared, by position.
    depth : int
        Ranks of each system that are judged and scored.
    deltas : float array, pairs × topics
        Per-topic differences of AP.
    documents : float array, pairs
        Documents to judge per topic: those of either system down to the depth.

    Examples
    --------
    >>> from poolwise import align, simulate
    >>> made = simulate(systems=4, topics=10, depth=20, rng=3)
    >>> evidence = align(made.truth, made.runs)
    >>> found = judge_pairs(evidence, Pairs.of_two(evidence.systems, "bm25-1", "bm25-2"), depth=5)
    >>> found.deltas.shape, bool(5 <= found.documents[0] <= 10)
    ((1, 10), True)
    """

    systems: tuple[str, ...]
    pairs: Pairs
    depth: int
    deltas: Floats
    documents: Floats

    @cached_property
    def effect_sizes(self) -> Floats:
        """Mean over standard deviation of the differences (W10 fig. 5.11); NaN if none vary."""
        spread = self.deltas.std(axis=1, ddof=1)
        undefined = np.full(len(spread), np.nan)
        return np.divide(self.deltas.mean(axis=1), spread, out=undefined, where=spread > 0)

    def columns(self) -> Columns:
        """Return one row per pair."""
        return {
            "a": [self.systems[s] for s in self.pairs.left.tolist()],
            "b": [self.systems[s] for s in self.pairs.right.tolist()],
            "depth": [self.depth] * len(self.pairs),
            "documents": self.documents.tolist(),
            "effect_size": self.effect_sizes.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what judging a pair costs, and how clearly AP then separates its systems."""
        cost = (
            f"Judging two systems alone to depth {self.depth} takes {self.documents.mean():.1f} "
            f"documents per topic on average over {counted(len(self.pairs), 'pair')}."
        )
        known = np.abs(self.effect_sizes[~np.isnan(self.effect_sizes)])
        if not len(known):
            return cost, "No pair has an effect size, since no difference of AP varies by topic."
        return cost, (
            f"The median size of the effect, mean over standard deviation of the differences of "
            f"AP@{self.depth}, is {np.median(known):.3f}."
        )


def judge_pairs(evidence: Evidence, pairs: Pairs, *, depth: int, rel: float = 1.0) -> JudgedPairs:
    """Score pairs of systems by AP to a depth, with R from what the two retrieve down to it.

    An experiment that compares two systems need judge no more. Where neither retrieves a relevant
    document, both score 0. Unjudged documents count as not relevant, and as to be judged.

    Parameters
    ----------
    evidence
        Runs met with judgments that reach the depth.
    pairs
        Which systems to compare, as from ``baseline_pairs``.
    depth
        Ranks of each system that are judged and scored.
    rel
        Smallest grade of a relevant document.

    Returns
    -------
    JudgedPairs
        Per-topic differences of AP, and how many documents there are to judge for each pair.

    Examples
    --------
    >>> from poolwise import align, score, simulate
    >>> from poolwise.findings import baseline_pairs
    >>> made = simulate(systems=12, topics=20, depth=50, rng=3)
    >>> evidence = align(made.truth, made.runs)
    >>> pairs = baseline_pairs(score(evidence, "AP", bounds="none"))
    >>> few, many = (judge_pairs(evidence, pairs, depth=depth) for depth in (5, 50))
    >>> bool((few.documents < many.documents).all())
    True
    """
    if depth < 1:
        raise OptionError(f"depth: must be at least 1; got {depth}. Hint: use 10.")
    top = evidence.truncate(depth)
    level = int(np.searchsorted(top.scale, rel))
    documents = np.concatenate([_unions(b.documents, b.documents >= 0, pairs) for b in top.blocks])
    found = np.concatenate([_unions(b.documents, b.codes >= level, pairs) for b in top.blocks])
    sums = (SP(rel=rel) @ depth).score(top).T
    deltas = (sums[:, pairs.left] - sums[:, pairs.right]) / np.maximum(found, 1)
    return JudgedPairs(
        systems=evidence.systems,
        pairs=pairs,
        depth=depth,
        deltas=deltas.T,
        documents=documents.mean(axis=0),
        provenance=evidence.provenance.with_options(depth=depth, rel=rel),
    )


def _unions(documents: NDArray[np.int32], counted: Booleans, pairs: Pairs) -> Floats:
    """Return how many counted documents either system of each pair has, topics × pairs."""
    topics = range(documents.shape[1])
    return np.array([_union(documents[:, t], counted[:, t], pairs) for t in topics])


def _union(documents: NDArray[np.int32], counted: Booleans, pairs: Pairs) -> Floats:
    """Return the row of one topic."""
    known, place = np.unique(documents, return_inverse=True)
    present = np.zeros((len(documents), len(known)), np.float32)
    system, rank = np.nonzero(counted)
    present[system, place.reshape(documents.shape)[system, rank]] = 1
    sizes = present.sum(axis=1)
    shared = present @ present.T  # counts below 2²⁴ are exact
    union = sizes[pairs.left] + sizes[pairs.right] - shared[pairs.left, pairs.right]
    return union.astype(np.float64)
