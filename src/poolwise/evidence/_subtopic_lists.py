"""The lists of one topic, met with judgments by subtopic."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._runs import Runs
from poolwise.collection._subtopics import SubtopicJudgments

__all__ = ["SubtopicLists", "subtopic_lists"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SubtopicLists:
    """All runs on one topic: what a measure of diversity sees.

    Attributes
    ----------
    pool : float array, documents × subtopics
        The grade of each judged document for each subtopic, 0 where there is none; one more row
        of zeros stands for all documents without a judgment.
    places : int array, systems × ranks
        The row of the pool that each document has; the last one past the end of a list, too.
    lengths : int array, systems
        Number of documents retrieved.
    """

    pool: Floats
    places: Integers
    lengths: Integers

    def covered(self, rel: float) -> Booleans:
        """Return which documents tell about which subtopics, documents × subtopics.

        Subtopics that no document tells about are left out: they cannot be found.
        """
        relevant = self.pool >= rel
        return relevant[:, relevant.any(axis=0)]


def subtopic_lists(judgments: SubtopicJudgments, runs: Runs, topic: str) -> SubtopicLists:
    """Meet the lists of a topic with its judgments by subtopic.

    Examples
    --------
    >>> qrels = SubtopicJudgments.from_records([("1", "a", "d1", 1), ("1", "b", "d2", 2)])
    >>> lists = subtopic_lists(qrels, Runs.from_rankings({"x": {"1": ["d2", "u"]}}), "1")
    >>> lists.pool.tolist(), lists.places.tolist()
    ([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [[1, 2]])
    """
    graded, subtopics = judgments.grades[topic], judgments.subtopics(topic)
    documents = sorted(graded)
    pool = np.zeros((len(documents) + 1, len(subtopics)))
    for row, document in enumerate(documents):
        pool[row] = [graded[document].get(subtopic, 0.0) for subtopic in subtopics]
    row_of = {document: row for row, document in enumerate(documents)}
    lists = [_ranking(runs, system, topic) for system in runs.systems]
    places = np.full((len(lists), max(map(len, lists), default=0)), len(documents))
    for system, ranking in enumerate(lists):
        places[system, : len(ranking)] = [row_of.get(d, len(documents)) for d in ranking]
    return SubtopicLists(pool=pool, places=places, lengths=np.array([len(r) for r in lists]))


def _ranking(runs: Runs, system: str, topic: str) -> Sequence[str]:
    return runs.ranking(system, topic) if topic in runs.topics else ()
