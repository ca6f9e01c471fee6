"""Scores and differences of runs, from people's labels on a part and a machine's on all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.findings.labels._document_design import chances
from poolwise.findings.labels._document_estimates import DocumentEstimates
from poolwise.findings.labels._topic_estimates import PredictionPowered
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty, normal_interval, t_quantile
from poolwise.words import are, counted

__all__ = [
    "FEWEST_LABELS",
    "Evidently",
    "LabelCurve",
    "LabelDifferences",
    "LabelEstimates",
    "estimates_of_documents",
    "estimates_of_topics",
    "label_curve",
]

FEWEST_LABELS = 30
"""Labels by people within topics below which no interval is given."""
_PER_TOPIC = (2, 4, 8, 15, 30)
_NEARLY = 1.15
"""How near to the width with everything labelled more labels are hardly worth anything."""
_TARGETS = (
    "Over labels: what labels by people of all these topics would give; over topics: what topics "
    "like these would."
)
_NO_BOUND = "Machine labels enter no range over judgments."


@dataclass(frozen=True)
class Evidently:
    """What estimates rest on, for the sentences below them.

    Attributes
    ----------
    people, machine : int
        How many labels there are by people and by the machine.
    author : str
        Who gave the machine's, with model and prompt.
    assumed : str
        What was assumed and not known; empty for nothing.
    refused : str
        Why there is no interval; empty where there is one.
    notes : tuple of str
        What else was odd.
    """

    people: int
    machine: int
    author: str
    assumed: str = ""
    refused: str = ""
    notes: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Say what the numbers rest on."""
        if self.assumed:
            yield f"Assumed, and not known: {self.assumed}."
        yield from self.notes
        yield (
            f"{counted(self.people, 'label')} by people, {self.machine:,} by {self.author}. "
            f"{_NO_BOUND}"
        )


@dataclass(frozen=True, eq=False)
class LabelCurve:
    """How wide intervals would be with more labels by people, the mean over runs.

    Attributes
    ----------
    labels : tuple of int
        Labels by people in all.
    these, like_these : float array
        Half-widths for these topics, and for topics like these.
    now : int
        The entry that is nearest to the labels there are.
    """

    labels: tuple[int, ...]
    these: Floats
    like_these: Floats
    now: int

    def table(self) -> Table:
        """Return the curve as a table."""
        columns = (
            Column("labels by people"),
            Column("± these topics", 4),
            Column("± topics like these", 4),
        )
        cells = zip(self.labels, self.these.tolist(), self.like_these.tolist(), strict=True)
        return Table(columns, tuple(cells), title="Half-width by labels, the mean over runs")

    def sentence(self) -> str:
        """Say whether more labels or more topics are worth more."""
        width, least = self.like_these[self.now], self.like_these[-1]
        if width <= _NEARLY * least:
            return (
                f"For topics like these the half-width is {width:.3f}, and would be {least:.3f} "
                "with every document labelled: more topics are worth more than more labels."
            )
        at = next(i for i, w in enumerate(self.like_these) if w <= _NEARLY * least)
        return (
            f"For topics like these {counted(self.labels[at], 'label')} would give ± "
            f"{self.like_these[at]:.3f} (now ± {width:.3f}); beyond that, more topics are worth "
            "more than more labels."
        )


