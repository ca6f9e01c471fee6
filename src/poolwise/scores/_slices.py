"""Scores by slice of the topics, such as a language: each with its interval, and their mean."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._groups import read_slices
from poolwise.errors import OptionError
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty, check_level, level_text
from poolwise.words import are, counted, named

__all__ = ["SlicedScores", "score_slices"]

MACRO = "macro mean"
"""What the mean of the slices' means is called, in which each slice counts the same."""


@finding
class SlicedScores(Finding):
    """The mean of each run on each slice of the topics, and the mean of these, with intervals.

    Attributes
    ----------
    measure : Measure
    systems : tuple of str
    slices : tuple of str
        Their names; the last one is the mean over all of them.
    topics : tuple of int
        How many topics with a score each has.
    mean : float array, systems × slices
    over_topics, over_judgments : Uncertainty
        Intervals of the means, and the ranges that the unjudged documents leave them in. The level
        is that of all slices together, and of the macro mean by itself.
    left_out : int
        How many topics have no slice.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4, 0.8]], systems=["a"], topics="1234",
    ...                                measure="AP")
    >>> print(score_slices(table, {"1": "de", "2": "de", "3": "en", "4": "en"}))
    AP by slice
    <BLANKLINE>
    run  slice       topics    mean  interval          range if judged
    a    de               2  0.4000  0.0000 to 1.0000  0.4000 to 0.4000
    a    en               2  0.6000  0.0000 to 1.0000  0.6000 to 0.6000
    a    macro mean       4  0.5000  0.0000 to 1.0000  0.5000 to 0.5000
    <BLANKLINE>
    a has a macro mean AP of 0.5000 over 2 slices: 0.6000 in en, 0.4000 in de.
    Intervals are over topics: those of all 2 slices hold together with 95% (Bonferroni), that of
    the macro mean by itself (Welch).
    """

    measure: Measure
    systems: tuple[str, ...]
    slices: tuple[str, ...]
    topics: tuple[int, ...]
    mean: Floats
    over_topics: Uncertainty
    over_judgments: Uncertainty
    left_out: int

    def answer(self) -> str:
        """Return nothing: the rows are the answer."""
        return ""

    def columns(self) -> Columns:
        """Return one row per run and slice."""
        runs, slices = len(self.systems), len(self.slices)
        found: Columns = {
            "run": [system for system in self.systems for _ in range(slices)],
            "measure": [str(self.measure)] * runs * slices,
            "slice": list(self.slices) * runs,
            "topics": list(self.topics) * runs,
            "value": self.mean.ravel().tolist(),
        }
        for one in (self.over_topics, self.over_judgments):
            found |= one.columns(one.shown.means.ends)
        return found

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run and slice, the run with the highest macro mean first."""
        cells = self.columns()
        shown = {
            Column("run"): cells["run"],
            Column("slice"): cells["slice"],
            Column("topics"): cells["topics"],
            Column("mean", 4): cells["value"],
            Column("interval"): [*self.over_topics.texts()],
            Column("range if judged"): [*self.over_judgments.texts()],
        }
        rows = list(zip(*shown.values(), strict=True))
        size = len(self.slices)
        order = np.argsort(-self.mean[:, -1], kind="stable").tolist()
        ordered = [row for s in order for row in rows[s * size : (s + 1) * size]]
        return (Table(tuple(shown), tuple(ordered), title=f"{self.measure} by slice"),)

    def sentences(self) -> tuple[str, ...]:
        """Say where the run with the highest macro mean is best and worst."""
        number = len(self.slices) - 1
        level = level_text(self.over_topics.level or 0)
        together = f"all {counted(number, 'slice')} hold together with {level}"
        left = f"{counted(self.left_out, 'topic')} without a slice {are(self.left_out)} left out."
        macro = "that of the macro mean by itself (Welch)"
        how = f"Intervals are over topics: those of {together} (Bonferroni), {macro}."
        return self._extremes(number), how, *([left] if self.left_out else [])

    def _extremes(self, number: int) -> str:
        best = int(np.argmax(self.mean[:, -1]))
        means = self.mean[best, :-1]
        order = [s for s in np.argsort(-means, kind="stable").tolist() if not np.isnan(means[s])]
        each = named([f"{means[s]:.4f} in {self.slices[s]}" for s in order], most=4)
        run, macro = self.systems[best], f"{self.mean[best, -1]:.4f}"
        has = f"{run} has {'a' if len(self.systems) == 1 else 'the highest'} macro mean"
        of = "of " if len(self.systems) == 1 else ""
        return f"{has} {self.measure} {of}{macro} over {counted(number, 'slice')}: {each}."


@recorded
def score_slices(
    table: ScoreTable, slices: Mapping[str, str] | str | Path, *, level: float = 0.95
) -> SlicedScores:
    """Return the mean of each run on each slice of the topics, such as a language.

    Parameters
    ----------
    table : ScoreTable
        Scores by run and topic.
    slices : dict, or path
        The slice of each topic, or a file whose lines have a topic and its slice. Topics that are
        not there are left out, and counted.
    level : float
        How often the intervals of all slices hold, together.

    Returns
    -------
    SlicedScores
        Means with intervals and ranges, by slice, and the mean of the slices' means.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4]], systems=["a"], topics="123", measure="AP")
    >>> score_slices(table, {"1": "de", "2": "en"}).mean.tolist()
    [[0.5, 0.3, 0.4]]
    """
    check_level(level)
    of = dict(slices) if isinstance(slices, Mapping) else read_slices(slices)
    topics: dict[str, list[str]] = {}
    for topic in table.topics:
        if topic in of:
            topics.setdefault(of[topic], []).append(topic)
    if not topics:
        raise OptionError("slices: none of the topics has one. Hint: name topics as in the qrels.")
    names = sorted(topics)
    parts = [table.select(topics=topics[name]) for name in names]
    each = [part.interval(1 - (1 - level) / len(parts)) for part in parts]
    ranges = [part.mean_bounds() for part in parts]
    means = np.stack([part.means() for part in parts], axis=1)
    macro = means.mean(axis=1)
    half = _macro_half_width(parts, level)
    least, most = table.limits
    ends = (np.maximum(macro - half, least), np.minimum(macro + half, most))
    counts = [int(part.defined.sum()) for part in parts]
    return SlicedScores(
        measure=table.measure,
        systems=table.systems,
        slices=(*names, MACRO),
        topics=(*counts, sum(counts)),
        mean=np.column_stack([means, macro]),
        over_topics=Uncertainty("topics", *_joined(each, ends), level=level, kind="t"),
        over_judgments=Uncertainty(
            "judgments",
            # Topics of several slices are judged apart, so that the ends are reached together.
            *_joined(ranges, tuple(np.mean(end, axis=0) for end in zip(*ranges, strict=True))),
            kind=table.over_judgments.kind,
            scope=table.scope,
        ),
        left_out=len(table.topics) - sum(map(len, topics.values())),
        provenance=table.provenance,
    )


def _joined(parts: list[tuple[Floats, Floats]], last: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Return the ends of all slices and of the macro mean, run by run."""
    low, high = (
        np.column_stack([*(part[end] for part in parts), last[end]]).ravel() for end in (0, 1)
    )
    return low, high


def _macro_half_width(parts: list[ScoreTable], level: float) -> Floats:
    """Return that of a mean of independent means, with the degrees of freedom of Welch (1947)."""
    from scipy.special import stdtrit  # noqa: PLC0415, late: slow to import

    values = [part.value[:, part.defined] for part in parts]
    if any(of_slice.shape[1] < 2 for of_slice in values):
        return np.full(len(parts[0].systems), np.nan)
    sizes = np.array([of_slice.shape[1] for of_slice in values])
    own = np.stack([of_slice.var(axis=1, ddof=1) for of_slice in values], axis=1) / sizes
    total = own.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = total**2 / (own**2 / (sizes - 1)).sum(axis=1)
    # The degrees of freedom are no whole numbers; level scores have no spread, and no interval.
    quantile = stdtrit(np.nan_to_num(freedom, nan=1.0), (1 + level) / 2)
    return np.asarray(quantile * np.sqrt(total) / len(parts))
