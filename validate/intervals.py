"""How often intervals and limits cover what they are about, by simulation.

Topics are drawn from populations of differences that are known in full, so that the true mean,
median and centre are known, too.
"""

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from poolwise.arrays import Floats
from poolwise.findings.agreement._system_orders import correlate_orders
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.planning._trials import LIMITS, sigma_upper
from poolwise.results._tables import Cell, Column, Table
from poolwise.scores._score_table import ScoreTable
from validate.table import Folders, ValidationTable

__all__ = [
    "correlations_table",
    "coverage_of_correlations",
    "coverage_of_deviations",
    "coverage_of_differences",
    "deviations_table",
    "differences_table",
]

_NEAR = 0.015
"""Three standard errors of a share of 95% in 2,000 samples."""

INTERVALS = {
    "t": "t",
    "randomization": "randomization",
    "basic": "bootstrap",
    "percentile": "bootstrap",
    "bca": "bootstrap",
    "studentized": "studentized",
    "median": "sign",
    "hodges-lehmann": "wilcoxon",
}
"""The intervals, and the test that each belongs to."""

PLACES = np.array([NormalDist().inv_cdf((i + 0.5) / 1001) for i in range(1001)])
"""A normal population, as evenly as 1,001 can stand for it."""

POPULATIONS: dict[str, Floats] = {
    "normal": 0.03 + 0.15 * PLACES,
    "heavy tails": 0.03 + 0.05 * PLACES * np.abs(PLACES),
    "skewed": 0.1 * np.expm1(0.8 * PLACES),
    "in tenths": np.rint(0.3 + 1.5 * PLACES) / 10,
}
"""Per-topic differences of two systems on all topics that there are."""


def coverage_of_differences(
    *,
    sizes: tuple[int, ...] = (10, 25, 50),
    trials: int = 2000,
    resamples: int = 999,
    level: float = 0.95,
    rng: int = 1,
) -> Table:
    """Return the share of samples of topics whose interval covers the truth."""
    rows: list[tuple[Cell, ...]] = []
    for name, population in POPULATIONS.items():
        for topics in sizes:
            table = _samples(population, topics, trials, np.random.default_rng(rng))
            covered = [
                _covered(table, population, interval, resamples, level) for interval in INTERVALS
            ]
            rows.append((name, topics, *covered))
    columns = (Column("population"), Column("topics"), *(Column(name, 3) for name in INTERVALS))
    title = f"Intervals of level {level:g} that cover the truth, of {trials:,} samples of topics"
    return Table(columns, tuple(rows), title=title)


def _samples(population: Floats, topics: int, trials: int, rng: np.random.Generator) -> ScoreTable:
    """Return one system per trial, and a baseline of 0: their differences are the samples."""
    drawn = rng.choice(population, (trials, topics))
    return ScoreTable.from_matrix(
        np.vstack([drawn, np.zeros(topics)]),
        systems=[*map(str, range(trials)), "baseline"],
        topics=[*map(str, range(topics))],
        measure="difference",
    )


def _covered(
    table: ScoreTable, population: Floats, interval: str, resamples: int, level: float
) -> float:
    comparisons = compare_scores(
        table,
        baseline="baseline",
        test=INTERVALS[interval],
        interval=interval,
        correction="none",
        alpha=1 - level,
        resamples=resamples,
    )
    truth, within = _truth(population, interval), table.tolerance
    covered = (comparisons.ci_low <= truth + within) & (truth <= comparisons.ci_high + within)
    return float(covered.mean())


def _truth(population: Floats, interval: str) -> float:
    """Return what an interval is about: a median, a centre, or a mean."""
    if interval == "median":
        return float(np.median(population))
    if interval == "hodges-lehmann":
        return float(np.median(np.add.outer(population, population) / 2))
    return float(population.mean())


