"""The measures of diversity: one line each, which parsing and help read."""

from poolwise.measures.catalogue import Entry
from poolwise.measures.diversity.coverage import (
    IntentAwareAP,
    IntentAwarePrecision,
    SubtopicRecall,
)
from poolwise.measures.diversity.novelty import (
    AlphaDCG,
    AlphaNDCG,
    IntentAwareERR,
    NormalizedIntentAwareERR,
    NormalizedNoveltyRBP,
    NoveltyRBP,
)

__all__ = ["DIVERSITY"]

DIVERSITY = (
    Entry(AlphaNDCG(), ("alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@20"),
          ("alpha-nDCG", "α_nDCG", "α-nDCG")),
    Entry(AlphaDCG(), ("alpha_DCG@10",), ("alpha-DCG", "α_DCG", "α-DCG")),
    Entry(IntentAwareERR(), ("ERR_IA@20", "ERR_IA(rel=2)@5"), ("ERR-IA",)),
    Entry(NormalizedIntentAwareERR(), ("nERR_IA@20",), ("nERR-IA",)),
    Entry(NoveltyRBP(), ("NRBP", "NRBP(alpha=0.3,beta=0.8)")),
    Entry(NormalizedNoveltyRBP(), ("nNRBP",)),
    Entry(SubtopicRecall(), ("StRecall@10",), ("strec", "subtopic_recall")),
    Entry(IntentAwarePrecision(), ("P_IA@10",), ("P-IA",)),
    Entry(IntentAwareAP(), ("AP_IA",), ("MAP_IA", "MAP-IA", "AP-IA")),
)  # fmt: skip
"""The measures that need judgments by subtopic, in the order in which help lists them."""
