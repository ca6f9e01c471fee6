"""How well treatments of unjudged documents recover scores whose judgments were hidden."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import nominate
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence.alignment import align
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.printout.columns import Backend, Columns, to_frame
from poolwise.scores.scoring import score
from poolwise.scores.treatments.estimates import choose_treatments
from poolwise.scores.treatments.estimation import treatment_label
from poolwise.scores.treatments.treatments import Treatment
from poolwise.studies.estimates.accuracy import (
    Accuracy,
    Estimates,
    Preferences,
    average,
    measure_accuracy,
)
from poolwise.studies.estimates.hidden_judgments import Hiding, Trial
from poolwise.studies.estimates.trials import Outcome, Outcomes, Plan, run_trial, with_ranges
from poolwise.studies.tasks import Progress, run_tasks, spawn_seeds

__all__ = ["LeaveOutRow", "LeaveOutStudy", "study_leave_out"]

CELLS = {
    "all": "every topic of an estimated run",
    "incomplete": "the topics on which it has an unjudged document",
}


@dataclass(frozen=True)
class LeaveOutRow:
    """One treatment of one measure under one condition."""

    measure: Measure
    condition: str
    method: str
    accuracy: Accuracy


@dataclass(frozen=True, eq=False)
class LeaveOutStudy:
    """What each treatment made of hidden judgments.

    Attributes
    ----------
    rows : tuple of LeaveOutRow
        Measure, condition, method, and how accurate it was.
    refused : dict
        With ``methods="all"``: the treatments that a measure or the collection does not allow, by
        measure and method, and why.

    Examples
    --------
    >>> from poolwise import LeaveOut, simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_leave_out(made.runs, made.truth, ["nDCG@10"], hide=LeaveOut(depth=10),
    ...                         methods=["nonrelevant", "condensed"])
    >>> [(row.method, round(row.accuracy.bias, 3)) for row in found.rows]
    [('nonrelevant', -0.062), ('condensed', 0.005)]
    """

    rows: tuple[LeaveOutRow, ...]
    refused: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures studied, in the order given."""
        return tuple(dict.fromkeys(str(row.measure) for row in self.rows))

    def refused_for(self, measure: str) -> dict[str, str]:
        """Return the treatments that could not be had for a measure, and why."""
        return {method: reason for (of, method), reason in self.refused.items() if of == measure}

    def columns(self) -> Columns:
        """Return one row per measure, condition and method."""
        columns: Columns = {
            name: [str(getattr(row, name)) for row in self.rows]
            for name in ("measure", "condition", "method")
        }
        for number in (f.name for f in fields(Accuracy)):
            columns[number] = [getattr(row.accuracy, number) for row in self.rows]
        return columns

    def to_frame(self, *, backend: Backend = "pandas") -> Any:
        """Return a frame with one row per measure, condition and method."""
        return to_frame(self.columns(), backend=backend)


