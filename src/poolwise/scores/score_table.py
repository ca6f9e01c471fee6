"""Scores by system and topic, with what the unjudged documents leave open."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, levels, settle, tolerance
from poolwise.collection.identifiers import indices_of
from poolwise.errors import require_choice
from poolwise.measures.measure import Measure
from poolwise.measures.names import measure_named
from poolwise.printout.columns import Columns
from poolwise.printout.finding import Finding, finding
from poolwise.printout.tables import Column, Table, table_of
from poolwise.printout.words import counted, range_text
from poolwise.scores.leaderboards import Summary, leaderboard
from poolwise.scores.t_quantile import t_quantile
from poolwise.scores.topic_deltas import Deltas

__all__ = ["AGGREGATES", "TIDY_COLUMNS", "MeanRange", "ScoreTable", "Summary", "tidy"]

TIDY_COLUMNS = ("run", "measure", "topic", "value", "lower", "upper", "ci_low", "ci_high")
"""The columns of scores for programs; topic ``all`` is the mean over topics."""

_QUARTILES = ("lowest", "quarter", "median", "three_quarters", "highest")


@dataclass(frozen=True, eq=False)
class MeanRange:
    """Ranges of means that do not follow from those of the topics.

    Attributes
    ----------
    lower, upper : float array, systems
        The ends.
    meaning : str
        A sentence that says what the range holds.
    calibrated : bool
        Whether it was checked on runs whose scores are known, and is not just what is possible.
    """

    lower: Floats
    upper: Floats
    meaning: str
    calibrated: bool

    def select(self, systems: Indices) -> "MeanRange":
        """Return the ranges of these systems."""
        return replace(self, lower=self.lower[systems], upper=self.upper[systems])


@finding
class ScoreTable(Finding):
    """One measure's scores, systems × topics, each with its lower and upper bound.

    Attributes
    ----------
    measure : Measure
    value, lower, upper : float array, systems × topics
        The score with unjudged documents taken as not relevant, and its bounds. NaN is an
        undefined score; ``undefined`` says why.
    answered : bool array, systems × topics
        Whether the run retrieved anything for the topic.
    mean_range : MeanRange, optional
        The ranges of the means, where they are not the means of the ranges.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> table.means().round(3).tolist()
    [0.4, 0.2]
    >>> table.interval(0.95)[0].round(3).tolist()
    [0.152, -0.23]
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    answered: Booleans
    undefined: str = ""
    mean_range: "MeanRange | None" = None

    @classmethod
    def from_matrix(
        cls,
        values: Sequence[Sequence[float]] | Floats,
        *,
        systems: Sequence[str],
        topics: Sequence[str],
        measure: Measure | str,
    ) -> "ScoreTable":
        """Build from scores alone, systems × topics; the bounds are the scores themselves."""
        value = np.array(values, np.float64)
        answered = np.ones(value.shape, np.bool_)
        return cls(
            measure_named(measure), tuple(systems), tuple(topics), value, value, value, answered
        )

    @cached_property
    def defined(self) -> Booleans:
        """Which topics have a score for every system; only these enter a mean."""
        return np.asarray(~np.isnan(self.value).any(axis=0))

    @cached_property
    def tolerance(self) -> float:
        """How far scores or means may differ and still be level: 1e-12 of the largest score."""
        return tolerance(self.value)

    def aggregate(self, how: str = "mean") -> Floats:
        """Return one number per system over the defined topics: a key of ``AGGREGATES``.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.25, 1.0, 0.5]], systems=["a"],
        ...                                topics=["1", "2", "3"], measure="P@4")
        >>> [round(float(table.aggregate(how)[0]), 3) for how in ("mean", "gm", "median")]
        [0.583, 0.5, 0.5]
        """
        require_choice("how", how, AGGREGATES)
        values = self.value[:, self.defined]
        if values.shape[1] == 0:
            return np.full(len(self.systems), np.nan)
        return np.asarray(AGGREGATES[how](values))

    def means(self) -> Floats:
        """Return each system's mean over the defined topics."""
        return self.aggregate("mean")

    def system_means(self) -> Floats:
        """Return each system's mean over its own defined topics, which may differ by system."""
        defined = ~np.isnan(self.value)
        total = np.where(defined, self.value, 0).sum(axis=1)
        return np.divide(
            total,
            defined.sum(axis=1),
            where=defined.any(axis=1),
            out=np.full(len(self.systems), np.nan),
        )

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the t interval of each mean: what another sample of topics could give.

        NaN with fewer than two topics, from which no spread can be estimated.
        """
        n = int(self.defined.sum())
        if n < 2:
            nothing = np.full(len(self.systems), np.nan)
            return nothing, nothing
        # W10 §3.3.5
        spread = self.value[:, self.defined].std(axis=1, ddof=1) / np.sqrt(n)
        half = t_quantile(n - 1, level) * spread
        return self.means() - half, self.means() + half

    def mean_bounds(self) -> tuple[Floats, Floats]:
        """Return the ranges of the means: by default, the means of the bounds over topics."""
        if self.mean_range is not None:
            return self.mean_range.lower, self.mean_range.upper
        lower, upper = self.lower[:, self.defined], self.upper[:, self.defined]
        if lower.shape[1] == 0:
            return self.means(), self.means()
        return lower.mean(axis=1), upper.mean(axis=1)

    def summary(self, level: float = 0.95) -> Summary:
        """Return mean, interval over topics and range over judgments, per system."""
        return Summary(self.systems, self.means(), *self.interval(level), *self.mean_bounds())

    def order(self) -> Indices:
        """Return the systems from best mean to worst; level means stay in the order given."""
        return np.argsort(-levels(self.means(), self.tolerance), kind="stable")

    def select(
        self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None
    ) -> "ScoreTable":
        """Return these systems and these topics only, in the order given."""
        rows = _positions("systems", systems, self.systems)
        columns = _positions("topics", topics, self.topics)
        cells = np.ix_(rows, columns)
        return replace(
            self,
            systems=tuple(self.systems[i] for i in rows),
            topics=tuple(self.topics[i] for i in columns),
            value=self.value[cells],
            lower=self.lower[cells],
            upper=self.upper[cells],
            answered=self.answered[cells],
            mean_range=None
            if self.mean_range is None or topics is not None
            else self.mean_range.select(rows),
        )

    def topic_spread(self, *, order: Sequence[str] = ()) -> Columns:
        """Return the distribution of all systems' scores on each defined topic.

        Parameters
        ----------
        order
            The topics as they are wanted; by default by their median, the highest first.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.1, 0.6], [0.3, 0.8]], systems=["a", "b"],
        ...                                topics=["1", "2"], measure="AP")
        >>> table.topic_spread()["topic"], [round(m, 3) for m in table.topic_spread()["median"]]
        (['2', '1'], [0.7, 0.2])
        """
        topics = np.flatnonzero(self.defined)
        values = self.value[:, topics]
        spread = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=0)
        names = [self.topics[t] for t in topics.tolist()]
        at = {name: t for t, name in enumerate(names)}
        by_median = np.argsort(-spread[2], kind="stable").tolist()
        place = [at[name] for name in order if name in at] if order else by_median
        numbers = dict(zip(_QUARTILES, spread, strict=True)) | {"deviation": values.std(axis=0)}
        return {
            "topic": [names[t] for t in place],
            **{name: cells[place].tolist() for name, cells in numbers.items()},
        }

    def deltas(self, a: str, b: str) -> Deltas:
        """Return a − b on each topic where both have a score, the largest first."""
        first, second = self.select([a, b]).value
        delta = settle(first - second, self.tolerance)
        order = [t for t in np.argsort(-delta, kind="stable").tolist() if not np.isnan(delta[t])]
        topics = tuple(self.topics[t] for t in order)
        return Deltas(self.measure, a, b, topics, delta[order], provenance=self.provenance)

    def caveats(self) -> tuple[str, ...]:
        """Say what a reader of the means must know: undefined topics, missing ones, one topic."""
        undefined = int((~self.defined).sum())
        missing = int((~self.answered).sum())
        topics, reason = counted(len(self.topics), "topic"), self.undefined or "a score is missing"
        found = (
            (undefined, f"{undefined:,} of {topics} are left out of the means: {reason}."),
            (missing, f"{counted(missing, 'list')} without any document score as empty lists."),
            (self.defined.sum() == 1, "One topic gives no interval over topics."),
            (self.mean_range, self.mean_range and self.mean_range.meaning),
        )
        return tuple(str(text) for applies, text in found if applies)

    def columns(self, *, per_topic: bool = True, level: float = 0.95) -> Columns:
        """Return the columns of ``TIDY_COLUMNS``; topic ``all`` is the mean over topics.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.5, 0.3]], systems=["a"], topics=["1", "2"],
        ...                                measure="AP")
        >>> table.columns()["topic"], table.columns()["value"]
        (['1', '2', 'all'], [0.5, 0.3, 0.4])
        """
        means = self._mean_rows(level)
        if not per_topic:
            return means
        return {name: cells + means[name] for name, cells in self._topic_rows().items()}

    def _topic_rows(self) -> Columns:
        nothing = [float("nan")] * self.value.size
        return {
            "run": np.repeat(np.array(self.systems, object), len(self.topics)).tolist(),
            "measure": [str(self.measure)] * self.value.size,
            "topic": list(self.topics) * len(self.systems),
            "value": self.value.ravel().tolist(),
            "lower": self.lower.ravel().tolist(),
            "upper": self.upper.ravel().tolist(),
            "ci_low": nothing,
            "ci_high": nothing,
        }

    def _mean_rows(self, level: float) -> Columns:
        summary = self.summary(level)
        return {
            "run": list(self.systems),
            "measure": [str(self.measure)] * len(self.systems),
            "topic": ["all"] * len(self.systems),
            "value": summary.mean.tolist(),
            "lower": summary.lower.tolist(),
            "upper": summary.upper.tolist(),
            "ci_low": summary.ci_low.tolist(),
            "ci_high": summary.ci_high.tolist(),
        }

    def leaderboard(
        self, *, beside: Sequence["ScoreTable"] = (), level: float = 0.95, gauge: bool = False
    ) -> Table:
        """Return one row per run, best mean first.

        Parameters
        ----------
        beside
            Further scores of the same runs, such as ``Judged@10``, whose means get a column each.
        level
            The confidence level of the interval over topics.
        gauge
            Draw both uncertainties with characters.

        Examples
        --------
        >>> from poolwise.printout.tables import render
        >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
        ...                                topics=["1", "2", "3"], measure="AP")
        >>> print(render(table.leaderboard()))
        AP: 2 runs, 3 topics
        <BLANKLINE>
        run    mean  95% over topics    range if unjudged were judged
        a    0.4000  0.1516 to 0.6484   0.4000 to 0.4000
        b    0.2000  −0.2303 to 0.6303  0.2000 to 0.2000
        """
        runs, topics = len(self.systems), int(self.defined.sum())
        return leaderboard(
            self.summary(level),
            self.order(),
            title=f"{self.measure}: {counted(runs, 'run')}, {counted(topics, 'topic')}",
            beside={Column(str(t.measure), t.measure.digits): t.system_means() for t in beside},
            level=level,
            gauge=gauge,
        )

    def topic_table(self) -> Table:
        """Return one row per run and topic."""
        columns = self._topic_rows()
        shown = {name: columns[name] for name in ("run", "topic", "value", "lower", "upper")}
        return table_of(shown, title=f"{self.measure} by topic")

    def tables(self) -> tuple[Table, ...]:
        """Return the leaderboard."""
        return (self.leaderboard(),)

    def sentences(self) -> tuple[str, ...]:
        """Say who is ahead, and how far both uncertainties reach."""
        if not self.defined.any():
            return (f"No topic has a score by {self.measure} for every run.", *self.caveats())
        best, found = int(self.order()[0]), self.summary()
        mean, over = f"{found.mean[best]:.4f}", counted(int(self.defined.sum()), "topic")
        return (
            f"{self.systems[best]} has the highest mean {self.measure}, {mean}, over {over}.",
            *_reach("Other topics could give it", found.ci_low[best], found.ci_high[best]),
            *_reach("Judging could give it", found.lower[best], found.upper[best]),
            *self.caveats(),
        )


def _reach(what: str, low: float, high: float) -> tuple[str, ...]:
    return () if np.isnan(low) else (f"{what} {range_text(low, high)}.",)


def tidy(tables: Iterable[ScoreTable], *, per_topic: bool = True, level: float = 0.95) -> Columns:
    """Return the columns of several tables, one below the other.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5]], systems=["a"], topics=["1"], measure="AP")
    >>> tidy([table, table])["topic"]
    ['1', 'all', '1', 'all']
    """
    parts = [table.columns(per_topic=per_topic, level=level) for table in tables]
    return {name: [cell for part in parts for cell in part[name]] for name in TIDY_COLUMNS}


def _positions(what: str, wanted: Iterable[str] | None, available: tuple[str, ...]) -> Indices:
    if wanted is None:
        return np.arange(len(available))
    return indices_of(wanted, available, what=what)


def _geometric_mean(values: Floats, epsilon: float = 1e-5) -> Floats:
    """Return GM-M: ε is added so that a score of 0 counts, and taken off again (U18 §2.1)."""
    return np.exp(np.log(values + epsilon).mean(axis=1)) - epsilon


AGGREGATES: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda values: values.mean(axis=1),
    "gm": _geometric_mean,
    "median": lambda values: np.median(values, axis=1),
}