def coverage_of_correlations(
    *, trials: int = 500, resamples: int = 300, level: float = 0.95, rng: int = 1
) -> Table:
    """Return the share of intervals that cover the mean correlation of such samples of topics."""
    random = np.random.default_rng(rng)
    rows: list[tuple[Cell, ...]] = []
    for systems, spread in ((20, 0.05), (20, 0.15), (60, 0.05), (60, 0.1)):
        for paired in (True, False):
            correlations = [
                correlate_orders(*tables, resamples=resamples, rng=random)
                for tables in _two_tables(systems, spread, trials, random, paired=paired)
            ]
            value = np.array([correlation.value for correlation in correlations])
            low, high = np.array([correlation.interval(level) for correlation in correlations]).T
            covered = (low <= value.mean()) & (value.mean() <= high)
            own = (low <= value) & (value <= high)
            topics = "the same" if paired else "others"
            rows.append((systems, spread, topics, float(covered.mean()), float(own.mean())))
    columns = (
        Column("systems"),
        Column("spread", 2),
        Column("topics"),
        Column("covered", 3),
        Column("covers its estimate", 3),
    )
    title = f"Intervals of level {level:g} of τ_b over 50 topics, of {trials:,} samples"
    return Table(columns, tuple(rows), title=title)


def _two_tables(
    systems: int, spread: float, trials: int, rng: np.random.Generator, *, paired: bool
) -> Iterator[tuple[ScoreTable, ScoreTable]]:
    """Yield scores of two measures whose true orders are alike, on samples of 50 topics."""
    true = rng.normal(0, spread, (systems, 1))
    other = true + rng.normal(0, 0.3 * spread, (systems, 1))
    for _ in range(trials):
        noise, more = rng.normal(0, 0.2, (2, systems, 50))
        second = 0.7 * (noise + more) if paired else more
        yield _table(true + noise, "a"), _table(other + second, "a" if paired else "b")


def _table(value: Floats, collection: str) -> ScoreTable:
    systems, topics = value.shape
    return ScoreTable.from_matrix(
        value,
        systems=[*map(str, range(systems))],
        topics=[f"{collection}{t}" for t in range(topics)],
        measure="score",
    )


def coverage_of_deviations(
    *,
    sizes: tuple[int, ...] = (10, 20, 30, 50),
    trials: int = 20_000,
    confidence: float = 0.95,
    rng: int = 1,
) -> Table:
    """Return the share of trials whose upper deviation is not below the true one."""
    random = np.random.default_rng(rng)
    rows: list[tuple[Cell, ...]] = []
    for name, population in POPULATIONS.items():
        for topics in sizes:
            seen = random.choice(population, (trials, topics)).std(axis=1, ddof=1)
            uppers = (sigma_upper(seen, topics, confidence, limit=limit) for limit in LIMITS)
            covered = [float((upper >= population.std()).mean()) for upper in uppers]
            rows.append((name, topics, *covered))
    columns = (Column("population"), Column("topics"), *(Column(limit, 3) for limit in LIMITS))
    title = (
        f"Upper deviations of confidence {confidence:g} that cover the truth, of {trials:,} trials"
    )
    return Table(columns, tuple(rows), title=title)


def differences_table(_: Folders) -> ValidationTable:
    """Check the intervals of mean differences."""
    coverage = coverage_of_differences()
    exact = [row[2] for row in coverage.rows if row[0] == "normal"]
    return _validation(
        coverage,
        "The t interval covers 95% of normal differences. Every interval is printed beside every "
        "population, also where it covers less: intervals of means need more topics where "
        "differences are skewed, and percentile intervals of the bootstrap where topics are few.",
        holds=all(abs(float(str(share)) - 0.95) < _NEAR for share in exact),
    )


def correlations_table(_: Folders) -> ValidationTable:
    """Check the intervals of rank correlations."""
    coverage = coverage_of_correlations()
    return _validation(
        coverage,
        "The interval of a rank correlation covers its own estimate, and the mean correlation of "
        "sets of as many topics in about 95% of cases.",
        holds=all(row[-1] == 1 for row in coverage.rows),
    )


def deviations_table(_: Folders) -> ValidationTable:
    """Check how sure the upper deviation of a trial is."""
    coverage = coverage_of_deviations()
    normal = [row[2] for row in coverage.rows if row[0] == "normal"]
    return _validation(
        coverage,
        "The upper limit of a trial's deviation by chi-squared, the default, is 95% sure where "
        "differences are normal; W10's approximation is less so.",
        holds=all(abs(float(str(share)) - 0.95) < _NEAR for share in normal),
    )


def _validation(coverage: Table, claim: str, *, holds: bool) -> ValidationTable:
    titles = tuple(column.title for column in coverage.columns)
    return ValidationTable(
        coverage.title, claim, titles, tuple(map(tuple, coverage.texts())), holds
    )
