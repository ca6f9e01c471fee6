"""Ways to take judgments away, and the scores that are left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import Nominations, sample_systems, thin
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns.relevance_model._features import document_codes
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.scores.treatments._drawn_scores import ScoreDistribution
from poolwise.scores.treatments._estimates import estimate, informed
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
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
from poolwise.studies._accuracy import Preferences, ScoresWithRanges, count_preferences
from poolwise.studies._calibration import Forecasts

__all__ = [
    "DepthPools",
    "JudgmentReduction",
    "LeaveOut",
    "Thinning",
    "WidthSamples",
    "choose_reduction",
]

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, eq=False)
class ReducedJudgments:
    """The judgments that are left, and the systems whose scores are estimated from them.

    Attributes
    ----------
    condition : str
        What was done; reductions of one condition are reported together.
    repeat : int
        Which repetition of the condition; each is measured by itself, and the results averaged.
    kept : bool array, judgment rows
        Which judgments are left.
    estimated, rivals : int array
        The systems to estimate, and those they are compared with on each topic; a rival that is
        not estimated has its plain score under the judgments that are left.
    depth : int or None
        Depth of the pool, where there is one.
    pooled : tuple of str or None
        The runs that formed it, likewise.
    groups : Groups or None
        Where the runs come from, where it is known.
    """

    condition: str
    repeat: int
    kept: Booleans
    estimated: Indices
    rivals: Indices
    depth: int | None = None
    pooled: tuple[str, ...] | None = None
    groups: Groups | None = None


class JudgmentReduction(Protocol):
    """A way to take judgments away; its fields are its options.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> nominations = nominate(made.truth, made.runs)
    >>> ways = DepthPools((5, 10)), Thinning((0.5,), repeats=3)
    >>> [len(list(way.reduce(nominations, np.random.default_rng(0)))) for way in ways]
    [2, 3]
    """

    def reduce(
        self, nominations: Nominations, rng: np.random.Generator
    ) -> Iterator[ReducedJudgments]:
        """Yield what is left of the judgments, once for each condition and repetition."""


@dataclass(frozen=True)
class LeaveOut:
    """Each run, or each group of runs, in turn as if it had not been pooled (B23 §4.1).

    What only its runs have in their top ``depth`` becomes unjudged, as by
    ``Nominations.leave_out``, which leaves out one run or group. Its scores are estimated, and
    compared with those of all other pooled runs.

    Parameters
    ----------
    depth : int
    groups : Groups, optional
        Leave out all runs of a group together.
    pooled : tuple of str, optional
        The runs that formed the pool; all by default.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> nominations = nominate(made.truth, made.runs)
    >>> first, *_ = LeaveOut(depth=10).reduce(nominations, np.random.default_rng(0))
    >>> first.condition, first.estimated.tolist(), first.rivals.tolist()
    ('leave out runs to depth 10', [0], [1, 2, 3, 4, 5])
    """

    depth: int
    groups: Groups | None = None
    pooled: tuple[str, ...] | None = None

    @property
    def recorded_as(self) -> str:
        """What a record says of it."""
        return f"leave out {_members(self.groups)} to depth {self.depth}"

    def reduce(
        self, nominations: Nominations, rng: np.random.Generator
    ) -> Iterator[ReducedJudgments]:
        """Yield one set of judgments per run or group."""
        del rng
        pooled = nominations.systems if self.pooled is None else self.pooled
        units = pooled if self.groups is None else self.groups.select(pooled).labels
        what = "runs" if self.groups is None else "groups"
        for unit in dict.fromkeys(units):
            gone = [run for run, of in zip(pooled, units, strict=True) if of == unit]
            rest = tuple(run for run, of in zip(pooled, units, strict=True) if of != unit)
            yield ReducedJudgments(
                condition=f"leave out {what} to depth {self.depth}",
                repeat=0,
                kept=nominations.leave_out(gone, depth=self.depth, systems=pooled).judged,
                estimated=indices_of(gone, nominations.systems, what="pooled"),
                rivals=indices_of(rest, nominations.systems, what="pooled"),
                depth=self.depth,
                pooled=rest,
                groups=self.groups,
            )


@dataclass(frozen=True)
class DepthPools:
    """Pools of smaller depth; every run is estimated and compared with every other.

    Parameters
    ----------
    depths : tuple of int
        Ranks of each run that are pooled, one condition each.
    pooled : tuple of str, optional
        The runs that form the pools; all by default.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> nominations = nominate(made.truth, made.runs)
    >>> few, more = DepthPools((5, 10)).reduce(nominations, np.random.default_rng(0))
    >>> few.condition, bool(few.kept.sum() < more.kept.sum())
    ('pool depth 5', True)
    """

    depths: tuple[int, ...]
    pooled: tuple[str, ...] | None = None

    @property
    def recorded_as(self) -> str:
        """What a record says of it."""
        return f"pool depth {_listed(self.depths)}"

    def reduce(
        self, nominations: Nominations, rng: np.random.Generator
    ) -> Iterator[ReducedJudgments]:
        """Yield one set of judgments per depth."""
        del rng
        for depth in _given("depths", self.depths):
            kept = nominations.depth_pool(depth, systems=self.pooled).judged
            everyone = np.arange(len(nominations.systems))
            yield ReducedJudgments(
                f"pool depth {depth}", 0, kept, everyone, everyone, depth, self.pooled
            )


@dataclass(frozen=True)
class Thinning:
    """A random share of each topic's judgments is kept (U18 §2.5); every run is estimated.

    Parameters
    ----------
    rates : tuple of float
        The shares to keep, one condition each.
    repeats : int
        How often each share is drawn.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> nominations = nominate(made.truth, made.runs)
    >>> (half,) = Thinning((0.5,)).reduce(nominations, np.random.default_rng(0))
    >>> half.condition, round(half.kept.mean().item(), 2)
    ('keep 0.5 of judgments', 0.5)
    """

    rates: tuple[float, ...]
    repeats: int = 1

    @property
    def recorded_as(self) -> str:
        """What a record says of it."""
        return f"keep {_listed(self.rates)} of judgments, {_times(self.repeats)}"

    def reduce(
        self, nominations: Nominations, rng: np.random.Generator
    ) -> Iterator[ReducedJudgments]:
        """Yield ``repeats`` sets per rate; in one repetition a smaller share is in a larger."""
        # Every rate has the same seeds, which is what nests a smaller share in a larger.
        seeds = rng.integers(2**63, size=_at_least_one("repeats", self.repeats)).tolist()
        everyone = np.arange(len(nominations.systems))
        for rate in _given("rates", self.rates):
            for repeat, seed in enumerate(seeds):
                kept = thin(nominations.judgments, rate, rng=seed).judged
                yield ReducedJudgments(
                    f"keep {rate:g} of judgments", repeat, kept, everyone, everyone
                )


@dataclass(frozen=True)
class WidthSamples:
    """Pools of a few runs, or of the runs of a few groups, drawn at random.

    The runs that were not drawn are estimated, and compared with those that were.

    Parameters
    ----------
    widths : tuple of int
        How many runs, or groups, form the pool; one condition each.
    depth : int
        Ranks of each run that are pooled.
    repeats : int
        How often each pool is drawn.
    groups : Groups, optional
        Where each run comes from; then whole groups are drawn.

    Examples
    --------
    >>> from poolwise import nominate, simulate
    >>> made = simulate(systems=6, topics=3, depth=20, rng=7)
    >>> nominations = nominate(made.truth, made.runs)
    >>> samples = WidthSamples((4,), depth=10, repeats=1)
    >>> (reduced,) = samples.reduce(nominations, np.random.default_rng(0))
    >>> reduced.condition, len(reduced.rivals), len(reduced.estimated)
    ('pool of 4 runs to depth 10', 4, 2)
    """

    widths: tuple[int, ...]
    depth: int
    repeats: int = 10
    groups: Groups | None = None

    @property
    def recorded_as(self) -> str:
        """What a record says of it."""
        pools = f"pools of {_listed(self.widths)} {_members(self.groups)}"
        return f"{pools} to depth {self.depth}, {_times(self.repeats)}"

    def reduce(
        self, nominations: Nominations, rng: np.random.Generator
    ) -> Iterator[ReducedJudgments]:
        """Yield ``repeats`` sets of judgments per width."""
        what = "runs" if self.groups is None else "groups"
        for width in _given("widths", self.widths):
            for repeat in range(_at_least_one("repeats", self.repeats)):
                drawn = sample_systems(nominations.systems, width, groups=self.groups, rng=rng)
                rivals = indices_of(drawn, nominations.systems, what="systems")
                yield ReducedJudgments(
                    condition=f"pool of {width} {what} to depth {self.depth}",
                    repeat=repeat,
                    kept=nominations.depth_pool(self.depth, systems=drawn).judged,
                    estimated=np.setdiff1d(np.arange(len(nominations.systems)), rivals),
                    rivals=rivals,
                    depth=self.depth,
                    pooled=drawn,
                )


def _given(argument: str, values: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return the values if there are any."""
    if not values:
        raise OptionError(f"{argument}: at least one is needed. Hint: name one.")
    return values


