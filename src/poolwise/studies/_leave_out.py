"""How well treatments recover the scores of runs whose judgments were taken away."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._pool_shape import find_pool
from poolwise.evidence._ungraded import count_ungraded
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import Provenance, seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table
from poolwise.scores._scoring import score
from poolwise.scores.treatments._estimates import (
    STUDIED,
    choose_treatments,
    range_error,
    refusal_notes,
)
from poolwise.scores.treatments._relevance_model_treatment import RelevanceModelTreatment
from poolwise.scores.treatments._treatments import Treatment, treatment_label
from poolwise.studies._accuracy import (
    Accuracy,
    Preferences,
    ScoresWithRanges,
    accuracy_table,
    average,
    measure_accuracy,
)
from poolwise.studies._calibration import (
    MeanCalibration,
    Reliability,
    brier_score,
    calibrate_means,
    calibrate_topics,
)
from poolwise.studies._error_tests import ERRORS, ErrorTests, compare_errors
from poolwise.studies._reductions import (
    JudgmentReduction,
    Outcome,
    Outcomes,
    Plan,
    ReducedJudgments,
    estimate_from_reduced,
)
from poolwise.studies._tasks import Progress, run_tasks, spawn_seeds
from poolwise.words import counted, signed

__all__ = ["CELLS", "LeaveOutRow", "LeaveOutStudy", "leave_out"]


@dataclass(frozen=True)
class LeaveOutRow:
    """One treatment of one measure under one condition.

    Attributes
    ----------
    measure : Measure
        What runs were scored by.
    condition : str
        Which judgments were taken away.
    treatment : str
        How unjudged documents were treated.
    accuracy : Accuracy
        How far the estimates are from the scores under all judgments.
    calibration : MeanCalibration
        How wide ranges of means must be, and whether they hold.
    brier : float
        The Brier score of predicted relevance; NaN for a treatment that predicts none.
    topic_errors : mapping from str to float array, topics
        Each of ``ERRORS`` by topic, over all estimated runs; NaN where nothing was compared.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> (row,) = pw.studies.leave_out(made.truth, made.runs, ["P@10"],
    ...     reduction=pw.studies.DepthPools((5,)), treatments="condensed").rows
    >>> row.measure, row.condition, row.treatment
    (P@10, 'pool depth 5', 'condensed')
    """

    measure: Measure
    condition: str
    treatment: str
    accuracy: Accuracy
    calibration: MeanCalibration
    brier: float
    topic_errors: Mapping[str, Floats] = field(repr=False, compare=False)


@finding
class LeaveOutStudy(Finding):
    """How near each treatment came to the scores under all judgments.

    Attributes
    ----------
    rows : tuple of LeaveOutRow
        Measure, condition, treatment, and how accurate it was.
    reliability : Reliability, optional
        Predicted and observed relevance of the documents whose judgments were away, where the
        relevance model is among the treatments.
    refused : dict
        With ``treatments="all"``: the treatments that a measure or the collection does not allow,
        by names of measure and treatment, and why.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = pw.studies.leave_out(made.truth, made.runs, ["nDCG@10"],
    ...                              reduction=pw.studies.LeaveOut(depth=10),
    ...                              treatments=["nonrelevant", "condensed"])
    >>> [(row.treatment, round(row.accuracy.bias, 3)) for row in study.rows]
    [('nonrelevant', -0.062), ('condensed', 0.005)]
    """

    rows: tuple[LeaveOutRow, ...]
    reliability: Reliability | None = None
    refused: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures studied, in the order given."""
        return tuple(dict.fromkeys(row.measure for row in self.rows))

    def refused_for(self, measure: Measure | str) -> dict[str, str]:
        """Return the treatments that could not be had for a measure, and why."""
        name = str(measure)
        return {treatment: why for (of, treatment), why in self.refused.items() if of == name}

    def error_tests(
        self, error: str = "rmse", *, correction: str = "bonferroni", alpha: float = 0.05
    ) -> ErrorTests:
        """Test over topics whether one treatment errs less than another (B23 §4.1, G16 §4).

        Parameters
        ----------
        error : str
            What of the estimates is tested: a key of ``ERRORS``.
        correction, alpha
            How p values are corrected for the number of pairs, and the significance level.
        """
        require_choice("error", error, ERRORS)
        tests = tuple(
            compare_errors(
                {
                    row.treatment: row.topic_errors[error]
                    for row in rows
                    if not np.isnan(row.topic_errors[error]).all()
                },
                measure=str(measure),
                condition=condition,
                correction=correction,
                alpha=alpha,
            )
            for (measure, condition), rows in self._by_condition().items()
        )
        options = {"error": error, "correction": correction, "alpha": alpha}
        return ErrorTests(error, tests, provenance=self.provenance.with_options(**options))

    def columns(self) -> Columns:
        """Return one row per measure, condition and treatment."""
        columns: Columns = {
            "measure": [str(row.measure) for row in self.rows],
            "condition": [row.condition for row in self.rows],
            "treatment": [row.treatment for row in self.rows],
        }
        for number in (f.name for f in fields(Accuracy)):
            columns[number] = [getattr(row.accuracy, number) for row in self.rows]
        for number in (f.name for f in fields(MeanCalibration)):
            columns[number] = [getattr(row.calibration, number) for row in self.rows]
        return columns | {"brier": [row.brier for row in self.rows]}

    def sentences(self) -> tuple[str, ...]:
        """Say which treatment came nearest, for each measure and condition."""
        compared = self._by_condition().values()
        said = self.reliability.sentences() if self.reliability else ()
        return (
            *(_nearest(rows) for rows in compared),
            *(text for rows in compared for text in _narrowest(rows)),
            *said,
        )

    def _by_condition(self) -> dict[tuple[Measure, str], list[LeaveOutRow]]:
        """Return the treatments that were compared with each other, by measure and condition."""
        by_condition: dict[tuple[Measure, str], list[LeaveOutRow]] = {}
        for row in self.rows:
            by_condition.setdefault((row.measure, row.condition), []).append(row)
        return by_condition

    def tables(self) -> tuple[Table, ...]:
        """Return one table per measure, with one row per condition and treatment."""
        return tuple(self._table(measure) for measure in self.measures)

    def _table(self, measure: Measure) -> Table:
        columns = self.columns()
        rows = [i for i, name in enumerate(columns["measure"]) if name == str(measure)]
        own = {name: [cells[i] for i in rows] for name, cells in columns.items()}
        return accuracy_table(own, refusal_notes(self.refused_for(measure)))


