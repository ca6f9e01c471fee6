"""Which runs a judge favours: more than the grades of their documents by people explain.

A judge that compresses grades moves the scores of runs without favouring any, so that raw bias
flags somebody whatever the judge does. What is looked at is the *excess* of the machine's grade
over what it gives to other documents of the same topic, with the same grade by people, that about
as many runs retrieve.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._first_ranks import first_ranks
from poolwise.findings.comparison._significance import adjust_pvalues
from poolwise.scores._uncertainty import t_quantile

__all__ = ["DEPTH", "Excess", "ExcessTest"]

DEPTH = 10
"""Ranks of each run that are looked at."""
_POPULAR = (1, 4, 13)
"""Where classes of popularity begin: retrieved by no run, by 1 to 3, by 4 to 12, by 13 or more."""
_PRIOR = 2.0
"""Documents that the mean over all topics counts for, in the expected grade of a cell."""
_POWER = 0.8


@dataclass(frozen=True, eq=False)
class Excess:
    """How much more a judge gives the documents of each run, in grades per document.

    Attributes
    ----------
    systems : tuple of str
    value, half_width : float array
        The mean excess over topics, and the half-width of its 95% interval.
    pvalue : float array
        One-sided over topics, corrected by Holm's rule.
    visible : float array
        The smallest excess that would have been found with a chance of 80%.
    topics : int
    alpha : float
    """

    systems: tuple[str, ...]
    value: Floats
    half_width: Floats
    pvalue: Floats
    visible: Floats
    topics: int
    alpha: float = 0.05

    @property
    def favoured(self) -> tuple[str, ...]:
        """The runs that are flagged, the largest excess first."""
        order = np.argsort(-self.value, kind="stable").tolist()
        return tuple(self.systems[s] for s in order if self.pvalue[s] < self.alpha)


class ExcessTest:
    """The test for favoured runs, made ready for many judges of the same documents.

    Parameters
    ----------
    evidence : Evidence
        The runs, met with judgments by people (any table of labelled documents).
    human : float array, one entry per row of the judgments
        The grade by people; NaN where there is none.
    topic : int array, one entry per row of the judgments
        The topic of each row, as an index into the topics of the evidence; −1 for others.
    """

    def __init__(self, evidence: Evidence, human: Floats, topic: Indices) -> None:
        if len(evidence.systems) < 2:
            raise OptionError(
                "runs: favoured runs are told by comparison; got 1 run. Hint: give all runs."
            )
        self.systems, self._topics = evidence.systems, len(evidence.topics)
        self._human, self._topic = human, topic
        ranks = first_ranks(evidence, DEPTH)
        row = evidence.judgment_rows[ranks.row]
        seen = row >= 0
        discount = 1 / np.log2(np.arange(DEPTH) + 2)
        self._row, self._weight = row[seen], discount[ranks.rank[seen]] / discount.sum()
        self._cell = (ranks.run * self._topics + ranks.topic)[seen]
        self.retrieved = np.bincount(row[seen], minlength=len(human))

    @cached_property
    def popularity(self) -> Indices:
        """The class of each document, by how many runs have it in their first ranks."""
        return np.searchsorted(_POPULAR, self.retrieved, side="right")

    def excess(self, machine: Floats) -> Floats:
        """Return the excess of each run on each topic, less the topic's mean over runs."""
        over = np.nan_to_num(machine - self.expected(machine))
        cells = len(self.systems) * self._topics
        sums = np.bincount(self._cell, self._weight * over[self._row], minlength=cells)
        excess = sums.reshape(len(self.systems), self._topics)[:, self._labelled(machine)]
        return np.asarray(excess - excess.mean(axis=0))

    def _labelled(self, machine: Floats) -> Indices:
        both = ~np.isnan(machine) & ~np.isnan(self._human) & (self._topic >= 0)
        return np.unique(self._topic[both])

    def expected(self, machine: Floats) -> Floats:
        """Return what the judge gives documents of the same topic, grade and popularity."""
        both = ~np.isnan(machine) & ~np.isnan(self._human) & (self._topic >= 0)
        expected = np.full(len(machine), np.nan)
        _, grade = np.unique(self._human[both], return_inverse=True)
        alike = grade * (len(_POPULAR) + 1) + self.popularity[both]
        grades = machine[both]
        of_all = _means(alike, grades)[alike]
        cell = self._topic[both] * (int(alike.max(initial=0)) + 1) + alike
        total, size = np.bincount(cell, grades)[cell], np.bincount(cell)[cell]
        expected[both] = (total + _PRIOR * of_all) / (size + _PRIOR)
        return expected

    def test(self, machine: Floats, *, alpha: float = 0.05) -> Excess:
        """Test each run for an excess above 0, over topics."""
        from scipy.special import stdtr, stdtrit  # noqa: PLC0415, late: slow to import

        excess = self.excess(machine)
        runs, n = excess.shape
        if n < 2:
            nothing = np.full(runs, np.nan)
            return Excess(self.systems, excess.sum(axis=1), nothing, nothing, nothing, n, alpha)
        mean, error = excess.mean(axis=1), excess.std(axis=1, ddof=1) / np.sqrt(n)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(error > 0, mean / error, np.where(mean > 0, np.inf, 0.0))
        needed = stdtrit(n - 1, 1 - alpha / runs) + stdtrit(n - 1, _POWER)
        return Excess(
            systems=self.systems,
            value=mean,
            half_width=t_quantile(n - 1, 0.95) * error,
            pvalue=adjust_pvalues(stdtr(n - 1, -ratio), correction="holm"),
            visible=needed * error,
            topics=n,
            alpha=alpha,
        )


def _means(group: Indices, values: Floats) -> Floats:
    count = np.bincount(group)
    return np.asarray(np.bincount(group, values) / np.maximum(count, 1))
