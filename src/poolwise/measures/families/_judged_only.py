"""Measures that look at the judged documents alone, and how many those are."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence._grades import POOLED, Block
from poolwise.measures._measure import Measure, Ranked, count_down_to, per_relevant
from poolwise.measures._ranges import RangeKind
from poolwise.measures.families._recall_based import RecallBased
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.words import counted, named

__all__ = [
    "BinaryPreference",
    "InferredAP",
    "JudgedShare",
    "LeastJudged",
    "UnjudgedShare",
    "first_documents",
    "judged_share_of",
    "least_by_run",
    "list_lengths",
    "shorter_lists",
]


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


_WEIGHT = 0.95
"""The share of the weights of all ranks that lies above the depth of a measure without cut-off."""
_DEEPEST = 10_000


def judged_share_of(measure: Measure) -> JudgedShare:
    """Return the share of judged documents down to the depth that a measure looks at (U18 §4).

    That is its cut-off; where 95% of its weight lies, if its weights fade; or else whole lists.

    Examples
    --------
    >>> from poolwise import AP, RBP, nDCG
    >>> [judged_share_of(measure) for measure in (nDCG @ 20, RBP(p=0.8), RBP(p=0.98), AP)]
    [Judged@20, Judged@14, Judged@149, Judged]
    """
    return JudgedShare(cutoff=measure.depth or _where_weights_end(measure))


def _where_weights_end(measure: Measure) -> int | None:
    if not isinstance(measure, StaticWeights) or not np.isfinite(measure.total_weight()):
        return None
    left = measure.weight_past(np.arange(_DEEPEST)) / measure.total_weight()
    reached = np.flatnonzero(left <= 1 - _WEIGHT + 1e-12)
    return int(reached[0]) if len(reached) else None


def first_documents(measure: Measure) -> str:
    """Say which documents of a run the share of a measure is about.

    Examples
    --------
    >>> from poolwise import AP, P
    >>> first_documents(P @ 10), first_documents(P @ 5), first_documents(AP)
    ('first ten documents', 'first 5 documents', 'documents')
    """
    depth = judged_share_of(measure).cutoff
    if depth is None:
        return "documents"
    number = {1: "", 10: "ten "}.get(depth, f"{depth:,} ")
    return f"first {number}documents"


class LeastJudged(NamedTuple):
    """Where the least is judged: of which run, on which topic.

    Examples
    --------
    >>> from poolwise import P
    >>> print(LeastJudged.of(P @ 10, "ab", "12", np.array([[1.0, 0.6], [0.2, 1.0]])))
    At worst, 20% of b's first ten documents are judged, on topic 1.
    """

    measure: Measure
    run: str
    topic: str
    share: float

    @classmethod
    def of(
        cls, measure: Measure, systems: Sequence[str], topics: Sequence[str], shares: Floats
    ) -> "LeastJudged | None":
        """Return the smallest share; None where everything is judged, or nothing is known."""
        if np.isnan(shares).all() or np.nanmin(shares) >= 1:
            return None
        run, topic = divmod(int(np.nanargmin(shares)), shares.shape[1])
        return cls(measure, systems[run], topics[topic], float(shares[run, topic]))

    @property
    def words(self) -> str:
        """The same as part of a sentence."""
        share = f"{self.share:.0%} of {self.run}'s {first_documents(self.measure)}"
        return f"{share} are judged, on topic {self.topic}"

    def __str__(self) -> str:
        return f"At worst, {self.words}."


def least_by_run(topics: Sequence[str], shares: Floats) -> list[tuple[float, str]]:
    """Return the smallest share of each run, and the topic that has it; empty where none is known.

    Examples
    --------
    >>> least_by_run("12", np.array([[1.0, 0.6], [0.2, 1.0]]))
    [(0.6, '2'), (0.2, '1')]
    """
    filled = np.where(np.isnan(shares), np.inf, shares)
    at = filled.argmin(axis=1).tolist()
    least = filled.min(axis=1, initial=np.inf).tolist()
    return [
        (share, topics[t]) if share < np.inf else (float("nan"), "")
        for share, t in zip(least, at, strict=True)
    ]


def list_lengths(measure: Measure, systems: Sequence[str], longest: Integers) -> tuple[str, ...]:
    r"""Say how deep a measure without cut-off looks, and which runs have shorter lists.

    D10 §4.1 asks for the depth of evaluation with every score.

    Examples
    --------
    >>> from poolwise import AP
    >>> print(*list_lengths(AP, ["bm25", "dense"], np.array([1000, 100])), sep="\n")
    AP looks at whole lists, here of up to 1,000 documents.
    The lists of dense end at rank 100, so that they can score less: AP@100 compares all runs at one
    depth.
    """
    deepest = int(longest.max(initial=0))
    if measure.depth is not None or not deepest:
        return ()
    weighty = judged_share_of(measure).cutoff
    most = f"; the first {weighty:,} have 95% of its weight" if weighty else ""
    whole = f"{measure} looks at whole lists, here of up to {counted(deepest, 'document')}{most}."
    return (whole, *shorter_lists(measure, systems, longest))


def shorter_lists(measure: Measure, systems: Sequence[str], longest: Integers) -> tuple[str, ...]:
    r"""Name the runs whose lists end before those of the others, where a measure looks at all.

    Examples
    --------
    >>> from poolwise import AP
    >>> print(*shorter_lists(AP, ["bm25", "dense"], np.array([1000, 100])), sep="\n")
    The lists of dense end at rank 100, so that they can score less: AP@100 compares all runs at one
    depth.
    """
    deepest = int(longest.max(initial=0))
    if measure.depth is not None or not deepest:
        return ()
    reached = min(deepest, judged_share_of(measure).cutoff or deepest)
    runs = [name for name, n in zip(systems, longest.tolist(), strict=True) if n < reached]
    if not runs:
        return ()
    end = int(longest.min())
    where = "at rank" if len(runs) == 1 else "earlier, some at rank"
    cut = f"{measure}@{end}" if end and measure.at == "cutoff" else "a measure with a cut-off"
    return (
        (
            f"The lists of {named(runs)} end {where} {end:,}, so that they can score less: {cut} "
            "compares all runs at one depth."
        ),
    )
