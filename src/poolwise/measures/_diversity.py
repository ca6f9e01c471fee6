"""Measures of diversity, from judgments by subtopic: novelty, coverage, and their catalogue."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import MeasureError
from poolwise.evidence._grades import Block
from poolwise.evidence._subtopic_lists import SubtopicLists
from poolwise.measures._catalogue import Entry
from poolwise.measures._measure import Measure, Ranked, discounts, require

__all__ = [
    "DIVERSITY",
    "AlphaDCG",
    "AlphaNDCG",
    "IntentAwareAP",
    "IntentAwareERR",
    "IntentAwarePrecision",
    "NormalizedIntentAwareERR",
    "NormalizedNoveltyRBP",
    "NoveltyRBP",
    "RankedSubtopicMeasure",
    "SubtopicMeasure",
    "SubtopicRecall",
    "greedy_ideal",
    "novelty_gains",
]


class SubtopicMeasure(Measure):
    """A measure that needs judgments by subtopic, and has no range over unjudged documents."""

    undefined: ClassVar[str] = "no judged document of the topic is relevant to a subtopic"
    unknowns: ClassVar[str] = (
        "Unjudged documents tell nothing about any subtopic. No range is given: how far their "
        "grades could move it is not worked out."
    )
    no_range: ClassVar[str] = "how far grades by subtopic could move it is not worked out"

    rel: float = 1

    def __post_init__(self) -> None:
        require(self.rel > 0, self.name, "rel is a grade above 0", self.rel)

    @abstractmethod
    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the score of each system; the topic has a subtopic that can be found."""

    def score_topic(self, lists: SubtopicLists) -> Floats:
        """Return the score of each system, NaN where no document is relevant to a subtopic."""
        self.check_complete()
        if not lists.covered(self.rel).any():
            return np.full(len(lists.places), np.nan)
        return self.score_lists(lists)

    def score_block(self, block: Block) -> Floats:  # noqa: ARG002
        """Refuse: grades of whole topics do not say which subtopic a document is about."""
        raise MeasureError(
            f"{self!r}: it needs judgments by subtopic. Hint: use `poolwise diversity` "
            "(workflows.diversity), or a measure that needs none, such as nDCG@10."
        )

    def maximum(self, scale: Floats) -> float:  # noqa: ARG002
        """Return 1."""
        return 1.0


class RankedSubtopicMeasure(Ranked, SubtopicMeasure):
    """The same, with a cut-off, which it needs."""

    needs_cutoff: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Ranked.__post_init__(self)
        SubtopicMeasure.__post_init__(self)


