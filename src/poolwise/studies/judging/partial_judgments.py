"""What runs look like by the judgments of some documents, beside all judgments."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from poolwise.arrays import Booleans, Floats
from poolwise.collection.judgments import Judgments
from poolwise.evidence._evidence import Evidence
from poolwise.findings.agreement._discrimination import (
    Discrimination,
    discriminate,
    significance_agreement,
)
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.judging._candidates import Candidates
from poolwise.measures._measure import Measure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score

__all__ = ["AllJudgments", "Outcome"]


class Outcome(NamedTuple):
    """What some judgments say of the runs, compared with what all of them say.

    ``kept``, ``reversed`` and ``lost`` are shares of the pairs that differ significantly by all
    judgments; ``falls`` has the places by which each run falls.
    """

    tau: float
    kept: float
    reversed: float
    lost: float
    falls: Floats


@dataclass(frozen=True, eq=False)
class AllJudgments:
    """Runs by all judgments, and by any part of them."""

    judgments: Judgments
    evidence: Evidence
    measure: Measure
    table: ScoreTable
    significant: Discrimination | None
    """The pairs that differ by all judgments; None where runs or topics are too few for tests."""

    @classmethod
    def of(cls, judgments: Judgments, evidence: Evidence, measure: Measure) -> "AllJudgments":
        """Score the runs by all judgments."""
        table = score(evidence, measure, bounds="none")
        testable = min(table.value.shape) > 1
        return cls(judgments, evidence, measure, table, discriminate(table) if testable else None)

    def after(self, candidates: Candidates, judged: list[Booleans]) -> Outcome:
        """Return what is seen once these documents of each topic are judged."""
        table = self._scored(candidates, judged)
        now, then = (np.nan_to_num(one.value).mean(axis=1) for one in (table, self.table))
        return Outcome(float(correlate(now, then)), *self._pairs(table), _falls(now, then))

    def falls_after(self, candidates: Candidates, judged: list[Booleans]) -> Floats:
        """Return by how many places each run falls once these documents are judged."""
        table = self._scored(candidates, judged)
        now, then = (np.nan_to_num(one.value).mean(axis=1) for one in (table, self.table))
        return _falls(now, then)

    def known(self, candidates: Candidates, judged: list[Booleans]) -> Evidence:
        """Return the runs with the judgments of these documents alone."""
        return self.evidence.regrade(self.judgments.keep(self._rows(candidates, judged)))

    def _scored(self, candidates: Candidates, judged: list[Booleans]) -> ScoreTable:
        return score(self.known(candidates, judged), self.measure, bounds="none")

    def _rows(self, candidates: Candidates, judged: list[Booleans]) -> Booleans:
        kept = np.zeros(len(self.judgments.codes), np.bool_)
        for topic, which in zip(candidates, judged, strict=True):
            rows = self.evidence.judgment_rows[topic.rows[which]]
            kept[rows[rows >= 0]] = True
        return kept

    def _pairs(self, table: ScoreTable) -> tuple[float, float, float]:
        """Return the shares of the significant pairs that are kept, reversed and lost."""
        if self.significant is None or not self.significant.significant.any():
            return (float("nan"),) * 3
        found = significance_agreement(discriminate(table), self.significant)
        counts = (found.true_positives, found.contradictions, found.false_negatives)
        kept, turned, lost = (count / sum(counts) for count in counts)
        return kept, turned, lost


def _falls(now: Floats, then: Floats) -> Floats:
    """Return places lost; runs with the same mean share theirs.

    Examples
    --------
    >>> _falls(np.array([0.1, 0.2, 0.2]), np.array([0.3, 0.2, 0.1])).tolist()
    [2.0, -0.5, -1.5]
    """
    return np.asarray(rankdata(-now.round(12)) - rankdata(-then.round(12)))
