"""How far one more relevant document would move the score of each run, by any measure."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices
from poolwise.collection.identifiers import positions
from poolwise.evidence.evidence import DocumentBlock, Evidence
from poolwise.evidence.grades import Block
from poolwise.judging.candidates import Candidates, TopicCandidates
from poolwise.measures.measure import Measure

__all__ = ["document_gains"]

_CELLS = 1 << 22
"""Cells that are scored together, so that memory stays small."""


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
    for place, topic in zip(at.tolist(), candidates, strict=True):
        block, t = evidence.locate(place)
        here = evidence.blocks[block].part(systems, slice(t, t + 1))
        yield _gains_on_topic(here, measure, topic, rows)


def _gains_on_topic(
    block: DocumentBlock, measure: Measure, topic: TopicCandidates, rows: Indices
) -> Floats:
    now = np.nan_to_num(measure.score_block(block)[:, 0])
    gains = np.zeros((len(rows), len(topic)))
    pool = block.pool[0].copy()
    pool[-1] += 1
    for s, row in enumerate(rows.tolist()):
        found = np.flatnonzero(topic.held[row] & ~topic.graded)
        ranks = np.append(topic.ranks[row, found] - 1, -1)
        scores = _scores_with(block.codes[s, 0], block.scale, pool, ranks, measure)
        gains[s] = np.where(topic.graded, 0.0, scores[-1] - now[s])
        gains[s, found] = scores[:-1] - now[s]
    return gains


def _scores_with(
    codes: NDArray[np.integer], scale: Floats, pool: Indices, ranks: Indices, measure: Measure
) -> Floats:
    """Score a list with the highest grade at each of these ranks; −1 is outside of the list."""
    most = max(1, _CELLS // max(len(codes), 1))
    parts = [ranks[i : i + most] for i in range(0, len(ranks), most)]
    return np.concatenate([_scores_of_part(codes, scale, pool, p, measure) for p in parts])


def _scores_of_part(
    codes: NDArray[np.integer], scale: Floats, pool: Indices, ranks: Indices, measure: Measure
) -> Floats:
    lists = np.tile(codes, (1, len(ranks), 1))
    inside = np.flatnonzero(ranks >= 0)
    lists[0, inside, ranks[inside]] = len(scale) - 1
    block = Block(codes=lists, scale=scale, pool=np.tile(pool, (len(ranks), 1)))
    return np.nan_to_num(measure.score_block(block)[0])
