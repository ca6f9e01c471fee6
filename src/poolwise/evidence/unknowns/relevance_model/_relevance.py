"""A model of the probability of each grade, fitted to the judged documents of a collection."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.errors import require_draws
from poolwise.evidence.unknowns._hashed_random import HashedRandom, fine_uniform, normals
from poolwise.evidence.unknowns.relevance_model._features import (
    AGREEMENT,
    QUALITY,
    PooledDocuments,
    document_features,
    require_non_relevant,
)
from poolwise.evidence.unknowns.relevance_model._mixed_logistic import (
    RIDGE,
    MixedLogistic,
    fit_mixed_logistic,
    logistic,
)

__all__ = ["GradeThreshold", "RelevanceModel", "TopicGrades", "draw_grades", "fit_relevance"]

_VARYING = (0, 1 + AGREEMENT, 1 + QUALITY)
"""Intercept and the slopes that differ by topic, as columns of the design."""
_WIDEST = 2.0
"""The largest standard deviation of a group's effect, in log odds."""
_LOGISTIC = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
"""A logistic averaged over normal errors of variance v is flatter by √(1 + this × v)."""


@dataclass(frozen=True, eq=False)
class GradeThreshold:
    """The model of one event: that a document has at least this grade.

    Attributes
    ----------
    code : int
        The grade code of the threshold.
    logistic : MixedLogistic
        The fit.
    design : float array, documents × columns
        Intercept, standardized features and one product, of the documents that are asked about.
    group_spread, list_spread : float
        Standard deviations, in log odds, of what distinguishes a group on all topics, and on one.
    """

    code: int
    logistic: MixedLogistic
    design: Floats
    group_spread: float
    list_spread: float

    @property
    def sharpening(self) -> float:
        """By what log odds grow once the effect of the group is known."""
        return float(np.sqrt(1 + _LOGISTIC * (self.group_spread**2 + self.list_spread**2)))

    def probability(self, topics: Indices) -> Floats:
        """Return the probability of at least this grade, at the mode of the parameters."""
        return logistic(self.logistic.log_odds(self.design, topics))


@dataclass(frozen=True, eq=False)
class RelevanceModel:
    """How probable each grade is for the documents that have none.

    One ridge logistic regression per grade above the lowest, on features of ranks in groups of
    runs (:mod:`~poolwise.evidence.unknowns.relevance_model._features`), fitted to all judged
    documents; its intercept and two of its slopes differ by topic.

    Attributes
    ----------
    documents : PooledDocuments
        The documents without a grade, which it is asked about.
    judged : int
        How many judged documents it was fitted to.
    thresholds : tuple of GradeThreshold
        One per grade that some judged document reaches, ascending.
    ridge : float
        How strongly coefficients were pulled to 0.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=10, depth=30, rng=1)
    >>> from poolwise.evidence.unknowns.relevance_model._features import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model._features import gather_documents
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=20)))
    >>> chances = model.probabilities()
    >>> bool(np.allclose(chances.sum(axis=1), 1)), chances.shape[1] == len(evidence.scale)
    (True, True)
    """

    documents: PooledDocuments
    judged: int
    thresholds: tuple[GradeThreshold, ...]
    ridge: float

    def probabilities(self) -> Floats:
        """Return the probability of each grade of the scale, documents × grades."""
        topics = self.documents.topics
        reaches = np.zeros((len(topics), len(self.documents.evidence.scale) + 1))
        reaches[:, 0] = 1
        for threshold in self.thresholds:
            reaches[:, threshold.code] = threshold.probability(topics)
        # A grade that nobody gave is as rare as the next higher one; a higher one never commoner.
        filled = np.maximum.accumulate(reaches[:, ::-1], axis=1)[:, ::-1]
        falling = np.minimum.accumulate(filled, axis=1)
        return np.asarray(falling[:, :-1] - falling[:, 1:])


def fit_relevance(
    documents: PooledDocuments, *, ridge: float = RIDGE, start: RelevanceModel | None = None
) -> RelevanceModel:
    """Fit the model to the judged documents.

    Parameters
    ----------
    documents : PooledDocuments
    ridge : float
        How strongly coefficients are pulled to 0: their prior precision.
    start : RelevanceModel, optional
        A model of nearly the same judgments, from which fewer steps are needed.
    """
    require_non_relevant(documents.evidence, "model")
    before = {t.code: t.logistic for t in start.thresholds} if start else {}
    lowest = int(np.searchsorted(documents.evidence.scale, 0, side="right"))
    reached = [c for c in np.unique(documents.codes[documents.judged]).tolist() if c >= lowest]
    relevant = documents.codes >= np.array(reached, documents.codes.dtype)[:, None]
    features = document_features(documents, relevant)
    return RelevanceModel(
        documents.select(~documents.judged),
        int(documents.judged.sum()),
        tuple(
            _fit_threshold(documents, code, columns, like=before.get(code), ridge=ridge)
            for code, columns in zip(reached, features, strict=True)
        ),
        ridge,
    )