@finding
class LabelEstimates(Finding):
    """Means of runs from people's labels on a part and a machine's on all.

    Attributes
    ----------
    measure : Measure
    systems : tuple of str
    estimate : float array
        NaN where nothing can be estimated.
    of_means : tuple of Uncertainty
        Over labels, for these topics; over topics, for topics like these; and what documents that
        no sample could draw might add. Empty where there is no interval.
    beside : mapping from str to float array
        Other points, which have no interval: by people alone, by the machine alone, …
    rests_on : Evidently
    curve : LabelCurve, optional
        How wide intervals would be with more labels.
    more : str
        What more labels or topics would buy, where that was asked.
    table : ScoreTable, optional
        The estimates by topic, where there are any: the same uncertainty goes with it.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=20, rng=1)
    >>> machine = pw.Labels.of(made.truth, "machine")
    >>> some = made.truth.select(topics=made.truth.topics[:10])
    >>> estimates = pw.workflows.estimate_with_labels(some, made.runs, "P@5", labels=machine,
    ...                                               assume_random=True)["P@5"]
    >>> estimates.estimate.shape, estimates.of_means[0].over
    ((6,), 'labels')
    """

    measure: Measure
    systems: tuple[str, ...]
    estimate: Floats
    of_means: tuple[Uncertainty, ...]
    beside: Mapping[str, Floats]
    rests_on: Evidently
    curve: LabelCurve | None = None
    more: str = ""
    table: ScoreTable | None = None

    def columns(self) -> Columns:
        """Return one row per run: the estimate, its intervals, and the points beside it."""
        columns: Columns = {
            "run": list(self.systems),
            "measure": [str(self.measure)] * len(self.systems),
            "estimate": self.estimate.tolist(),
        }
        for uncertainty in self.of_means:
            columns |= uncertainty.columns(uncertainty.shown.means.ends)
        return columns | {name: values.tolist() for name, values in self.beside.items()}

    def tables(self) -> tuple[Table, ...]:
        """Return the runs from best to worst, and the curve."""
        order = np.argsort(-np.nan_to_num(self.estimate), kind="stable").tolist()
        columns: dict[Column, list[Cell]] = {
            Column("run"): list(self.systems),
            Column(str(self.measure), 4): self.estimate.tolist(),
        }
        for uncertainty in self.of_means:
            shown = uncertainty.shown.means
            title = uncertainty.words(shown.title)
            if shown.amount:
                columns[Column(title, 4)] = uncertainty.high.tolist()
            else:
                columns[Column(title)] = list(uncertainty.texts())
        for name, values in self.beside.items():
            columns[Column(name.replace("_", " "), 4)] = values.tolist()
        rows = tuple(tuple(cells[s] for cells in columns.values()) for s in order)
        made = Table(tuple(columns), rows)
        return (made,) if self.curve is None else (made, self.curve.table())

    def answer(self) -> str:
        """Return the mean of a single run; of several, what the estimates support."""
        if len(self.systems) > 1 or not self.of_means or np.isnan(self.estimate[0]):
            return super().answer()
        labels, topics = self.of_means[:2]
        return (
            f"{self.systems[0]} has an estimated mean {self.measure} of {self.estimate[0]:.4f}: "
            f"{labels.texts()[0]} for these topics, {topics.texts()[0]} for topics like these."
        )

    def sentences(self) -> tuple[str, ...]:
        """Say what the estimates support, and what they rest on."""
        said = [self._supported()]
        if self.of_means:
            said.append(_TARGETS)
        said += [sentence for u in self.of_means for sentence in u.meaning]
        if self.curve is not None and self.of_means:
            said.append(self.curve.sentence())
        if self.more:
            said.append(self.more)
        return (*said, *self.rests_on.sentences())

    def _supported(self) -> str:
        if self.rests_on.refused:
            return f"{self.measure}: no interval. {self.rests_on.refused}"
        width = float(np.mean(self.of_means[0].high - self.of_means[0].low)) / 2
        alone = self.beside.get("people_half_width")
        ratio = "" if alone is None else f", ×{width / alone.mean():.2f} of people's labels alone"
        return (
            f"{self.measure}: these labels support means to within ± {width:.3f} of what labels by "
            f"people on everything would give (the mean over runs{ratio})."
        )