def _at_least_one(argument: str, value: int) -> int:
    if value < 1:
        raise OptionError(f"{argument}: must be at least 1; got {value}. Hint: use 1.")
    return value


def _members(groups: Groups | None) -> str:
    """Return what is left out or pooled: runs, or groups of them."""
    return "runs" if groups is None else "groups"


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def _times(repeats: int) -> str:
    return "drawn once" if repeats == 1 else f"drawn {repeats} times each"


@recorded
def choose_reduction(
    *,
    depth: int = 10,
    groups: Groups | None = None,
    rates: Sequence[float] = (),
    depths: Sequence[int] = (),
    widths: Sequence[int] = (),
    repeats: int = 10,
) -> JudgmentReduction:
    """Return which judgments to take away: those of runs left out, unless something else is said.

    Parameters
    ----------
    depth : int
        Pool this number of ranks of each run.
    groups : Groups, optional
        Where each run comes from; by default each run is a group of its own.
    rates : sequence of float
        Share of the judgments that is kept at random (thinning), such as 0.5. The option may be
        repeated.
    depths : sequence of int
        Depth of a pool whose judgments are kept. The option may be repeated.
    widths : sequence of int
        Keep the judgments of a pool of this number of runs, or groups, drawn at random. The option
        may be repeated.
    repeats : int
        Number of random draws for each share and each number of runs.

    Returns
    -------
    JudgmentReduction
        ``LeaveOut``, ``Thinning``, ``DepthPools`` or ``WidthSamples``.

    Examples
    --------
    >>> choose_reduction(depth=10, rates=[0.5])
    Thinning(rates=(0.5,), repeats=10)
    """
    if sum(map(bool, (rates, depths, widths))) > 1:
        raise OptionError(
            "rates, depths, widths: they exclude each other. Hint: give one of the three."
        )
    if rates:
        return Thinning(tuple(rates), repeats=repeats)
    if depths:
        return DepthPools(tuple(depths))
    if widths:
        return WidthSamples(tuple(widths), depth=depth, repeats=repeats, groups=groups)
    return LeaveOut(depth, groups=groups)


