"""Scores estimated from reduced judgments, and how many preferences between runs are right."""

from dataclasses import dataclass

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection.judgments import Judgments
from poolwise.errors import OptionError
from poolwise.evidence.completion import count_ungraded
from poolwise.evidence.evidence import Evidence
from poolwise.measures.measure import Measure
from poolwise.scores.treatments.estimates import informed
from poolwise.scores.treatments.estimation import estimate
from poolwise.scores.treatments.treatments import (
    Bootstrap,
    Bounded,
    Condensed,
    NonRelevant,
    RateFilled,
    Treatment,
)
from poolwise.studies.estimates.accuracy import Preferences, ScoresWithRanges, count_preferences
from poolwise.studies.estimates.judgment_reductions import ReducedJudgments

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
    """What one treatment made of reduced judgments: scores of estimated systems, preferences."""

    estimates: ScoresWithRanges
    incomplete: Booleans
    points: Preferences
    ranges: Preferences


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
    treatment = informed(plan.treatments[which[1]], depth=reduced.depth, pooled=reduced.pooled)
    rows = reduced.estimated
    try:
        found = _estimate(evidence, measure, treatment, rows, seed)
    except OptionError as error:
        return error
    unknown = count_ungraded(measure.cut(evidence))[rows] > 0
    counts = count_preferences(found, plan.truths[which[0]].value, rows, reduced.rivals)
    return Outcome(found.select(rows), unknown, *counts)


def _estimate(
    evidence: Evidence, measure: Measure, treatment: Treatment, rows: Indices, seed: int
) -> ScoresWithRanges:
    """Return the estimates of these systems, and the plain scores of the others."""
    plain = measure.score(evidence)
    if not _one_by_one(treatment):
        table = estimate(evidence, measure, treatment=treatment, rng=seed)
        found = ScoresWithRanges.of(table).select(rows)
    else:
        table = estimate(evidence.select(rows), measure, treatment=treatment, rng=seed)
        found = ScoresWithRanges.of(table)
    return ScoresWithRanges(*(_replaced(plain, rows, values) for values in found))


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
