"""The documents that could be judged, and where each run has them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection.identifiers import positions
from poolwise.collection.judgments import Judgments
from poolwise.collection.matching import match_documents
from poolwise.collection.runs import Runs
from poolwise.errors import require_depth

__all__ = ["ABSENT", "Candidates", "TopicCandidates", "gather_candidates"]

ABSENT = np.iinfo(np.int32).max
"""Rank of a document that a run does not have."""


@dataclass(frozen=True, eq=False)
class TopicCandidates:
    """The documents of one topic that any run has in its first ranks.

    Attributes
    ----------
    topic : str
    documents : tuple of str
        Their ids, in byte order.
    ranks : int32 array, systems × documents
        Where each run has them, from 1; ``ABSENT`` where it has not.
    grades : float array
        The grade of each document, NaN where it has none yet. A document that was pooled and not
        judged has none.
    """

    topic: str
    documents: tuple[str, ...]
    ranks: NDArray[np.int32]
    grades: Floats

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def held(self) -> Booleans:
        """Which run has which document, systems × documents."""
        return self.ranks < ABSENT

    @cached_property
    def best_ranks(self) -> NDArray[np.int32]:
        """The best rank that any run gives each document."""
        return self.ranks.min(axis=0, initial=ABSENT)

    @cached_property
    def holders(self) -> Indices:
        """How many runs have each document."""
        return self.held.sum(axis=0)

    @property
    def graded(self) -> Booleans:
        """Which documents have a grade."""
        return ~np.isnan(self.grades)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents that could be judged, topic by topic.

    Attributes
    ----------
    systems : tuple of str
        The runs, in the order of their names, so that nothing depends on the order of files.
    topics : tuple of TopicCandidates
    depth : int
        How many ranks of each run were looked at.
    level : float
        The lowest grade that counts as relevant.

    Examples
    --------
    >>> runs = Runs.from_rankings({"ql": {"1": ["c", "a"]}, "bm25": {"1": ["a", "b"]}})
    >>> found = gather_candidates(Judgments.from_dict({"1": {"a": 1}}), runs, depth=2)
    >>> found.systems, found.topics[0].documents, found.topics[0].best_ranks.tolist()
    (('bm25', 'ql'), ('a', 'b', 'c'), [1, 2, 1])
    >>> found.topics[0].grades.tolist(), found.open_documents
    ([1.0, nan, nan], 2)
    """

    systems: tuple[str, ...]
    topics: tuple[TopicCandidates, ...]
    depth: int
    level: float = 1.0

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self.topics)

    def __iter__(self) -> Iterator[TopicCandidates]:
        return iter(self.topics)

    @property
    def open_documents(self) -> int:
        """How many documents have no grade yet."""
        return sum(int((~topic.graded).sum()) for topic in self.topics)

    def relevant(self, topic: int) -> Booleans:
        """Return which documents of a topic are known to be relevant."""
        return np.asarray(self.topics[topic].grades >= self.level)


def gather_candidates(
    judgments: Judgments, runs: Runs, *, depth: int, level: float = 1.0
) -> Candidates:
    """Gather the documents that any run has in its first ranks, and the grades known so far.

    Topics are those of the judgments; where there is not one judgment yet, those of the runs.

    Parameters
    ----------
    judgments, runs
        What was judged so far, and what was retrieved.
    depth
        How many ranks of each run are looked at.
    level
        The lowest grade that counts as relevant.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"], "2": ["x"]}})
    >>> [topic.documents for topic in gather_candidates(Judgments.from_dict({}), runs, depth=1)]
    [('a',), ('x',)]
    """
    require_depth(depth)
    wanted = judgments.topics if len(judgments.topics) else runs.topics
    by_name = runs.select(sorted(runs.systems))
    grades = _grades_of_documents(judgments, by_name)
    found = [
        _topic_candidates(by_name, t, grades, depth)
        for t in positions(wanted, runs.topics).tolist()
        if t >= 0
    ]
    return Candidates(by_name.systems, tuple(found), depth, level)


def _grades_of_documents(judgments: Judgments, runs: Runs) -> Floats:
    """Return the grade of each document row of the runs, NaN where it has none."""
    known = np.where(judgments.judged, judgments.scale[judgments.codes], np.nan)
    known[known < 0] = np.nan
    # Row −1, no judgment, takes the last entry.
    return np.append(known, np.nan)[match_documents(judgments, runs)]


def _topic_candidates(runs: Runs, t: int, grades: Floats, depth: int) -> TopicCandidates:
    first, past = runs.topic_starts[t : t + 2].tolist()
    ranks = np.full((len(runs.systems), past - first), ABSENT, np.int32)
    for s, length in enumerate(np.minimum(runs.lengths[:, t], depth).tolist()):
        start = runs.list_starts[s * len(runs.topics) + t]
        ranks[s, runs.rankings[start : start + length]] = np.arange(1, length + 1)
    kept = np.flatnonzero((ranks < ABSENT).any(axis=0))
    return TopicCandidates(
        topic=runs.topics[t],
        documents=tuple(runs.documents.take(first + kept)),
        ranks=ranks[:, kept],
        grades=grades[first + kept],
    )
