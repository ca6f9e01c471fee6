"""Scores estimated from reduced judgments, and how many preferences between runs are right."""

from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection.judgments import Judgments
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import document_codes
from poolwise.measures._measure import Measure
from poolwise.scores.treatments._drawn_scores import ScoreDistribution
from poolwise.scores.treatments._estimates import estimate, informed
from poolwise.scores.treatments._relevance_model_treatment import (
    Modelled,
    complete_scores,
    fit_model,
)
from poolwise.scores.treatments._treatments import (
    Bootstrap,
    Bounded,
    Condensed,
    NonRelevant,
    RateFilled,
    Treatment,
)
from poolwise.studies.estimates.accuracy import Preferences, ScoresWithRanges, count_preferences
from poolwise.studies.estimates.judgment_reductions import ReducedJudgments
from poolwise.studies.estimates.reliability import Forecasts

__all__ = ["Outcome", "Outcomes", "Plan", "estimate_from_reduced"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What all reductions of a study share; the truths are the scores with all judgments."""

    evidence: Evidence
    judgments: Judgments
    measures: tuple[Measure, ...]
    treatments: tuple[Treatment, ...]
    truths: tuple[ScoresWithRanges, ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one treatment made of reduced judgments.

    Attributes
    ----------
    estimates, incomplete
        The scores of the estimated systems, and which lists have an unjudged document.
    points, ranges
        Preferences between systems.
    deviations : float array, systems
        How unsure the treatment is of each mean: 1 where it does not say, 0 where nothing that
        counts is unjudged.
    topic_deviations : float array, systems × topics
        The same of each score.
    forecasts
        What it says of the documents that were judged before; None where it says nothing of
        documents.
    rates
        What the topic's share of relevant documents says of them, beside the relevance model.
    """

    estimates: ScoresWithRanges
    incomplete: Booleans
    points: Preferences
    ranges: Preferences
    deviations: Floats
    topic_deviations: Floats
    forecasts: Forecasts | None
    rates: Forecasts | None


Outcomes = dict[tuple[int, int], Outcome | OptionError]
"""By measure and treatment; an error where the treatment cannot be had."""


def estimate_from_reduced(plan: Plan, reduced: ReducedJudgments, seed: int) -> Outcomes:
    """Estimate each measure by each treatment, from the judgments that are left."""
    evidence = plan.evidence.regrade(plan.judgments.keep(reduced.kept))
    return {
        (m, k): _outcome(plan, evidence, reduced, (m, k), seed)
        for m in range(len(plan.measures))
        for k in range(len(plan.treatments))
    }


def _outcome(
    plan: Plan, evidence: Evidence, reduced: ReducedJudgments, which: tuple[int, int], seed: int
) -> Outcome | OptionError:
    measure = plan.measures[which[0]]
    treatment = informed(
        plan.treatments[which[1]],
        depth=reduced.depth,
        pooled=reduced.pooled,
        groups=reduced.groups,
    )
    if isinstance(treatment, Bootstrap):
        treatment = replace(treatment, deep=True)  # how much it misleads is what is studied
    rows = reduced.estimated
    try:
        found, drawn = _estimate(evidence, measure, treatment, rows, seed)
    except OptionError as error:
        return error
    unknown = count_ungraded(measure.cut(evidence))[rows] > 0
    counts = count_preferences(found, plan.truths[which[0]].value, rows, reduced.rivals)
    unsaid = np.asarray(unknown.any(axis=1), np.float64), np.asarray(unknown, np.float64)
    return Outcome(
        found.select(rows),
        unknown,
        *counts,
        *(unsaid if drawn is None else _deviations(drawn, rows)),
        forecast(plan.evidence, evidence, measure, treatment),
        forecast(plan.evidence, evidence, measure, RateFilled("background"))
        if isinstance(treatment, Modelled)
        else None,
    )


def _deviations(drawn: ScoreDistribution, rows: Indices) -> tuple[Floats, Floats]:
    """Return how much means, and scores on single topics, differ between draws."""
    values = drawn.values[rows]
    means = values[:, drawn.plain.defined].mean(axis=1)
    return np.asarray(means.std(axis=1)), np.asarray(values.std(axis=2))


def _estimate(
    evidence: Evidence, measure: Measure, treatment: Treatment, rows: Indices, seed: int
) -> tuple[ScoresWithRanges, ScoreDistribution | None]:
    """Return estimates of these systems and plain scores of the others, and what was drawn."""
    plain = measure.score(evidence)
    drawn: ScoreDistribution | None = None
    if isinstance(treatment, Modelled):
        # Calibrated by the study, not by leaving further groups out.
        drawn = complete_scores(evidence, measure, treatment, rng=seed)
        found = ScoresWithRanges.of(treatment.drawn_table(drawn)).select(rows)
    elif not _one_by_one(treatment):
        table = estimate(evidence, measure, treatment=treatment, rng=seed)
        found = ScoresWithRanges.of(table).select(rows)
    else:
        table = estimate(evidence.select(rows), measure, treatment=treatment, rng=seed)
        found = ScoresWithRanges.of(table)
    return ScoresWithRanges(*(_replaced(plain, rows, values) for values in found)), drawn


def forecast(
    whole: Evidence, reduced: Evidence, measure: Measure, treatment: Treatment
) -> Forecasts | None:
    """Return how probable a treatment takes it that documents without their judgment are relevant.

    Known are the relevance model, the rate of relevant documents in the pool (``background``),
    and the assumption that none is relevant.
    """
    if not isinstance(treatment, Modelled | RateFilled | NonRelevant):
        return None
    level = getattr(measure, "rel", 1)
    hidden, topics, true = _hidden(whole, reduced, level)
    if isinstance(treatment, NonRelevant):
        return np.zeros(len(true)), true
    if isinstance(treatment, RateFilled):
        if treatment.kind != "background":
            return None
        rates = reduced.relevant(level) / np.maximum(reduced.pool.sum(axis=1), 1)
        return rates[topics], true
    model = fit_model(reduced, measure, treatment).model
    chances = model.probabilities()[:, reduced.scale >= level].sum(axis=1)
    known = np.isin(hidden, model.documents.rows)
    return chances[np.searchsorted(model.documents.rows, hidden[known])], true[known]


def _hidden(whole: Evidence, reduced: Evidence, level: float) -> tuple[Integers, Indices, Floats]:
    """Return row, topic and relevance of the retrieved documents that lost their judgment."""
    before, after = document_codes(whole), document_codes(reduced)
    rows = np.flatnonzero((before >= 0) & (after < 0))
    topics = np.searchsorted(whole.document_starts, rows, side="right") - 1
    return rows, topics, (whole.scale[before[rows]] >= level).astype(np.float64)


def _one_by_one(treatment: Treatment) -> bool:
    """Tell whether a treatment looks at each run by itself, so that the others can be away."""
    if isinstance(treatment, Bootstrap):
        return not treatment.joint and treatment.prior != "multiplicity"
    return isinstance(treatment, NonRelevant | Condensed | Bounded | RateFilled)


def _replaced(plain: Floats, rows: Indices, values: Floats) -> Floats:
    """Return the plain scores of all systems, with these rows in place of theirs."""
    whole = plain.copy()
    whole[rows] = values
    return whole
