"""Measures that look at each subtopic by itself: how many are found, and how well each is."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.subtopic_lists import SubtopicLists
from poolwise.measures.diversity.subtopic_measure import RankedSubtopicMeasure, SubtopicMeasure

__all__ = ["IntentAwareAP", "IntentAwarePrecision", "SubtopicRecall"]


class SubtopicRecall(RankedSubtopicMeasure):
    """Subtopic recall: the share of the subtopics that the first k documents tell about."""

    name: ClassVar[str] = "StRecall"
    definition: ClassVar[str] = "StRecall@k = |∪_{i≤k} subtopics of d_i| / S"
    citation: ClassVar[str] = "Zhai, Cohen and Lafferty 2003; W10 §8.3.1; ndeval's strec"

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the share of subtopics found."""
        told = _told(lists, self.rel)[:, : self.cutoff]
        return np.asarray(told.any(axis=1).mean(axis=1))


class IntentAwarePrecision(RankedSubtopicMeasure):
    """Intent-aware precision: precision at k, averaged over the subtopics."""

    name: ClassVar[str] = "P_IA"
    definition: ClassVar[str] = "P_IA@k = (1/S) Σ_s P@k by the judgments of s"
    citation: ClassVar[str] = "Agrawal et al. 2009; W10 §8.3.1; ndeval's P-IA"

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the precision over the subtopics."""
        told = _told(lists, self.rel)[:, : self.cutoff]
        return np.asarray(told.sum(axis=1).mean(axis=1) / int(self.cutoff or 1))


class IntentAwareAP(SubtopicMeasure):
    """Intent-aware average precision: AP, averaged over the subtopics."""

    name: ClassVar[str] = "AP_IA"
    definition: ClassVar[str] = "AP_IA = (1/S) Σ_s AP by the judgments of s"
    citation: ClassVar[str] = "Agrawal et al. 2009; W10 §8.3.1; ndeval's MAP-IA"

    def score_lists(self, lists: SubtopicLists) -> Floats:
        """Return the average precision over the subtopics."""
        told = _told(lists, self.rel)
        ranks = np.arange(1, told.shape[1] + 1)[:, None]
        sums = (told * told.cumsum(axis=1) / ranks).sum(axis=1)
        return np.asarray((sums / lists.covered(self.rel).sum(axis=0)).mean(axis=1))


def _told(lists: SubtopicLists, level: float) -> Booleans:
    """Return what each rank tells about, systems × ranks × subtopics."""
    return lists.covered(level)[lists.places]
