"""How far a relevance model is off for groups whose judgments are taken away."""

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
from poolwise.scores.treatments.completed_scores import score_completions

__all__ = [
    "MOST_GROUPS",
    "DifferenceErrors",
    "LeftOutErrors",
    "LeftOutGroup",
    "leave_groups_out",
    "left_out_differences",
    "left_out_errors",
]

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
    completions : tuple of TopicGrades
        Grades of these documents, drawn from it.
    """

    group: int
    systems: Indices
    model: RelevanceModel
    completions: tuple[TopicGrades, ...]


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
    values = score_completions(
        documents.hide(left_out.model.documents, left_out.systems),
        measure,
        left_out.completions,
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
    values = score_completions(
        documents.hide(left_out.model.documents, systems),
        measure,
        left_out.completions,
        draws=DRAWS,
        depth=documents.pool.depth,
        shared=True,
    )
    known = ~np.isnan(truth[systems]).any(axis=0) & ~np.isnan(values).any(axis=(0, 2))
    means, true = values[:, known].mean(axis=1), truth[systems][:, known].mean(axis=1)
    own = len(left_out.systems)
    drawn = (means[:own, None] - means[None, own:]).reshape(-1, DRAWS)
    expected = (true[:own, None] - true[None, own:]).ravel()
    units = np.full(len(drawn), left_out.group)
    return units, drawn.mean(axis=1) - expected, drawn.std(axis=1)
