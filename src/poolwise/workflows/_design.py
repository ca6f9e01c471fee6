"""Plan an experiment with two systems: from numbers, past scores, or past runs (W10 ch. 5)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Pairs
from poolwise.findings.planning._collection_power import (
    CollectionPower,
    baseline_pairs,
    collection_power,
)
from poolwise.findings.planning._designs import compare_designs
from poolwise.findings.planning._experiment import (
    CarriedDelta,
    DepthDesign,
    ExperimentDesign,
    depth_design,
)
from poolwise.findings.planning._power import PowerAnalysis
from poolwise.findings.planning._power import power as solve_power
from poolwise.findings.planning._trials import TopicPlanStep, topic_plan_step
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.studies._discrimination import JudgedPairs, judge_pairs
from poolwise.workflows._inputs import Topics, as_evidence

__all__ = [
    "BUDGETS",
    "DEPTHS",
    "design_from_numbers",
    "design_from_runs",
    "design_from_scores",
    "design_step",
    "plan_from_numbers",
    "plan_from_scores",
    "topic_plan_step",
]

DEPTHS = (2, 5, 10, 20, 50, 100)
"""Depths of judging that are weighed against each other (W10 fig. 5.12)."""
BUDGETS = (500, 1000, 2000, 5000, 10_000, 20_000)
"""Numbers of judgments that they are weighed for."""
_NORMAL = 500
"""Made differences that stand for a normal distribution."""


@recorded
def design_from_numbers(
    *,
    delta: float,
    sigma: float,
    rng: int | np.random.Generator = DEFAULT_SEED,
    start: int = 10,
    trial_topics: int | None = None,
    simulations: int = 2000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> ExperimentDesign:
    """Plan an experiment whose per-topic differences are normal with this deviation.

    Parameters
    ----------
    sigma : float
        The deviation of per-topic differences.
    start, trial_topics
        As for :func:`~poolwise.findings.compare_designs`.

    Returns
    -------
    ExperimentDesign
        How many topics to judge first, and what each design costs and finds.

    Examples
    --------
    >>> design = design_from_numbers(delta=0.05, sigma=0.13, rng=1, simulations=500)
    >>> design.recommendation.partition(";")[0]
    'Judge 56 topics first'
    """
    from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

    if not sigma > 0:
        raise OptionError(f"sigma: {sigma} is not above 0. Hint: use 0.15.")
    # Quantiles, not draws: the differences are the same with every seed.
    drawn = ndtri((np.arange(_NORMAL) + 0.5) / _NORMAL)
    designs = compare_designs(
        sigma / drawn.std() * drawn,
        delta=delta,
        rng=rng,
        start=start,
        trial_topics=trial_topics,
        simulations=simulations,
        power=power,
        alpha=alpha,
    )
    provenance = designs.provenance.with_options(sigma=sigma)
    return ExperimentDesign("the measure", designs, provenance=provenance)


@recorded
def design_from_scores(
    table: ScoreTable,
    *,
    rng: int | np.random.Generator = DEFAULT_SEED,
    delta: float | None = None,
    start: int = 10,
    trial_topics: int | None = None,
    simulations: int = 2000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> ExperimentDesign:
    """Plan an experiment from the differences between past systems.

    Pairs are those of a baseline of the second quartile with a better system; of fewer than four
    systems, all. ``delta`` is by default the median difference between them.

    Parameters
    ----------
    start, trial_topics
        As for :func:`~poolwise.findings.compare_designs`.

    Returns
    -------
    ExperimentDesign
        How many topics to judge first, and what each design costs and finds.

    Examples
    --------
    >>> scores = np.random.default_rng(1).beta(1, 3, (12, 50))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefghijkl",
    ...                                topics=map(str, range(50)), measure="nDCG@10")
    >>> design = design_from_scores(table, delta=0.1, rng=1, simulations=500)
    >>> design.recommendation.partition(";")[0]
    'Judge 62 topics to depth 10 first'
    """
    pairs = _past_pairs(table)
    # A design repeats whole topics, so that each needs a difference for every pair.
    defined = ~np.isnan(table.value).any(axis=0)
    deltas = (table.value[pairs.left] - table.value[pairs.right])[:, defined]
    designs = compare_designs(
        deltas,
        delta=_wanted(delta, deltas),
        rng=rng,
        start=start,
        trial_topics=trial_topics,
        simulations=simulations,
        power=power,
        alpha=alpha,
    )
    return ExperimentDesign(
        str(table.measure),
        designs,
        depth=int(getattr(table.measure, "cutoff", None) or 0),
        provenance=table.provenance.with_options(**dict(designs.provenance.options)),
    )


@recorded
def design_from_runs(
    judgments: Any,
    runs: Any,
    *,
    rng: int | np.random.Generator = DEFAULT_SEED,
    delta: float | None = None,
    depths: Sequence[int] = DEPTHS,
    budgets: Sequence[int] = BUDGETS,
    topic_cost: float = 0.0,
    topics: Topics = "judged",
    power: float = 0.8,
    alpha: float = 0.05,
    start: int = 10,
    trial_topics: int | None = None,
    simulations: int = 2000,
    reading: Reading = Reading(),
) -> ExperimentDesign:
    """Plan an experiment in AP from past runs, and how deep to judge it.

    The depth is the one at which the median effect costs the fewest judgments, ``topic_cost`` for
    each topic's start included; the topics are planned from the differences of AP at that depth.

    Parameters
    ----------
    delta : float, optional
        The difference in AP to detect; by default the median one between past systems. At the
        depth of the plan it is another one, by regression of the differences of past pairs.
    depths, budgets : sequence of int
        Depths of judging, and numbers of judgments to spend.
    topic_cost : float
        What a topic costs before its first judgment, in judgments.
    start, trial_topics
        As for :func:`~poolwise.findings.compare_designs`.

    Returns
    -------
    ExperimentDesign
        How many topics to judge first and how deep, and what each design and depth costs.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=12, topics=30, depth=50, rng=3)
    >>> design = design_from_runs(made.truth, made.runs, delta=0.1, depths=[5, 50], rng=1,
    ...                           simulations=500)
    >>> design.measure, design.depths is not None
    ('AP@5', True)
    """
    evidence = as_evidence(judgments, runs, topics=topics, reading=reading)
    whole = score(evidence, "AP", bounds="none")
    pairs = _past_pairs(whole)
    judged = {
        depth: judge_pairs(evidence, pairs, depth=depth)
        for depth in counting(depths, "depths of judging tried")
    }
    weighed = _weighed(judged, budgets, topic_cost=topic_cost, power=power, alpha=alpha)
    # The plan is for the depth that costs least, and its differences are those seen at that depth.
    best = judged[weighed.cheapest]
    carried = _carried(delta, whole, best)
    designs = compare_designs(
        best.deltas,
        delta=carried.carried if carried else _wanted(None, best.deltas),
        rng=rng,
        start=start,
        trial_topics=trial_topics,
        simulations=simulations,
        power=power,
        alpha=alpha,
    )
    more = dict(weighed.provenance.options) | dict(designs.provenance.options)
    if carried:
        more |= {"delta": carried.delta, "delta_at_depth": carried.carried}
    return ExperimentDesign(
        f"AP@{best.depth}",
        designs,
        weighed,
        best.depth,
        float(best.documents.mean()),
        carried,
        provenance=evidence.provenance.with_options(depths=tuple(depths), **more),
    )


@recorded
def design_step(
    table: ScoreTable, *, delta: float, power: float = 0.8, alpha: float = 0.05
) -> TopicPlanStep:
    """Say what comes next in an experiment with the two systems of a table.

    Parameters
    ----------
    table : ScoreTable
        Scores of the two systems on the topics judged so far.
    delta : float
        The difference to detect: it must not be changed between steps.

    Returns
    -------
    TopicPlanStep
        How many more topics to judge, and whether the power is reached.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> design_step(table, delta=0.2).more
    13
    """
    if len(table.systems) != 2:
        raise OptionError(
            f"table: an experiment under way has two systems; got {len(table.systems)}. Hint: give "
            "the two runs alone."
        )
    deltas = table.deltas(*table.systems).difference
    # One topic has no deviation; the planner says so.
    sigma = float(deltas.std(ddof=1)) if len(deltas) > 1 else 0.0
    step = topic_plan_step(sigma, judged=len(deltas), delta=delta, power=power, alpha=alpha)
    return replace(step, provenance=table.provenance.with_options(**dict(step.provenance.options)))


def _past_pairs(table: ScoreTable) -> Pairs:
    """Return baselines with better systems, or all pairs where there are too few systems."""
    pairs = baseline_pairs(table)
    return pairs if len(pairs) else Pairs.of_all(table.systems)


def _wanted(delta: float | None, deltas: NDArray[np.float64]) -> float:
    """Return the difference to detect: what was asked for, or what past pairs usually had."""
    if delta is not None:
        return delta
    usual = float(np.median(np.abs(deltas.mean(axis=1)))) if len(deltas) else 0.0
    if not usual > 0:
        raise OptionError(
            "delta: past systems do not differ, so the difference to detect must be given. "
            "Hint: use delta=0.05."
        )
    return usual


def _carried(delta: float | None, whole: ScoreTable, judged: JudgedPairs) -> CarriedDelta | None:
    """Return the difference in AP as one at the depth of judging; None where none is given."""
    if delta is None:
        return None
    left, right = (whole.value[side] for side in (judged.pairs.left, judged.pairs.right))
    means = np.nanmean(left - right, axis=1), np.nanmean(judged.deltas, axis=1)
    return CarriedDelta.by_regression(delta, *means, judged.depth)


def _weighed(
    judged: dict[int, JudgedPairs],
    budgets: Sequence[int],
    *,
    topic_cost: float,
    power: float,
    alpha: float,
) -> DepthDesign:
    sizes = {
        depth: pairs.effect_sizes[~np.isnan(pairs.effect_sizes)] for depth, pairs in judged.items()
    }
    if not all(len(size) for size in sizes.values()):
        raise OptionError(
            "runs: at some depth no two runs differ on any topic. Hint: give deeper depths, or "
            "runs that are not identical."
        )
    documents = {depth: float(pairs.documents.mean()) for depth, pairs in judged.items()}
    return depth_design(sizes, documents, budgets, topic_cost=topic_cost, power=power, alpha=alpha)


USUAL_POWER = 0.8
"""What is asked of a test where nothing else is said."""


@recorded
def plan_from_scores(
    tables: Iterable[ScoreTable],
    *,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    delta: float | None = None,
) -> tuple[CollectionPower, ...]:
    """Say what the topics of each table can detect, judging by the systems in it.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores of past systems, one table per measure.
    power : float, optional
        The chance to find a difference; 0.8 by default.
    alternative : {"two-sided", "one-sided"}
        What the test is for.
    delta : float, optional
        A difference to detect: the results say how many topics that takes.

    Returns
    -------
    tuple of CollectionPower
        What is detected by each measure, in the order of the tables.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems="ab",
    ...                                topics="123", measure="AP")
    >>> plan_from_scores([table])[0].power
    0.8
    """
    wanted = USUAL_POWER if power is None else power
    return tuple(
        collection_power(table, power=wanted, alpha=alpha, alternative=alternative, delta=delta)
        for table in tables
    )


@recorded
def plan_from_numbers(
    *,
    delta: float | None = None,
    sigma: float | None = None,
    topics: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerAnalysis:
    """Solve for the one quantity that is not given; a power of 0.8 is supposed where it is left.

    Parameters
    ----------
    delta, sigma, topics, power, alpha, alternative
        As for :func:`~poolwise.power`.

    Returns
    -------
    PowerAnalysis
        The five quantities, and which of them was solved for.

    Examples
    --------
    >>> plan_from_numbers(delta=0.05, sigma=0.13).whole_topics
    56
    """
    # With all three given, the power is what is asked for, and none may be supposed.
    open_ = [name for name, value in (("d", delta), ("s", sigma), ("t", topics)) if value is None]
    wanted = USUAL_POWER if power is None and open_ else power
    return solve_power(
        delta=delta, sigma=sigma, topics=topics, power=wanted, alpha=alpha, alternative=alternative
    )
