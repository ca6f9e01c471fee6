"""How deep a measure looks, and so which share of judged documents belongs beside it."""

import numpy as np

from poolwise.measures._measure import Measure
from poolwise.measures.families._judged_only import JudgedShare
from poolwise.measures.families._static_weights import StaticWeights

__all__ = ["first_documents", "judged_share_of"]

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
