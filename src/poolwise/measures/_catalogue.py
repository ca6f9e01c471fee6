"""Every measure there is: one line each, which parsing, help, docs and property tests read."""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

from poolwise.measures._measure import Measure
from poolwise.measures.families._adaptive_weights import (
    ExpectedReciprocalRank,
    HitRate,
    ReciprocalRank,
)
from poolwise.measures.families._gain_averages import (
    BinaryGain,
    NDCGAtLevels,
    NDCGAtRelevant,
    NormalizedGain,
)
from poolwise.measures.families._goal_based import INSQMeasure, INSTMeasure
from poolwise.measures.families._hits_f1 import F1AtCutoff, HitCount
from poolwise.measures.families._ideal_order import Compatibility, PairAccuracy
from poolwise.measures.families._judged_only import (
    BinaryPreference,
    InferredAP,
    JudgedShare,
    UnjudgedShare,
)
from poolwise.measures.families._nerr import (
    BejeweledPlayer,
    NearlyERR,
    NearlyERRByGoal,
    NearlyERRByPersistence,
    NearlyERRByRank,
)
from poolwise.measures.families._normalized import ExpandedNDCG, NormalizedDCG, NormalizedRBP
from poolwise.measures.families._recall_based import (
    AbbreviatedAP,
    AveragePrecision,
    ElevenPointAverage,
    InterpolatedPrecision,
    QMeasure,
    Recall,
    RelativePrecision,
    RPrecision,
    SumOfPrecisions,
)
from poolwise.measures.families._sets import (
    NonrelevantCount,
    RelevantCount,
    RetrievedCount,
    SetAveragePrecision,
    SetFMeasure,
    SetPrecision,
    SetRecall,
    SetRelativePrecision,
    SetUtility,
    TopicCount,
)
from poolwise.measures.families._static_weights import (
    DiscountedCumulativeGain,
    Precision,
    RankBiasedPrecision,
    ScaledDCG,
    TruncatedRBP,
)

# The front door has these measures and no other name of this module.
__all__ = [
    "AP", "BPM", "DCG", "ERR", "F1", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11",
    "RBP", "RR", "SDCG", "SP", "Accuracy", "AvgIPrec", "Bpref", "Compat", "G", "Hits", "IPrec",
    "Judged", "NumNonrelRet", "NumQ", "NumRel", "NumRet", "P", "Q", "R", "RnDCG", "Rprec",
    "SetAP", "SetF", "SetP", "SetR", "SetRelP", "Success", "Unjudged", "Utility", "aAP", "binG",
    "enDCG", "infAP", "nDCG", "nDCGRel", "nP", "nRBP", "tRBP",
]  # fmt: skip


class Alias(NamedTuple):
    """Another spelling: for which measure, and what a number after it sets (else the cut-off)."""

    spelling: str
    measure: Measure
    number: Callable[[str], dict[str, float]] | None = None


class Entry(NamedTuple):
    """A measure, names that show its parameters at work, and its other spellings."""

    measure: Measure
    examples: tuple[str, ...]
    aliases: tuple[str | Alias, ...] = ()


def _times(number: str) -> dict[str, float]:
    return {"mult": float(number)}


def _beta(number: str) -> dict[str, float]:
    """Read trec_eval's number, which is beta²."""
    return {"beta": sqrt(float(number))}


def _persistence(number: str) -> dict[str, float]:
    """Read ranx's ``80`` as 0.80, and 0.8 as it stands."""
    return {"p": float(number if "." in number else f"0.{number}")}


# The names are the field's own.
P, R, nP, Rprec = Precision(), Recall(), RelativePrecision(), RPrecision()  # noqa: N816
Hits, F1, Accuracy = HitCount(), F1AtCutoff(), PairAccuracy()
RR, ERR, Success = ReciprocalRank(), ExpectedReciprocalRank(), HitRate()
NERR8, NERR9 = NearlyERR(), NearlyERRByRank()
NERR10, NERR11 = NearlyERRByPersistence(), NearlyERRByGoal()
BPM, Compat = BejeweledPlayer(), Compatibility()
AP, aAP, SP, Q = AveragePrecision(), AbbreviatedAP(), SumOfPrecisions(), QMeasure()  # noqa: N816
DCG, SDCG = DiscountedCumulativeGain(), ScaledDCG()
nDCG, enDCG = NormalizedDCG(), ExpandedNDCG()  # noqa: N816
RBP, tRBP, nRBP = RankBiasedPrecision(), TruncatedRBP(), NormalizedRBP()  # noqa: N816
Bpref, infAP = BinaryPreference(), InferredAP()  # noqa: N816
Judged, Unjudged = JudgedShare(), UnjudgedShare()
INSQ, INST = INSQMeasure(), INSTMeasure()
IPrec, AvgIPrec = InterpolatedPrecision(), ElevenPointAverage()
SetP, SetR, SetF, SetAP = SetPrecision(), SetRecall(), SetFMeasure(), SetAveragePrecision()
SetRelP, Utility = SetRelativePrecision(), SetUtility()
NumRet, NumRel, NumNonrelRet = RetrievedCount(), RelevantCount(), NonrelevantCount()
NumQ = TopicCount()
nDCGRel, RnDCG, G, binG = NDCGAtRelevant(), NDCGAtLevels(), NormalizedGain(), BinaryGain()  # noqa: N816

