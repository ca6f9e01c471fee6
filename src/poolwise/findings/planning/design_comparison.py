"""What each way to choose the number of topics costs, and how far it can be trusted (W10 §5.3)."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Integers
from poolwise.errors import OptionError
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.planning.iterative_design import critical_values
from poolwise.findings.planning.t_test_power import checked, topics_needed
from poolwise.findings.planning.topic_designs import DESIGNS, Design, Experiments, Plan, Stop
from poolwise.findings.planning.trials import trial_design
from poolwise.provenance._provenance import DEFAULT_SEED, WITHOUT_FILES, seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.words import counted

__all__ = ["DesignComparison", "compare_designs"]

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
    unfinished : int array, designs
        Experiments that had not ended at the longest allowed; they count nowhere else.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0, 0.15, (20, 200))
    >>> found = compare_designs(deltas, delta=0.05, rng=1, simulations=500)
    >>> found.designs
    ('past', 'cautious', 'trial', 'iterative', 'hybrid', 'peeking')
    >>> found.row("hybrid")["topics_mean"] < found.row("trial")["topics_mean"]
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
    unfinished: Integers
    simulations: int

    @property
    def first_topics(self) -> int:
        """Topics of the first round of the hybrid design: those that ``sigma`` asks for."""
        needed = topics_needed(self.delta / self.sigma, power=self.power, alpha=self.alpha)
        return max(math.ceil(float(needed) - 1e-9), self.start)

    def row(self, design: str) -> dict[str, float]:
        """Return what one design comes to."""
        at = self.designs.index(design)
        return {name: cells[at] for name, cells in self.columns().items() if name != "design"}

    def columns(self) -> Columns:
        """Return one row per design."""
        numbers = ("topics_mean", "topics_5", "topics_95", "rounds_mean", "powerful", "found")
        more = ("false_positives", "unfinished")
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
            f"without a difference, where {self.alpha:.1%} are meant."
        )

    def _unfinished(self) -> tuple[str, ...]:
        if not self.unfinished.any():
            return ()
        most = counted(int(self.unfinished.max()), "experiment")
        return (f"Up to {most} of a design had not ended at the longest allowed.",)

    def tables(self) -> tuple[Table, ...]:
        """Return one row per design."""
        return (chosen_table(self.columns(), _SHOWN, title="Ways to choose the number of topics"),)


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
    delta
        The difference to detect.
    sigma
        Best estimate of the deviation before the experiment; by default the median of the pairs,
        with their 95th percentile as the cautious one.
    start
        Topics that every experiment has at least.
    trial_topics
        Topics of the trial; by default those that make trial and experiment shortest.
    rng : int or numpy.random.Generator
        Seed or generator.
    simulations
        How many experiments are simulated.
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
    >>> found = compare_designs(deltas, delta=0.05, rng=1, simulations=200)
    >>> bool((found.topics_5 <= found.topics_mean).all())
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
            simulations=simulations,
            power=power,
            alpha=alpha,
            **seed_option(rng),
        ),
        **numbers,
    )


def _checked(deltas: ArrayLike) -> Floats:
    """Return the differences of each pair less their mean, without pairs that do not differ."""
    found = np.atleast_2d(np.asarray(deltas, np.float64))
    found = found[~np.isnan(found).any(axis=1)]
    found = found[np.ptp(found, axis=1) > 0] if found.shape[1] > 1 else found[:0]
    if not len(found):
        raise OptionError(
            "deltas: per-topic differences of one or more pairs are needed, which vary over two or "
            "more topics. Hint: give runs that are not identical."
        )
    return found - found.mean(axis=1, keepdims=True)


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
    at = np.intersect1d(stop.ended, other.ended)
    rows[0, at], rows[1, at] = stop.topics[at], stop.rounds[at]
    rows[2, at] = stop.topics[at] - stop.first >= needed[at] - 1e-9
    rows[3] = np.where(np.isnan(rows[0]), np.nan, _significant(shifted, other, plan.alpha))
    rows[4] = np.where(np.isnan(rows[0]), np.nan, _significant(null, stop, plan.alpha))
    return rows


def _significant(experiments: Experiments, stop: Stop, alpha: float) -> Floats:
    """Say of which experiments the t test finds a difference; of those without end, no matter."""
    last = np.maximum(stop.topics, stop.first + 2)
    mean, deviation = experiments.moments(last, stop.first)
    topics = last - stop.first
    found = np.abs(mean) * np.sqrt(topics) > critical_values(topics, alpha) * deviation
    return found.astype(np.float64)


def _summaries(batches: list[list[Floats]]) -> dict[str, Any]:
    """Return each number of a comparison, one entry per design."""
    rows = np.stack([np.concatenate(parts, axis=1) for parts in zip(*batches, strict=True)])
    low, high = np.nanpercentile(rows[:, 0], [5, 95], axis=1)
    mean = np.nanmean(rows, axis=2)
    return {
        "topics_mean": mean[:, 0],
        "topics_5": low,
        "topics_95": high,
        "rounds_mean": mean[:, 1],
        "powerful": mean[:, 2],
        "found": mean[:, 3],
        "false_positives": mean[:, 4],
        "unfinished": np.isnan(rows[:, 0]).sum(axis=1),
    }
