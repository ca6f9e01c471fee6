"""Two runs side by side: which is better, on which topics, what they rank, what to judge."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from poolwise.arrays import Floats
from poolwise.findings._documents_by_run import DocumentsByRun
from poolwise.findings._overview import PageContent
from poolwise.findings.comparison._comparison import Comparison
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns, columns_of
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._topic_deltas import Deltas
from poolwise.words import are, counted

__all__ = ["PairByMeasure", "SideBySide"]


@finding
class PairByMeasure(Finding):
    """Two runs by one measure.

    Attributes
    ----------
    comparison : Comparison
        The difference of their means, how sure over topics, and how sure over judgments.
    table : ScoreTable
        The scores of both runs.
    to_judge : Finding
        The documents to judge next to settle their order.
    command : str
        The command that lists these.

    Examples
    --------
    >>> from poolwise import side_by_side
    >>> runs = {"new": {"7": {"a": 2.0, "x": 1.0}}, "old": {"7": {"b": 2.0, "a": 1.0}}}
    >>> pair = side_by_side({"7": {"a": 1, "b": 0}}, runs, "P@2")["P@2"]
    >>> pair.deltas.outcome, pair.to_judge.document
    ('0 wins, 1 tie, 0 losses', ('x',))
    """

    comparison: Comparison
    table: ScoreTable
    to_judge: Finding
    command: str

    @property
    def measure(self) -> Measure:
        """What the runs are scored by."""
        return self.comparison.measure

    @cached_property
    def deltas(self) -> Deltas:
        """The difference on each topic, the largest first."""
        return self.table.deltas(self.comparison.a, self.comparison.b)

    @cached_property
    def by_topic(self) -> Mapping[str, float]:
        """The difference by topic, where both runs have a score."""
        return dict(zip(self.deltas.topics, self.deltas.difference.tolist(), strict=True))

    def parts(self) -> tuple[Finding, ...]:
        """Return what was found, one finding for each question."""
        return (self.comparison, self.table, self.deltas, self.to_judge)

    def columns(self) -> Columns:
        """Return one row: the columns of a comparison, both means, and what lists documents."""
        mean_a, mean_b = self.means()
        cells = self.comparison.columns() | {"mean_a": [mean_a], "mean_b": [mean_b]}
        return cells | {"command": [self.command]}

    def means(self) -> tuple[float, float]:
        """Return the mean of the first run, and of the second."""
        runs = [self.comparison.a, self.comparison.b]
        mean_a, mean_b = self.table.select(runs).system_means().tolist()
        return mean_a, mean_b

    def topic_scores(self, most: int | None = None) -> Columns:
        """Return one row per topic, the largest difference first; of many, the largest either way.

        Topics on which a run has no score are left out.
        """
        order = np.arange(len(self.deltas.topics))
        if most is not None and len(order) > most:
            size = np.abs(self.deltas.difference)
            order = np.sort(np.argsort(-size, kind="stable")[:most])
        topics = [self.deltas.topics[t] for t in order.tolist()]
        first, second = (
            self._scores(run, topics) for run in (self.comparison.a, self.comparison.b)
        )
        return {
            "topic": topics,
            "score_a": first.tolist(),
            "score_b": second.tolist(),
            "difference": self.deltas.difference[order].tolist(),
        }

    def _scores(self, run: str, topics: list[str]) -> Floats:
        at = {topic: t for t, topic in enumerate(self.table.topics)}
        return self.table.value[self.table.systems.index(run)][[at[topic] for topic in topics]]

    def sentences(self) -> tuple[str, ...]:
        """Say which run is better and how sure that is, and on how many topics each is ahead."""
        return (*self.comparison.sentences(), self.deltas.sentences()[0])

    def tables(self) -> tuple[Table, ...]:
        """Return the comparison line by line."""
        return self.comparison.tables()


@finding
class SideBySide(PageContent[PairByMeasure]):
    """Two runs side by side, found once: ``found["nDCG@10"]`` is what one measure says.

    Attributes
    ----------
    measures : tuple of PairByMeasure
        What was found by each measure, in the order asked for.
    coverage : JudgedCoverage
        What is judged of both runs.
    audit : Audit
        What stands out in the input.
    documents : TopicDocuments or None
        The first documents of both runs, the topics on which they differ most first.

    Examples
    --------
    >>> from poolwise import side_by_side
    >>> runs = {"new": {"7": {"a": 2.0, "x": 1.0}}, "old": {"7": {"b": 2.0, "a": 1.0}}}
    >>> pair = side_by_side({"7": {"a": 1, "b": 0}}, runs, "RR", queries={"7": "owls"})
    >>> pair.what_is_unjudged()
    ('1 of 3 documents that are shown is unjudged: 1 in the first 10 of new, 0 in those of old.',)
    >>> pair.unjudged()
    {'topic': ['7'], 'query': ['owls'], 'document': ['x'], 'rank_a': [2], 'rank_b': [None]}
    """

    @property
    def a(self) -> str:
        """The first run."""
        return self.measures[0].comparison.a

    @property
    def b(self) -> str:
        """The second run, which is taken from the first."""
        return self.measures[0].comparison.b

    def lists(self) -> tuple[DocumentsByRun, ...]:
        """Return the documents of each topic that is shown, with what they say."""
        return self.documents.topics if self.documents is not None else ()

    def sentences(self) -> tuple[str, ...]:
        """Say by each measure which run is better and how sure that is, and what is unjudged."""
        verdicts = tuple(measure.comparison.pair_verdict.sentence for measure in self.measures)
        return (*verdicts, self.size(), *self.what_is_unjudged())

    def what_is_unjudged(self) -> tuple[str, ...]:
        """Say how many of the documents that are shown have no grade."""
        if self.documents is None or not len(self.documents):
            return ()
        shown = sum(len(listed.documents) for listed in self.lists())
        unjudged = sum(int(listed.unjudged.sum()) for listed in self.lists())
        first, second = (
            sum(int((listed.unjudged & listed.is_first(run)).sum()) for listed in self.lists())
            for run in (self.a, self.b)
        )
        depth = self.lists()[0].depth
        if not unjudged:
            return (f"All {counted(shown, 'document')} that are shown are judged.",)
        said = (
            f"{unjudged:,} of {counted(shown, 'document')} that are shown {are(unjudged)} "
            f"unjudged: {first:,} in the first {depth:,} of {self.a}, {second:,} in those of "
            f"{self.b}."
        )
        return (said,)

    def unjudged(self) -> Columns:
        """Return one row per unjudged document that is shown, with its rank in both runs."""
        rows = [
            (
                listed.topic,
                listed.query or None,
                listed.documents[d],
                *listed.ranks_of(d, (self.a, self.b)),
            )
            for listed in self.lists()
            for d in np.flatnonzero(listed.unjudged).tolist()
        ]
        names = ("topic", "query", "document", "rank_a", "rank_b")
        return columns_of(names, rows)