def study_leave_out(
    runs: Runs,
    judgments: Judgments,
    measures: Iterable[Measure | str],
    *,
    hide: Hiding,
    methods: str | Iterable[str | Treatment] = "all",
    cells: str = "all",
    rng: int | np.random.Generator = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> LeaveOutStudy:
    """Hide judgments, estimate the scores without them, and compare with the truth.

    The truth is the score under all judgments. Every repetition is measured by itself, and their
    mean reported.

    Parameters
    ----------
    runs, judgments
        What was retrieved, and all that was judged.
    measures
        Measures or their names.
    hide
        What to hide: :class:`LeaveOut`, :class:`DepthPools`, :class:`Thinning` or
        :class:`WidthSamples`.
    methods
        Treatments or their names, or ``"all"`` that the measure and the collection allow. A
        treatment that asks for the depth of the pool or for the pooled runs, and was not told,
        gets those of the trial.
    cells : {"all", "incomplete"}
        Which scores of the estimated runs to compare: every topic, or those on which the run has
        an unjudged document. Preferences are counted on every topic.
    rng
        Seed or generator. Every trial has a seed of its own, so that numbers depend neither on
        the workers nor on which other methods are studied.
    workers, progress
        How many processes work (None leaves it to :func:`joblib.parallel_config`), and what is
        called with the number of trials done and of all.

    Examples
    --------
    >>> from poolwise import DepthPools, simulate
    >>> made = simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_leave_out(made.runs, made.truth, ["P@10"], hide=DepthPools((5, 10)),
    ...                         methods="condensed")
    >>> [(row.condition, round(row.accuracy.rmse, 3)) for row in found.rows]
    [('pool depth 5', 0.125), ('pool depth 10', 0.0)]
    """
    require_choice("cells", cells, CELLS)
    wanted = tuple(parse_measure(measure) for measure in measures)
    chosen = choose_treatments(methods)
    found, evidence = nominate(judgments, runs), align(judgments, runs)
    hiding, drawing = spawn_seeds(rng, 2)
    trials = list(hide.trials(found, np.random.default_rng(hiding)))
    truths = tuple(with_ranges(score(evidence, measure)) for measure in wanted)
    plan = Plan(evidence, judgments, wanted, chosen, truths)
    seeds = spawn_seeds(drawing, len(trials))
    tasks = [(plan, trial, seed) for trial, seed in zip(trials, seeds, strict=True)]
    results = run_tasks(run_trial, tasks, workers=workers, progress=progress)
    refused = _refusals(plan, results, tolerant=methods == "all")
    return LeaveOutStudy(tuple(_rows(plan, trials, results, cells)), refused)


def _refusals(plan: Plan, results: list[Outcomes], *, tolerant: bool) -> dict[tuple[str, str], str]:
    """Return why treatments could not be had, or raise where they were asked for by name."""
    refused: dict[tuple[str, str], str] = {}
    for (m, k), outcome in (pair for outcomes in results for pair in outcomes.items()):
        if isinstance(outcome, OptionError):
            if not tolerant:
                raise outcome
            refused[repr(plan.measures[m]), treatment_label(plan.treatments[k])] = str(outcome)
    return refused


def _rows(
    plan: Plan, trials: list[Trial], results: list[Outcomes], cells: str
) -> Iterator[LeaveOutRow]:
    for m, measure in enumerate(plan.measures):
        for condition in dict.fromkeys(trial.condition for trial in trials):
            for k, treatment in enumerate(plan.treatments):
                of = [
                    (trial, outcomes[m, k])
                    for trial, outcomes in zip(trials, results, strict=True)
                    if trial.condition == condition
                ]
                parts = [(t, o) for t, o in of if isinstance(o, Outcome)]
                if len(parts) == len(of):
                    accuracy = _accuracy(parts, plan.truths[m], cells)
                    yield LeaveOutRow(measure, condition, treatment_label(treatment), accuracy)


def _accuracy(parts: list[tuple[Trial, Outcome]], truth: Estimates, cells: str) -> Accuracy:
    """Measure each repetition, whose trials are put one below the other, and average."""
    found = []
    for number in dict.fromkeys(trial.repeat for trial, _ in parts):
        trials, outcomes = zip(*(p for p in parts if p[0].repeat == number), strict=True)
        rows = np.concatenate([trial.estimated for trial in trials])
        joined = [np.concatenate(a) for a in zip(*(o.estimates for o in outcomes), strict=True)]
        incomplete = np.concatenate([o.incomplete for o in outcomes])
        found.append(
            measure_accuracy(
                Estimates(*joined),
                Estimates(*(values[rows] for values in truth)),
                incomplete,
                counted=incomplete if cells == "incomplete" else np.ones_like(incomplete),
                points=sum((o.points for o in outcomes), Preferences()),
                ranges=sum((o.ranges for o in outcomes), Preferences()),
            )
        )
    return average(found)
