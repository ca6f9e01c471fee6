"""The documents that could be judged: where runs have them, what each would do, and its chance."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import IdTable, indices_of, positions
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import require_depth
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._grades import Block
from poolwise.evidence._meeting import align
from poolwise.evidence._pool_shape import PoolShape, find_pool
from poolwise.evidence.unknowns.relevance_model._features import (
    document_codes,
    gather_documents,
    has_non_relevant,
)
from poolwise.evidence.unknowns.relevance_model._relevance import fit_relevance
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import WITHOUT_FILES, Provenance
from poolwise.provenance._recorded import recorded

__all__ = [
    "ABSENT",
    "Candidates",
    "RelevanceChances",
    "TopicCandidates",
    "candidates_of",
    "chances_of_documents",
    "document_gains",
    "gather_candidates",
    "origin_of",
    "relevance_chances",
]

ABSENT = np.iinfo(np.int32).max
"""Rank of a document that a run does not have."""


@dataclass(frozen=True, eq=False)
class TopicCandidates:
    """The documents of one topic that any run has in its first ranks.

    ``ids`` are in byte order; ``ranks`` (systems × documents) count from 1, and are ``ABSENT``
    where a run lacks a document; ``grades`` are NaN where there is none yet, also of what was
    pooled and not judged; ``rows`` are those of the evidence.
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
    rel : float
        The lowest grade that counts as relevant.

    Examples
    --------
    >>> runs = Runs.from_rankings({"ql": {"1": ["c", "a"]}, "bm25": {"1": ["a", "b"]}})
    >>> candidates = gather_candidates(Judgments.from_dict({"1": {"a": 1}}), runs, depth=2)
    >>> candidates.systems, candidates.topics[0].documents, candidates.topics[0].best_ranks.tolist()
    (('bm25', 'ql'), ('a', 'b', 'c'), [1, 2, 1])
    >>> candidates.topics[0].grades.tolist(), candidates.open_documents
    ([1.0, nan, nan], 2)
    """

    systems: tuple[str, ...]
    topics: tuple[TopicCandidates, ...]
    depth: int
    longest: int
    rel: float = 1.0

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
        return np.asarray(self.topics[topic].grades >= self.rel)


@recorded
def gather_candidates(
    judgments: Judgments, runs: Runs, *, depth: int, rel: float = 1.0
) -> Candidates:
    """Gather the documents that any run has in its first ranks, and the grades known so far.

    Topics are those of the judgments; where there is not one judgment yet, those of the runs.

    Parameters
    ----------
    depth
        How many ranks of each run are looked at.

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
    with_topics = judgments if len(judgments.topics) else judgments.with_topics(runs.topics)
    return candidates_of(align(with_topics, runs), depth=depth, rel=rel)


@recorded
def candidates_of(evidence: Evidence, *, depth: int, rel: float = 1.0) -> Candidates:
    """Gather the documents that any run of the evidence has in its first ranks.

    Topics that no run answers have none, and are left out.

    Parameters
    ----------
    depth : int
        How many ranks of each run are looked at.

    Returns
    -------
    Candidates
        The documents of each topic, where each run has them, and their grades.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> candidates = candidates_of(align(Judgments.from_dict({"1": {"a": 1}}), runs), depth=1)
    >>> candidates.topics[0].documents, candidates.topics[0].graded.tolist()
    (('a', 'c'), [True, False])
    """
    require_depth(depth)
    systems = tuple(sorted(evidence.systems))
    by_name = indices_of(systems, evidence.systems, what="systems")
    top = evidence.truncate(depth)
    grades = _grades_of_rows(top)
    lists = (block.documents[by_name, t] for block in top.blocks for t in range(block.shape[1]))
    starts, by_topic = evidence.document_starts.tolist(), []
    for topic, first, documents in zip(evidence.topics, starts, lists, strict=False):
        codes, ranks = _ranks_of_documents(documents)
        if len(codes):
            rows = first + codes
            ids = evidence.document_ids.take(rows)
            by_topic.append(TopicCandidates(topic, ids, ranks, grades[rows], rows))
    return Candidates(systems, tuple(by_topic), depth, evidence.depth, rel)


def origin_of(runs: Runs) -> Provenance:
    """Return where documents come from that were never met with judgments."""
    return replace(WITHOUT_FILES, runs=runs.sources, tie_rule=runs.tie_rule, notices=runs.notices)


def _grades_of_rows(evidence: Evidence) -> Floats:
    """Return the grade of each document row of the evidence, NaN where it has none."""
    codes = document_codes(evidence)
    return np.where(codes >= 0, evidence.scale[np.maximum(codes, 0)], np.nan)


def _ranks_of_documents(lists: NDArray[np.int32]) -> tuple[Integers, NDArray[np.int32]]:
    """Return the documents of a topic's lists, and where each list has them."""
    retrieved = lists >= 0
    codes, column = np.unique(lists[retrieved], return_inverse=True)
    ranks = np.full((len(lists), len(codes)), ABSENT, np.int32)
    system, place = np.nonzero(retrieved)
    ranks[system, column] = place + 1
    return codes.astype(np.int64), ranks


