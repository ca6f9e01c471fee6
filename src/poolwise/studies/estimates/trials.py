"""One trial of a study: hide judgments, estimate scores without them, count what was right."""

from dataclasses import dataclass

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection.judgments import Judgments
from poolwise.errors import OptionError
from poolwise.evidence.completion import count_ungraded
from poolwise.evidence.evidence import Evidence
from poolwise.measures.measure import Measure
from poolwise.scores.score_table import ScoreTable
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
from poolwise.studies.estimates.accuracy import Estimates, Preferences, count_preferences
from poolwise.studies.estimates.hidden_judgments import Trial

__all__ = ["Outcome", "Outcomes", "Plan", "run_trial", "with_ranges"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What all trials of a study share; the truths are the scores with all judgments."""

    evidence: Evidence
    judgments: Judgments
    measures: tuple[Measure, ...]
    treatments: tuple[Treatment, ...]
    truths: tuple[Estimates, ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one treatment made of one trial: the estimated systems' scores, and preferences."""

    estimates: Estimates
    incomplete: Booleans
    points: Preferences
    ranges: Preferences


Outcomes = dict[tuple[int, int], Outcome | OptionError]
"""By measure and treatment; an error where the treatment cannot be had."""


def run_trial(plan: Plan, trial: Trial, seed: int) -> Outcomes:
    """Hide the judgments of a trial, and estimate each measure by each treatment."""
    evidence = plan.evidence.regrade(plan.judgments.keep(trial.kept))
    return {
        (m, k): _outcome(plan, evidence, trial, (m, k), seed)
        for m in range(len(plan.measures))
        for k in range(len(plan.treatments))
    }


def with_ranges(table: ScoreTable) -> Estimates:
    """Return the scores of a table, and their ranges."""
    return Estimates(table.value, table.lower, table.upper)


def _outcome(
    plan: Plan, evidence: Evidence, trial: Trial, which: tuple[int, int], seed: int
) -> Outcome | OptionError:
    measure = plan.measures[which[0]]
    treatment = informed(plan.treatments[which[1]], depth=trial.depth, pooled=trial.pooled)
    rows = trial.estimated
    try:
        found = _estimate(evidence, measure, treatment, rows, seed)
    except OptionError as error:
        return error
    unknown = count_ungraded(measure.cut(evidence))[rows] > 0
    counts = count_preferences(found, plan.truths[which[0]].value, rows, trial.rivals)
    return Outcome(Estimates(*(values[rows] for values in found)), unknown, *counts)


def _estimate(
    evidence: Evidence, measure: Measure, treatment: Treatment, rows: Indices, seed: int
) -> Estimates:
    """Return the estimates of these systems, and the plain scores of the others."""
    plain = measure.score(evidence)
    if not _one_by_one(treatment):
        found = with_ranges(estimate(evidence, measure, method=treatment, rng=seed))
        return Estimates(*(_replaced(plain, rows, values[rows]) for values in found))
    found = with_ranges(estimate(evidence.select(rows), measure, method=treatment, rng=seed))
    return Estimates(*(_replaced(plain, rows, values) for values in found))


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