def _nearest(rows: list[LeaveOutRow]) -> str:
    """Say which treatment comes nearest to the means, and which to the scores by topic."""
    compared = [row for row in rows if not np.isnan(row.accuracy.rmse)]
    if not compared:
        return f"{_where(rows)}: no score could be compared."
    of_means = min(compared, key=lambda row: row.accuracy.mean_rmse)
    of_cells = min(compared, key=lambda row: row.accuracy.rmse)
    means, cells = of_means.accuracy, of_cells.accuracy
    return (
        f"{_where(rows)}: trust {of_means.treatment} here. Of {counted(len(rows), 'treatment')} it "
        "comes nearest to the mean scores of runs under all judgments, with a root mean "
        f"squared error of {means.mean_rmse:.4f} and a mean error of "
        f"{signed(means.mean_bias)}; {_also(of_cells.treatment, of_means.treatment)} nearest "
        f"to their scores by topic, with {cells.rmse:.4f} and {signed(cells.bias)} over "
        f"{counted(cells.cells, 'score')}.{_dropped(cells.undefined)}"
    )


def _dropped(scores: int) -> str:
    """Say how many scores took no part, since nobody knows their truth."""
    return f" {counted(scores, 'score')} of unknown truth took no part." if scores else ""


def _narrowest(rows: list[LeaveOutRow]) -> tuple[str, ...]:
    """Say which treatment has the narrowest ranges that hold, where groups were left out."""
    calibrated = [row for row in rows if not np.isnan(row.calibration.mean_half_width)]
    if not calibrated:
        return ()
    best = min(calibrated, key=lambda row: row.calibration.mean_half_width)
    calibration = best.calibration
    return (
        (
            f"{_where(rows)}: ranges for {calibration.range_level:.0%} of new groups are "
            f"narrowest by {best.treatment}, ±{calibration.mean_half_width:.4f}, and cover "
            f"{calibration.mean_coverage:.1%} of the groups left out; its means are off by "
            f"{best.accuracy.mean_rmse:.4f}."
        ),
    )


def _where(rows: list[LeaveOutRow]) -> str:
    return f"{rows[0].measure}, {rows[0].condition}"


def _also(treatment: str, other: str) -> str:
    return "it also comes" if treatment == other else f"{treatment} comes"


CELLS = {
    "judged": "the topics on which all of its first documents were judged, so that the truth is "
    "known",
    "all": "every topic of an estimated run",
    "incomplete": "the topics on which it has an unjudged document",
}


