"""Scores and differences by slices of the topics, such as languages, and their macro mean."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._differences import SETTLED
from poolwise.findings.comparison._significance import CORRECTIONS, adjust_pvalues
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns, columns_of
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import (
    are,
    counted,
    have,
    in_brackets,
    named,
    p_text,
    p_words,
    range_text,
    range_texts,
    signed,
)

__all__ = [
    "ALL",
    "MACRO",
    "DifferencesBySlice",
    "MacroMean",
    "ScoresBySlice",
    "idle_slices",
    "slices_of",
]

MACRO = "macro mean"
"""What stands in the place of a slice for the mean over slices, each weighing the same."""
ALL = "all topics"
"""The same for the mean over topics, each weighing the same."""


def idle_slices(by: Mapping[str, str], topics: Sequence[str]) -> tuple[str, ...]:
    """Return the slices of which no topic is scored, by name.

    Examples
    --------
    >>> idle_slices({"1": "fr", "2": "en", "9": "de"}, ["1", "2"])
    ('de',)
    """
    return tuple(sorted(set(by.values()) - {by[topic] for topic in topics if topic in by}))


def slices_of(by: Mapping[str, str], topics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the topics of each slice, the slices by name; those without a slice are in none.

    Examples
    --------
    >>> slices_of({"1": "fr", "2": "en", "3": "en"}, ["1", "2", "3", "4"])
    {'en': ('2', '3'), 'fr': ('1',)}
    """
    names = sorted({by[topic] for topic in topics if topic in by})
    if not names:
        raise OptionError(
            "by: at least one of the topics that are scored must be of a slice, and none is; got "
            f"{named([str(topic) for topic in by], most=3)}. Hint: use the ids of the judgments."
        )
    return {name: tuple(t for t in topics if by.get(t) == name) for name in names}


class MacroMean(NamedTuple):
    """The mean over slices, each weighing the same, of every row.

    Attributes
    ----------
    mean, low, high : float array
        The mean and its confidence interval; NaN where a slice has a single topic.
    pvalue : float array
        Of the hypothesis that it is 0.

    Examples
    --------
    >>> macro = MacroMean.of([np.array([[0.1, 0.3]]), np.array([[0.5, 0.7, 0.9]])], level=0.95)
    >>> macro.mean.round(4).tolist(), macro.low.round(4).tolist(), macro.high.round(4).tolist()
    ([0.45], [0.2012], [0.6988])
    """

    mean: Floats
    low: Floats
    high: Floats
    pvalue: Floats

    @classmethod
    def of(cls, parts: Sequence[Floats], *, level: float) -> "MacroMean":
        """Average the means of slices, each given as rows × topics."""
        from scipy import special  # noqa: PLC0415, late: slow to import

        mean = np.mean([part.mean(axis=1) for part in parts], axis=0)
        sizes = np.array([part.shape[1] for part in parts])
        if sizes.min() < 2:
            unknown = np.full(mean.shape, np.nan)
            return cls(mean, unknown, unknown, unknown)
        # Satterthwaite (1946), eq. 17: slices have topics of their own, and spreads of their own.
        errors = np.stack([part.var(axis=1, ddof=1) / part.shape[1] for part in parts])
        with np.errstate(divide="ignore", invalid="ignore"):
            degrees = errors.sum(axis=0) ** 2 / (errors**2 / (sizes[:, None] - 1)).sum(axis=0)
            error = np.sqrt(errors.sum(axis=0)) / len(parts)
            pvalue = 2 * special.stdtr(degrees, -np.abs(mean / error))
        half = np.where(error > 0, special.stdtrit(degrees, (1 + level) / 2) * error, 0.0)
        return cls(mean, mean - half, mean + half, np.where(error > 0, pvalue, np.nan))


def _lonely(sizes: Mapping[str, int]) -> Iterator[str]:
    """Say which slices have no topic with a score, or a single one, if any have."""
    none = [name for name, topics in sizes.items() if not topics]
    if none:
        yield f"{named(none)} {have(len(none))} no topic with a score, and no part in macro means."
    alone = [name for name, topics in sizes.items() if topics == 1]
    if alone:
        lacks = "which gives no interval there, nor a macro one"
        yield f"{named(alone)} {have(len(alone))} one topic, {lacks}."