@dataclass(frozen=True, eq=False)
class Plan:
    """What all reductions of a study share; the truths are the scores with all judgments.

    Treatments are ``told`` depth, pooled runs and groups of the reduced judgments, or find out.
    """

    evidence: Evidence
    judgments: Judgments
    measures: tuple[Measure, ...]
    treatments: tuple[Treatment, ...]
    truths: tuple[ScoresWithRanges, ...]
    told: bool = False


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
    outcomes = {
        (m, k): _outcome(plan, evidence, reduced, (m, k), seed)
        for m in range(len(plan.measures))
        for k in range(len(plan.treatments))
    }
    # A model refers to its evidence, which keeps it: both would stay until Python looks for cycles.
    evidence.memo.clear()
    return outcomes


def _outcome(
    plan: Plan, evidence: Evidence, reduced: ReducedJudgments, which: tuple[int, int], seed: int
) -> Outcome | OptionError:
    measure = plan.measures[which[0]]
    treatment = plan.treatments[which[1]]
    if plan.told:
        settings = {"depth": reduced.depth, "pooled": reduced.pooled, "groups": reduced.groups}
        treatment = informed(treatment, **settings)
    if isinstance(treatment, Bootstrap):
        treatment = replace(treatment, deep=True)  # how much it misleads is what is studied
    rows = reduced.estimated
    try:
        estimates, drawn = _estimate(evidence, measure, treatment, rows, seed)
    except OptionError as error:
        # Not the error itself: by its traceback it would keep all that was made of these judgments.
        return OptionError(str(error))
    # What is unjudged below the cut-off leaves a score complete.
    unknown = count_ungraded(measure.cut(evidence))[rows] > 0
    counts = count_preferences(estimates, plan.truths[which[0]].value, rows, reduced.rivals)
    # A treatment that draws nothing is equally unsure of all that has unjudged documents.
    unsaid = np.asarray(unknown.any(axis=1), np.float64), np.asarray(unknown, np.float64)
    return Outcome(
        estimates.select(rows),
        unknown,
        *counts,
        *(unsaid if drawn is None else _deviations(drawn, rows)),
        forecast(plan.evidence, evidence, measure, treatment),
        # what the topic's share of relevant documents says, which a model has to beat
        forecast(plan.evidence, evidence, measure, RateFilled("background"))
        if isinstance(treatment, RelevanceModelTreatment)
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
    if isinstance(treatment, RelevanceModelTreatment) and treatment.is_modelled(evidence, measure):
        # Calibrated by the study, not by leaving further groups out.
        drawn = complete_scores(evidence, measure, treatment, rng=seed)
        estimates = ScoresWithRanges.of(treatment.drawn_table(drawn)).select(rows)
    # Treatments that look at one run at a time are spared the runs that nobody estimates.
    elif not _one_by_one(treatment):
        table = estimate(evidence, measure, treatment=treatment, rng=seed)
        estimates = ScoresWithRanges.of(table).select(rows)
    else:
        table = estimate(evidence.select(rows), measure, treatment=treatment, rng=seed)
        estimates = ScoresWithRanges.of(table)
    return ScoresWithRanges(*(_replaced(plain, rows, values) for values in estimates)), drawn


def forecast(
    whole: Evidence, reduced: Evidence, measure: Measure, treatment: Treatment
) -> Forecasts | None:
    """Return how probable a treatment takes it that documents without their judgment are relevant.

    Known are the relevance model, the rate of relevant documents in the pool (``background``),
    and the assumption that none is relevant.
    """
    if not isinstance(treatment, RelevanceModelTreatment | RateFilled | NonRelevant):
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
    # The model knows the documents of the first ranks, and no others.
    modelled = np.isin(hidden, model.documents.rows)
    return chances[np.searchsorted(model.documents.rows, hidden[modelled])], true[modelled]


def _hidden(whole: Evidence, reduced: Evidence, level: float) -> tuple[Integers, Indices, Floats]:
    """Return row, topic and relevance of the retrieved documents that lost their judgment."""
    before, after = document_codes(whole), document_codes(reduced)
    rows = np.flatnonzero((before >= 0) & (after < 0))
    topics = np.searchsorted(whole.document_starts, rows, side="right") - 1
    return rows, topics, (whole.scale[before[rows]] >= level).astype(np.float64)


def _one_by_one(treatment: Treatment) -> bool:
    """Tell whether a treatment looks at each run by itself, so that the others can be away."""
    if isinstance(treatment, Bootstrap):
        return treatment.one_by_one
    return isinstance(treatment, NonRelevant | Condensed | Bounded | RateFilled)


def _replaced(plain: Floats, rows: Indices, values: Floats) -> Floats:
    """Return the plain scores of all systems, with these rows in place of theirs."""
    whole = plain.copy()
    whole[rows] = values
    return whole
