"""Ranges around what a relevance model expects, as wide as its errors on known groups ask for."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.evidence.unknowns._hashed_random import HashedRandom
from poolwise.evidence.unknowns.relevance_model._features import PooledDocuments
from poolwise.evidence.unknowns.relevance_model._relevance import (
    RelevanceModel,
    TopicGrades,
    draw_grades,
    fit_relevance,
)
from poolwise.measures._measure import Measure
from poolwise.results._progress import counting
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import Uncertainty
from poolwise.scores.treatments._drawn_scores import ScoreDistribution, score_draws
from poolwise.words import are, counted

__all__ = [
    "ADAPTIVE",
    "CALIBRATED",
    "FEWEST_GROUPS",
    "MOST_GROUPS",
    "NOT_CALIBRATED",
    "ROUNDING",
    "Calibration",
    "DifferenceErrors",
    "LeftOutErrors",
    "LeftOutGroup",
    "calibrate",
    "conformal_factor",
    "group_quantile",
    "leave_groups_out",
    "left_out_differences",
    "left_out_errors",
    "promised_level",
    "too_few_groups",
]

FEWEST_GROUPS = 5
"""With fewer groups no level is worth a promise."""


def promised_level(groups: int, wanted: float = 0.95) -> float:
    """Return the level that so many groups can promise, at most the wanted one.

    A new group is as likely to be the worst of m + 1 as any other: m/(m + 1) is the most.

    Examples
    --------
    >>> promised_level(40), round(promised_level(9), 3), promised_level(19)
    (0.95, 0.9, 0.95)
    """
    return min(wanted, groups / (groups + 1))


def conformal_factor(scaled: Floats, units: Indices, level: float) -> float:
    """Return by how much a standard deviation must be stretched for ranges to hold at a level.

    It is the smallest q for which the sum over groups of the share of their runs with a scaled
    error of at most q reaches level × (groups + 1) (the rank rule of split conformal prediction;
    a group counts once, however many runs it has).

    Parameters
    ----------
    scaled : float array, runs
        |error| / standard deviation of each left-out run.
    units : int array, runs
        The group of each.
    level : float
        The share of new groups for which the range is to hold.

    Returns
    -------
    float
        ∞ where there are too few groups for the level.

    Examples
    --------
    >>> conformal_factor(np.arange(1.0, 20.0), np.arange(19), 0.95)
    19.0
    >>> conformal_factor(np.arange(1.0, 19.0), np.arange(18), 0.95)
    inf
    """
    groups = len(np.unique(units))
    # The group to come is one of groups + 1 that are alike, and its error may be the largest.
    return group_quantile(scaled, units, level * (groups + 1) / groups)


def group_quantile(values: Floats, units: Indices, share: float) -> float:
    """Return the smallest value that this share of all does not exceed, if a group counts once.

    Examples
    --------
    >>> group_quantile(np.array([1.0, 2.0, 3.0, 9.0]), np.array([0, 0, 0, 1]), 0.5)
    3.0
    >>> group_quantile(np.array([1.0, 2.0]), np.array([0, 1]), 1.1)
    inf
    """
    _, which, sizes = np.unique(units, return_inverse=True, return_counts=True)
    order = np.argsort(values, kind="stable")
    # A run weighs 1 over the runs of its group, so that a group of many runs does not decide alone.
    reached = np.cumsum(1 / sizes[which][order])
    # A sum of shares such as 1/3 may fall short of a whole number by rounding.
    enough = np.flatnonzero(reached >= share * len(sizes) - 1e-9)
    return float(values[order][enough[0]]) if len(enough) else float("inf")


DRAWS = 200
"""Draws for each group that is left out: a standard deviation needs no more."""
MOST_GROUPS = 50
"""Groups that are left out at most; of more, as many are drawn. TREC-8 has 41; 19 promise 95%."""
_THREADS = 4
"""Groups that are left out at a time: each takes a copy of all ranks."""


@dataclass(frozen=True, eq=False)
class LeftOutGroup:
    """One pooled group, as the model sees it without the judgments that it alone brought in.

    Attributes
    ----------
    group : int
        Which group of the pool.
    systems : int array
        Its pooled runs.
    model : RelevanceModel
        Fitted without these judgments.
    draws : tuple of TopicGrades
        Grades of these documents, drawn from it.
    """

    group: int
    systems: Indices
    model: RelevanceModel
    draws: tuple[TopicGrades, ...]


def leave_groups_out(
    documents: PooledDocuments, model: RelevanceModel, *, rng: int
) -> tuple[LeftOutGroup, ...]:
    """Fit the model again without each pooled group that alone brought a document in.

    Of more than ``MOST_GROUPS`` such groups, that many are drawn, by their names and the seed.
    """
    groups = _drawn_groups(documents, rng).tolist()
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as threads:
        found = threads.map(lambda group: _leave_out(documents, group, model, rng), groups)
        return tuple(counting(found, "groups left out", len(groups)))


def _leave_out(
    documents: PooledDocuments, group: int, model: RelevanceModel, rng: int
) -> LeftOutGroup:
    # The model starts from the fit with the group: without it the optimum is near, and soon found.
    reduced = documents.without_group(group)
    again = fit_relevance(reduced, ridge=model.ridge, start=model)
    systems = np.flatnonzero(documents.pool.pooled & (documents.pool.group_of == group))
    return LeftOutGroup(group, systems, again, tuple(draw_grades(again, rng=rng, draws=DRAWS)))


def _drawn_groups(documents: PooledDocuments, rng: int) -> Indices:
    """Return the groups to leave out, ascending."""
    owners = documents.owner[documents.judged]
    groups = np.unique(owners[owners >= 0])
    if len(groups) <= MOST_GROUPS:
        return groups
    names = [documents.pool.groups[group] for group in groups.tolist()]
    # By name, so that one more group changes no other draw.
    keys = HashedRandom.of(rng).keys("groups left out", names)
    return np.sort(groups[np.argsort(keys, kind="stable")[:MOST_GROUPS]])


@dataclass(frozen=True, eq=False)
class LeftOutErrors:
    """What the model says of pooled groups whose own judgments it does not see.

    Attributes
    ----------
    systems, groups : int array, runs
        The runs, and the group of each.
    error, deviation : float array, runs × topics
        Estimate minus score as judged, and the standard deviation over draws.
    mean_error, mean_deviation : float array, runs
        The same of means over the topics with a score.
    """

    systems: Indices
    groups: Indices
    error: Floats
    deviation: Floats
    mean_error: Floats
    mean_deviation: Floats


def left_out_errors(
    documents: PooledDocuments, left_out: Sequence[LeftOutGroup], measure: Measure
) -> LeftOutErrors:
    """Compare what the model says of each left-out group with the scores as judged."""
    truth = measure.score(documents.evidence)
    parts = [_errors(documents, one, measure, truth) for one in left_out]
    return LeftOutErrors(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _errors(
    documents: PooledDocuments, left_out: LeftOutGroup, measure: Measure, truth: Floats
) -> tuple[Indices, Indices, Floats, Floats, Floats, Floats]:
    # What the group alone brought to the pool is hidden, so that it is as a new one is.
    values = score_draws(
        documents.hide(left_out.model.documents, left_out.systems),
        measure,
        left_out.draws,
        draws=DRAWS,
        depth=documents.pool.depth,
        shared=False,
    )
    true = truth[left_out.systems]
    known = ~np.isnan(true).any(axis=0) & ~np.isnan(values).any(axis=(0, 2))
    means = values[:, known].mean(axis=1)
    return (
        left_out.systems,
        np.full(len(left_out.systems), left_out.group),
        values.mean(axis=2) - true,
        values.std(axis=2),
        means.mean(axis=1) - true[:, known].mean(axis=1),
        means.std(axis=1),
    )


@dataclass(frozen=True, eq=False)
class DifferenceErrors:
    """How far differences between runs of left-out groups and pooled runs are off.

    Attributes
    ----------
    groups : int array, pairs
        The group that was left out.
    error, deviation : float array, pairs
        Of the mean difference: estimate minus what the judgments say, and its standard deviation
        over draws.
    """

    groups: Indices
    error: Floats
    deviation: Floats


def left_out_differences(
    documents: PooledDocuments,
    left_out: Sequence[LeftOutGroup],
    measure: Measure,
    rivals: Indices,
) -> DifferenceErrors:
    """Compare each left-out group with these pooled runs, of other groups, as if it were new.

    All documents are graded at once, those of the rivals too, as where runs are compared.
    """
    truth = measure.score(documents.evidence)
    group_of = documents.pool.group_of
    parts = [
        _difference_errors(documents, one, measure, truth, rivals[group_of[rivals] != one.group])
        for one in left_out
    ]
    return DifferenceErrors(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _difference_errors(
    documents: PooledDocuments,
    left_out: LeftOutGroup,
    measure: Measure,
    truth: Floats,
    rivals: Indices,
) -> tuple[Indices, Floats, Floats]:
    systems = np.concatenate([left_out.systems, rivals])
    values = score_draws(
        documents.hide(left_out.model.documents, systems),
        measure,
        left_out.draws,
        draws=DRAWS,
        depth=documents.pool.depth,
        shared=True,
    )
    known = ~np.isnan(truth[systems]).any(axis=0) & ~np.isnan(values).any(axis=(0, 2))
    means, true = values[:, known].mean(axis=1), truth[systems][:, known].mean(axis=1)
    own = len(left_out.systems)
    # Run by run: both runs of a pair are scored in the same draw, so that what they share cancels.
    drawn = (means[:own, None] - means[None, own:]).reshape(-1, DRAWS)
    expected = (true[:own, None] - true[None, own:]).ravel()
    units = np.full(len(drawn), left_out.group)
    return units, drawn.mean(axis=1) - expected, drawn.std(axis=1)


ROUNDING = 1e-9
"""A standard deviation below this is that of equal numbers."""

CALIBRATED, NOT_CALIBRATED = "calibrated", "not calibrated"
"""What a plausible range can be; neither where nothing was drawn, or all draws agree."""

ADAPTIVE = (
    "the judgments were chosen one after the other, so that groups left out of a pool say nothing "
    "of the errors"
)
"""Why ranges are not calibrated where each judgment decided what was judged next."""


@dataclass(frozen=True)
class Calibration:
    """By how much standard deviations are stretched, and what that promises.

    Attributes
    ----------
    of_means, of_topics : float
        How many standard deviations over draws the range of a mean reaches to either side, and
        that of a single score.
    level : float
        The share of new groups whose means the ranges are to hold.
    groups : int
        How many groups were left out in turn.
    """

    of_means: float
    of_topics: float
    level: float
    groups: int

    def means(self, found: ScoreDistribution, exact: ScoreTable) -> Uncertainty:
        """Return ranges around the means over draws, cut to what is possible."""
        means = found.values[:, found.plain.defined].mean(axis=1)
        ends = _around(_centre(means), self.of_means * means.std(axis=1), *exact.mean_bounds())
        return Uncertainty(
            "draws", *ends, level=self.level, kind=CALIBRATED, meaning=(self._meaning(),)
        )

    def topics(self, found: ScoreDistribution, exact: ScoreTable) -> tuple[Floats, Floats]:
        """Return ranges around the scores of single topics, cut to what is possible."""
        half = self.of_topics * found.values.std(axis=2)
        return _around(found.mean(), half, exact.lower, exact.upper)

    def _meaning(self) -> str:
        return (
            f"The ranges by the model hold the mean of a new group with a probability of about "
            f"{self.level:.0%}, as they did for {counted(self.groups, 'group')} left out in turn."
        )


def _around(centre: Floats, half: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    # Draws that agree leave nothing to guess: their range is a point, not a rounding error wide.
    reach = np.where(half > ROUNDING, half, 0.0)
    return (
        np.maximum(centre - reach, np.minimum(low, centre)),
        np.minimum(centre + reach, np.maximum(high, centre)),
    )


def _centre(means: Floats) -> Floats:
    """Return the mean over draws, exactly that of equal numbers."""
    return np.asarray((means - means[:, :1]).mean(axis=1) + means[:, 0])


def calibrate(errors: LeftOutErrors, wanted: float) -> Calibration | int:
    """Return the calibration, or how many groups there are where these are too few.

    Ranges of means follow the rank rule of conformal prediction. Those of single topics hold the
    wanted share of the scores on groups left out; a group counts once. There are so many that the
    rule's allowance for a next one, which asks for whole groups, would only make them too wide.
    """
    usable = errors.mean_deviation > ROUNDING
    groups = len(np.unique(errors.groups[usable]))
    if groups < FEWEST_GROUPS:
        return groups
    level = promised_level(groups, wanted)
    scaled = np.abs(errors.mean_error[usable]) / errors.mean_deviation[usable]
    of_means = conformal_factor(scaled, errors.groups[usable], level)
    return Calibration(of_means, _of_topics(errors, wanted), level, groups)


def _of_topics(errors: LeftOutErrors, wanted: float) -> float:
    unsure = (errors.deviation > ROUNDING) & ~np.isnan(errors.error)
    units = np.broadcast_to(errors.groups[:, None], unsure.shape)[unsure]
    return group_quantile(np.abs(errors.error[unsure]) / errors.deviation[unsure], units, wanted)


def too_few_groups(groups: int) -> str:
    """Say why ranges are not calibrated with so many groups.

    Examples
    --------
    >>> too_few_groups(1)
    'to calibrate ranges takes 5 pooled groups with documents of their own, and there is 1'
    """
    return (
        f"to calibrate ranges takes {FEWEST_GROUPS} pooled groups with documents of their own, "
        f"and there {are(groups)} {groups or 'none'}"
    )
