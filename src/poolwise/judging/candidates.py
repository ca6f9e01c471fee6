"""The documents that could be judged, and where each run has them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import IdTable, indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import require_depth
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence.unknowns.relevance_model._features import document_codes

__all__ = ["ABSENT", "Candidates", "TopicCandidates", "candidates_of", "gather_candidates"]

ABSENT = np.iinfo(np.int32).max
"""Rank of a document that a run does not have."""


@dataclass(frozen=True, eq=False)
class TopicCandidates:
    """The documents of one topic that any run has in its first ranks.

    Attributes
    ----------
    topic : str
    ids : IdTable
        The ids of the documents, in byte order.
    ranks : int32 array, systems × documents
        Where each run has them, from 1; ``ABSENT`` where it has not.
    grades : float array
        The grade of each document, NaN where it has none yet. A document that was pooled and not
        judged has none.
    rows : int array
        The rows of the documents in the evidence.
    """

    topic: str
    ids: IdTable
    ranks: NDArray[np.int32]
    grades: Floats
    rows: Integers

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The ids of the documents as text."""
        return tuple(self.ids)

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
    longest : int
        The length of the longest list.
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
    longest: int
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

    Returns
    -------
    Candidates
        The documents of each topic, where each run has them, and their grades.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"], "2": ["x"]}})
    >>> [topic.documents for topic in gather_candidates(Judgments.from_dict({}), runs, depth=1)]
    [('a',), ('x',)]
    """
    known = judgments if len(judgments.topics) else judgments.with_topics(runs.topics)
    return candidates_of(align(known, runs), depth=depth, level=level)


def candidates_of(evidence: Evidence, *, depth: int, level: float = 1.0) -> Candidates:
    """Gather the documents that any run of the evidence has in its first ranks.

    Topics that no run answers have none, and are left out.

    Parameters
    ----------
    evidence : Evidence
        Runs met with the judgments so far.
    depth : int
        How many ranks of each run are looked at.
    level : float
        The lowest grade that counts as relevant.

    Returns
    -------
    Candidates
        The documents of each topic, where each run has them, and their grades.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> found = candidates_of(align(Judgments.from_dict({"1": {"a": 1}}), runs), depth=1)
    >>> found.topics[0].documents, found.topics[0].graded.tolist()
    (('a', 'c'), [True, False])
    """
    require_depth(depth)
    systems = tuple(sorted(evidence.systems))
    by_name = indices_of(systems, evidence.systems, what="systems")
    top = evidence.truncate(depth)
    grades = _grades_of_rows(top)
    lists = (block.documents[by_name, t] for block in top.blocks for t in range(block.shape[1]))
    starts, found = evidence.document_starts.tolist(), []
    for topic, first, documents in zip(evidence.topics, starts, lists, strict=False):
        codes, ranks = _ranks_of_documents(documents)
        if len(codes):
            rows = first + codes
            ids = evidence.document_ids.take(rows)
            found.append(TopicCandidates(topic, ids, ranks, grades[rows], rows))
    return Candidates(systems, tuple(found), depth, evidence.depth, level)


def _grades_of_rows(evidence: Evidence) -> Floats:
    """Return the grade of each document row of the evidence, NaN where it has none."""
    codes = document_codes(evidence)
    return np.where(codes >= 0, evidence.scale[np.maximum(codes, 0)], np.nan)


def _ranks_of_documents(lists: NDArray[np.int32]) -> tuple[Integers, NDArray[np.int32]]:
    """Return the documents of a topic's lists, and where each list has them.

    Examples
    --------
    >>> codes, ranks = _ranks_of_documents(np.array([[5, 2], [2, -1]], np.int32))
    >>> codes.tolist(), (ranks == ABSENT).tolist(), ranks[0].tolist()
    ([2, 5], [[False, False], [False, True]], [2, 1])
    """
    retrieved = lists >= 0
    codes, column = np.unique(lists[retrieved], return_inverse=True)
    ranks = np.full((len(lists), len(codes)), ABSENT, np.int32)
    system, place = np.nonzero(retrieved)
    ranks[system, column] = place + 1
    return codes.astype(np.int64), ranks
