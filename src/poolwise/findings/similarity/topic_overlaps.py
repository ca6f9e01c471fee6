"""What the overlap of runs says topic by topic."""

from collections.abc import Iterator

import numpy as np

from poolwise.findings.similarity.run_overlaps import (
    ALIKE,
    CLUSTER,
    OverlapMatrix,
    pair_columns,
)
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Cell, Column, Table

__all__ = ["OverlapByTopic"]


@finding
class OverlapByTopic(Finding):
    """Rank-biased overlap of every pair of runs, on each topic and on average.

    Attributes
    ----------
    topics : tuple of str
        Ids of the topics.
    matrices : tuple of OverlapMatrix
        One per topic.
    overall : OverlapMatrix
        The means over topics.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings.similarity.run_similarity import overlap_by_topic
    >>> runs = Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["x"], "2": ["z"]}})
    >>> found = overlap_by_topic(runs)
    >>> found.columns()["topic"], found.columns()["rbo"]
    (['1', '2', 'all'], [1.0, 0.0, 0.5])
    >>> found.sentences()[0]
    'Rankings are most alike on topic 1, with a mean rank-biased overlap of 1.000, and least alike
    on topic 2, with 0.000.'
    """

    topics: tuple[str, ...]
    matrices: tuple[OverlapMatrix, ...]
    overall: OverlapMatrix

    def columns(self) -> Columns:
        """Return one row per topic and pair, and the means over topics as topic ``all``."""
        by_topic = zip(self.matrices, self.topics, strict=True)
        parts = [pair_columns(found, topic) for found, topic in by_topic]
        return stack_columns([*parts, self.overall.columns()])

    def sentences(self, *, alike: float = ALIKE, cluster: float = CLUSTER) -> tuple[str, ...]:
        """Say on which topics rankings are most and least alike, and what holds on average.

        The parameters are those of :class:`OverlapMatrix`.
        """
        return (*self._extremes(), *self.overall.sentences(alike=alike, cluster=cluster))

    def tables(self, *, alike: float = ALIKE, cluster: float = CLUSTER) -> tuple[Table, ...]:
        """Return the tables of the means over topics, and one row per topic.

        Pairs of which one run lacks the topic are left out. The parameters are those of
        :class:`OverlapMatrix`.
        """
        rows = tuple((topic, *row) for topic, row in self._spreads().items())
        numbers = (Column(title, digits=3) for title in ("mean rbo", "least", "most"))
        by_topic = Table((Column("topic"), Column("pairs"), *numbers), rows, title="RBO by topic")
        return (*self.overall.tables(alike=alike, cluster=cluster), by_topic)

    def _spreads(self) -> dict[str, tuple[Cell, ...]]:
        return {t: _spread(one) for t, one in zip(self.topics, self.matrices, strict=True)}

    def _extremes(self) -> Iterator[str]:
        means = {t: row[1] for t, row in self._spreads().items() if isinstance(row[1], float)}
        if len(means) > 1:
            most, least = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
            yield (
                f"Rankings are most alike on topic {most}, with a mean rank-biased overlap of "
                f"{means[most]:.3f}, and least alike on topic {least}, with {means[least]:.3f}."
            )


def _spread(found: OverlapMatrix) -> tuple[Cell, ...]:
    """Return the number of pairs, and their mean, smallest and largest RBO."""
    values = found.ext[np.triu_indices(len(found.systems), k=1)]
    known = values[~np.isnan(values)]
    if not len(known):
        return 0, None, None, None
    return len(known), float(known.mean()), float(known.min()), float(known.max())