CATALOGUE = (
    Entry(P, ("P@10", "P(rel=2)@5"), ("precision", "prec")),
    Entry(Hits, ("Hits@10", "Hits(rel=2)@5")),
    Entry(RBP, ("RBP(p=0.8)", "RBP(p=0.95,gain='linear')", "RBP(p=0.5,rel=2)@10"),
          (Alias("rbp", RBP, _persistence),)),
    Entry(tRBP, ("tRBP(p=0.8)@10", "tRBP(p=0.9,gain='exponential')@20")),
    Entry(DCG, ("DCG@10", "DCG(dcg='jk')@10", "DCG(dcg='exp-jk',base=10)"),
          (Alias("dcg_burges", DCG(dcg="exp-log2")),)),
    Entry(SDCG, ("SDCG@10", "SDCG(dcg='exp-log2')@5", "SDCG(top=3)@10")),
    Entry(INSQ, ("INSQ(T=1)", "INSQ(T=2,gain='binary')@100")),
    Entry(INST, ("INST(T=1)", "INST(T=3,gain='exponential')@20")),
    Entry(RR, ("RR", "RR@10", "RR(rel=2)@10"), ("recip_rank", "mrr", "reciprocal_rank")),
    Entry(ERR, ("ERR@20", "ERR", "ERR(max_rel=4)@20")),
    Entry(NERR8, ("NERR8@10", "NERR8(max_rel=4)@10")),
    Entry(NERR9, ("NERR9@10",)),
    Entry(NERR10, ("NERR10(p=0.9)", "NERR10(p=0.8)@10")),
    Entry(NERR11, ("NERR11(T=1)", "NERR11(max_rel=4,T=2)")),
    Entry(BPM, ("BPM(T=1)@10", "BPM(T=2.5)@4")),
    Entry(Success, ("Success@1", "Success(rel=2)@10"), ("hit_rate", "HitRate")),
    Entry(AP, ("AP", "AP@100", "AP(rel=2)"), ("map", "map_cut", "average_precision")),
    Entry(aAP, ("aAP@10", "aAP(rel=2)@100")),
    Entry(SP, ("SP@10", "SP")),
    Entry(Q, ("Q", "Q@10", "Q(beta=10)"), ("Q-measure",)),
    Entry(nDCG, ("nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10", "nDCG(dcg='jk',base=10)@100"),
          ("ndcg_cut", Alias("ndcg_burges", nDCG(dcg="exp-log2")))),
    Entry(enDCG, ("enDCG@10", "enDCG(dcg='jk')@100")),
    Entry(nRBP, ("nRBP(p=0.8)", "nRBP(p=0.95)@100")),
    Entry(Compat, ("Compat(p=0.95)", "Compat(p=0.8)"), ("compatibility",)),
    Entry(R, ("R@100", "R", "R(rel=2)@10"), ("recall",)),
    Entry(nP, ("nP@10", "nP(rel=2)@5"), ("relative_P", "R_cap")),
    Entry(F1, ("F1@10", "F1(rel=2)@5")),
    Entry(Rprec, ("Rprec", "Rprec(rel=2)", "Rprec(mult=0.2)"),
          ("r-precision", Alias("Rprec_mult", Rprec, _times))),
    Entry(Bpref, ("Bpref", "Bpref(rel=2)")),
    Entry(infAP, ("infAP", "infAP(rel=2)")),
    Entry(Accuracy, ("Accuracy", "Accuracy@10", "Accuracy(rel=2)")),
    Entry(IPrec, ("IPrec@0.1", "IPrec(rel=2)@0.5", "IPrec(version=10)@1"), ("iprec_at_recall",)),
    Entry(AvgIPrec, ("AvgIPrec", "AvgIPrec(version=10)"), ("11pt_avg",)),
    Entry(Judged, ("Judged@10",)),
    Entry(Unjudged, ("Unjudged@10",), ("unj", "hole")),
    Entry(SetP, ("SetP", "SetP(rel=2)"), ("set_P",)),
    Entry(SetR, ("SetR", "SetR(rel=2)"), ("set_recall",)),
    Entry(SetF, ("SetF", "SetF(beta=2)"), (Alias("set_F", SetF, _beta),)),
    Entry(SetAP, ("SetAP",), ("set_map",)),
    Entry(SetRelP, ("SetRelP",), ("set_relative_P",)),
    Entry(Utility, ("Utility", "Utility(cost=-2)")),
    Entry(NumRet, ("NumRet", "NumRet(rel=1)"),
          ("num_ret", Alias("num_rel_ret", NumRet(rel=1)), Alias("NumRelRet", NumRet(rel=1)))),
    Entry(NumRel, ("NumRel", "NumRel(rel=2)"), ("num_rel",)),
    Entry(NumNonrelRet, ("NumNonrelRet",), ("num_nonrel_judged_ret",)),
    Entry(NumQ, ("NumQ",), ("num_q",)),
    Entry(nDCGRel, ("nDCGRel",), ("ndcg_rel",)),
    Entry(RnDCG, ("RnDCG",)),
    Entry(G, ("G",)),
    Entry(binG, ("binG", "binG(rel=2)")),
)  # fmt: skip
"""All measures, in the order in which help and docs list them."""
