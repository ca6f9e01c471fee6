"""Topics that have no answer: returning nothing there scores, and returning something costs."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, decimal, range_text, range_texts

__all__ = ["EMPTY", "NoAnswerScores", "Rate", "with_empty_topics"]

EMPTY = {"judged": "the topics of the judgments in which nothing is relevant"}
"""Topics without an answer that need no list."""


class Rate(NamedTuple):
    """A rate by run, with its interval.

    Attributes
    ----------
    topics : int array
        On how many topics it happened.
    of : int
        How many topics there are.
    low, high : float array
        The exact interval of Clopper and Pearson (1934).

    Examples
    --------
    >>> rate = Rate.over(np.array([[True, False, False, False]]), level=0.95)
    >>> rate.share.tolist(), rate.low.round(4).tolist(), rate.high.round(4).tolist()
    ([0.25], [0.0063], [0.8059])
    """

    topics: Integers
    of: int
    low: Floats
    high: Floats

    @property
    def share(self) -> Floats:
        """The rate itself."""
        return np.asarray(self.topics / self.of)

    @classmethod
    def over(cls, happened: Booleans, *, level: float) -> "Rate":
        """Count, for each row, on how many columns something happened."""
        from scipy import special  # noqa: PLC0415, late: slow to import

        count, of = happened.sum(axis=1), happened.shape[1]
        tail = (1 - level) / 2
        # Clopper & Pearson (1934): the ends are quantiles of two Beta distributions.
        with np.errstate(invalid="ignore"):
            low = special.betaincinv(count, of - count + 1, tail)
            high = special.betaincinv(count + 1, of - count, 1 - tail)
        return cls(count, of, np.where(count == 0, 0.0, low), np.where(count == of, 1.0, high))


def with_empty_topics(table: ScoreTable, topics: tuple[str, ...], answered: Booleans) -> ScoreTable:
    """Add topics without an answer to a table: 1 for a run that returned nothing there, else 0.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5], [0.7]], systems=["a", "b"], topics=["1"],
    ...                                measure="P@10")
    >>> with_empty_topics(table, ("2",), np.array([[True], [False]])).value.tolist()
    [[0.5, 0.0], [0.7, 1.0]]
    """
    scores = np.where(answered, 0.0, 1.0)
    return replace(
        table,
        topics=(*table.topics, *topics),
        value=np.hstack([table.value, scores]),
        lower=np.hstack([table.lower, scores]),
        upper=np.hstack([table.upper, scores]),
        answered=np.hstack([table.answered, answered]),
        of_means=(),
        tail=None,
    )


@finding
class NoAnswerScores(Finding):
    """Scores of runs on topics with and without an answer, and both rates of going wrong.

    Attributes
    ----------
    table : ScoreTable
        The scores on topics with an answer, and 1 or 0 on those without.
    false_alarms : Rate
        On how many topics without an answer each run returned something.
    silences : Rate
        On how many topics with an answer each run returned nothing.
    level : float
        The level of the intervals.

    Examples
    --------
    >>> from poolwise.workflows import evaluate_no_answer
    >>> runs = {"bold": {"1": {"a": 1.0}, "2": {"x": 1.0}}, "shy": {"1": {"a": 1.0}}}
    >>> scores = evaluate_no_answer({"1": {"a": 1}}, runs, "P@1", empty=["2"])["P@1"]
    >>> scores.columns()["run"], scores.columns()["mean"], scores.columns()["false_alarm_rate"]
    (['shy', 'bold'], [1.0, 0.5], [0.0, 1.0])
    """

    table: ScoreTable
    false_alarms: Rate
    silences: Rate
    level: float = 0.95

    @property
    def measure(self) -> Measure:
        """What runs are scored by where there is an answer."""
        return self.table.measure

    def columns(self) -> Columns:
        """Return one row per run, the best mean first."""
        order = self.table.order()
        low, high = self.table.interval(self.level)
        least, most = self.table.mean_bounds()
        numbers = {
            "mean": self.table.means(),
            "ci_low": low,
            "ci_high": high,
            "lower": least,
            "upper": most,
            **self._rates("false_alarm", self.false_alarms),
            **self._rates("silence", self.silences),
        }
        return {
            "measure": [str(self.measure)] * len(order),
            "run": [self.table.systems[s] for s in order.tolist()],
            "empty_topics": [self.false_alarms.of] * len(order),
            "answerable_topics": [self.silences.of] * len(order),
            **{name: cells[order].tolist() for name, cells in numbers.items()},
            "level": [self.level] * len(order),
        }

    @staticmethod
    def _rates(name: str, rate: Rate) -> dict[str, Floats | Integers]:
        return {
            f"{name}s": rate.topics,
            f"{name}_rate": rate.share,
            f"{name}_low": rate.low,
            f"{name}_high": rate.high,
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per run: its mean, and both rates with their intervals."""
        cells = self.columns()

        def ends(low: str, high: str, digits: int = 4) -> list[str]:
            return range_texts(cells[low], cells[high], digits=digits)

        columns = {
            Column("run"): cells["run"],
            Column("mean", 4): cells["mean"],
            Column("95% over topics"): ends("ci_low", "ci_high"),
            Column("false alarms", 2): cells["false_alarm_rate"],
            Column("95% of false alarms"): ends("false_alarm_low", "false_alarm_high", 2),
            Column("silences", 2): cells["silence_rate"],
            Column("95% of silences", rank=1): ends("silence_low", "silence_high", 2),
            Column(self.table.range_title, rank=2): ends("lower", "upper"),
        }
        answerable = counted(self.silences.of, "topic")
        title = f"{self.measure}: {answerable} with an answer, {self.false_alarms.of:,} without"
        return (Table.by_column(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say how often the best run goes wrong either way, and how such topics are scored."""
        best = int(self.table.order()[0])
        alarms, silent = self.false_alarms, self.silences
        mean = decimal(float(self.table.means()[best]))
        has = f"the highest mean, {mean}" if len(self.table.systems) > 1 else f"a mean of {mean}"
        return (
            (
                f"{self.table.systems[best]} has {has}; it returned something on "
                f"{alarms.topics[best]:,} of {counted(alarms.of, 'topic')} without an answer "
                f"({range_text(alarms.low[best], alarms.high[best], digits=2)}), and nothing on "
                f"{silent.topics[best]:,} of {silent.of:,} with one "
                f"({range_text(silent.low[best], silent.high[best], digits=2)})."
            ),
            (
                "On a topic without an answer a run scores 1 where it returned nothing, and else "
                f"0; on the others it scores {self.measure}."
            ),
        )
