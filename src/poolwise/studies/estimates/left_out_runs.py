"""Take judgments away, treat the documents as unjudged, and see how near the scores come."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import nominate
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._meeting import align
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import Provenance, seed_option
from poolwise.scores._scoring import score
from poolwise.scores.treatments._estimates import choose_treatments, range_error, treatment_label
from poolwise.scores.treatments._relevance_model_treatment import Modelled
from poolwise.scores.treatments._treatments import Treatment
from poolwise.studies.estimates.accuracy import (
    Accuracy,
    Preferences,
    ScoresWithRanges,
    average,
    measure_accuracy,
)
from poolwise.studies.estimates.calibration import (
    MeanCalibration,
    calibrate_means,
    calibrate_topics,
)
from poolwise.studies.estimates.judgment_reductions import JudgmentReduction, ReducedJudgments
from poolwise.studies.estimates.leave_out_study import LeaveOutRow, LeaveOutStudy
from poolwise.studies.estimates.reduced_scores import Outcome, Outcomes, Plan, estimate_from_reduced
from poolwise.studies.estimates.reliability import Reliability, brier_score
from poolwise.studies.tasks import Progress, run_tasks, spawn_seeds

__all__ = ["CELLS", "leave_out"]

CELLS = {
    "all": "every topic of an estimated run",
    "incomplete": "the topics on which it has an unjudged document",
}


def leave_out(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    reduction: JudgmentReduction,
    treatments: str | Iterable[str | Treatment] = "all",
    cells: str = "all",
    rng: int | np.random.Generator = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> LeaveOutStudy:
    """Take judgments away, estimate the scores without them, and compare with the truth.

    The truth is the score under all judgments. Every repetition is measured by itself, and their
    mean reported.

    Parameters
    ----------
    judgments, runs
        All that was judged, and what was retrieved.
    measures
        Measures or their names.
    reduction
        Which judgments to take away: :class:`LeaveOut`, :class:`DepthPools`, :class:`Thinning` or
        :class:`WidthSamples`.
    treatments
        Treatments or their names, or ``"all"`` that the measure and the collection allow. A
        treatment that asks for the depth of the pool or for the pooled runs, and was not told,
        gets those of the reduced judgments.
    cells : {"all", "incomplete"}
        Which scores of the estimated runs to compare: every topic, or those on which the run has
        an unjudged document. Preferences are counted on every topic.
    rng
        Seed or Generator. Every set of reduced judgments has a seed of its own, so that numbers
        depend neither on the workers nor on which other treatments are studied.
    workers, progress
        How many processes work (None leaves it to :func:`joblib.parallel_config`), and what is
        called with the number of sets of reduced judgments done and of all.

    Returns
    -------
    LeaveOutStudy
        One row per measure, condition and treatment, and why treatments were refused.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = leave_out(made.truth, made.runs, ["P@10"],
    ...                   reduction=pw.studies.DepthPools((5, 10)), treatments="condensed")
    >>> [(row.condition, round(row.accuracy.rmse, 3)) for row in found.rows]
    [('pool depth 5', 0.125), ('pool depth 10', 0.0)]
    """
    require_choice("cells", cells, CELLS)
    wanted = tuple(parse_measure(measure) for measure in measures)
    chosen = choose_treatments(treatments)
    found, evidence = nominate(judgments, runs), align(judgments, runs)
    reducing, drawing = spawn_seeds(rng, 2)
    sets = list(reduction.reduce(found, np.random.default_rng(reducing)))
    truths = tuple(ScoresWithRanges.of(score(evidence, measure)) for measure in wanted)
    plan = Plan(evidence, judgments, wanted, chosen, truths)
    seeds = spawn_seeds(drawing, len(sets))
    tasks = [(plan, reduced, seed) for reduced, seed in zip(sets, seeds, strict=True)]
    results = run_tasks(estimate_from_reduced, tasks, workers=workers, progress=progress)
    origin = evidence.provenance.with_options(
        **seed_option(rng), reduction=repr(reduction), cells=cells
    )
    return LeaveOutStudy(
        rows=tuple(_rows(plan, sets, results, cells)),
        reliability=_reliability(plan, results, origin),
        refused=_refusals(plan, results, tolerant=treatments == "all"),
        provenance=origin,
    )


def _refusals(plan: Plan, results: list[Outcomes], *, tolerant: bool) -> dict[tuple[str, str], str]:
    """Return why treatments could not be had, or raise where they were asked for by name."""
    refused: dict[tuple[str, str], str] = {}
    for (m, k), outcome in (pair for outcomes in results for pair in outcomes.items()):
        if isinstance(outcome, OptionError):
            if not tolerant:
                raise outcome
            refused[str(plan.measures[m]), treatment_label(plan.treatments[k])] = str(outcome)
    return refused


def _rows(
    plan: Plan, sets: list[ReducedJudgments], results: list[Outcomes], cells: str
) -> Iterator[LeaveOutRow]:
    for m, measure in enumerate(plan.measures):
        for condition in dict.fromkeys(reduced.condition for reduced in sets):
            for k, treatment in enumerate(plan.treatments):
                of = [
                    (reduced, outcomes[m, k])
                    for reduced, outcomes in zip(sets, results, strict=True)
                    if reduced.condition == condition
                ]
                parts = [(r, o) for r, o in of if isinstance(o, Outcome)]
                if len(parts) == len(of):
                    yield LeaveOutRow(
                        measure,
                        condition,
                        treatment_label(treatment),
                        _accuracy(parts, plan.truths[m], cells),
                        _calibration(parts, plan.truths[m]),
                        brier_score([o.forecasts for _, o in parts if o.forecasts]),
                        *_by_topic(parts, plan.truths[m], cells),
                    )


def _by_topic(
    parts: list[tuple[ReducedJudgments, Outcome]], truth: ScoresWithRanges, cells: str
) -> tuple[Floats, Floats]:
    """Return the root mean squares of errors, and of distances from the range, by topic."""
    errors, beside = [], []
    for reduced, outcome in parts:
        found, true = outcome.estimates.value, truth.select(reduced.estimated)
        counted = outcome.incomplete | (cells == "all")
        errors.append(np.where(counted, found - true.value, np.nan))
        beside.append(np.where(counted, range_error(found, true.lower, true.upper), np.nan))
    return _topic_rms(np.concatenate(errors)), _topic_rms(np.concatenate(beside))


def _topic_rms(errors: Floats) -> Floats:
    """Return the root mean square over the runs that have an error on a topic."""
    known = ~np.isnan(errors)
    squares = np.where(known, errors, 0.0) ** 2
    count = known.sum(axis=0)
    mean = np.divide(squares.sum(axis=0), count, out=np.full(len(count), np.nan), where=count > 0)
    return np.sqrt(mean)


def _calibration(
    parts: list[tuple[ReducedJudgments, Outcome]], truth: ScoresWithRanges
) -> MeanCalibration:
    """Compare means; ranges are calibrated where every set leaves out a group of its own."""
    deltas = [o.estimates.value - truth.value[reduced.estimated] for reduced, o in parts]
    units = np.repeat(np.arange(len(parts)), [len(delta) for delta in deltas])
    found = calibrate_means(
        np.concatenate([_mean_errors(delta) for delta in deltas]),
        np.concatenate([outcome.deviations for _, outcome in parts]),
        units,
    )
    errors = np.concatenate(deltas)
    held, width = calibrate_topics(
        errors.ravel(),
        np.concatenate([outcome.topic_deviations for _, outcome in parts]).ravel(),
        np.repeat(units, errors.shape[1]),
    )
    return replace(found, topic_coverage=held, topic_half_width=width)


def _mean_errors(delta: Floats) -> Floats:
    """Return the errors of means over the topics on which all of these runs have a score."""
    known = ~np.isnan(delta).any(axis=0)
    return delta[:, known].mean(axis=1) if known.any() else np.full(len(delta), np.nan)


def _reliability(plan: Plan, results: list[Outcomes], provenance: Provenance) -> Reliability | None:
    """Return how the relevance model did, on all sets together; by the first measure's level."""
    for k, treatment in enumerate(plan.treatments):
        if isinstance(treatment, Modelled):
            found = [o[0, k] for o in results]
            said = [o.forecasts for o in found if isinstance(o, Outcome) and o.forecasts]
            if sum(len(chances) for chances, _ in said):
                rates = [o.rates for o in found if isinstance(o, Outcome) and o.rates]
                return Reliability.of(said, rates, provenance)
    return None


def _accuracy(
    parts: list[tuple[ReducedJudgments, Outcome]], truth: ScoresWithRanges, cells: str
) -> Accuracy:
    """Measure each repetition, whose sets are put one below the other, and average."""
    found = []
    for number in dict.fromkeys(reduced.repeat for reduced, _ in parts):
        sets, outcomes = zip(*(p for p in parts if p[0].repeat == number), strict=True)
        rows = np.concatenate([reduced.estimated for reduced in sets])
        joined = [np.concatenate(a) for a in zip(*(o.estimates for o in outcomes), strict=True)]
        incomplete = np.concatenate([o.incomplete for o in outcomes])
        found.append(
            measure_accuracy(
                ScoresWithRanges(*joined),
                truth.select(rows),
                incomplete,
                counted=incomplete if cells == "incomplete" else np.ones_like(incomplete),
                points=sum((o.points for o in outcomes), Preferences()),
                ranges=sum((o.ranges for o in outcomes), Preferences()),
            )
        )
    return average(found)
