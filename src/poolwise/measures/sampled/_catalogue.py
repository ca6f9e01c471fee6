"""The measures that judgments of a sample are needed for: one line each, as in the catalogue."""

from poolwise.measures._catalogue import Entry
from poolwise.measures.sampled._horvitz_thompson import HorvitzThompson, StatAP
from poolwise.measures.sampled._inferred import (
    InferredAPByStrata,
    InferredCount,
    InferredInterpolated,
    InferredNDCG,
    InferredPrecision,
    InferredRelevant,
)

__all__ = ["SAMPLED"]

SAMPLED: tuple[Entry, ...] = (
    Entry(InferredAPByStrata(), ("xinfAP", "xinfAP(variant='trecvid')", "xinfAP(rel=2)")),
    Entry(InferredNDCG(), ("infNDCG",)),
    Entry(InferredPrecision(), ("iP@10", "iP(rel=2)@5")),
    Entry(InferredInterpolated(), ("iIPrec@0.5",)),
    Entry(InferredCount(), ("iNumRelRet",), ("inum_rel_ret",)),
    Entry(InferredRelevant(), ("iNumRel",), ("inum_rel",)),
    Entry(StatAP(), ("statAP", "statAP(rel=2)")),
    Entry(HorvitzThompson(), ("HT(P@10)", "HT(RBP(p=0.8))", "HT(SDCG@10)")),
)
"""All of them, in the order in which help and docs list them."""