def _fit_threshold(
    documents: PooledDocuments,
    code: int,
    features: Floats,
    *,
    like: MixedLogistic | None,
    ridge: float,
) -> GradeThreshold:
    relevant, judged = documents.codes >= code, documents.judged
    design = _design(features, judged)
    fit = fit_mixed_logistic(
        design[judged],
        relevant[judged],
        documents.topics[judged],
        count=len(documents.evidence.topics),
        varying=_VARYING,
        ridge=ridge,
        start=like,
    )
    spreads = _effects_of_groups(documents, relevant, design, fit)
    return GradeThreshold(code, fit, design[~judged], *spreads)


def _design(features: Floats, judged: Booleans) -> Floats:
    """Return intercept, features standardized over the judged documents, and one product."""
    known = features[judged]
    centre, spread = known.mean(axis=0), known.std(axis=0)
    design = np.ones((len(features), features.shape[1] + 2))
    scaled = np.subtract(features, centre, out=design[:, 1:-1])
    scaled /= np.where(spread > 1e-9, spread, 1.0)
    np.multiply(scaled[:, AGREEMENT], scaled[:, QUALITY], out=design[:, -1])
    return design


def _effects_of_groups(
    documents: PooledDocuments, relevant: Booleans, design: Floats, fit: MixedLogistic
) -> tuple[float, float]:
    """Estimate how much groups differ by more than the model says, on all topics and on one.

    Only what one group alone nominates shows its own effect; a new group has such documents only.
    """
    alone = np.flatnonzero(documents.judged & (documents.owner >= 0))
    topics, groups = documents.topics[alone], documents.owner[alone]
    chance = logistic(fit.log_odds(design[alone], topics))
    missed = relevant[alone] - chance
    of_group = _excess(missed, chance, groups)
    of_list = _excess(missed, chance, groups * (topics.max(initial=0) + 1) + topics)
    spread = min(np.sqrt(of_group), _WIDEST)
    return float(spread), float(min(np.sqrt(max(of_list - of_group, 0.0)), _WIDEST))


def _excess(missed: Floats, chance: Floats, cells: Indices) -> float:
    """Return the variance, in log odds, by which cells differ from what chance makes of them.

    With an effect u, a cell's sum of errors has mean u·Σp(1−p) and variance Σp(1−p), nearly.
    """
    sums = np.bincount(cells, missed)
    expected = np.bincount(cells, chance * (1 - chance))
    total = float((expected**2).sum())
    return max(float((sums**2 - expected).sum()) / total, 0.0) if total > 0 else 0.0


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
    model: RelevanceModel, *, rng: int | np.random.Generator | HashedRandom, draws: int = 1000
) -> Iterator[TopicGrades]:
    """Draw grades for every document without one, topic by topic.

    In a draw, the parameters come from their Laplace posterior, each group has an effect of its
    own, and one more on each topic, and a document's grade follows from its probability. Numbers
    are drawn by name (topic and document, group), so that the result depends neither on the order
    of runs nor on which topics are asked for.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=10, depth=30, rng=1)
    >>> from poolwise.evidence.unknowns.relevance_model._features import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model._features import gather_documents
    >>> from poolwise.evidence.unknowns.relevance_model._relevance import fit_relevance
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=20)))
    >>> first = next(draw_grades(model, rng=1, draws=5))
    >>> first.labels.shape == (len(first.rows), 5)
    True
    """
    require_draws(draws)
    documents = model.documents
    source = _Source(model, HashedRandom.of(rng), draws)
    topics = np.arange(len(documents.evidence.topics) + 1)
    edges = np.searchsorted(documents.topics, topics).tolist()
    for topic, (first, past) in enumerate(pairwise(edges)):
        if first < past:
            here = slice(first, past)
            labels = source.labels(topic, here)
            yield TopicGrades(topic, documents.rows[here], documents.best[here], labels)


class _Source:
    """What all topics share: the drawn parameters, and the effects of groups."""

    def __init__(self, model: RelevanceModel, chance: HashedRandom, draws: int) -> None:
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