_CELLS = 1 << 22
"""Cells that are scored together, so that memory stays small."""
_OUTSIDE = -1
"""Place of a document that a list lacks."""


def document_gains(
    evidence: Evidence, measure: Measure, candidates: Candidates, systems: Indices
) -> Iterator[Floats]:
    """Yield, topic by topic, what each document would add to the score of each system.

    A document gets the highest grade, in the lists and in the pool; the score then, minus the score
    now, is what it adds. A document that a list lacks may take something off: there is one more to
    be found. Judged documents add nothing.

    Examples
    --------
    >>> from poolwise import parse_measure
    >>> judgments = Judgments.from_dict({"1": {"a": 1}})
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> candidates = gather_candidates(judgments, runs, depth=2)
    >>> evidence, both = align(judgments, runs), np.array([0, 1])
    >>> [gains.tolist() for gains in document_gains(
    ...     evidence, parse_measure("P@2"), candidates, both)]
    [[[0.0, 0.5, 0.0], [0.0, 0.0, 0.5]]]
    """
    rows = positions((evidence.systems[s] for s in systems.tolist()), candidates.systems)
    at = positions([topic.topic for topic in candidates], evidence.topics)
    # No measure looks below its cut-off, and short lists are quick to score.
    evidence = evidence.truncate(measure.depth) if measure.depth else evidence
    for place, topic in zip(at.tolist(), candidates, strict=True):
        block, t = evidence.locate(place)
        here = evidence.blocks[block].part(systems, slice(t, t + 1))
        yield _gains_on_topic(here, measure, topic, rows)


def _gains_on_topic(
    block: DocumentBlock, measure: Measure, topic: TopicCandidates, rows: Indices
) -> Floats:
    now = np.nan_to_num(measure.score_block(block)[:, 0])
    ranks = np.where(topic.graded, ABSENT, topic.ranks[rows])
    system, document = np.nonzero(ranks <= block.depth)
    # One more of each list: with the document in the pool, and not in the list.
    lists = np.append(system, np.arange(len(rows)))
    places = np.append(ranks[system, document] - 1, np.full(len(rows), _OUTSIDE))
    scores = _scores_with(block, measure, lists, places)
    gains = np.where(topic.graded, 0.0, (scores[len(system) :] - now)[:, None])
    gains[system, document] = scores[: len(system)] - now[system]
    return gains


def _scores_with(block: DocumentBlock, measure: Measure, lists: Indices, places: Indices) -> Floats:
    """Score some of the lists, each with one more highest grade at a place."""
    most = max(1, _CELLS // max(block.depth, 1))
    parts = [slice(first, first + most) for first in range(0, len(lists), most)]
    scores = [_scores_of_part(block, measure, lists[part], places[part]) for part in parts]
    return np.concatenate([np.zeros(0), *scores])


def _scores_of_part(
    block: DocumentBlock, measure: Measure, lists: Indices, places: Indices
) -> Floats:
    best = len(block.scale) - 1
    codes = block.codes[lists, 0]
    inside = np.flatnonzero(places != _OUTSIDE)
    codes[inside, places[inside]] = best
    pool = np.tile(block.pool, (len(lists), 1))
    pool[:, best] += 1
    made = Block(codes=codes[None], scale=block.scale, pool=pool)
    return np.nan_to_num(measure.score_block(made)[0])


_FEWEST = 20
"""Judged documents below which nothing is estimated from them."""


@dataclass(frozen=True, eq=False)
class RelevanceChances:
    """How probably each candidate is relevant, from how many judged, and from what pool."""

    by_topic: list[Floats]
    judged: int
    pool: PoolShape


def relevance_chances(evidence: Evidence, candidates: Candidates) -> RelevanceChances | None:
    """Ask the relevance model about the candidates; None where too little is judged for it.

    What has a grade has no chance left.
    """
    chances = chances_of_documents(evidence, candidates)
    if chances is None:
        return None
    both = zip(candidates, chances.by_topic, strict=True)
    return replace(chances, by_topic=[np.where(topic.graded, 0.0, c) for topic, c in both])


def chances_of_documents(evidence: Evidence, candidates: Candidates) -> RelevanceChances | None:
    """Return how probably each candidate is relevant, judged or not.

    What is judged is what the evidence knows, whatever grades the candidates carry.
    """
    relevant = int(evidence.relevant(candidates.rel).sum())
    if evidence.pool.sum() < _FEWEST or not relevant or not has_non_relevant(evidence):
        return None
    # The pool is as everywhere; what is asked about are the candidates.
    pool = find_pool(evidence, cutoff=candidates.depth)
    model = fit_relevance(gather_documents(evidence, pool, reach=candidates.depth))
    if not model.judged:
        return None
    # the model speaks of the documents that were pooled; all others keep a chance of 0
    of_row = np.zeros(len(evidence.document_ids))
    grades = model.probabilities()
    of_row[model.documents.rows] = grades[:, evidence.scale >= candidates.rel].sum(axis=1)
    by_topic = [of_row[topic.rows] for topic in candidates]
    return RelevanceChances(by_topic, model.judged, pool)