@finding
class LabelDifferences(Finding):
    """Differences of runs from people's labels on a part and a machine's on all.

    Attributes
    ----------
    measure : Measure
    pairs : tuple of tuples of two str
        The runs of each pair.
    difference : float array
        The first less the second.
    further : tuple of Uncertainty
        Over labels, and over topics; empty where there is no interval.
    beside : mapping from str to float array
        The same by people alone and by the machine alone, without an interval.
    rests_on : Evidently

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=3, topics=20, depth=20, rng=1)
    >>> some = made.truth.select(topics=made.truth.topics[:10])
    >>> differences = pw.workflows.compare_with_labels(some, made.runs, "P@5", labels=made.truth,
    ...                                                assume_random=True)["P@5"]
    >>> [uncertainty.over for uncertainty in differences.further]
    ['labels', 'topics']
    """

    measure: Measure
    pairs: tuple[tuple[str, str], ...]
    difference: Floats
    further: tuple[Uncertainty, ...]
    beside: Mapping[str, Floats]
    rests_on: Evidently

    def columns(self) -> Columns:
        """Return one row per pair."""
        columns: Columns = {
            "a": [a for a, _ in self.pairs],
            "b": [b for _, b in self.pairs],
            "measure": [str(self.measure)] * len(self.pairs),
            "difference": self.difference.tolist(),
        }
        for uncertainty in self.further:
            columns |= uncertainty.columns(uncertainty.shown.pairs.ends)
        return columns | {name: values.tolist() for name, values in self.beside.items()}

    def _is_sure(self, interval: Uncertainty) -> Booleans:
        """Return where an interval lies on one side of 0, whatever was never drawn."""
        never = [uncertainty for uncertainty in self.further if uncertainty.over == "never drawn"]
        down, up = (never[0].low, never[0].high) if never else (0.0, 0.0)
        return np.asarray((interval.low + down > 0) | (interval.high + up < 0))

    def tables(self) -> tuple[Table, ...]:
        """Return the pairs as a table."""
        columns: dict[Column, list[Cell]] = {
            Column("a"): [a for a, _ in self.pairs],
            Column("b"): [b for _, b in self.pairs],
            Column(f"difference in {self.measure}", 4): self.difference.tolist(),
        }
        for uncertainty in self.further:
            title = (
                f"{uncertainty.level:.0%} over {uncertainty.over}"
                if uncertainty.level
                else uncertainty.over
            )
            columns[Column(title)] = list(uncertainty.texts())
        for name, values in self.beside.items():
            columns[Column(name.replace("_", " "), 4)] = values.tolist()
        return (Table.by_column(columns),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many differences the labels support."""
        if self.rests_on.refused:
            said = [f"{self.measure}: no interval. {self.rests_on.refused}"]
        else:
            labels, topics = (
                int(self._is_sure(uncertainty).sum()) for uncertainty in self.further[:2]
            )
            total = counted(len(self.pairs), "difference")
            where = "the interval lies on one side of 0"
            if len(self.further) > 2:
                where += ", whatever the documents are that no sample could draw"
            first = (
                f"{self.measure}: of {total}, {topics:,} {are(topics)} supported for topics like "
                f"these ({where}), {labels:,} for these topics."
            )
            levels = "Levels are those of each interval, not corrected for the number of pairs."
            said = [first, levels]
        return (*said, *self.rests_on.sentences())


def _interval(over: str, value: Floats, half: Floats, level: float, kind: str) -> Uncertainty:
    return Uncertainty(over, value - half, value + half, level=level, kind=kind)


def estimates_of_topics(
    measure: Measure,
    systems: Sequence[str],
    powered: PredictionPowered,
    rests_on: Evidently,
    *,
    level: float = 0.95,
    width: float | None = None,
) -> LabelEstimates:
    """Return means from people's labels on some topics; without intervals where these are refused.

    Parameters
    ----------
    measure, systems
        What was scored, and whom.
    powered : PredictionPowered
    rests_on : Evidently
    level
        The level of confidence.
    width
        A half-width that is wanted: how many topics people would have to judge for it is said.
    """
    intervals: tuple[Uncertainty, ...] = ()
    if not rests_on.refused:
        intervals = tuple(
            _interval(over, powered.estimate, half, level, "prediction-powered")
            for over, half in (
                ("labels", powered.half_width(level=level)),
                ("topics", powered.half_width(like_these=True, level=level)),
            )
        )
    weight = (
        f"The machine counts with a weight of {powered.weight:.2f}, the same for all runs given."
    )
    part = f"People judged {powered.judged} of {counted(powered.topics, 'topic')}."
    noted = replace(rests_on, notes=(f"{part} {weight}", *rests_on.notes))
    beside = {"people": powered.human, "people_half_width": powered.human_half_width(level=level)}
    if rests_on.refused:
        beside = {"people": powered.human}
    return LabelEstimates(
        measure=measure,
        systems=tuple(systems),
        estimate=powered.estimate,
        of_means=intervals,
        beside=beside | {"machine": powered.machine},
        rests_on=noted,
        more="" if width is None else _topics_needed(powered, width, level),
    )


def _topics_needed(powered: PredictionPowered, width: float, level: float) -> str:
    if width <= 0:
        raise OptionError(f"width: a half-width is above 0; got {width:g}. Hint: use 0.05.")
    needed = powered.topics_for(width, level=level)
    if needed is None:
        return (
            f"Not even all {counted(powered.topics, 'topic')} would give ± {width:g} for these "
            "topics."
        )
    more = max(0, needed - powered.judged)
    return (
        f"For ± {width:g} on these topics, the mean over runs, people must judge {needed} of "
        f"{powered.topics}: {more:,} more than now."
    )


def estimates_of_documents(
    measure: Measure,
    systems: Sequence[str],
    topics: Sequence[str],
    estimates: DocumentEstimates,
    rests_on: Evidently,
    *,
    beside: Mapping[str, Floats],
    level: float = 0.95,
    curve: LabelCurve | None = None,
) -> LabelEstimates:
    """Return means from people's labels on some documents, with the scores by topic."""
    means = estimates.value.mean(axis=1)
    uncertainties: tuple[Uncertainty, ...] = ()
    if not rests_on.refused:
        low, high = normal_interval(means, estimates.mean_variances(), level)
        never = estimates.never_drawn()
        uncertainties = (
            Uncertainty("labels", low, high, level=level, kind="calibrated"),
            _interval("topics", means, _t_half(estimates.value, level), level, "t"),
        )
        if never.any():
            uncertainties += (Uncertainty("never drawn", np.zeros(len(never)), never),)
    unknown = np.full(estimates.value.shape, np.nan)
    over_labels = tuple(
        uncertainty for uncertainty in uncertainties if uncertainty.over != "topics"
    )
    table = ScoreTable(
        measure=measure,
        systems=tuple(systems),
        topics=tuple(topics),
        value=estimates.value,
        # No range over judgments: machine labels enter none.
        lower=unknown,
        upper=unknown,
        answered=np.ones(estimates.value.shape, np.bool_),
        of_means=over_labels,
    )
    return LabelEstimates(
        measure=measure,
        systems=tuple(systems),
        estimate=means if not rests_on.refused else np.full(len(means), np.nan),
        of_means=uncertainties,
        beside=beside,
        rests_on=rests_on,
        curve=curve,
        table=table if not rests_on.refused else None,
    )


def _t_half(values: Floats, level: float) -> Floats:
    """Return the half-width of the t interval over topics, one entry per row."""
    n = values.shape[1]
    return np.asarray(t_quantile(n - 1, level) * values.std(axis=1, ddof=1) / np.sqrt(n))


def label_curve(
    estimates: DocumentEstimates, spread: Floats, labels: int, *, level: float = 0.95
) -> LabelCurve:
    """Return how wide intervals would be with other numbers of labels by people.

    Parameters
    ----------
    estimates : DocumentEstimates
        What the labels so far say: how far gains are from what the machine predicts.
    spread : float array, documents
        σ of the design.
    labels
        How many there are.
    """
    weights = estimates.weights
    n, size = weights.topics, weights.size()
    open_ = estimates.spread > 0
    counts = sorted({labels, *(each * n for each in _PER_TOPIC if each * n < open_.sum())})
    grid = (*counts, int(open_.sum()))
    own = estimates.weights.variances(estimates.variance)
    # Variance over topics of the true scores: what is seen, less what sampling adds.
    between = np.maximum(estimates.value.var(axis=1, ddof=1) - own.mean(axis=1), 0.0)
    these, like = [], []
    for budget in grid:
        chance = np.ones(weights.documents)
        chance[open_] = chances(size[open_], spread[open_], budget)
        sampling = weights.variances((1 - chance) / chance * estimates.spread)
        _, half = normal_interval(np.zeros(weights.runs), sampling.sum(axis=1) / n**2, level)
        these.append(float(half.mean()))
        variance = (between + sampling.mean(axis=1)) / n
        like.append(float((t_quantile(n - 1, level) * np.sqrt(variance)).mean()))
    return LabelCurve(grid, np.array(these), np.array(like), grid.index(labels))
