"""Plausible grades of all unjudged documents at once, drawn from a relevance model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, Integers
from poolwise.errors import require_draws
from poolwise.evidence.unknowns.keyed_chance import Chance, fine_uniform, normals
from poolwise.evidence.unknowns.relevance_model.mixed_logistic import logistic
from poolwise.evidence.unknowns.relevance_model.relevance import GradeThreshold, RelevanceModel

__all__ = ["TopicGrades", "draw_grades"]


@dataclass(frozen=True, eq=False)
class TopicGrades:
    """Drawn grades of the unjudged documents of one topic.

    Attributes
    ----------
    topic : int
        Index of the topic.
    rows : int array, documents
        Their rows in the evidence, ascending.
    best : float32 array, documents
        Their best ranks in any run.
    labels : int array, documents × draws
        Grade codes. In a draw a document has one grade, whichever run holds it.
    """

    topic: int
    rows: Integers
    best: NDArray[np.float32]
    labels: NDArray[np.integer]


def draw_grades(
    model: RelevanceModel, *, rng: int | np.random.Generator | Chance, draws: int = 1000
) -> Iterator[TopicGrades]:
    """Draw grades for every document without one, topic by topic.

    In a draw, the parameters come from their Laplace posterior, each group has an effect of its
    own, and one more on each topic, and a document's grade follows from its probability. Numbers
    are drawn by name (topic and document, group), so that the result depends neither on the order
    of runs nor on which topics are asked for.

    Parameters
    ----------
    model : RelevanceModel
    rng : int, numpy.random.Generator or Chance
        The seed.
    draws : int
        How many gradings to draw.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=10, depth=30, rng=1)
    >>> from poolwise.evidence.unknowns.relevance_model.pool_shape import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model.pooled_documents import gather_documents
    >>> from poolwise.evidence.unknowns.relevance_model.relevance import fit_relevance
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=20)))
    >>> first = next(draw_grades(model, rng=1, draws=5))
    >>> first.labels.shape == (len(first.rows), 5)
    True
    """
    require_draws(draws)
    documents = model.documents
    source = _Source(model, Chance.of(rng), draws)
    topics = np.arange(len(documents.evidence.topics) + 1)
    edges = np.searchsorted(documents.topics, topics).tolist()
    for topic, (first, past) in enumerate(pairwise(edges)):
        if first < past:
            here = slice(first, past)
            labels = source.labels(topic, here)
            yield TopicGrades(topic, documents.rows[here], documents.best[here], labels)


class _Source:
    """What all topics share: the drawn parameters, and the effects of groups."""

    def __init__(self, model: RelevanceModel, chance: Chance, draws: int) -> None:
        self.model, self.chance, self.draws = model, chance, draws
        documents = model.documents
        self.homes = documents.ranks.argmin(axis=1)
        names = documents.pool.groups
        self.of_groups = self._effects_of("all topics", names)
        self.varying = max((len(t.logistic.varying) for t in model.thresholds), default=0)
        self.betas = [self._beta(threshold) for threshold in model.thresholds]

    def _effects_of(self, topic: str, groups: Sequence[str]) -> Floats:
        """Draw standard normals for groups, on a topic or on all of them, groups × draws."""
        keys = self.chance.keys(topic, (f"effect of group {name}" for name in groups))
        return np.array([normals(key, (self.draws,)) for key in keys]).reshape(-1, self.draws)

    def _normals(self, topic: str, columns: int) -> Floats:
        """Draw standard normals for the parameters of a topic, or of all, draws × columns."""
        (key,) = self.chance.keys(topic, ["parameters"])
        return normals(key, (self.draws, columns))

    def _beta(self, threshold: GradeThreshold) -> Floats:
        # The same numbers at every threshold, so that these move together.
        numbers = self._normals("all topics", threshold.design.shape[1])
        return threshold.logistic.drawn_beta(numbers)

    def labels(self, topic: int, asked: slice) -> NDArray[np.integer]:
        """Draw the grade codes of these documents of a topic, documents × draws."""
        documents = self.model.documents
        name = documents.evidence.topics[topic]
        ids = documents.evidence.document_ids.take(documents.rows[asked])
        chance = fine_uniform(self.chance.keys(name, ids), self.draws)
        shared, local = self._effects(name, self.homes[asked])
        # The same numbers at every threshold, so that these move together.
        numbers = self._normals(name, self.varying)
        labels = np.zeros(chance.shape, documents.codes.dtype)
        reached = np.ones(chance.shape, np.bool_)
        for threshold, beta in zip(self.model.thresholds, self.betas, strict=True):
            design = threshold.design[asked]
            odds = threshold.logistic.drawn_log_odds(design, topic, beta, numbers)
            odds *= threshold.sharpening
            odds += threshold.group_spread * shared + threshold.list_spread * local
            reached &= chance < logistic(odds)  # a grade needs all lower ones
            np.putmask(labels, reached, threshold.code)
        return labels

    def _effects(self, topic: str, homes: Indices) -> tuple[Floats, Floats]:
        """Return the effects of the groups that rank each document highest, documents × draws."""
        groups, which = np.unique(homes, return_inverse=True)
        names = [self.model.documents.pool.groups[g] for g in groups.tolist()]
        return self.of_groups[homes], self._effects_of(topic, names)[which]
