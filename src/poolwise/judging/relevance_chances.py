"""How probable it is that candidates are relevant, by the relevance model."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence._evidence import Evidence
from poolwise.evidence.unknowns.relevance_model._features import gather_documents
from poolwise.evidence.unknowns.relevance_model._pool_shape import find_pool, has_non_relevant
from poolwise.evidence.unknowns.relevance_model._relevance import fit_relevance
from poolwise.judging.candidates import Candidates

__all__ = ["RelevanceChances", "chances_of_documents", "relevance_chances"]

_FEWEST = 20
"""Judged documents below which nothing is estimated from them."""


@dataclass(frozen=True, eq=False)
class RelevanceChances:
    """The probability that a document is relevant, for each candidate without a grade.

    Attributes
    ----------
    by_topic : list of float array
        By topic of the candidates; 0 where a document has a grade.
    judged : int
        How many judged documents the model was fitted to.
    """

    by_topic: list[Floats]
    judged: int


def relevance_chances(evidence: Evidence, candidates: Candidates) -> RelevanceChances | None:
    """Ask the relevance model about the candidates; None where too little is judged for it.

    Examples
    --------
    >>> from poolwise import simulate, align
    >>> from poolwise.judging.candidates import gather_candidates
    >>> made = simulate(systems=8, topics=10, depth=30, rng=1)
    >>> found = gather_candidates(made.judgments, made.runs, depth=30)
    >>> chances = relevance_chances(align(made.judgments, made.runs), found)
    >>> all(((0 <= chance) & (chance <= 1)).all() for chance in chances.by_topic)
    True
    """
    found = chances_of_documents(evidence, candidates)
    if found is None:
        return None
    chances, judged = found
    by_topic = [np.where(t.graded, 0.0, c) for t, c in zip(candidates, chances, strict=True)]
    return RelevanceChances(by_topic, judged)


def chances_of_documents(
    evidence: Evidence, candidates: Candidates
) -> tuple[list[Floats], int] | None:
    """Return how probably each candidate is relevant, and how many judged documents say so.

    What is judged is what the evidence knows, whatever grades the candidates carry.
    """
    relevant = int(evidence.relevant(candidates.level).sum())
    if evidence.pool.sum() < _FEWEST or not relevant or not has_non_relevant(evidence):
        return None
    depth = min(candidates.depth, evidence.depth)
    model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=depth)))
    if not model.judged:
        return None
    of_row = np.zeros(len(evidence.document_ids))
    grades = model.probabilities()
    of_row[model.documents.rows] = grades[:, evidence.scale >= candidates.level].sum(axis=1)
    return [of_row[topic.rows] for topic in candidates], model.judged
