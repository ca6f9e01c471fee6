"""Ways to choose the number of topics, simulated on past pairs: cost, and trust (W10 §5.3)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import OptionError
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.planning._iterative import Moments, moments
from poolwise.findings.planning._power import (
    checked,
    detectable_effect,
    topics_needed,
    whole_topics,
)
from poolwise.findings.planning._trials import sigma_upper, trial_design
from poolwise.provenance._provenance import DEFAULT_SEED, WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.words import counted, signed

__all__ = [
    "DESIGNS",
    "Design",
    "DesignComparison",
    "Experiments",
    "Plan",
    "Stop",
    "compare_designs",
    "hybrid_stop",
]


@dataclass(frozen=True, eq=False)
class Plan:
    """What an experiment is to detect by a two-sided test, and what is known before it.

    ``sigma_high`` is a cautious estimate of the deviation; an experiment has ``start`` topics at
    least and is broken off at ``longest``; those of a trial are not used again.
    """

    delta: float
    power: float
    alpha: float
    sigma: float
    sigma_high: float
    start: int
    trial_topics: int
    longest: int

    @cached_property
    def enough(self) -> Floats:
        """The deviation at which so many topics detect the difference, for 2 topics and more."""
        sizes = np.arange(2, self.longest + 1)
        return self.delta / detectable_effect(sizes, power=self.power, alpha=self.alpha)

    def topics_for(self, sigma: float) -> int:
        """Return the topics that a deviation asks for, ``start`` at least."""
        needed = topics_needed(self.delta / sigma, power=self.power, alpha=self.alpha)
        return int(min(max(whole_topics(float(needed)), self.start), self.longest))


@dataclass(frozen=True, eq=False)
class Experiments:
    """Simulated experiments, each with its topics in the order in which they are judged.

    ``sums`` and ``squares`` (experiments × topics + 1) are those of the first differences, from 0
    topics on; ``shift`` is the true difference, which is added to every topic.
    """

    sums: Floats
    squares: Floats
    shift: float = 0.0

    @classmethod
    def drawn(
        cls, deltas: Floats, count: int, topics: int, rng: np.random.Generator
    ) -> tuple["Experiments", Integers]:
        """Draw a pair for each experiment, then topics of that pair with replacement."""
        pair = rng.integers(len(deltas), size=count)
        topic = rng.integers(deltas.shape[1], size=(count, topics), dtype=np.int32)
        drawn = np.zeros((count, topics + 1))
        drawn[:, 1:] = deltas[pair[:, None], topic]
        return cls(drawn.cumsum(axis=1), (drawn**2).cumsum(axis=1)), pair

    def with_difference(self, delta: float) -> "Experiments":
        """Return the same experiments with a true difference."""
        return replace(self, shift=delta)

    def moments(self, last: Integers, first: Integers | int = 0) -> Moments:
        """Return mean and deviation of the topics after ``first`` up to ``last``."""
        row = np.arange(len(self.sums))
        sums = self.sums[row, last] - self.sums[row, first]
        squares = self.squares[row, last] - self.squares[row, first]
        return self._shifted(moments(sums, squares, last - first))

    def running(self) -> Moments:
        """Return mean and deviation of the first 2 topics, the first 3, and so on."""
        topics = np.arange(2, self.sums.shape[1])
        return self._shifted(moments(self.sums[:, 2:], self.squares[:, 2:], topics))

    def _shifted(self, drawn: Moments) -> Moments:
        # the same topics serve with and without a true difference, which moves the mean alone
        return drawn._replace(mean=drawn.mean + self.shift)


@dataclass(frozen=True, eq=False)
class Stop:
    """Where experiments came to an end: their last topic, 0 where they did not, and their rounds.

    ``first`` is the number of topics before the experiment proper: of a trial, which no test uses.
    """

    topics: Integers
    rounds: Integers
    first: int = 0

    @property
    def ended(self) -> Integers:
        """Which experiments came to an end."""
        return np.flatnonzero(self.topics)


Rule = Callable[[Experiments, Plan], Stop]


@dataclass(frozen=True)
class Design:
    """A way to decide how many topics there are: its name, what it does, and its rule."""

    name: str
    summary: str
    stop: Rule


def _fixed(topics: int, experiments: Experiments) -> Stop:
    count = len(experiments.sums)
    return Stop(np.full(count, topics), np.ones(count, np.int64))


def _past(experiments: Experiments, plan: Plan) -> Stop:
    return _fixed(plan.topics_for(plan.sigma), experiments)


def _cautious(experiments: Experiments, plan: Plan) -> Stop:
    return _fixed(plan.topics_for(plan.sigma_high), experiments)


def _trial(experiments: Experiments, plan: Plan) -> Stop:
    """Take other topics after the trial, as many as its upper deviation asks for (W10 §5.3.2)."""
    # the trial's topics are dropped: a sigma that chose its own topics would come out too small
    trial = np.full(len(experiments.sums), plan.trial_topics)
    upper = sigma_upper(experiments.moments(trial).deviation, plan.trial_topics)
    total = trial + np.maximum(_asked_for(upper, plan), 2)
    ended = np.where(total <= plan.longest, total, 0)
    return Stop(ended, np.full(len(trial), 2), plan.trial_topics)


def _iterative(experiments: Experiments, plan: Plan) -> Stop:
    """Add one topic after another until power seems reached (W10 algorithm 5.2)."""
    return _first(experiments.running().deviation <= plan.enough, plan)


def _peeking(experiments: Experiments, plan: Plan) -> Stop:
    """End as soon as the difference is significant, too, which W10 §5.3.3 warns of."""
    looks, topics = experiments.running(), np.arange(2, plan.longest + 1)
    significant = looks.are_significant(topics, plan.alpha)
    return _first(significant | (looks.deviation <= plan.enough), plan)


def _hybrid(experiments: Experiments, plan: Plan) -> Stop:
    """Judge what the best estimate asks for; then, while short of power, what is lacking."""
    first = np.full(len(experiments.sums), plan.topics_for(plan.sigma))
    return hybrid_stop(first, lambda topics: experiments.moments(topics).deviation, plan)


def hybrid_stop(first: Integers, deviation_of: Callable[[Integers], Floats], plan: Plan) -> Stop:
    """Follow the hybrid design from its first topics on, by the deviations seen in each round."""
    topics, rounds = first, np.ones(len(first), np.int64)
    # W10 §5.3.4: few large steps look at sigma seldom, and so choose lucky topic sets less often
    while True:
        deviation = deviation_of(topics)
        enough = deviation <= plan.enough[topics - 2]
        short = ~enough & (topics < plan.longest)
        if not short.any():
            return Stop(topics * enough, rounds)
        more = np.clip(_asked_for(deviation, plan), topics + 1, plan.longest)
        topics, rounds = np.where(short, more, topics), rounds + short


def _asked_for(deviation: Floats, plan: Plan) -> Integers:
    """Return the fewest topics that detect the difference at each deviation."""
    # more topics detect the difference at a larger deviation, so that "enough" is sorted
    return 2 + np.searchsorted(plan.enough, deviation)


def _first(stops: Booleans, plan: Plan) -> Stop:
    """Return the first number of topics, from the start on, at which a rule stops."""
    allowed = stops[:, plan.start - 2 :]
    topics = np.where(allowed.any(axis=1), allowed.argmax(axis=1) + plan.start, 0)
    return Stop(topics, np.maximum(topics - plan.start + 1, 1))


DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Design("past", "topics are fixed by the usual deviation of past pairs", _past),
        Design("cautious", "topics are fixed by a large deviation of past pairs", _cautious),
        Design("trial", "a trial on other topics decides the size of the experiment", _trial),
        Design("iterative", "topics are added one by one until power seems reached", _iterative),
        Design(
            "hybrid", "topics are added in a few large steps until power seems reached", _hybrid
        ),
        Design("peeking", "topics are added until power or significance: not to be used", _peeking),
    )
}
"""The designs of W10 §5.3, and the one that it warns of."""


LONGEST = 4
"""Simulated experiments break off at this many times the topics that a cautious one has."""
MOST = 10_000
"""Topics above which no design is simulated."""

_SHOWN = {
    "design": Column("design"),
    "topics_mean": Column("topics", 1),
    "topics_95": Column("95% have at most", 0),
    "rounds_mean": Column("rounds", 1),
    "powerful": Column("large enough", 3),
    "found": Column("power", 3),
    "false_positives": Column("false positives", 4),
    "excess": Column("more than past", 4),
    "excess_error": Column("error of that", 4),
}


@finding
class DesignComparison(Finding):
    """What each design of ``DESIGNS`` comes to in simulated experiments.

    Attributes
    ----------
    delta, power, alpha : float
        The difference to detect, and what is asked of the two-sided test.
    sigma, sigma_high : float
        The deviations that the designs plan for: a usual and a cautious one.
    start, trial_topics : int
        Topics that an experiment has at least, and topics of the trial.
    designs : tuple of str
    topics_mean, topics_5, topics_95 : float array, designs
        Mean number of topics, a trial included, and its percentiles.
    rounds_mean : float array, designs
        How often topics were judged and the deviation looked at.
    powerful : float array, designs
        Share of experiments with the topics that the true deviation of their pair asks for.
    found : float array, designs
        Share found significant where the true difference is ``delta``: the power in truth.
    false_positives : float array, designs
        Share found significant where the true difference is 0.
    excess, excess_error : float array, designs
        By how much that share is larger than with the topics of ``past``, fixed beforehand, in the
        very same experiments; and the standard error of the difference.
    unfinished : int array, designs
        Experiments that had not ended at the longest allowed; they count nowhere else.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0, 0.15, (20, 200))
    >>> designs = compare_designs(deltas, delta=0.05, rng=1, simulations=500)
    >>> designs.designs
    ('past', 'cautious', 'trial', 'iterative', 'hybrid', 'peeking')
    >>> designs.row("hybrid")["topics_mean"] < designs.row("trial")["topics_mean"]
    True
    """

    delta: float
    power: float
    alpha: float
    sigma: float
    sigma_high: float
    start: int
    trial_topics: int
    designs: tuple[str, ...]
    topics_mean: Floats
    topics_5: Floats
    topics_95: Floats
    rounds_mean: Floats
    powerful: Floats
    found: Floats
    false_positives: Floats
    excess: Floats
    excess_error: Floats
    unfinished: Integers
    simulations: int

    @property
    def first_topics(self) -> int:
        """Topics of the first round of the hybrid design: those that ``sigma`` asks for."""
        needed = topics_needed(self.delta / self.sigma, power=self.power, alpha=self.alpha)
        return int(max(whole_topics(float(needed)), self.start))

    def row(self, design: str) -> dict[str, float]:
        """Return what one design comes to."""
        at = self.designs.index(design)
        return {name: cells[at] for name, cells in self.columns().items() if name != "design"}

    def columns(self) -> Columns:
        """Return one row per design."""
        numbers = ("topics_mean", "topics_5", "topics_95", "rounds_mean", "powerful", "found")
        more = ("false_positives", "excess", "excess_error", "unfinished")
        planned = ("delta", "sigma", "sigma_high")
        return (
            {"design": list(self.designs)}
            | {name: getattr(self, name).tolist() for name in (*numbers, *more)}
            | {name: [getattr(self, name)] * len(self.designs) for name in planned}
        )

    def sentences(self) -> tuple[str, ...]:
        """Say what the designs were to detect, what each does, and what peeking costs."""
        goal = f"a difference of {self.delta:.4f} with a power of {self.power:g}"
        simulated = counted(self.simulations, "simulated experiment")
        summaries = "; ".join(f"{name}: {DESIGNS[name].summary}" for name in self.designs)
        return (
            f"Each design was to detect {goal} at alpha {self.alpha:g}, in {simulated}.",
            (
                f"The usual sigma of past pairs is {self.sigma:.4f}, the cautious one "
                f"{self.sigma_high:.4f}; each experiment has {self.start} or more topics, and the "
                f"trial {self.trial_topics}."
            ),
            f"The designs are these: {summaries}.",
            self._peeking(),
            *self._unfinished(),
        )

    def _peeking(self) -> str:
        peeked = self.row("peeking")["false_positives"]
        return (
            f"Testing after every topic finds significance in {peeked:.1%} of the experiments "
            f"without a difference, where {self.alpha:.1%} are meant: "
            f"{self.excess_words('peeking')}."
        )

    def excess_words(self, design: str) -> str:
        """Say by how much false positives are more than with a number of topics fixed beforehand.

        What is within two standard errors of nothing is not measurable.
        """
        row = self.row(design)
        points = (
            f"{signed(100 * row['excess'], digits=1)} ± {200 * row['excess_error']:.1f} "
            "percentage points against a number of topics fixed beforehand"
        )
        if abs(row["excess"]) > 2 * row["excess_error"]:
            return points
        return f"{points}, which is not measurable in {counted(self.simulations, 'experiment')}"

    def _unfinished(self) -> tuple[str, ...]:
        if not self.unfinished.any():
            return ()
        most = counted(int(self.unfinished.max()), "experiment")
        return (f"Up to {most} of a design had not ended at the longest allowed.",)

    def tables(self) -> tuple[Table, ...]:
        """Return one row per design."""
        return (chosen_table(self.columns(), _SHOWN, title="Ways to choose the number of topics"),)


@recorded
def compare_designs(
    deltas: ArrayLike,
    *,
    delta: float,
    rng: int | np.random.Generator = DEFAULT_SEED,
    sigma: float | None = None,
    start: int = 10,
    trial_topics: int | None = None,
    simulations: int = 2000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> DesignComparison:
    """Simulate the designs of W10 §5.3 on pairs of past systems.

    Each experiment takes a pair at random and draws its topics with replacement. Differences are
    centred by pair, so that the truth is known: 0 for false positives, ``delta`` for the power.

    Parameters
    ----------
    deltas
        Per-topic differences, pairs × topics.
    sigma
        Best estimate of the deviation before the experiment; by default the median of the pairs,
        with their 95th percentile as the cautious one.
    start
        Topics that every experiment has at least.
    trial_topics
        Topics of the trial; by default those that make trial and experiment shortest.
    power, alpha
        The chance to find the difference, and the significance level, of the two-sided test.

    Returns
    -------
    DesignComparison
        For each design, how many topics it takes, how often it errs, and what power it reaches.

    Notes
    -----
    Memory is that of 500 experiments of the longest length, three times over.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0, 0.15, (5, 50))
    >>> designs = compare_designs(deltas, delta=0.05, rng=1, simulations=200)
    >>> bool((designs.topics_5 <= designs.topics_mean).all())
    True
    """
    pairs = _checked(deltas)
    deviations = pairs.std(axis=1)
    usual = float(np.median(deviations)) if sigma is None else checked("sigma", sigma)
    plan = _plan(usual, deviations, delta, start, trial_topics, power=power, alpha=alpha)
    needed = topics_needed(delta / deviations, power=power, alpha=alpha)
    batches = Resamples.plan(simulations, rng=rng).map(
        _simulate, deltas=pairs, needed=needed, plan=plan
    )
    numbers = _summaries(batches)
    return DesignComparison(
        delta=delta,
        power=power,
        alpha=alpha,
        sigma=usual,
        sigma_high=plan.sigma_high,
        start=start,
        trial_topics=plan.trial_topics,
        designs=tuple(DESIGNS),
        simulations=simulations,
        provenance=WITHOUT_FILES.with_options(
            delta=delta,
            start=start,
            power=power,
            alpha=alpha,
        ),
        **numbers,
    )


def _checked(deltas: ArrayLike) -> Floats:
    """Return the differences of each pair less their mean, without pairs that do not differ."""
    rows = np.atleast_2d(np.asarray(deltas, np.float64))
    rows = rows[~np.isnan(rows).any(axis=1)]
    rows = rows[np.ptp(rows, axis=1) > 0] if rows.shape[1] > 1 else rows[:0]
    if not len(rows):
        raise OptionError(
            "deltas: per-topic differences of one or more pairs are needed, which vary over two or "
            "more topics. Hint: give runs that are not identical."
        )
    return rows - rows.mean(axis=1, keepdims=True)


def _plan(
    sigma: float,
    deviations: Floats,
    delta: float,
    start: int,
    trial_topics: int | None,
    *,
    power: float,
    alpha: float,
) -> Plan:
    """Return what is known before the experiment, and how long one may become."""
    high = max(float(np.percentile(deviations, 95)), sigma)
    trial = trial_design(
        sigma, delta=checked("delta", delta), trial_topics=trial_topics, power=power, alpha=alpha
    )
    # long enough for the pair that varies most: few experiments are broken off
    most = max(high, float(deviations.max()))
    needed = float(topics_needed(delta / most, power=power, alpha=alpha))
    longest = LONGEST * max(needed, start) + trial.trial_topics
    if start < 2:
        raise OptionError(
            f"start: an experiment begins with 2 topics or more; got {start}. Hint: leave the "
            "option out."
        )
    if longest > MOST:
        raise OptionError(
            f"delta, start: to detect a difference of {delta:.4g}, experiments of up to "
            f"{longest:,.0f} topics would have to be simulated, and {MOST:,} are the most. Hint: "
            "ask for a larger difference (delta, --delta)."
        )
    return Plan(delta, power, alpha, sigma, high, start, trial.trial_topics, math.ceil(longest))


def _simulate(
    rng: np.random.Generator, size: int, *, deltas: Floats, needed: Floats, plan: Plan
) -> list[Floats]:
    """Return for each design a row per number, with a column per experiment that ended."""
    experiments, pair = Experiments.drawn(deltas, size, plan.longest, rng)
    shifted = experiments.with_difference(plan.delta)
    return [_outcome(d, experiments, shifted, needed[pair], plan) for d in DESIGNS.values()]


def _outcome(
    design: Design, null: Experiments, shifted: Experiments, needed: Floats, plan: Plan
) -> Floats:
    """Return topics, rounds, large enough, found and falsely found; NaN where none ended."""
    stop, other = design.stop(null, plan), design.stop(shifted, plan)
    rows = np.full((5, len(needed)), np.nan)
    # one set of experiments for both truths: what has not ended in one counts in neither
    at = np.intersect1d(stop.ended, other.ended)
    rows[0, at], rows[1, at] = stop.topics[at], stop.rounds[at]
    rows[2, at] = stop.topics[at] - stop.first >= needed[at] - 1e-9
    rows[3] = np.where(np.isnan(rows[0]), np.nan, _significant(shifted, other, plan.alpha))
    rows[4] = np.where(np.isnan(rows[0]), np.nan, _significant(null, stop, plan.alpha))
    return rows


def _significant(experiments: Experiments, stop: Stop, alpha: float) -> Floats:
    """Say of which experiments the t test finds a difference; of those without end, no matter."""
    last = np.maximum(stop.topics, stop.first + 2)
    tested = experiments.moments(last, stop.first)
    return tested.are_significant(last - stop.first, alpha).astype(np.float64)


def _summaries(batches: list[list[Floats]]) -> dict[str, Any]:
    """Return each number of a comparison, one entry per design."""
    rows = np.stack([np.concatenate(parts, axis=1) for parts in zip(*batches, strict=True)])
    low, high = np.nanpercentile(rows[:, 0], [5, 95], axis=1)
    mean = np.nanmean(rows, axis=2)
    # Designs share their experiments, so that most of the noise of a simulation cancels out.
    more = rows[:, 4] - rows[list(DESIGNS).index("past"), 4]
    ended = (~np.isnan(more)).sum(axis=1)
    return {
        "topics_mean": mean[:, 0],
        "topics_5": low,
        "topics_95": high,
        "rounds_mean": mean[:, 1],
        "powerful": mean[:, 2],
        "found": mean[:, 3],
        "false_positives": mean[:, 4],
        "excess": np.nanmean(more, axis=1),
        "excess_error": np.nanstd(more, axis=1) / np.sqrt(np.maximum(ended, 1)),
        "unfinished": np.isnan(rows[:, 0]).sum(axis=1),
    }
