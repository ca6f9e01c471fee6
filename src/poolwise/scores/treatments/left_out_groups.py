"""How far a relevance model is off for groups whose judgments are taken away."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.evidence.unknowns.relevance_model.grade_draws import draw_grades
from poolwise.evidence.unknowns.relevance_model.relevance import RelevanceModel, fit_relevance
from poolwise.measures.measure import Measure
from poolwise.scores.treatments.completed_scores import score_completions

__all__ = ["LeftOutErrors", "left_out_errors", "leave_groups_out"]

_DRAWS = 200
"""Draws for each group that is left out: a standard deviation needs no more."""


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


def leave_groups_out(model: RelevanceModel) -> Iterator[tuple[int, RelevanceModel]]:
    """Fit the model again without the judgments that each pooled group alone brought in."""
    for group in model.documents.pool.pooled_groups.tolist():
        yield group, fit_relevance(model.documents.without_group(group), start=model)


def left_out_errors(
    models: tuple[tuple[int, RelevanceModel], ...], measure: Measure, *, rng: int
) -> LeftOutErrors:
    """Compare what each refitted model says of the left-out group with the scores as judged."""
    parts = [_errors(group, model, measure, rng) for group, model in models]
    return LeftOutErrors(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _errors(
    group: int, model: RelevanceModel, measure: Measure, rng: int
) -> tuple[Indices, Indices, Floats, Floats, Floats, Floats]:
    documents = model.documents
    pool = documents.pool
    systems = np.flatnonzero(pool.pooled & (pool.group_of == group))
    values = score_completions(
        documents.evidence_of(systems),
        measure,
        draw_grades(model, rng=rng, draws=_DRAWS),
        draws=_DRAWS,
        own=pool.depth,
    )
    truth = measure.score(documents.evidence.select(systems))
    known = ~np.isnan(truth).any(axis=0) & ~np.isnan(values).any(axis=(0, 2))
    means, true_means = values[:, known].mean(axis=1), truth[:, known].mean(axis=1)
    return (
        systems,
        np.full(len(systems), group),
        values.mean(axis=2) - truth,
        values.std(axis=2),
        means.mean(axis=1) - true_means,
        means.std(axis=1),
    )