class NoveltyMeasure(SubtopicMeasure):
    """Σ weight × gain by rank, over the same sum for documents as good as can be."""

    normalized: ClassVar[bool] = False
    """Whether it is divided by the best of the judged documents, or by what no ranking exceeds."""

    alpha: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.alpha < 1, self.name, "alpha is from 0 to below 1", self.alpha)

    @abstractmethod
    def rank_weights(self, depth: int) -> Floats:
        """Return the weight of each rank."""

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the weighted gain over the most that it can be."""
        covers = lists.covered(self.rel)
        gains = novelty_gains(covers[lists.places[:, : self.depth]], self.alpha)
        gained = gains @ self.rank_weights(gains.shape[1])
        return np.asarray(gained / self._most(covers))

    def _most(self, covers: Booleans) -> float:
        if not self.normalized:
            return covers.shape[1] * self.perfect()
        order = greedy_ideal(covers, self.alpha, self.depth or len(covers))
        gains = novelty_gains(covers[order][None], self.alpha)[0]
        return float(gains @ self.rank_weights(len(gains)))

    def perfect(self) -> float:
        """Return what one subtopic adds if every document down to the cut-off is about it."""
        k = int(self.depth or 0)
        return float(self.rank_weights(k) @ (1 - self.alpha) ** np.arange(k))


class AlphaDCG(NoveltyMeasure, RankedSubtopicMeasure):
    """α-DCG: DCG with gain 1 for a new subtopic, and 1 − α times as much at each further document.

    It is divided by what documents about all subtopics at every rank would reach, as in ndeval.
    """

    name: ClassVar[str] = "alpha_DCG"
    definition: ClassVar[str] = (
        "alpha_DCG@k = Σ_{i≤k} d_i Σ_s r_i,s (1 − α)^(earlier about s), over "
        "S Σ_{i≤k} d_i (1 − α)^(i−1)"
    )
    citation: ClassVar[str] = "Clarke et al. 2008; W10 §8.3.1; ndeval's alpha-DCG"

    def rank_weights(self, depth: int) -> Floats:
        """Return 1/log2(i + 1)."""
        return discounts(depth, "log2", 2)


class AlphaNDCG(AlphaDCG):
    """α-nDCG: α-DCG over that of an ideal ranking of the judged documents.

    The ideal ranking is built greedily, the document that adds most first, as in ndeval: the best
    one of all is too costly to find.
    """

    name: ClassVar[str] = "alpha_nDCG"
    definition: ClassVar[str] = (
        "alpha_nDCG@k = Σ_{i≤k} d_i Σ_s r_i,s (1 − α)^(earlier about s), over that of the ideal"
    )
    citation: ClassVar[str] = "Clarke et al. 2008; W10 §8.3.1; ndeval's alpha-nDCG"
    normalized: ClassVar[bool] = True


class IntentAwareERR(NoveltyMeasure, RankedSubtopicMeasure):
    """Intent-aware ERR: the gain of new and repeated subtopics, each divided by its rank.

    It is divided by what documents about all subtopics at every rank would reach, as in ndeval.
    """

    name: ClassVar[str] = "ERR_IA"
    definition: ClassVar[str] = (
        "ERR_IA@k = Σ_{i≤k} (1/i) Σ_s r_i,s (1 − α)^(earlier about s) / S Σ_{i≤k} (1 − α)^(i−1)/i"
    )
    citation: ClassVar[str] = "Chapelle et al. 2009; W10 §8.3.1; ndeval's ERR-IA"

    def rank_weights(self, depth: int) -> Floats:
        """Return 1/i."""
        return 1 / np.arange(1, depth + 1)


class NormalizedIntentAwareERR(IntentAwareERR):
    """Normalized intent-aware ERR: over that of an ideal ranking, which is built greedily."""

    name: ClassVar[str] = "nERR_IA"
    definition: ClassVar[str] = (
        "nERR_IA@k = Σ_{i≤k} (1/i) Σ_s r_i,s (1 − α)^(earlier about s), over that of the ideal"
    )
    citation: ClassVar[str] = "Chapelle et al. 2009; ndeval's nERR-IA"
    normalized: ClassVar[bool] = True


class NoveltyRBP(NoveltyMeasure):
    """Novelty- and rank-biased precision: RBP with the gains of α-DCG, and persistence beta."""

    name: ClassVar[str] = "NRBP"
    definition: ClassVar[str] = (
        "NRBP = (1 − (1 − α) β)/S Σ_i β^(i−1) Σ_s r_i,s (1 − α)^(earlier about s)"
    )
    citation: ClassVar[str] = "Clarke, Kolla and Vechtomova 2009; ndeval's NRBP"

    beta: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 < self.beta < 1, self.name, "beta is between 0 and 1", self.beta)

    def rank_weights(self, depth: int) -> Floats:
        """Return β^(i−1)."""
        return self.beta ** np.arange(depth, dtype=np.float64)

    def perfect(self) -> float:
        """Return the sum over all ranks."""
        return 1 / (1 - (1 - self.alpha) * self.beta)


class NormalizedNoveltyRBP(NoveltyRBP):
    """Normalized NRBP: over that of an ideal ranking, which is built greedily."""

    name: ClassVar[str] = "nNRBP"
    definition: ClassVar[str] = (
        "nNRBP = Σ_i β^(i−1) Σ_s r_i,s (1 − α)^(earlier about s), over that of the ideal"
    )
    citation: ClassVar[str] = "Clarke, Kolla and Vechtomova 2009; ndeval's nNRBP"
    normalized: ClassVar[bool] = True


def novelty_gains(covered: Booleans, alpha: float) -> Floats:
    """Return the gain at each rank, systems × ranks, of what the ranks tell about.

    Examples
    --------
    >>> novelty_gains(np.array([[[True, False], [True, True], [True, False]]]), 0.5).tolist()
    [[1.0, 1.5, 0.25]]
    """
    earlier = covered.cumsum(axis=1) - covered
    return np.asarray((covered * (1 - alpha) ** earlier).sum(axis=2), np.float64)


def greedy_ideal(covers: Booleans, alpha: float, depth: int) -> list[int]:
    """Return the documents in the order in which each adds most to those before it.

    Of documents that add the same, the last is taken, which by the order of ids is ndeval's rule;
    those that tell nothing are left out.

    Examples
    --------
    >>> greedy_ideal(np.array([[True, False], [True, True], [False, False]]), 0.5, 5)
    [1, 0]
    """
    worth = np.ones(covers.shape[1])
    left = np.asarray(covers.any(axis=1))
    order: list[int] = []
    while left.any() and len(order) < depth:
        added = np.where(left, covers @ worth, -1.0)
        best = int(np.flatnonzero(added == added.max())[-1])
        order.append(best)
        left[best] = False
        worth = np.where(covers[best], worth * (1 - alpha), worth)
    return order


class SubtopicRecall(RankedSubtopicMeasure):
    """Subtopic recall: the share of the subtopics that the first k documents tell about."""

    name: ClassVar[str] = "StRecall"
    definition: ClassVar[str] = "StRecall@k = |∪_{i≤k} subtopics of d_i| / S"
    citation: ClassVar[str] = "Zhai, Cohen and Lafferty 2003; W10 §8.3.1; ndeval's strec"

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the share of subtopics found."""
        covered = _told(lists, self.rel)[:, : self.cutoff]
        return np.asarray(covered.any(axis=1).mean(axis=1))


class IntentAwarePrecision(RankedSubtopicMeasure):
    """Intent-aware precision: precision at k, averaged over the subtopics."""

    name: ClassVar[str] = "P_IA"
    definition: ClassVar[str] = "P_IA@k = (1/S) Σ_s P@k by the judgments of s"
    citation: ClassVar[str] = "Agrawal et al. 2009; W10 §8.3.1; ndeval's P-IA"

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the precision over the subtopics."""
        covered = _told(lists, self.rel)[:, : self.cutoff]
        return np.asarray(covered.sum(axis=1).mean(axis=1) / int(self.cutoff or 1))


class IntentAwareAP(SubtopicMeasure):
    """Intent-aware average precision: AP, averaged over the subtopics."""

    name: ClassVar[str] = "AP_IA"
    definition: ClassVar[str] = "AP_IA = (1/S) Σ_s AP by the judgments of s"
    citation: ClassVar[str] = "Agrawal et al. 2009; W10 §8.3.1; ndeval's MAP-IA"

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the average precision over the subtopics."""
        covered = _told(lists, self.rel)
        ranks = np.arange(1, covered.shape[1] + 1)[:, None]
        sums = (covered * covered.cumsum(axis=1) / ranks).sum(axis=1)
        return np.asarray((sums / lists.covered(self.rel).sum(axis=0)).mean(axis=1))


def _told(lists: SubtopicLists, level: float) -> Booleans:
    """Return what each rank tells about, systems × ranks × subtopics."""
    return lists.covered(level)[lists.places]


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
