"""Measures that look at the judged documents alone, and how many those are."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._grades import POOLED, Block
from poolwise.measures._measure import Ranked, count_down_to, per_relevant
from poolwise.measures._ranges import RangeKind
from poolwise.measures.families._recall_based import RecallBased

__all__ = ["BinaryPreference", "InferredAP", "JudgedShare", "UnjudgedShare"]


class BinaryPreference(RecallBased):
    """Binary preference: how rarely judged non-relevant documents stand above relevant ones.

    Unjudged documents are passed over as if they were not in the list. N counts the judged
    non-relevant documents of the topic, n those above the relevant document.
    """

    name: ClassVar[str] = "Bpref"
    definition: ClassVar[str] = "Bpref = (1/R) Σ_{relevant retrieved} (1 − min(n, R) / min(N, R))"
    citation: ClassVar[str] = "Buckley and Voorhees 2004, as in trec_eval 9"
    unknowns: ClassVar[str] = (
        "Unjudged documents are passed over. No range is given: the score now need not be among "
        "those that complete judgments could give."
    )
    range_kind: ClassVar[RangeKind] = "none"
    no_range: ClassVar[str] = (
        "it passes over unjudged documents, so that its value now need not be one that complete "
        "judgments could give"
    )

    def score_block(self, block: Block) -> Floats:
        """Return the share of preferences kept."""
        hits = self.hits(block)
        R = block.relevant(self.rel)
        N = block.pool.sum(axis=1) - R
        n = count_down_to(hits, block.codes >= 0) - hits.nth
        above = np.minimum(n, R[hits.topics])
        kept = 1 - above / np.maximum(np.minimum(N, R), 1)[hits.topics]
        return per_relevant(hits.total(kept), R)


class InferredAP(RecallBased):
    """Inferred average precision: AP estimated from a sample of the pool.

    A document that was pooled and not judged (a negative grade) is taken to be as often relevant
    as the judged ones above; a document outside the pool is not relevant.
    """

    name: ClassVar[str] = "infAP"
    definition: ClassVar[str] = (
        "infAP = (1/R) Σ_{relevant retrieved} 1/i + ((r + n + u)/i) (r + ε)/(r + n + 2ε), with r, "
        "n and u relevant, non-relevant and pooled-unjudged above rank i; ε = 1e-5"
    )
    citation: ClassVar[str] = "Yilmaz and Aslam 2006, as in trec_eval 9"
    unknowns: ClassVar[str] = BinaryPreference.unknowns.replace(
        "passed over", "not relevant, pooled ones as often relevant as those judged"
    )
    range_kind: ClassVar[RangeKind] = "none"
    no_range: ClassVar[str] = (
        "it estimates what pooled documents are, so that its value now need not be one that "
        "complete judgments could give"
    )

    def score_block(self, block: Block) -> Floats:
        """Return the inferred average precision."""
        epsilon = 1e-5
        hits = self.hits(block)
        r = hits.nth - 1
        r_n = count_down_to(hits, block.codes >= 0) - 1
        r_n_u = count_down_to(hits, block.codes >= POOLED) - 1
        rate = (r + epsilon) / (r_n + 2 * epsilon)
        return per_relevant(hits.total((1 + r_n_u * rate) / hits.ranks), block.relevant(self.rel))


class JudgedShare(Ranked):
    """Judged: the share of the first k documents that have a judgment.

    A list shorter than k is taken at its own length. It says what is known, so unjudged documents
    leave nothing open in it.
    """

    name: ClassVar[str] = "Judged"
    definition: ClassVar[str] = "Judged@k = judged documents in the first k / documents there"
    citation: ClassVar[str] = "U18 §4; as in ir_measures"
    undefined: ClassVar[str] = "the run retrieved nothing for the topic"
    digits: ClassVar[int] = 2
    unknowns: ClassVar[str] = (
        "It counts the judged documents, so grades move it no further, and there is no range. A "
        "negative grade (pooled, not judged) is no judgment."
    )
    no_range: ClassVar[str] = "it says how much is judged, whatever the grades are"
    own_topics: ClassVar[bool] = True

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1, all of them."""
        return 1.0

    def score_block(self, block: Block) -> Floats:
        """Return the share of documents with a judgment."""
        seen = self.cut(block)
        return _share((seen.codes >= 0).sum(axis=2), seen)


class UnjudgedShare(JudgedShare):
    """Unjudged: the share of the first k documents that have no judgment; 1 − Judged."""

    name: ClassVar[str] = "Unjudged"
    definition: ClassVar[str] = "Unjudged@k = unjudged documents in the first k / documents there"

    def score_block(self, block: Block) -> Floats:
        """Return the share of documents without a judgment."""
        seen = self.cut(block)
        return _share(seen.ungraded_counts, seen)


def _share(counts: Integers, block: Block) -> Floats:
    return counts / np.where(block.lengths > 0, block.lengths, np.nan)
