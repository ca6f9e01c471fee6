"""Who judged how: agreement, traps missed, time, and confusion."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.collection._labels import Labels
from poolwise.findings.labels._agreement_counts import Estimate, alpha, coincidences, jackknife
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.words import counted, range_text

__all__ = ["AssessorReport", "AssessorWork", "agreement_among", "confusion_with_others", "wilson"]

_Z = 1.959963984540054


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share; all is possible where nothing was tried.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(1, 10)]
    [0.018, 0.404]
    """
    if not trials:
        return 0.0, 1.0
    share, z2 = successes / trials, _Z**2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    root = math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    half = _Z * root / (1 + z2 / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class AssessorWork:
    """What one assessor has done.

    Attributes
    ----------
    judged, cannot, skipped : int
        Assignments, by what came of them.
    seconds : float
        The median time for a document; NaN where none was told.
    traps, missed : int
        Trap documents that were answered, and those of them with another grade than theirs.
    """

    judged: int = 0
    cannot: int = 0
    skipped: int = 0
    seconds: float = math.nan
    traps: int = 0
    missed: int = 0


@finding
class AssessorReport(Finding):
    """What each assessor has done, and how far they agree.

    Attributes
    ----------
    work : mapping from str to AssessorWork
        By assessor.
    alpha : Estimate
        Krippendorff's ordinal α over the documents that several people judged.
    twice : int
        How many documents those are.
    confusion : mapping from str to float array, grades × grades
        How often the grade of an assessor (columns) met each grade of others (rows).
    scale : tuple of float
        The grades.

    Examples
    --------
    >>> work = {"Ann": AssessorWork(judged=40, seconds=8.5, traps=10, missed=1)}
    >>> report = AssessorReport(work, Estimate(float("nan")), 0, {}, (0.0, 1.0))
    >>> print(report.sentences()[0])
    No document has been judged by two people yet, so that nothing is known of their agreement.
    >>> report.columns()["missed_high"][0] < 0.41
    True
    """

    work: Mapping[str, AssessorWork]
    alpha: Estimate
    twice: int
    confusion: Mapping[str, Floats]
    scale: tuple[float, ...]

    def columns(self) -> Columns:
        """Return one row per assessor."""
        intervals = [wilson(work.missed, work.traps) for work in self.work.values()]
        cells: Columns = {"assessor": list(self.work)}
        for name in ("judged", "cannot", "skipped", "seconds", "traps", "missed"):
            cells[name] = [getattr(work, name) for work in self.work.values()]
        cells["missed_low"] = [low for low, _ in intervals]
        cells["missed_high"] = [high for _, high in intervals]
        return cells

    def tables(self) -> tuple[Table, ...]:
        """Return what each has done, and the confusion of each with others."""
        return (self._work_table(), *(map(self._confusion_table, self.confusion)))

    def _work_table(self) -> Table:
        titles = ("assessor", "judged", "cannot", "skipped", "seconds each", "traps", "missed",
                  "95%")  # fmt: skip
        columns = tuple(Column(t, 1 if t == "seconds each" else None) for t in titles)
        rows = tuple(
            (
                name,
                work.judged,
                work.cannot,
                work.skipped,
                work.seconds,
                work.traps,
                work.missed,
                range_text(*wilson(work.missed, work.traps), digits=2) if work.traps else None,
            )
            for name, work in self.work.items()
        )
        return Table(columns, rows, title="Assessors")

    def _confusion_table(self, name: str) -> Table:
        grades = [f"{grade:g}" for grade in self.scale]
        columns = (Column("others say"), *(Column(f"{name}: {grade}") for grade in grades))
        counts = self.confusion[name].astype(int).tolist()
        rows = tuple((grade, *row) for grade, row in zip(grades, counts, strict=True))
        return Table(columns, rows, title=f"Grades of {name} beside those of others")

    def sentences(self) -> tuple[str, ...]:
        """Say how far people agree, and who misses traps."""
        return (self._agreement(), *filter(None, map(self._trapped, self.work)))

    def _agreement(self) -> str:
        if not self.twice:
            return (
                "No document has been judged by two people yet, so that nothing is known of their "
                "agreement."
            )
        documents = counted(self.twice, "document")
        if math.isnan(self.alpha.value):
            return f"{documents} were judged by two people or more, all with the same grade."
        interval = (
            f" (95% over topics: {range_text(self.alpha.low, self.alpha.high, digits=3)})"
            if self.alpha.has_interval
            else ", from too few topics for an interval"
        )
        return (
            f"Krippendorff's α of the assessors is {self.alpha.value:.3f}{interval}, over "
            f"{documents} that two people or more judged."
        )

    def _trapped(self, name: str) -> str:
        work = self.work[name]
        low, _ = wilson(work.missed, work.traps)
        if low <= _NOTED:
            return ""
        return f"{name} missed {work.missed} of {counted(work.traps, 'trap document')}."


_NOTED = 0.05
"""Traps missed beyond this share, by the lower end of the interval, are put into words."""


def agreement_among(labels: Labels) -> tuple[Estimate, int]:
    """Return Krippendorff's ordinal α of labels, and how many documents have two or more.

    Examples
    --------
    >>> from poolwise.collection import join_labels
    >>> ann = Labels.from_dict("Ann", {"1": {"a": 1, "b": 0, "c": 1}}, machine=False)
    >>> bob = Labels.from_dict("Bob", {"1": {"a": 1, "b": 0}}, machine=False)
    >>> agreement, twice = agreement_among(join_labels([ann, bob]).with_scale([0, 1]))
    >>> agreement.value, twice
    (1.0, 2)
    """
    grades = labels.matrix()
    twice = int(((~np.isnan(grades)).sum(axis=0) >= 2).sum())
    counts = coincidences(grades, labels.topic_of_document, labels.scale)
    return jackknife(counts, partial(alpha, scale=labels.scale, kind="ordinal")), twice


def confusion_with_others(labels: Labels) -> dict[str, Floats]:
    """Return for each author how often a grade met each grade of others, others × own.

    Examples
    --------
    >>> from poolwise.collection import join_labels
    >>> ann = Labels.from_dict("Ann", {"1": {"a": 1, "b": 0}}, machine=False)
    >>> bob = Labels.from_dict("Bob", {"1": {"a": 0}}, machine=False)
    >>> confusions = confusion_with_others(join_labels([ann, bob]).with_scale([0, 1]))
    >>> confusions["Ann"].tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    grades, scale = labels.matrix(), labels.scale
    codes: Indices = np.where(np.isnan(grades), -1, np.searchsorted(scale, np.nan_to_num(grades)))
    held = np.stack([(codes == code).sum(axis=0) for code in range(len(scale))]).astype(np.float64)
    by_author = {}
    for name, own in zip(labels.names, codes, strict=True):
        counts = np.zeros((len(scale), len(scale)))
        for code in range(len(scale)):
            here = own == code
            counts[:, code] = held[:, here].sum(axis=1)
            counts[code, code] -= here.sum()  # not with oneself
        if counts.any():
            by_author[name] = counts
    return by_author
