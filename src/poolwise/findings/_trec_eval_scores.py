"""The scores of one run under the names of ``trec_eval``."""

from dataclasses import dataclass

from poolwise.results._columns import Columns, columns_of
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["PrintedMeasure", "TrecEvalScores"]


@dataclass(frozen=True)
class PrintedMeasure:
    """One measure as ``trec_eval`` prints it.

    Attributes
    ----------
    name, family : str
        The printed name, and the measure without its cut-off.
    values : tuple of float or str
        One for each topic; the tag and the string of grades are text.
    total : float
        Over the topics that count; NaN for text.
    whole : bool
        Whether it is a count, printed without decimals.
    standardized : bool
        Whether it is a distance from reference runs, whose name is marked.
    """

    name: str
    family: str
    values: tuple[float | str, ...]
    total: float = float("nan")
    whole: bool = False
    standardized: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it is the tag of the run or a string of grades."""
        return self.family in ("runid", "relstring")


@finding
class TrecEvalScores(Finding):
    """What ``trec_eval`` prints for one run.

    Attributes
    ----------
    run : str
        Its tag.
    topics : tuple of str
        The judged topics.
    answered : tuple of int
        Positions of those that the run answers.
    shown : tuple of int
        Positions of those that are printed and added up: with ``-c``, version 10 prints topics
        that the run lacks as well.
    measures : tuple of PrintedMeasure
        In the order printed.
    per_topic, summary : bool
        Whether topics, and whether totals, are asked for.

    Examples
    --------
    >>> from poolwise import trec_eval
    >>> scores = trec_eval({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"b": 2.0, "a": 1.0}}},
    ...                    measures=("map",))
    >>> scores.run, scores.topics, [measure.total for measure in scores.measures]
    ('bm25', ('1',), [0.5])
    """

    run: str
    topics: tuple[str, ...]
    answered: tuple[int, ...]
    shown: tuple[int, ...]
    measures: tuple[PrintedMeasure, ...]
    per_topic: bool = False
    summary: bool = True

    def answer(self) -> str:
        """Return nothing: the rows are the answer."""
        return ""

    def columns(self) -> Columns:
        """Return one row per number: measure and topic, where topic ``all`` is the total."""
        numbers = [m for m in self.measures if not m.is_text]
        rows = [
            (m.name, self.topics[t], m.values[t])
            for t in (self.shown if self.per_topic else ())
            for m in numbers
        ]
        rows += [(m.name, "all", m.total) for m in numbers if self.summary]
        names = ("measure", "topic", "value")
        return columns_of(names, rows)

    def sentences(self) -> tuple[str, ...]:
        """Say which run it is, and on how many topics."""
        answered = f"{len(self.answered):,} of {counted(len(self.topics), 'judged topic')}"
        return (f"{self.run} answers {answered}, and is scored as trec_eval scores it.",)