def _left_over(left_out: int, idle: Sequence[str]) -> Iterator[str]:
    """Say which topics are in no slice, and which slices have no topic."""
    if left_out:
        yield f"{counted(left_out, 'topic')} {are(left_out)} in no slice, and left out of them."
    if idle:
        yield f"No topic that is scored is in {named(idle, most=3)}."


@finding
class ScoresBySlice(Finding):
    """The mean score of runs on each slice of the topics, and the macro mean.

    Attributes
    ----------
    table : ScoreTable
        The scores on all topics.
    by : str
        What the slices are by, such as a language.
    slices : dict from str to tuple of str
        The topics of each slice.
    level : float
        The level of the intervals: of those of slices together, of that of a macro mean alone.
    idle : tuple of str
        Slices that are known, and of which no topic is scored.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4, 0.8]], systems=["a"], topics="1234",
    ...                                measure="AP")
    >>> scores = ScoresBySlice(table, "language", {"en": ("1", "2", "3"), "fr": ("4",)})
    >>> scores.columns()["slice"], [round(mean, 4) for mean in scores.columns()["mean"]]
    (['en', 'fr', 'macro mean', 'all topics'], [0.4, 0.8, 0.6, 0.5])
    """

    table: ScoreTable
    by: str
    slices: Mapping[str, tuple[str, ...]]
    level: float = 0.95
    idle: tuple[str, ...] = ()

    @property
    def measure(self) -> Measure:
        """What runs are scored by."""
        return self.table.measure

    @property
    def slice_level(self) -> float:
        """The level of the interval of one slice, so that all hold together (Bonferroni)."""
        return 1 - (1 - self.level) / len(self.slices)

    @property
    def left_out(self) -> int:
        """How many topics are in no slice."""
        return len(self.table.topics) - sum(map(len, self.slices.values()))

    def tables_by_slice(self) -> Iterator[tuple[str, ScoreTable]]:
        """Go through the slices: the scores on the topics of each."""
        for name, topics in self.slices.items():
            yield name, self.table.select(topics=topics)

    def macro(self) -> MacroMean:
        """Return the mean over slices of every run, those with a defined score."""
        macro = MacroMean.of(self._values(), level=self.level)
        least, most = self.table.limits
        low, high = np.maximum(macro.low, least), np.minimum(macro.high, most)
        return macro._replace(low=low, high=high)

    def _values(self) -> list[Floats]:
        return [t.value[:, t.defined] for _, t in self.tables_by_slice() if t.defined.any()]

    def answer(self) -> str:
        """Return nothing: the rows of the slices are the answer."""
        return ""

    def columns(self) -> Columns:
        """Return one row per slice and run, the best run first; then macro means, then all topics.

        ``level`` is that of the interval.
        """
        rows = [row for part in self._parts() for row in part]
        names = ("slice", "run", "topics", "mean", "ci_low", "ci_high", "level", "lower", "upper")
        columns = columns_of(names, rows)
        return {"measure": [str(self.measure)] * len(rows), **columns}

    def _parts(self) -> Iterator[list[tuple[Cell, ...]]]:
        ranges = []
        for name, table in self.tables_by_slice():
            if table.defined.any():
                ranges.append(table.mean_bounds())
            yield self._rows(name, table, self.slice_level)
        macro = self.macro()
        low, high = np.mean(ranges, axis=0)
        yield [
            (
                *(MACRO, self.table.systems[s], len(self.slices)),
                *(float(macro.mean[s]), float(macro.low[s]), float(macro.high[s]), self.level),
                *(float(low[s]), float(high[s])),
            )
            for s in self.table.order().tolist()
        ]
        yield self._rows(ALL, self.table, self.level)

    def _rows(self, name: str, table: ScoreTable, level: float) -> list[tuple[Cell, ...]]:
        means, (low, high), (least, most) = (
            table.means(),
            table.interval(level),
            table.mean_bounds(),
        )
        return [
            (
                *(name, table.systems[s], int(table.defined.sum())),
                *(float(means[s]), float(low[s]), float(high[s]), level),
                *(float(least[s]), float(most[s])),
            )
            for s in self.table.order().tolist()
        ]

    def tables(self) -> tuple[Table, ...]:
        """Return slices × runs with what topics and judgments leave open."""
        cells = self.columns()
        columns = {
            Column(self.by): cells["slice"],
            Column("topics"): cells["topics"],
            Column("run"): cells["run"],
            Column("mean", 4): cells["mean"],
            Column("95% over topics"): range_texts(cells["ci_low"], cells["ci_high"]),
            Column(self.table.range_title, rank=1): range_texts(cells["lower"], cells["upper"]),
        }
        title = f"{self.measure} by {self.by}: {counted(len(self.slices), 'slice')}"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say where the best run is worst, what its macro mean is, and how intervals were made."""
        best = int(self.table.order()[0])
        sizes = {name: int(t.defined.sum()) for name, t in self.tables_by_slice()}
        means = {n: float(t.means()[best]) for n, t in self.tables_by_slice() if sizes[n]}
        worst = min(means, key=lambda name: means[name])
        macro = self.macro()
        interval = in_brackets(macro.low[best], macro.high[best])
        return (
            (
                f"{self.table.systems[best]} has a macro mean {self.measure} of "
                f"{macro.mean[best]:.4f}{interval} over {counted(len(means), 'slice')}, "
                f"the least on {worst}: {means[worst]:.4f} on "
                f"{counted(sizes[worst], 'topic')}."
            ),
            (
                f"The intervals of slices hold together at {self.level:.0%} for a run "
                f"(Bonferroni, {counted(len(self.slices), 'slice')}); a macro mean weighs every "
                "slice the same."
            ),
            *_lonely(sizes),
            *_left_over(self.left_out, self.idle),
        )


@finding
class DifferencesBySlice(Finding):
    """How pairs of runs differ on each slice of the topics, corrected for all of them.

    Attributes
    ----------
    by : str
        What the slices are by, such as a language.
    comparisons : dict from str to Comparisons
        The pairs on each slice, each p value by itself.
    correction : str
        How p values are corrected over all slices and pairs: a key of ``CORRECTIONS``.
    alpha : float
        The significance level of the family.
    left_out : int
        Topics that are in no slice.
    idle : tuple of str
        As of :class:`ScoresBySlice`.

    Examples
    --------
    >>> from poolwise import simulate
    >>> from poolwise.workflows import compare_by_slice
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> halves = {t: "odd" if int(t) % 2 else "even" for t in made.judgments.topics}
    >>> differences = compare_by_slice(made.judgments, made.runs, "P@10", by=halves)["P@10"]
    >>> differences.columns()["slice"], differences.columns()["topics"]
    (['even', 'odd', 'macro mean'], [15, 15, 2])
    """

    by: str
    comparisons: Mapping[str, Comparisons]
    correction: str = "holm"
    alpha: float = 0.05
    left_out: int = 0
    idle: tuple[str, ...] = ()

    @property
    def measure(self) -> Measure:
        """What runs are scored by."""
        return next(iter(self.comparisons.values())).measure

    @property
    def _pairs(self) -> list[tuple[str, str]]:
        first = next(iter(self.comparisons.values()))
        return list(zip(first.a.tolist(), first.b.tolist(), strict=True))

    def p_adjusted(self) -> Floats:
        """Return the p values of slices × pairs, corrected for all of them."""
        raw = np.stack([of_slice.pvalue for of_slice in self.comparisons.values()])
        return adjust_pvalues(raw.ravel(), correction=self.correction).reshape(raw.shape)

    def macro(self) -> MacroMean:
        """Return the mean over slices of the difference of every pair."""
        samples = [
            of_slice.sample for of_slice in self.comparisons.values() if of_slice.sample.topics
        ]
        parts = [sample.deltas(slice(None)) for sample in samples]
        return MacroMean.of(parts, level=1 - self.alpha)

    def columns(self) -> Columns:
        """Return one row per slice and pair, then the macro means, whose p values stand alone."""
        level, adjusted = 1 - self.alpha / len(self.comparisons), self.p_adjusted()
        rows: list[tuple[Cell, ...]] = []
        for (name, of_slice), p in zip(self.comparisons.items(), adjusted, strict=True):
            low, high = of_slice.interval(level)
            judged = of_slice.over("judgments")
            cells = (of_slice.difference, low, high, of_slice.pvalue, p, judged.low, judged.high)
            for i, (a, b) in enumerate(self._pairs):
                numbers = (float(column[i]) for column in cells)
                rows.append((name, a, b, int(of_slice.n[i]), *numbers))
        rows += list(self._macro_rows())
        names = (
            *("slice", "a", "b", "topics", "difference", "ci_low", "ci_high", "p", "p_adjusted"),
            *("bound_low", "bound_high"),
        )
        columns = columns_of(names, rows)
        return {"measure": [str(self.measure)] * len(rows), **columns}

    def _macro_rows(self) -> Iterator[tuple[Cell, ...]]:
        macro = self.macro()
        ranges = [of_slice.over("judgments") for of_slice in self.comparisons.values()]
        low, high = (np.mean([getattr(r, end) for r in ranges], axis=0) for end in ("low", "high"))
        for i, (a, b) in enumerate(self._pairs):
            cells = (macro.mean, macro.low, macro.high, macro.pvalue, macro.pvalue, low, high)
            yield (MACRO, a, b, len(self.comparisons), *(float(column[i]) for column in cells))

    def tables(self) -> tuple[Table, ...]:
        """Return slices × pairs: difference, interval, corrected p value, range over judgments."""
        cells = self.columns()
        columns = {
            Column(self.by): cells["slice"],
            Column("topics"): cells["topics"],
            Column("a"): cells["a"],
            Column("b"): cells["b"],
            Column("difference", 4): cells["difference"],
            Column("p corrected"): [p_text(p) for p in cells["p_adjusted"]],
            Column(f"{1 - self.alpha:.0%} over topics"): range_texts(
                cells["ci_low"], cells["ci_high"]
            ),
            Column("range if judged", rank=1): range_texts(cells["bound_low"], cells["bound_high"]),
        }
        corrected = f"{CORRECTIONS[self.correction].title} over slices and pairs"
        title = f"{self.measure} by {self.by}: {corrected}"
        return (Table.by_column(columns, title=title),)

    def _reversible(self, chosen: Booleans) -> Iterator[str]:
        """Name the slices and pairs among those chosen whose order judging could reverse."""
        verdicts = np.stack([of_slice.verdict for of_slice in self.comparisons.values()])
        places = np.argwhere(chosen & ~np.isin(verdicts, (*SETTLED, "unknown")))
        names, pairs = list(self.comparisons), self._pairs
        reversible = [names[i] if len(pairs) == 1 else _on(names[i], *pairs[j]) for i, j in places]
        if reversible:
            many = f"{len(reversible):,} of them" if chosen.sum() > 1 else "it"
            yield f"Judging could reverse {many}: {named(reversible, most=3)}."

    def sentences(self) -> tuple[str, ...]:
        """Say on how many slices there is a difference, and what the macro mean is."""
        adjusted, pairs = self.p_adjusted(), self._pairs
        macro, (a, b) = self.macro(), pairs[0]
        enough = [
            of_slice.tests.enough_topics(self.alpha) for of_slice in self.comparisons.values()
        ]
        chosen = (adjusted < self.alpha) & np.array(enough)[:, None]
        significant = int(chosen.sum())
        family = (
            f"{counted(adjusted.size, 'comparison')} ({counted(len(self.comparisons), 'slice')}, "
            f"{counted(len(pairs), 'pair')})"
        )
        p = p_words(float(macro.pvalue[0])) if not np.isnan(macro.pvalue[0]) else "no test"
        interval = range_text(macro.low[0], macro.high[0])
        how_sure = [p] if np.isnan(macro.low[0]) else [interval, p]
        sizes = {name: int(of_slice.n[0]) for name, of_slice in self.comparisons.items()}
        return (
            (
                f"{significant:,} of {family} in {self.measure} "
                f"{'is' if significant == 1 else 'are'} significant at {self.alpha:g}, corrected "
                f"for all of them ({CORRECTIONS[self.correction].title})."
            ),
            *self._reversible(chosen),
            (
                f"The macro mean of {a} − {b} is {signed(float(macro.mean[0]))} "
                f"({', '.join(how_sure)}), every slice weighing the same."
            ),
            *_lonely(sizes),
            *_left_over(self.left_out, self.idle),
        )


def _on(name: str, a: str, b: str) -> str:
    """Return a slice with the pair that is compared on it."""
    return f"{name} ({a} − {b})"
