"""How far one more relevant document would move the score of each run, by any measure."""

from collections.abc import Iterator

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.collection._identifiers import positions
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._grades import Block
from poolwise.judging.candidates import ABSENT, Candidates, TopicCandidates
from poolwise.measures._measure import Measure

__all__ = ["document_gains"]

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

    Parameters
    ----------
    evidence : Evidence
        The runs, met with what is judged so far.
    measure : Measure
        Whatever can score a block.
    candidates : Candidates
        The documents that could be judged.
    systems : int array
        Which systems of the evidence to look at.

    Yields
    ------
    float array, systems × documents of the topic

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align, parse_measure
    >>> from poolwise.judging.candidates import gather_candidates
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
