"""Quality beside latency, cost or any other number: which runs no other beats in both.

A run is on the front (Pareto) by its means if no other has a better mean in one and none worse in
the other. Means are uncertain, so that a front is: a run is certainly on it if of every other run
it is known which of the two that one is worse in.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection.formats._side_columns import SideColumn
from poolwise.errors import InputError
from poolwise.findings.comparison._comparison import heading
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.comparison._states import STATES
from poolwise.measures._derived import External
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, named, p_text, range_text

__all__ = ["DifferencesBeside", "QualityBeside", "SideMeans", "side_means", "side_scores"]

_LEVEL = 0.95
_NAMED = 3


def side_scores(column: SideColumn, systems: tuple[str, ...]) -> ScoreTable:
    """Return measurements as a table: systems × topics, or × repetitions where there are no topics.

    Repetitions on a topic are averaged first.

    Examples
    --------
    >>> column = SideColumn("ms", {"a": {"1": (12.0, 14.0), "2": (9.0,)}, "b": {"1": (7.0,)}})
    >>> side_scores(column, ("a", "b")).value.tolist()
    [[13.0, 9.0], [7.0, nan]]
    """
    if missing := [name for name in systems if name not in column.of_runs]:
        raise InputError(
            column.name,
            f"every run must be measured, and {counted(len(missing), 'run')} "
            f"{'is' if len(missing) == 1 else 'are'} not",
            value=named(missing, most=_NAMED),
            remedy=f"add it to the file beside {named(list(column.of_runs), most=_NAMED)}, or "
            "leave the run out",
        )
    of_runs = [column.of_runs[name] for name in systems]
    if len({"" in of_run for of_run in of_runs}) > 1:
        rule, remedy = "all runs must be measured on topics, or all as a whole", "measure alike"
        raise InputError(column.name, rule, value=named(systems, most=_NAMED), remedy=remedy)
    if "" in of_runs[0]:
        rows = list(zip_longest(*(of_run[""] for of_run in of_runs), fillvalue=np.nan))
        units, value = [str(n) for n in range(1, len(rows) + 1)], np.array(rows, np.float64).T
    else:
        units = list(dict.fromkeys(topic for of_run in of_runs for topic in of_run))
        value = np.array(
            [[np.mean(of_run.get(topic, [np.nan])) for topic in units] for of_run in of_runs]
        )
    measured = External(label=column.name)
    return ScoreTable.from_matrix(value, systems=systems, topics=units, measure=measured)


class SideMeans(NamedTuple):
    """The mean measurement of each run, with its interval where there are several.

    Attributes
    ----------
    name : str
        Of the column.
    more_is_better : bool
    mean, low, high : float array
        NaN where there is no interval.
    n : int array
        How many topics, or repetitions, are behind each mean.
    over : {"topics", "repetitions", ""}
        What the interval is over; empty where each run has one number.

    Examples
    --------
    >>> column = SideColumn("ms", {"a": {"": (12.0, 14.0)}, "b": {"": (7.0, 8.0)}})
    >>> means = side_means(column, side_scores(column, ("a", "b")))
    >>> means.over, means.mean.tolist(), means.low.round(1).tolist()
    ('repetitions', [13.0, 7.5], [0.3, 1.1])
    """

    name: str
    more_is_better: bool
    mean: Floats
    low: Floats
    high: Floats
    n: Integers
    over: str

    @property
    def direction(self) -> dict[str, str]:
        """What was taken for better, as an option."""
        return {"more_is_better" if self.more_is_better else "less_is_better": self.name}

    @property
    def words(self) -> str:
        """What the column is called, with its better end."""
        return f"{self.name} ({'more' if self.more_is_better else 'less'} is better)"


def side_means(column: SideColumn, table: ScoreTable) -> SideMeans:
    """Return the means of measurements, over the topics that all runs have."""
    whole = "" in next(iter(column.of_runs.values()))
    if not whole:
        shared = int(table.defined.sum())
        if not shared:
            rule = "there must be a topic on which every run was measured"
            raise InputError(column.name, rule, remedy="measure the runs on the same topics")
        low, high = table.interval(_LEVEL)
        sizes = np.full(len(low), shared)
        over = "topics" if shared > 1 else ""
        return SideMeans(column.name, column.more_is_better, table.means(), low, high, sizes, over)
    from scipy.special import stdtrit  # noqa: PLC0415, late: slow to import

    sizes = (~np.isnan(table.value)).sum(axis=1)
    mean = table.system_means()
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.nansum((table.value - mean[:, None]) ** 2, axis=1)
        error = np.sqrt(squares / (sizes - 1) / sizes)
        half = stdtrit(sizes - 1, (1 + _LEVEL) / 2) * error
    over = "repetitions" if sizes.max() > 1 else ""
    return SideMeans(
        column.name, column.more_is_better, mean, mean - half, mean + half, sizes, over
    )


@finding
class QualityBeside(Finding):
    """Runs by quality and one other number, with the front of those that no other beats in both.

    Attributes
    ----------
    table : ScoreTable
        The scores.
    quality, side : Comparisons
        Every two runs by the scores, and by the other number; None where there is one run.
    beside : SideMeans
        The other number.
    alpha : float
        The chance that any of the statements that hold certainly is wrong: half of it goes to each
        family of pairs, corrected (Holm), or all of it to scores where the other has no interval.

    Examples
    --------
    >>> from poolwise import simulate
    >>> from poolwise.workflows import evaluate_beside
    >>> made = simulate(systems=3, topics=30, depth=20, rng=1)
    >>> cost = [{"run": run, "ms": ms} for run, ms in zip(made.runs.systems, (9, 20, 30))]
    >>> quality = evaluate_beside(made.truth, made.runs, "P@10", beside=cost).parts[0]
    >>> quality.columns()["run"], quality.columns()["on_front"]
    (['maverick-1', 'bm25-1', 'bm25-2'], ['yes', 'yes', 'no'])
    """

    table: ScoreTable
    quality: Comparisons | None
    side: Comparisons | None
    beside: SideMeans
    alpha: float = 0.05

    @property
    def measure(self) -> Measure:
        """What quality is measured by."""
        return self.table.measure

    @property
    def systems(self) -> tuple[str, ...]:
        """The runs."""
        return self.table.systems

    @cached_property
    def _means(self) -> tuple[Floats, Floats]:
        """Return quality and the other number, more being better in both."""
        upwards = 1 if self.beside.more_is_better else -1
        return self.table.means(), upwards * self.beside.mean

    @cached_property
    def certainly_better(self) -> tuple[Booleans, Booleans]:
        """Whether run i is certainly better than j, in quality and in the other number: i × j."""
        upwards = 1 if self.beside.more_is_better else -1
        return _certainly(self.quality, quality_sides(self.quality)), _certainly(
            self.side, upwards * side_sides(self.side, self.beside.over)
        )

    @cached_property
    def dominated(self) -> Booleans:
        """Whether run i is behind j by the means: j no worse in either, and better in one."""
        quality, other = self._means
        no_worse = (quality[:, None] <= quality) & (other[:, None] <= other)
        better = (quality[:, None] < quality) | (other[:, None] < other)
        return np.asarray(no_worse & better)

    @property
    def on_front(self) -> Booleans:
        """Which runs no other beats, by the means."""
        return np.asarray(~self.dominated.any(axis=1))

    @cached_property
    def rivals(self) -> Booleans:
        """Whether run j may be better than i, or level with it, in both: i × j."""
        quality, other = self.certainly_better
        open_ = ~(quality | other)
        np.fill_diagonal(open_, val=False)
        return open_

    @cached_property
    def certainly_behind(self) -> Booleans:
        """Whether run j is certainly better than i in both: i × j."""
        quality, other = self.certainly_better
        return np.asarray((quality & other).T)

    def standing(self, run: int) -> str:
        """Say where a run stands: on the front or behind it, and how certainly."""
        rivals = np.flatnonzero(self.rivals[run])
        if self.on_front[run]:
            apart = f"front, not separable from {self._named(rivals, most=1)}"
            return apart if len(rivals) else "front"
        certainly = np.flatnonzero(self.certainly_behind[run])
        if len(certainly):
            return f"behind {self._named(certainly, most=1)}"
        return f"behind {self._named(np.flatnonzero(self.dominated[run]), most=1)}, not certainly"

    def _named(self, runs: Indices, *, most: int = _NAMED) -> str:
        best = sorted(runs.tolist(), key=lambda run: -self._means[0][run])
        return named([self.systems[run] for run in best], most=most)

    def columns(self) -> Columns:
        """Return one row per run, the best mean first."""
        order, side = self.table.order(), self.beside
        low, high = self.table.interval(_LEVEL)
        least, most = self.table.mean_bounds()
        numbers: Mapping[str, Floats | Integers] = {
            "mean": self.table.means(),
            "ci_low": low,
            "ci_high": high,
            "lower": least,
            "upper": most,
            "side_mean": side.mean,
            "side_low": side.low,
            "side_high": side.high,
            "side_n": side.n,
        }
        runs = order.tolist()
        rivals = [np.flatnonzero(self.rivals[run]).tolist() for run in runs]
        return {
            "measure": [str(self.measure)] * len(runs),
            "beside": [side.name] * len(runs),
            "run": [self.systems[run] for run in runs],
            **{name: cells[order].tolist() for name, cells in numbers.items()},
            "side_over": [side.over] * len(runs),
            "on_front": ["yes" if self.on_front[run] else "no" for run in runs],
            "certain": ["yes" if self._is_sure(run) else "no" for run in runs],
            "not_separable_from": [",".join(self.systems[j] for j in some) for some in rivals],
        }

    def _is_sure(self, run: int) -> bool:
        """Whether it is certain that a run is on the front, or that it is not."""
        if self.on_front[run]:
            return not self.rivals[run].any()
        return bool(self.certainly_behind[run].any())

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run: both means with their intervals, and where it stands."""
        cells, side = self.columns(), self.beside
        digits = 4 if np.nanmax(np.abs(side.mean), initial=0) < 10 else 1
        judged = self.table.range_title

        def ends(low: str, high: str, places: int = 4) -> list[Cell]:
            both = zip(cells[low], cells[high], strict=True)
            return [range_text(*pair, digits=places) for pair in both]

        columns: dict[Column, list[Cell]] = {
            Column("run"): cells["run"],
            Column(str(self.measure), 4): cells["mean"],
            Column(side.name, digits): cells["side_mean"],
            Column("Pareto front"): [*map(self.standing, self.table.order().tolist())],
            Column("95% over topics", rank=2): ends("ci_low", "ci_high"),
            Column(judged, rank=3): ends("lower", "upper"),
        }
        if side.over:
            title = f"{side.name}, 95% over {side.over}"
            columns[Column(title, rank=4)] = ends("side_low", "side_high", digits)
        runs, topics = (
            counted(len(self.systems), "run"),
            counted(int(self.table.defined.sum()), "topic"),
        )
        title = f"{self.measure} beside {side.words}: {runs}, {topics}"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say which runs are on the front, the worst news first."""
        return tuple(filter(None, (self._of_front(), self._of_doubt(), self._of_family())))

    def _of_front(self) -> str:
        front = [run for run in self.table.order().tolist() if self.on_front[run]]
        sure = [run for run in front if self._is_sure(run)]
        names = named([self.systems[run] for run in front], most=5)
        both = f"{self.measure} and {self.beside.name}"
        if len(self.systems) == 1:
            return f"{names} is the only run: there is no other to be better in {both}."
        are = "is" if len(front) == 1 else "are"
        said = f"By their means, {names} {are} on the Pareto front of {both}"
        if len(sure) == len(front):
            return f"{said}, and certainly so."
        if not sure:
            return (
                f"No run is certainly on the Pareto front of {both}; by their means, {names} {are}."
            )
        return f"{said}, but certainly only {named([self.systems[run] for run in sure], most=5)}."

    def _of_doubt(self) -> str:
        doubtful = [
            run
            for run in self.table.order().tolist()
            if self.on_front[run] and not self._is_sure(run)
        ]
        if not doubtful:
            return ""
        doubts = [
            f"{self.systems[run]} from {self._named(np.flatnonzero(self.rivals[run]))}"
            for run in doubtful[:_NAMED]
        ]
        more = len(doubtful) - len(doubts)
        rest = f"; and {more:,} more" if more > 0 else ""
        return (
            f"Not separable: {'; '.join(doubts)}{rest}. These others may be as good in both, by "
            "another choice of topics or by judging what is unjudged."
        )

    def _of_family(self) -> str:
        if self.quality is None:
            return ""
        tested = "each pair in both" if self.beside.over else "each pair"
        remark = (
            ""
            if self.beside.over
            else f"; {self.beside.name}, one number per run, is taken as exact"
        )
        return (
            f"What holds certainly here does so together at {1 - self.alpha:.0%} ({tested}, "
            f"corrected){remark}."
        )


def quality_sides(comparisons: Comparisons | None) -> Integers:
    """Return for each pair whether a (1), b (−1) or neither (0) is certainly better.

    That takes a difference that is significant, and that judging does not turn.
    """
    if comparisons is None:
        return np.zeros(0, np.int64)
    sure = np.array([STATES[state].starred for state in comparisons.state.tolist()], np.bool_)
    return np.where(sure, np.sign(comparisons.difference), 0).astype(np.int64)


def side_sides(comparisons: Comparisons | None, over: str) -> Integers:
    """Return the same for numbers that nobody judges; what does not vary is as it is.

    Examples
    --------
    >>> from poolwise import compare_scores
    >>> table = ScoreTable.from_matrix([[9.0], [7.0]], systems="ab", topics=["1"], measure="ms")
    >>> side_sides(compare_scores(table), over="").tolist()
    [1]
    """
    if comparisons is None:
        return np.zeros(0, np.int64)
    # A test over few topics can be wrong about skewed scores; repetitions are of one number.
    few = over == "repetitions"
    significant = comparisons.p_adjusted < comparisons.alpha if few else comparisons.significant()
    error = comparisons.sample.standard_error
    # One number per run is taken as it is; one repetition beside several says nothing of its own.
    sure = significant | (error == 0) | (np.isnan(error) & (over == ""))
    return np.where(sure, np.sign(comparisons.difference), 0).astype(np.int64)


def _certainly(comparisons: Comparisons | None, sides: Integers) -> Booleans:
    if comparisons is None:
        return np.zeros((1, 1), np.bool_)
    n = len(comparisons.systems)
    better = np.zeros((n, n), np.bool_)
    better[comparisons.pairs.left, comparisons.pairs.right] = sides > 0
    better[comparisons.pairs.right, comparisons.pairs.left] = sides < 0
    return better


@finding
class DifferencesBeside(Finding):
    """Pairs of runs by quality and one other number: who is better in which, and how certainly.

    Attributes
    ----------
    quality, side : Comparisons
        The pairs by the scores, and by the other number.
    beside : SideMeans
        The other number.
    alpha : float
        As of :class:`QualityBeside`.

    Examples
    --------
    >>> from poolwise import simulate
    >>> from poolwise.workflows import compare_beside
    >>> made = simulate(systems=3, topics=30, depth=20, rng=1)
    >>> cost = [{"run": run, "ms": ms} for run, ms in zip(made.runs.systems, (9, 20, 30))]
    >>> differences = compare_beside(made.truth, made.runs, "P@10", beside=cost).parts[0]
    >>> differences.columns()["outcome"]
    ['bm25-1 better in both', 'trade-off', 'trade-off']
    """

    quality: Comparisons
    side: Comparisons
    beside: SideMeans
    alpha: float = 0.05

    @property
    def measure(self) -> Measure:
        """What quality is measured by."""
        return self.quality.measure

    def outcomes(self) -> list[str]:
        """Say of each pair who is certainly better in what."""
        upwards = 1 if self.beside.more_is_better else -1
        first, second = (
            quality_sides(self.quality),
            upwards * side_sides(self.side, self.beside.over),
        )
        pairs = zip(self.quality.a, self.quality.b, first.tolist(), second.tolist(), strict=True)
        return [self._outcome(str(a), str(b), q, s) for a, b, q, s in pairs]

    def _outcome(self, a: str, b: str, quality: int, side: int) -> str:
        if not quality and not side:
            return "open"
        if quality and side:
            return "trade-off" if quality != side else f"{a if quality > 0 else b} better in both"
        better = a if quality + side > 0 else b
        return f"{better} better in {self.measure if quality else self.beside.name}"

    def columns(self) -> Columns:
        """Return one row per pair."""
        quality, side = self.quality, self.side
        low, high = self._ends(side)
        over = quality.over_topics
        return {
            "measure": [str(self.measure)] * len(quality),
            "beside": [self.beside.name] * len(quality),
            "a": [str(name) for name in quality.a],
            "b": [str(name) for name in quality.b],
            "difference": quality.difference.tolist(),
            "ci_low": over.low.tolist(),
            "ci_high": over.high.tolist(),
            "level": [over.level] * len(quality),
            "p_adjusted": quality.p_adjusted.tolist(),
            "state": quality.state.tolist(),
            "side_difference": side.difference.tolist(),
            "side_low": low.tolist(),
            "side_high": high.tolist(),
            "side_p_adjusted": side.p_adjusted.tolist(),
            "outcome": self.outcomes(),
        }

    @staticmethod
    def _ends(comparisons: Comparisons) -> tuple[Floats, Floats]:
        over = comparisons.over_topics
        return np.asarray(over.low), np.asarray(over.high)

    def tables(self) -> tuple[Table, ...]:
        """Return one row per pair: both differences, and the outcome."""
        cells, side = self.columns(), self.beside
        digits = 4 if np.nanmax(np.abs(side.mean), initial=0) < 10 else 1

        def ends(low: str, high: str, places: int = 4) -> list[Cell]:
            both = zip(cells[low], cells[high], strict=True)
            return [range_text(*pair, digits=places) for pair in both]

        columns: dict[Column, list[Cell]] = {
            Column("a"): cells["a"],
            Column("b"): cells["b"],
            Column(str(self.measure), 4): cells["difference"],
            Column(side.name, digits): cells["side_difference"],
            Column("outcome"): cells["outcome"],
            Column("p corrected", rank=2): [p_text(p) for p in cells["p_adjusted"]],
            Column(f"p of {side.name}", rank=3): [p_text(p) for p in cells["side_p_adjusted"]],
            Column(heading(self.quality.over_topics), rank=4): ends("ci_low", "ci_high"),
            Column(f"{side.name}, interval", rank=5): ends("side_low", "side_high", digits),
        }
        title = f"{self.measure} beside {side.words}: a minus b"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many pairs are settled, the worst news first; of two runs, which is better."""
        return tuple(filter(None, (*self._of_outcomes(), self._of_family())))

    def _of_outcomes(self) -> Iterator[str]:
        outcomes = self.outcomes()
        if len(outcomes) == 1:
            yield self._of_two(outcomes[0])
            return
        both = sum(name.endswith("better in both") for name in outcomes)
        trade, left = outcomes.count("trade-off"), outcomes.count("open")
        settled = len(outcomes) - both - trade - left
        yield (
            f"Of {counted(len(outcomes), 'pair')}, {left:,} are open in {self.measure} and "
            f"{self.beside.name} alike, {settled:,} are settled in one of them, {trade:,} are a "
            f"trade-off, and in {both:,} one run is better in both."
        )

    def _of_two(self, outcome: str) -> str:
        a, b = str(self.quality.a[0]), str(self.quality.b[0])
        difference, other = float(self.quality.difference[0]), float(self.side.difference[0])
        said = {
            "open": "neither is certainly better in either",
            "trade-off": "a trade-off: each is certainly better in one",
        }.get(outcome, f"{outcome}, certainly" + ("" if "both" in outcome else ", the other open"))
        return (
            f"{a} against {b}: {said} ({self.measure} {difference:+.4f}, {self.beside.name} "
            f"{other:+.4g}, where {'more' if self.beside.more_is_better else 'less'} is better)."
        ).replace(" -", " −")

    def _of_family(self) -> str:
        remark = (
            ""
            if self.beside.over
            else f" {self.beside.name}, one number per run, is taken as exact."
        )
        return (
            f"What holds certainly here does so together at {1 - self.alpha:.0%} over topics; "
            f"judging turns none of it, or in few draws that are calibrated.{remark}"
        )
