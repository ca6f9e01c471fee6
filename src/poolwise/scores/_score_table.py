"""Scores by system and topic, with what the unjudged documents leave open."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import (
    Booleans,
    Floats,
    Indices,
    Integers,
    levels,
    settle,
    spread,
    tolerance,
)
from poolwise.collection._identifiers import Renamed, indices_of
from poolwise.errors import require_choice
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named
from poolwise.measures._ranges import NO_SCOPE, RangeScope, enclosing
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, Rows, pack
from poolwise.results._finding import FindingByTopic, finding
from poolwise.results._tables import Cell, Column, IntervalBar, Table, table_of
from poolwise.scores._sampling_errors import SamplingErrors
from poolwise.scores._uncertainty import (
    JUDGED,
    Uncertainty,
    average_range,
    may_enter,
    mean_range,
    t_quantile,
)
from poolwise.words import are, counted, decimal, named

if TYPE_CHECKING:
    from poolwise.scores._topic_deltas import Deltas

__all__ = [
    "AGGREGATES",
    "AVERAGES",
    "TIDY_COLUMNS",
    "Average",
    "ScoreTable",
    "Summary",
    "tidy",
]


def _geometric_mean(values: Floats, epsilon: float = 1e-5) -> Floats:
    """Return GM-M: ε is added so that a score of 0 counts, and taken off again (U18 §2.1)."""
    return np.exp(np.log(_not_negative(values) + epsilon).mean(axis=1)) - epsilon


def _harmonic_mean(values: Floats, epsilon: float = 1e-5) -> Floats:
    """Return the harmonic mean, with ε as for the geometric one (Ravana & Moffat 2009)."""
    return 1 / (1 / (_not_negative(values) + epsilon)).mean(axis=1) - epsilon


def _not_negative(values: Floats) -> Floats:
    """Return the scores, undefined below 0, where these means have no meaning."""
    return np.where(values < 0, np.nan, values)


class Average(NamedTuple):
    """What an average is called, and its key in ``AGGREGATES``."""

    title: str
    how: str


AVERAGES: dict[str, Average] = {
    "geometric": Average("geometric mean", "gm"),
    "harmonic": Average("harmonic mean", "hm"),
    "median": Average("median", "median"),
}
"""Averages that can stand beside the mean."""

AGGREGATES: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda values: values.mean(axis=1),
    "gm": _geometric_mean,
    "hm": _harmonic_mean,
    "median": lambda values: np.median(values, axis=1),
}


class Summary(NamedTuple):
    """One row per system: the mean, and how far it could be from what it is.

    Attributes
    ----------
    systems : tuple of str
    mean : float array
    uncertainties : tuple of Uncertainty
        First that over topics, then that over judgments, then those that only some scores have.
    """

    systems: tuple[str, ...]
    mean: Floats
    uncertainties: tuple[Uncertainty, ...]

    @property
    def drawn(self) -> tuple[Uncertainty, ...]:
        """Those that are drawn as bars, wherever means are shown."""
        return tuple(
            uncertainty for uncertainty in self.uncertainties if uncertainty.shown.means.bar
        )

    def columns(self) -> Columns:
        """Return the means and what is drawn of their uncertainties, as columns."""
        columns: Columns = {"mean": self.mean.tolist()}
        for uncertainty in self.drawn:
            columns |= uncertainty.columns(uncertainty.shown.means.ends)
        return columns

    def bars(self, order: Indices) -> IntervalBar:
        """Return what a terminal draws beside the rows, in this order."""
        mean = tuple(self.mean[order].tolist())
        ordered = [uncertainty.select(order) for uncertainty in self.drawn]
        ends = [
            (uncertainty.shown.means.bar, uncertainty.low.tolist(), uncertainty.high.tolist())
            for uncertainty in ordered
        ]
        return IntervalBar(mean, tuple((mark, tuple(lo), tuple(hi)) for mark, lo, hi in ends))


TIDY_COLUMNS = (
    *("run", "measure", "topic", "value", "lower", "upper", "ci_low", "ci_high"),
    *("tail", "answered"),
)
"""The columns of scores for programs; topic ``all`` is the mean over topics."""

_ENTER = (
    "could enter the means, since an unjudged document there may be relevant; the ranges reckon "
    "with that."
)
_NAIVE = (
    "The range is naive: unjudged documents take the best grades left in the pool, and judging can "
    "give scores outside of it (B23 §3.3)."
)
_NAMED = 3
"""How many runs that lack topics are named."""
_ROWS = 1 << 14
"""Rows that are made at a time where all of them would take much memory."""
_NO_LIMITS = (-np.inf, np.inf)
_NAN = float("nan")


@finding
class ScoreTable(FindingByTopic):
    """One measure's scores, systems × topics, each with its lower and upper bound.

    Attributes
    ----------
    measure : Measure
    value, lower, upper : float array, systems × topics
        The score with unjudged documents taken as not relevant, and its bounds. NaN is an
        undefined score; ``undefined`` says why.
    answered : bool array, systems × topics
        Whether the run retrieved anything for the topic.
    of_means : tuple of Uncertainty
        What is known of the means that does not follow from the scores of topics.
    tail : float array, systems × topics, optional
        What the ranks past the end of the list could add; it is no part of the range.
    scope : RangeScope
        What the range is over: which documents, of which grades.
    naive : bool
        Whether the range is that of B23, which judging can leave.
    sampling : SamplingErrors, optional
        How far another sample of documents could move scores that are estimates from one.
    limits : tuple of float
        The lowest and the highest score that the measure has, infinite where they are not known.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> table.means().round(3).tolist()
    [0.4, 0.2]
    >>> table.interval(0.95)[0].round(3).tolist()
    [0.152, 0.0]
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    answered: Booleans
    undefined: str = ""
    of_means: tuple[Uncertainty, ...] = ()
    tail: Floats | None = None
    scope: RangeScope = NO_SCOPE
    limits: tuple[float, float] = _NO_LIMITS
    sampling: SamplingErrors | None = None
    naive: bool = False

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
        scored = measure_named(measure)
        return cls(
            measure=scored,
            systems=tuple(systems),
            topics=tuple(topics),
            value=value,
            lower=value,
            upper=value,
            answered=np.ones(value.shape, np.bool_),
            limits=_limits_of_matrix(scored, value),
        )

    mean_range = Renamed("of_means")

    @cached_property
    def defined(self) -> Booleans:
        """Which topics have a score for every system that has any; only these enter a mean."""
        undefined = np.isnan(self.value)
        scored = ~undefined.all(axis=1)
        return np.asarray(~undefined[scored].any(axis=0) & scored.any())

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
        >>> [round(float(table.aggregate(how)[0]), 3) for how in ("mean", "gm", "hm", "median")]
        [0.583, 0.5, 0.429, 0.5]
        """
        require_choice("how", how, AGGREGATES)
        values = self.value[:, self.defined]
        if values.shape[1] == 0:
            return np.full(len(self.systems), np.nan)
        return np.asarray(AGGREGATES[how](values))

    def aggregate_range(self, how: str) -> tuple[Floats, Floats]:
        """Return the range over judgments of :meth:`aggregate`, which grows with every score.

        It reckons with the topics that may yet enter. NaN where scores have no range.

        Examples
        --------
        >>> from poolwise import Grades, score
        >>> table = score(Grades.from_grades([[1, None, 0, 0]]), "P@4")
        >>> [end.round(3).tolist() for end in table.aggregate_range("gm")]
        [[0.25], [0.5]]
        """
        require_choice("how", how, AGGREGATES)
        if self.scope.kind == "none":
            nothing = np.full(len(self.systems), np.nan)
            return nothing, nothing
        return average_range(self.value, self.lower, self.upper, AGGREGATES[how])

    def means(self) -> Floats:
        """Return each system's mean over the defined topics; of what is judged, over its own."""
        return self.system_means() if self.measure.own_topics else self.aggregate("mean")

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

        It stays in the range of the measure, where that is known. NaN with fewer than two topics,
        from which no spread can be estimated, and for means over topics that differ by system.
        """
        n = int(self.defined.sum())
        if n < 2 or self.measure.own_topics:
            nothing = np.full(len(self.systems), np.nan)
            return nothing, nothing
        # W10 §3.3.5
        spread = self.value[:, self.defined].std(axis=1, ddof=1) / np.sqrt(n)
        half = t_quantile(n - 1, level) * spread
        low, high = self.limits
        return np.maximum(self.means() - half, low), np.minimum(self.means() + half, high)

    def sample_interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the interval of each mean over samples of documents, on the same topics.

        NaN where scores are no estimates from a sample, or nothing is known of their variance.
        """
        if self.sampling is None:
            nothing = np.full(len(self.systems), np.nan)
            return nothing, nothing
        return self.sampling.mean_interval(self.means(), self.defined, level)

    def mean_bounds(self) -> tuple[Floats, Floats]:
        """Return the range of each mean over the defined topics, and those that may enter it.

        A topic without a known relevant document may enter a mean of recall-based scores once an
        unjudged document there is judged.
        """
        uncertainty = self.over_judgments
        return uncertainty.low, uncertainty.high

    @property
    def over_judgments(self) -> Uncertainty:
        """The ranges of the means over judgments: what is possible, or plausible by a model."""
        for uncertainty in self.of_means:
            if uncertainty.over in JUDGED:
                return uncertainty
        ends = mean_range(self.value, self.lower, self.upper)
        # The point of a treatment need not lie in its range.
        ends = ends if self.scope.kind == "none" else enclosing(ends, self.means())
        if self.naive:
            return Uncertainty("judgments", *ends, kind="naive", meaning=(_NAIVE,))
        return Uncertainty("judgments", *ends, kind=self.scope.kind, scope=self.scope)

    @property
    def range_title(self) -> str:
        """What the ranges of the means are called: what is possible, or what is plausible."""
        return self.over_judgments.shown.means.title

    def uncertainties(self, level: float = 0.95) -> tuple[Uncertainty, ...]:
        """Return how far the means could be from what they are, by all that could be otherwise.

        First over topics, then over judgments; then over samples, or what else was found.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.5, 0.3]], systems=["a"], topics=["1", "2"],
        ...                                measure="AP")
        >>> [uncertainty.over for uncertainty in table.uncertainties()]
        ['topics', 'judgments']
        """
        topics = Uncertainty("topics", *self.interval(level), level=level, kind="t")
        sampled: tuple[Uncertainty, ...] = ()
        if self.sampling is not None:
            sampled = self.sampling.of_means(self.means(), self.defined, level)
        others = (uncertainty for uncertainty in self.of_means if uncertainty.over not in JUDGED)
        return (topics, self.over_judgments, *sampled, *others)

    def judging_matters(self, level: float = 0.95) -> Booleans:
        """Return which means judging could move out of their intervals over topics.

        With one topic, which gives no interval, those that it could move at all.

        Examples
        --------
        >>> from poolwise import Grades, score
        >>> score(Grades.from_grades([[1, None, 0, 0]]), "P@4").judging_matters().tolist()
        [True]
        """
        mean, judging = self.means(), self.over_judgments
        low, high = self.interval(level)
        low, high = np.where(np.isnan(low), mean, low), np.where(np.isnan(high), mean, high)
        return (judging.low < low - self.tolerance) | (judging.high > high + self.tolerance)

    def topics_answered(self) -> Integers:
        """Return for how many topics each system retrieved anything."""
        return self.answered.sum(axis=1)

    def mean_tails(self) -> Floats:
        """Return the mean over the defined topics of what the tails of the lists could add."""
        tails = np.zeros(self.value.shape) if self.tail is None else self.tail
        return tails[:, self.defined].mean(axis=1) if self.defined.any() else tails.sum(axis=1)

    def summary(self, level: float = 0.95) -> Summary:
        """Return the mean of each system, and how far it could be from what it is."""
        return Summary(self.systems, self.means(), self.uncertainties(level))

    def order(self) -> Indices:
        """Return the systems from best mean to worst; level means stay in the order given."""
        # Means that differ by rounding alone share a level, and keep the order they came in.
        return np.argsort(-levels(self.means(), self.tolerance), kind="stable")

    @recorded
    def select(
        self, runs: Iterable[str] | None = None, topics: Iterable[str] | None = None
    ) -> "ScoreTable":
        """Return these runs and these topics only, in the order given.

        Parameters
        ----------
        runs, topics : iterable of str, optional
            Names; by default all.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.1, 0.6], [0.3, 0.8]], systems=["a", "b"],
        ...                                topics=["1", "2"], measure="AP")
        >>> table.select(runs=["b"], topics=["2"]).value.tolist()
        [[0.8]]
        """
        rows = _positions("runs", runs, self.systems)
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
            # That of a mean over other topics is another one.
            of_means=() if topics is not None else tuple(u.select(rows) for u in self.of_means),
            tail=None if self.tail is None else self.tail[cells],
            sampling=None if self.sampling is None else self.sampling.select(rows, columns),
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
        numbers = spread(values, axis=0) | {"deviation": values.std(axis=0)}
        names = [self.topics[t] for t in topics.tolist()]
        at = {name: t for t, name in enumerate(names)}
        by_median = np.argsort(-numbers["median"], kind="stable").tolist()
        place = [at[name] for name in order if name in at] if order else by_median
        return {
            "topic": [names[t] for t in place],
            **{name: cells[place].tolist() for name, cells in numbers.items()},
        }

    def deltas(self, a: str, b: str) -> "Deltas":
        """Return a − b on each topic where both have a score, the largest first."""
        from poolwise.scores._topic_deltas import Deltas  # noqa: PLC0415, late: seldom asked for

        first, second = self.select([a, b]).value
        delta = settle(first - second, self.tolerance)
        order = [t for t in np.argsort(-delta, kind="stable").tolist() if not np.isnan(delta[t])]
        topics = tuple(self.topics[t] for t in order)
        return Deltas(self.measure, a, b, topics, delta[order], provenance=self.provenance)

    def caveats(self) -> tuple[str, ...]:
        """Say what a reader of the means must know: undefined topics, missing ones, one topic."""
        entering = int(may_enter(self.value, self.lower).any(axis=0).sum())
        missing = int((~self.answered).sum())
        undefined = self.left_out()
        cases = (
            (undefined, undefined),
            (entering, f"{counted(entering, 'topic')} of these {_ENTER}"),
            (missing, f"{counted(missing, 'missing list')} {are(missing)} counted as empty."),
            (missing, self._who_lacks()),
            (self.defined.sum() == 1, "One topic gives no interval over topics."),
        )
        said = tuple(text for applies, text in cases if applies)
        return said + self.over_judgments.meaning

    def missing(self) -> tuple[str, ...]:
        """Say which topics the means are without, and which runs have no list for some of them."""
        lacking = () if self.answered.all() else (self._who_lacks(),)
        return (*filter(None, [self.left_out()]), *lacking)

    def left_out(self) -> str:
        """Say how many topics the means are without, and why; empty where all topics count.

        Examples
        --------
        >>> ScoreTable.from_matrix([[0.5, np.nan]], systems=["a"], topics=["1", "2"],
        ...                        measure="AP").left_out()
        '1 of 2 topics is left out of the means: a score is missing.'
        """
        undefined = int((~self.defined).sum())
        topics, reason = counted(len(self.topics), "topic"), self.undefined or "a score is missing"
        said = f"{undefined:,} of {topics} {are(undefined)} left out of the means: {reason}."
        return said if undefined else ""

    def _who_lacks(self) -> str:
        counts, topics = self.topics_answered(), counted(len(self.topics), "topic")
        lacking = np.flatnonzero(counts < len(self.topics)).tolist()
        said = [f"{self.systems[s]} answers {counts[s]} of {topics}" for s in lacking]
        return f"{named(said, most=_NAMED)}."

    def columns(self, *, per_topic: bool = True, level: float = 0.95) -> Columns:
        """Return the columns of ``TIDY_COLUMNS``; topic ``all`` is the mean over topics.

        Where more than topics and judgments could be otherwise, so have further columns.

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
        topics = self.topic_columns()
        # A single topic rests on too few documents for an interval of its own to hold.
        nothing = dict.fromkeys(means, [_NAN] * self.value.size)
        if self.sampling is not None:
            nothing["never_drawn"] = self.sampling.never_drawn.ravel().tolist()
        return {name: topics.get(name, nothing[name]) + cells for name, cells in means.items()}

    def row_parts(self) -> Iterator[Rows]:
        """Yield the rows of :meth:`columns`, some at a time."""
        for first in range(0, self.value.size, _ROWS):
            rows = self._topic_rows(slice(first, first + _ROWS))
            yield {name: pack(cells) for name, cells in rows.items()}
        yield self._mean_rows(0.95)

    def topic_columns(self) -> Columns:
        """Return the rows of topics, without those of means."""
        rows = self._topic_rows(slice(None))
        return {name: list(pack(cells)) for name, cells in rows.items()}

    def _topic_rows(self, cells: slice) -> dict[str, list[str] | NDArray[Any]]:
        """Return the rows of some cells, which are counted by run and then by topic."""
        runs, topics = np.divmod(np.arange(self.value.size)[cells], max(1, len(self.topics)))
        nothing = np.full(len(runs), _NAN)
        tail = np.zeros(self.value.shape) if self.tail is None else self.tail
        return {
            "run": [self.systems[s] for s in runs.tolist()],
            "measure": [str(self.measure)] * len(runs),
            "topic": [self.topics[t] for t in topics.tolist()],
            "value": self.value.ravel()[cells],
            "lower": self.lower.ravel()[cells],
            "upper": self.upper.ravel()[cells],
            "ci_low": nothing,
            "ci_high": nothing,
            "tail": tail.ravel()[cells],
            "answered": self.answered.ravel()[cells].astype(int),
        }

    def _mean_rows(self, level: float) -> Columns:
        columns: Columns = {
            "run": list(self.systems),
            "measure": [str(self.measure)] * len(self.systems),
            "topic": ["all"] * len(self.systems),
            "value": self.means().tolist(),
            "tail": self.mean_tails().tolist(),
            "answered": self.topics_answered().tolist(),
        }
        for uncertainty in self.uncertainties(level):
            columns |= uncertainty.columns(uncertainty.shown.means.ends)
        further = [name for name in columns if name not in TIDY_COLUMNS]
        return {name: columns[name] for name in (*TIDY_COLUMNS, *further)}

    def leaderboard(
        self,
        *,
        beside: Sequence["ScoreTable"] = (),
        averages: Sequence[str] = (),
        level: float = 0.95,
    ) -> Table:
        """Return one row per run, best mean first.

        Parameters
        ----------
        beside
            Further scores of the same runs, such as ``Judged@10``, whose means get a column each.
        averages
            Further averages of the scores, which get two columns each: keys of ``AVERAGES``.
        level
            The confidence level of the interval over topics.

        Examples
        --------
        >>> from poolwise.results._layout import render
        >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
        ...                                topics=["1", "2", "3"], measure="AP")
        >>> print(render(table.leaderboard()))
        AP: 2 runs, 3 topics
        <BLANKLINE>
        run    mean  95% over topics   range if judged
        a    0.4000  0.1516 to 0.6484  0.4000 to 0.4000
        b    0.2000  0.0000 to 0.6303  0.2000 to 0.2000
        """
        summary, order = self.summary(level), self.order()
        runs, topics = len(self.systems), int(self.defined.sum())
        first, further = summary.uncertainties[:2], summary.uncertainties[2:]
        cells: dict[Column, list[Cell]] = {
            Column("run"): list(self.systems),
            Column("mean", digits=4, best="max"): summary.mean.tolist(),
            **{
                Column(uncertainty.words(uncertainty.shown.means.title)): [*uncertainty.texts()]
                for uncertainty in first
                # A treated document has no other grade: there is no range to show of anything.
                if uncertainty.over == "topics" or uncertainty.known.any()
            },
            **self._averages(averages),
            **_further_columns(further),
            **self._beside(),
            **{Column(str(t.measure), t.measure.digits): t.system_means().tolist() for t in beside},
        }
        return Table.by_column(
            cells,
            order=order.tolist(),
            title=f"{self.measure}: {counted(runs, 'run')}, {counted(topics, 'topic')}",
            bars=summary.bars(order),
        )

    def _averages(self, names: Sequence[str]) -> dict[Column, list[Cell]]:
        """Return two columns for each average: its value, and its range over judgments."""
        columns: dict[Column, list[Cell]] = {}
        for name in names:
            title, how = AVERAGES[name]
            ranges = Uncertainty("judgments", *self.aggregate_range(how))
            columns[Column(title, digits=4, best="max")] = self.aggregate(how).tolist()
            columns[Column(f"{title} if judged", rank=1)] = [*ranges.texts()]
        return columns

    def average_columns(self, name: str, *, per_topic: bool = True) -> Columns:
        """Return an average and its range in the rows of :meth:`columns`, where topics have none.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.25, 1.0]], systems=["a"], topics=["1", "2"],
        ...                                measure="P@4")
        >>> [round(cell, 3) for cell in table.average_columns("geometric")["geometric"]]
        [nan, nan, 0.5]
        """
        how = AVERAGES[name].how
        averages = (self.aggregate(how), *self.aggregate_range(how))
        nothing = [_NAN] * (self.value.size if per_topic else 0)
        names = (name, f"{name}_lower", f"{name}_upper")
        return {n: nothing + cells.tolist() for n, cells in zip(names, averages, strict=True)}

    def _beside(self) -> dict[Column, list[Cell]]:
        """Return the columns that only some leaderboards need: tails, topics answered."""
        columns: dict[Column, list[Cell]] = {}
        if self.mean_tails().any():
            columns[Column("tail", digits=4, rank=1)] = self.mean_tails().tolist()
        if not self.answered.all():
            columns[Column("topics answered")] = self.topics_answered().tolist()
        return columns

    def topic_table(self, judged: "ScoreTable | None" = None) -> Table:
        """Return one row per run and topic, with the share that is judged where that is known."""
        columns = self.topic_columns()
        shown = {name: columns[name] for name in ("run", "topic", "value", "lower", "upper")}
        if judged is not None:
            shown[str(judged.measure)] = judged.value.ravel().tolist()
        return table_of(shown, title=f"{self.measure} by topic")

    def tables(self) -> tuple[Table, ...]:
        """Return the leaderboard."""
        return (self.leaderboard(),)

    def headline(self) -> str:
        """Say who is ahead; of a single run, its mean.

        Examples
        --------
        >>> ScoreTable.from_matrix([[0.5, 0.3]], systems=["a"], topics=["1", "2"],
        ...                        measure="AP").headline()
        'a has a mean AP of 0.4000 over 2 topics.'
        """
        if not self.defined.any():
            return f"No topic has a score by {self.measure} for every run."
        best, over = int(self.order()[0]), counted(int(self.defined.sum()), "topic")
        run, mean = self.systems[best], decimal(float(self.means()[best]))
        if len(self.systems) == 1:
            return f"{run} has a mean {self.measure} of {mean} over {over}."
        return f"{run} has the highest mean {self.measure}, {mean}, over {over}."

    def sentences(self) -> tuple[str, ...]:
        """Say who is ahead, and how far each uncertainty reaches."""
        if not self.defined.any():
            return (self.headline(), *self.caveats())
        best = int(self.order()[0])
        topics, judging, *further = self.uncertainties()
        return (
            self.headline(),
            *self._reach(topics, best),
            *(
                said
                for uncertainty in further
                for said in (*self._reach(uncertainty, best), *uncertainty.meaning)
            ),
            # Last, since what the range is over and what the means are without belong to it.
            *self._reach(judging, best),
            *self.scope.sentences(),
            *self.caveats(),
        )

    def _reach(self, uncertainty: Uncertainty, row: int) -> tuple[str, ...]:
        """Say how far a mean could be from what it is, or that it could not be."""
        shown, run = uncertainty.shown.means, self.systems[row]
        if not shown.could or not uncertainty.known[row]:
            return ()
        width = uncertainty.high[row] - uncertainty.low[row]
        # Judging may leave a naive range.
        if shown.stays and width <= self.tolerance and uncertainty.kind != "naive":
            return (shown.stays.replace("{run}", run),)
        return (f"{shown.could.replace('{run}', run)} {uncertainty.texts()[row]}.",)


def _further_columns(uncertainties: Iterable[Uncertainty]) -> dict[Column, list[Cell]]:
    """Return the columns of uncertainties that only some scores have, as far as they are known."""
    columns: dict[Column, list[Cell]] = {}
    for uncertainty in uncertainties:
        shown = uncertainty.shown.means
        if shown.amount and (uncertainty.high > 0).any():
            columns[Column(uncertainty.words(shown.title), digits=4)] = uncertainty.high.tolist()
        if not shown.amount and uncertainty.known.any():
            columns[Column(uncertainty.words(shown.title))] = [*uncertainty.texts()]
    return columns


@recorded
def tidy(
    tables: Iterable[ScoreTable] = (), *, per_topic: bool = True, level: float = 0.95
) -> Columns:
    """Return the columns of several tables, one below the other.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores, one table per measure; of none there are the names of the columns.
    per_topic : bool
        Whether there is a row for each topic, besides that of the mean.

    Returns
    -------
    dict from str to list
        Named columns with the rows of all tables, which :func:`~poolwise.results.to_frame` takes.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5]], systems=["a"], topics=["1"], measure="AP")
    >>> tidy([table, table])["topic"]
    ['1', 'all', '1', 'all']
    """
    parts = [table.columns(per_topic=per_topic, level=level) for table in tables]
    names = dict.fromkeys(name for part in parts for name in part)
    return {
        name: [cell for part in parts for cell in part.get(name, [_NAN] * len(part["run"]))]
        for name in names or TIDY_COLUMNS
    }


def _positions(what: str, wanted: Iterable[str] | None, available: tuple[str, ...]) -> Indices:
    if wanted is None:
        return np.arange(len(available))
    return indices_of(wanted, available, what=what)


def _limits_of_matrix(measure: Measure, value: Floats) -> tuple[float, float]:
    """Return the range of a measure of binary grades, if scores of unknown origin keep to it."""
    low, high = measure.limits(np.array([0.0, 1.0]))
    return (low, high) if np.all((value >= low) & (value <= high) | np.isnan(value)) else _NO_LIMITS