@recorded
def leave_out(
    judgments: Judgments,
    runs: Runs,
    measures: Iterable[Measure | str],
    *,
    reduction: JudgmentReduction,
    treatments: str | Iterable[str | Treatment] = "all",
    cells: str = "judged",
    told: bool = False,
    rng: int | np.random.Generator = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> LeaveOutStudy:
    """Remove judgments, estimate the scores of runs without them, compare with the truth.

    By default each run, or each group where groups are known, is left out in turn: the documents
    that only it has in its first ranks become unjudged. Judgments can also be dropped at random, or
    come from pools of fewer ranks or fewer runs. Where groups are left out, the table also says how
    wide the range of a mean must be to hold for new groups, by each treatment, and how good the
    probabilities of the relevance model are, which a plot shows.

    The truth is the score under all judgments. Every repetition is measured by itself, and their
    mean reported.

    Parameters
    ----------
    reduction
        Which judgments to take away: :class:`LeaveOut`, :class:`DepthPools`, :class:`Thinning` or
        :class:`WidthSamples`.
    treatments
        Treatments or their names, or ``"all"`` that the measure and the collection allow.
    cells : {"judged", "all", "incomplete"}
        Compare the topics on which all of a run's first documents were judged, so that the truth is
        known (judged), all topics (all), or those with an unjudged document (incomplete).
    told
        Pass the depth, the pooled runs and the groups of the reduced judgments to the treatments;
        by default they infer these, as for a user who names none.
    rng
        Seed or Generator. Every set of reduced judgments has a seed of its own, so that numbers
        depend neither on the workers nor on which other treatments are studied.

    Returns
    -------
    LeaveOutStudy
        One row per measure, condition and treatment, and why treatments were refused.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> study = leave_out(made.truth, made.runs, ["P@10"],
    ...                   reduction=pw.studies.DepthPools((5, 10)), treatments="condensed")
    >>> [(row.condition, round(row.accuracy.rmse, 3)) for row in study.rows]
    [('pool depth 5', 0.125), ('pool depth 10', 0.0)]
    """
    require_choice("cells", cells, CELLS)
    wanted = tuple(parse_measure(measure) for measure in measures)
    chosen = choose_treatments(treatments)
    nominations, evidence = nominate(judgments, runs), align(judgments, runs)
    # Two streams: which judgments go does not depend on what treatments draw.
    reducing, drawing = spawn_seeds(rng, 2)
    sets = list(reduction.reduce(nominations, np.random.default_rng(reducing)))
    truths = tuple(_truth(evidence, measure, cells) for measure in wanted)
    plan = Plan(evidence, judgments, wanted, chosen, truths, told)
    seeds = spawn_seeds(drawing, len(sets))
    tasks = [(plan, reduced, seed) for reduced, seed in zip(sets, seeds, strict=True)]
    results = run_tasks(estimate_from_reduced, tasks, workers=workers, progress=progress)
    origin = evidence.provenance.with_options(**seed_option(rng), cells=cells)
    return LeaveOutStudy(
        rows=tuple(_rows(plan, sets, results, cells)),
        reliability=_reliability(plan, results, origin),
        refused=_refusals(plan, results, tolerant=treatments in ("all", STUDIED)),
        provenance=origin,
    )


def _truth(evidence: Evidence, measure: Measure, cells: str) -> ScoresWithRanges:
    """Return the scores under all judgments, undefined where not all that counts was judged."""
    truth = ScoresWithRanges.of(score(evidence, measure))
    if cells != "judged":
        return truth
    seen = measure.cut(evidence)
    if getattr(measure, "cutoff", None) is None:
        # Below the pool nobody judged: what stands there counts for nothing in the truth, too.
        seen = seen.truncate(find_pool(evidence).depth)
    judged = count_ungraded(seen) == 0
    return ScoresWithRanges(*(np.where(judged, part, np.nan) for part in truth))


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
                # Refused on one set, a treatment would have its mean over other sets than its
                # rivals.
                if len(parts) == len(of):
                    yield LeaveOutRow(
                        measure,
                        condition,
                        treatment_label(treatment),
                        _accuracy(parts, plan.truths[m], cells),
                        _calibration(parts, plan.truths[m]),
                        brier_score([o.forecasts for _, o in parts if o.forecasts]),
                        _by_topic(parts, plan.truths[m], cells),
                    )


def _by_topic(
    parts: list[tuple[ReducedJudgments, Outcome]], truth: ScoresWithRanges, cells: str
) -> dict[str, Floats]:
    """Return the errors by topic: of scores, and of preferences between runs."""
    errors, beside = [], []
    for reduced, outcome in parts:
        value, true = outcome.estimates.value, truth.select(reduced.estimated)
        counted = outcome.incomplete | (cells == "all")
        errors.append(np.where(counted, value - true.value, np.nan))
        beside.append(np.where(counted, range_error(value, true.lower, true.upper), np.nan))
    points = sum((o.points for _, o in parts), Preferences()).topic_errors()
    ranges = sum((o.ranges for _, o in parts), Preferences()).topic_errors()
    # Without ranges nothing could be stated by them, which is no error of theirs.
    if all(np.isnan(o.estimates.upper).all() for _, o in parts):
        ranges = {name: np.full(len(values), np.nan) for name, values in ranges.items()}
    return {
        "rmse": _topic_rms(np.concatenate(errors)),
        "epsilon": _topic_rms(np.concatenate(beside)),
        **points,
        **{f"range-{name}": values for name, values in ranges.items()},
    }


def _topic_rms(errors: Floats) -> Floats:
    """Return the root mean square over the runs that have an error on a topic."""
    defined = ~np.isnan(errors)
    squares = np.where(defined, errors, 0.0) ** 2
    count = defined.sum(axis=0)
    mean = np.divide(squares.sum(axis=0), count, out=np.full(len(count), np.nan), where=count > 0)
    return np.sqrt(mean)


def _calibration(
    parts: list[tuple[ReducedJudgments, Outcome]], truth: ScoresWithRanges
) -> MeanCalibration:
    """Compare means; ranges are calibrated where every set leaves out a group of its own."""
    deltas = [o.estimates.value - truth.value[reduced.estimated] for reduced, o in parts]
    units = np.repeat(np.arange(len(parts)), [len(delta) for delta in deltas])
    calibration = calibrate_means(
        np.concatenate([_mean_errors(delta) for delta in deltas]),
        np.concatenate([outcome.deviations for _, outcome in parts]),
        units,
    )
    errors = np.concatenate(deltas)
    covered, width = calibrate_topics(
        errors.ravel(),
        np.concatenate([outcome.topic_deviations for _, outcome in parts]).ravel(),
        np.repeat(units, errors.shape[1]),
    )
    return replace(calibration, topic_coverage=covered, topic_half_width=width)


def _mean_errors(delta: Floats) -> Floats:
    """Return the errors of means, of each run over the topics on which it has a score."""
    defined = ~np.isnan(delta)
    total, count = np.where(defined, delta, 0.0).sum(axis=1), defined.sum(axis=1)
    return np.divide(total, count, out=np.full(len(delta), np.nan), where=count > 0)


def _reliability(plan: Plan, results: list[Outcomes], provenance: Provenance) -> Reliability | None:
    """Return how the relevance model did, on all sets together; by the first measure's level."""
    for k, treatment in enumerate(plan.treatments):
        if isinstance(treatment, RelevanceModelTreatment):
            outcomes = [o[0, k] for o in results]
            said = [o.forecasts for o in outcomes if isinstance(o, Outcome) and o.forecasts]
            if sum(len(chances) for chances, _ in said):
                rates = [o.rates for o in outcomes if isinstance(o, Outcome) and o.rates]
                return Reliability.of(said, rates, provenance)
    return None


def _accuracy(
    parts: list[tuple[ReducedJudgments, Outcome]], truth: ScoresWithRanges, cells: str
) -> Accuracy:
    """Measure each repetition, whose sets are put one below the other, and average."""
    accuracies = []
    # A set that leaves one run out has no order of systems: those of a repetition have one
    # together.
    for number in dict.fromkeys(reduced.repeat for reduced, _ in parts):
        sets, outcomes = zip(*(p for p in parts if p[0].repeat == number), strict=True)
        rows = np.concatenate([reduced.estimated for reduced in sets])
        joined = [np.concatenate(a) for a in zip(*(o.estimates for o in outcomes), strict=True)]
        incomplete = np.concatenate([o.incomplete for o in outcomes])
        accuracies.append(
            measure_accuracy(
                ScoresWithRanges(*joined),
                truth.select(rows),
                incomplete,
                counted=incomplete if cells == "incomplete" else np.ones_like(incomplete),
                points=sum((o.points for o in outcomes), Preferences()),
                ranges=sum((o.ranges for o in outcomes), Preferences()),
            )
        )
    return average(accuracies)
