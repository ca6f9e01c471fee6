"""A list of documents to judge, in order, with reasons and what judging them will buy."""

from dataclasses import replace

from poolwise.judging.goals import Goal
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.words import counted

__all__ = ["JudgingList"]


@finding
class JudgingList(Finding):
    """Documents to judge, the first one first.

    Attributes
    ----------
    goal : Goal
        What they are to be judged for.
    method : str
        The order that chose them.
    measure : Measure
        What runs are scored by.
    topic, document : tuple of str
        What to judge.
    weight : tuple of float
        What each weighs, by the scale of the method.
    best_rank, runs : tuple of int
        The best rank that any run gives it, and how many runs hold it.
    reason : tuple of str
        Why it is on the list.
    unlisted : int
        How many documents without a grade are not on the list.
    effects : tuple of str
        What judging them will buy, or why nothing more need be judged, in sentences.

    Examples
    --------
    >>> import poolwise as pw
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "ql": {"1": {"c": 2.0, "a": 1.0}}}
    >>> found = pw.next_to_judge({"1": {"a": 0}}, runs, "pair:bm25,ql", measure="P@2")
    >>> found.document, found.reason[0]
    (('b', 'c'), 'If relevant, it would move bm25 − ql by +0.5000.')
    """

    goal: Goal
    method: str
    measure: Measure
    topic: tuple[str, ...]
    document: tuple[str, ...]
    weight: tuple[float, ...]
    best_rank: tuple[int, ...]
    runs: tuple[int, ...]
    reason: tuple[str, ...]
    unlisted: int
    effects: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.document)

    def columns(self) -> Columns:
        """Return one row per document, in the order of judging."""
        return {
            "topic": list(self.topic),
            "document": list(self.document),
            "weight": list(self.weight),
            "best_rank": list(self.best_rank),
            "runs": list(self.runs),
            "reason": list(self.reason),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the list under its goal."""
        table = table_of(self.columns(), title=f"To judge next for the goal {self.goal}")
        # The reason tells these, too, so that they go first where a window is narrow.
        told = {"weight": 1, "best rank": 2, "runs": 2}
        columns = (replace(c, rank=told.get(c.title, 0)) for c in table.columns)
        return (replace(table, columns=tuple(columns)),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many documents these are, and what judging them will buy."""
        if not len(self):
            return self.effects
        listed = (
            f"{counted(len(self), 'document')} on {counted(len(set(self.topic)), 'topic')} by the "
            f"method {self.method}, of {len(self) + self.unlisted:,} without a grade."
        )
        return listed, *self.effects
