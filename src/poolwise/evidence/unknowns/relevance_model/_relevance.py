"""A model of the probability of each grade, fitted to the judged documents of a collection."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import HashedRandom, Keys, fine_uniform, normals
from poolwise.errors import require_draws
from poolwise.evidence.unknowns.relevance_model._features import (
    AGREEMENT,
    QUALITY,
    ModelledDocuments,
    require_non_relevant,
)
from poolwise.evidence.unknowns.relevance_model._mixed_logistic import (
    RIDGE,
    MixedLogistic,
    fit_mixed_logistic,
    logistic,
)
from poolwise.results._threads import in_threads

__all__ = [
    "GradeThreshold",
    "RelevanceModel",
    "TopicGrades",
    "document_keys",
    "draw_grades",
    "fit_relevance",
]

_VARYING = (0, 1 + AGREEMENT)
"""Intercept and the slope that differ by topic, as columns of the design."""
_OF_GROUP, _OF_LIST = (0.7, 2.0), (0.5, 2.0)
"""The smallest and largest standard deviation of a group's effect, in log odds, on all topics and
on one. Where all pooled runs are alike, no difference between groups shows: without a least one,
what a new kind of run brings would seem as certain as what more of the same does."""
_AT_A_TIME = 1 << 21
"""Documents × draws that are drawn together."""
_IN_CACHE = 1 << 15
"""Documents × draws that are worked on at a time."""
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

    def odds(self, documents: slice, topics: Indices) -> Floats:
        """Return the log odds of some documents, whose effects are known."""
        return self.sharpening * self.logistic.log_odds(self.design[documents], topics)

    def effects(self, shared: Floats, local: Floats) -> Floats:
        """Return the effects of groups, from what distinguishes them on all topics and on one.

        The same numbers at every threshold, so that these move together.
        """
        return self.group_spread * shared + self.list_spread * local

    def probability(self, topics: Indices) -> Floats:
        """Return the probability of at least this grade, at the mode of the parameters."""
        return logistic(self.logistic.log_odds(self.design, topics))


@dataclass(frozen=True, eq=False)
class RelevanceModel:
    """How probable each grade is for the documents that have none.

    One ridge logistic regression per grade above the lowest, on features of ranks in groups of
    runs (:mod:`~poolwise.evidence.unknowns.relevance_model._features`), fitted to all judged
    documents; its intercept and one of its slopes differ by topic.

    Attributes
    ----------
    documents : ModelledDocuments
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
    >>> from poolwise.evidence._pool_shape import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model._features import gather_documents
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=20)))
    >>> chances = model.probabilities()
    >>> bool(np.allclose(chances.sum(axis=1), 1)), chances.shape[1] == len(evidence.scale)
    (True, True)
    """

    documents: ModelledDocuments
    judged: int
    thresholds: tuple[GradeThreshold, ...]
    ridge: float

    def within(self, reach: int) -> "RelevanceModel":
        """Return the model of the documents that some run has at this rank or above."""
        kept = self.documents.best <= reach
        thresholds = tuple(
            replace(threshold, design=threshold.design[kept]) for threshold in self.thresholds
        )
        return replace(self, documents=self.documents.select(kept), thresholds=thresholds)

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
    documents: ModelledDocuments, *, ridge: float = RIDGE, start: RelevanceModel | None = None
) -> RelevanceModel:
    """Fit the model to the judged documents.

    Parameters
    ----------
    documents : ModelledDocuments
    ridge : float
        How strongly coefficients are pulled to 0: their prior precision.
    start : RelevanceModel, optional
        A model of nearly the same judgments, from which fewer steps are needed.
    """
    require_non_relevant(documents.evidence, "model")
    before = {t.code: t.logistic for t in start.thresholds} if start else {}
    lowest = int(np.searchsorted(documents.evidence.scale, 0, side="right"))
    judged = np.flatnonzero(documents.judged)
    reached = [c for c in np.unique(documents.codes[judged]).tolist() if c >= lowest]
    designs = _designs(*documents.features(reached), judged)
    return RelevanceModel(
        documents.select(~documents.judged),
        len(judged),
        tuple(
            _fit_threshold(documents, code, design, judged, like=before.get(code), ridge=ridge)
            for code, design in zip(reached, designs, strict=True)
        ),
        ridge,
    )


def _fit_threshold(
    documents: ModelledDocuments,
    code: int,
    design: Floats,
    judged: Indices,
    *,
    like: MixedLogistic | None,
    ridge: float,
) -> GradeThreshold:
    relevant = documents.codes >= code
    fit = fit_mixed_logistic(
        design.take(judged, axis=0),
        relevant[judged],
        documents.topics[judged],
        count=len(documents.evidence.topics),
        varying=_VARYING,
        ridge=ridge,
        start=like,
    )
    stored = documents.spreads.get(float(documents.evidence.scale[code]))
    spreads = stored or _effects_of_groups(documents, relevant, design, fit)
    return GradeThreshold(code, fit, design[~documents.judged], *spreads)


def _designs(alike: Floats, qualities: Floats, judged: Indices) -> Iterator[Floats]:
    """Yield the design of each threshold: intercept, standardized features, and one product.

    Features are standardized over the judged documents. All designs are one array, of which what
    a threshold has to itself is written anew.
    """
    if not len(qualities):
        return
    # What is alike for all thresholds is centred once.
    features = np.column_stack([alike, *qualities])
    known = features.take(judged, axis=0)
    centre = known.mean(axis=0)
    # A column at a time: a loop over a handful of columns begins anew for every document.
    for at, mean in enumerate(centre):
        known[:, at] -= mean
    # As ``known.std`` has it, which would centre once more.
    spread = np.sqrt(np.square(known, out=known).mean(axis=0))
    spread = np.where(spread > 1e-9, spread, 1.0)
    design = np.ones((len(features), alike.shape[1] + 3))

    def standardize(at: int, column: int) -> None:
        scaled = np.subtract(features[:, at], centre[at], out=design[:, column])
        scaled /= spread[at]

    for at in range(alike.shape[1]):
        standardize(at, 1 + at + (at >= QUALITY))
    for at in range(alike.shape[1], features.shape[1]):
        standardize(at, 1 + QUALITY)
        np.multiply(design[:, 1 + AGREEMENT], design[:, 1 + QUALITY], out=design[:, -1])
        yield design


def _effects_of_groups(
    documents: ModelledDocuments, relevant: Booleans, design: Floats, fit: MixedLogistic
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
    of_one = np.sqrt(max(of_list - of_group, 0.0))
    return float(np.clip(np.sqrt(of_group), *_OF_GROUP)), float(np.clip(of_one, *_OF_LIST))


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
    model: RelevanceModel,
    *,
    rng: int | np.random.Generator | HashedRandom,
    draws: int = 1000,
    reach: int | None = None,
    keys: Keys | None = None,
) -> Iterator[TopicGrades]:
    """Draw grades for every document without one, topic by topic.

    With a ``reach``, only for those that some run has above it. ``keys`` are those of the documents
    (:func:`document_keys`), where they are known already.

    In a draw each group has an effect of its own, and one more on each topic; the group that ranks
    a document highest lends it its effect, and the grade follows from the probability. Numbers are
    drawn by name (topic and document, group), so that the result depends neither on the order of
    runs nor on which documents are asked about, and more draws begin with the same ones.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=10, depth=30, rng=1)
    >>> from poolwise.evidence._pool_shape import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model._features import gather_documents
    >>> from poolwise.evidence.unknowns.relevance_model._relevance import fit_relevance
    >>> evidence = pw.align(made.judgments, made.runs)
    >>> model = fit_relevance(gather_documents(evidence, find_pool(evidence, depth=20)))
    >>> first = next(draw_grades(model, rng=1, draws=5))
    >>> first.labels.shape == (len(first.rows), 5)
    True
    """
    require_draws(draws)
    model = model if reach is None else model.within(reach)
    documents = model.documents
    source = _Source(model, HashedRandom.of(rng), draws, keys)
    edges = np.append(np.flatnonzero(np.diff(documents.topics, prepend=-1)), len(documents))
    parts = [*_whole_topics(edges, _AT_A_TIME // draws)]
    work = in_threads if len(parts) > 1 else map  # a single part is not worth a thread
    drawn = work(lambda part: source.labels(slice(part[0], part[-1])), parts)
    for part, labels in zip(parts, drawn, strict=True):
        for here in map(slice, part[:-1].tolist(), part[1:].tolist()):
            yield TopicGrades(
                int(documents.topics[here.start]),
                documents.rows[here],
                documents.best[here],
                labels[here.start - part[0] : here.stop - part[0]],
            )


def _whole_topics(edges: Indices, most: int) -> Iterator[Indices]:
    """Cut topics into parts of so many documents at most, a topic at least; yield their edges."""
    first = 0
    while first < len(edges) - 1:
        fitting = np.searchsorted(edges, edges[first] + most, side="right") - 1
        past = max(int(fitting), first + 1)
        yield edges[first : past + 1]
        first = past


def document_keys(documents: ModelledDocuments, chance: HashedRandom, asked: slice) -> Keys:
    """Return the key of each of these documents, by its topic and its id."""
    names, ids = documents.evidence.topics, documents.evidence.document_ids
    topics, starts = np.unique(documents.topics[asked], return_index=True)
    parts = np.split(documents.rows[asked], starts[1:])
    of_topics = (
        chance.keys(names[topic], ids.take(rows))
        for topic, rows in zip(topics.tolist(), parts, strict=False)  # of no document is one part
    )
    return np.concatenate([np.empty(0, np.uint64), *of_topics])


class _Source:
    """What all topics share: the effects of groups."""

    def __init__(
        self, model: RelevanceModel, chance: HashedRandom, draws: int, keys: Keys | None
    ) -> None:
        self.model, self.chance, self.draws, self.keys = model, chance, draws, keys
        self.homes = model.documents.homes
        groups, self.place = np.unique(self.homes, return_inverse=True)
        self.names = [f"effect of group {model.documents.pool.groups[g]}" for g in groups.tolist()]
        self.of_groups = normals(chance.keys("all topics", self.names), draws)

    def labels(self, asked: slice) -> NDArray[np.integer]:
        """Draw the grade codes of these documents, documents × draws."""
        documents = self.model.documents
        topics = documents.topics[asked]
        known = self.keys
        keys = document_keys(documents, self.chance, asked) if known is None else known[asked]
        which, shared, local = self._of_lists(asked)
        labels = np.zeros((len(topics), self.draws), documents.codes.dtype)
        if not self.model.thresholds:
            return labels
        lowest, *higher = self.model.thresholds
        odds, effects = lowest.odds(asked, topics), lowest.effects(shared, local)
        above = [(one, one.odds(asked, topics)) for one in higher]
        # A few documents at a time: what they need stays in the processor's cache.
        step = max(1, _IN_CACHE // self.draws)
        for first in range(0, len(topics), step):
            some = slice(first, first + step)
            chance = fine_uniform(keys[some], self.draws)
            reached = chance < logistic(effects[which[some]] + odds[some, None])
            np.putmask(labels[some], reached, lowest.code)
            # A grade needs all lower ones, which few documents have in a draw.
            at, draw = np.nonzero(reached)
            for threshold, its_odds in above:
                cell = which[first + at], draw
                own = threshold.effects(shared[cell], local[cell])
                left = chance[at, draw] < logistic(own + its_odds[first + at])
                at, draw = at[left], draw[left]
                labels[first + at, draw] = threshold.code
        return labels

    def _of_lists(self, asked: slice) -> tuple[Indices, Floats, Floats]:
        """Draw what distinguishes groups, on all topics and on each document's own.

        Returns the list of each document, and the two effects of each list, lists × draws.
        """
        names, topics = self.model.documents.evidence.topics, self.model.documents.topics[asked]
        cells, which = np.unique(topics * len(self.names) + self.place[asked], return_inverse=True)
        of_topic, of_group = np.divmod(cells, len(self.names))
        keys = [
            self.chance.keys(names[topic], [self.names[g] for g in of_group[of_topic == topic]])
            for topic in np.unique(of_topic).tolist()
        ]
        return which, self.of_groups[of_group], normals(np.concatenate(keys), self.draws)
