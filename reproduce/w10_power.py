"""W10 chapter 5: the power of collections, from public score matrices and TREC-8."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.figures import panels
from reproduce.results import Row, Section, checked, compare, in_table, numbers, pattern
from reproduce.sources import Folders, read_collection
from reproduce.w10_measures import PAPER

TABLE_5_2 = {
    3: (0.147, 0.198, 0.059, 0.080),
    5: (0.170, 0.241, 0.069, 0.097),
    6: (0.199, 0.259, 0.080, 0.105),
    7: (0.151, 0.207, 0.061, 0.084),
    8: (0.159, 0.226, 0.064, 0.091),
}
# Printed for collections whose scores are not public: σ, and what 50 topics detect.
TABLE_5_2_PRINTED = {
    "TREC 4": (0.173, 0.220, 0.070, 0.089),
    "TREC 9 Web": (0.170, 0.225, 0.069, 0.091),
    "TREC 2001 Web": (0.141, 0.202, 0.057, 0.081),
    "TREC 2004 TB": (0.135, 0.185, 0.055, 0.075),
    "TREC 2005 TB": (0.143, 0.191, 0.058, 0.077),
    "Average": (0.159, 0.215, 0.064, 0.087),
}
TABLE_5_3 = {
    "TREC 3": (0.051, 0.136, 58),
    "TREC 4": (0.034, 0.165, 188),
    "TREC 5": (0.045, 0.171, 118),
    "TREC 6": (0.042, 0.207, 192),
    "TREC 7": (0.038, 0.149, 120),
    "TREC 8": (0.032, 0.136, 145),
    "TREC 9 Web": (0.033, 0.166, 197),
    "TREC 2001 Web": (0.020, 0.138, 375),
    "TREC 2004 TB": (0.047, 0.125, 57),
    "TREC 2005 TB": (0.033, 0.113, 95),
}
PAIRS = 25
DEPTHS = (2, 5, 10, 20, 50, 100)
BUDGETS = tuple(range(1000, 20_001, 1000))

Floats = NDArray[np.float64]


def table_5_2(folders: Folders) -> Section:
    """Compute the deviations of score differences and what 50 topics detect."""
    rows = []
    for year, published in TABLE_5_2.items():
        power = pw.findings.collection_power(_adhoc(folders, year))
        ours = (power.sigma_median, power.sigma_95, power.detectable_median, power.detectable_95)
        rows.append(compare(f"TREC {year}", published, ours))
    rows = [*in_table("5.2", [*rows, *_printed_deviations()]), *_deltas(folders)]
    reading = (
        "σ and detectable δ: median, 95th percentile. 50 topics, power 0.8, level 0.05. Where no "
        "scores are public, δ is computed from the printed σ; the average σ is that of the printed "
        "ones."
    )
    return Section(PAPER, "Table 5.2: deviations and detectable differences", tuple(rows), reading)


def _printed_deviations() -> list[Row]:
    """Compute detectable differences from the deviations that the table prints."""
    effect = float(pw.findings.detectable_effect(50))
    rows = []
    for name, printed in TABLE_5_2_PRINTED.items():
        sigma, delta = np.array(printed[:2]), printed[2:]
        half = 0.0005
        ends = (np.round(effect * (sigma - half), 3), np.round(effect * (sigma + half), 3))
        rows.append(compare(f"{name}, printed σ: δ", delta, effect * sigma, allowed=ends))
    tables = [*TABLE_5_2.values(), *list(TABLE_5_2_PRINTED.values())[:-1]]
    means = np.mean([row[:2] for row in tables], axis=0)
    average = TABLE_5_2_PRINTED["Average"][:2]
    return [*rows, compare("Average of the printed σ", average, means)]


def _deltas(folders: Folders) -> list[Row]:
    """Compare what §5.2 says of the differences between the runs of TREC 8."""
    table = _adhoc(folders, 8)
    power = pw.findings.collection_power(table)
    means = table.means()
    left, right = np.triu_indices(len(means), 1)
    effect = float(pw.findings.detectable_effect(50))
    apart = np.abs(means[left] - means[right])
    pairs = pw.findings.baseline_pairs(table)
    deltas = table.value[pairs.left] - table.value[pairs.right]
    ahead, sigmas = deltas.mean(axis=1), deltas.std(axis=1, ddof=1)
    shares = [100 * (apart >= effect * sigma).mean() for sigma in (0.16, 0.215)]
    return [
        compare("§5.2: median delta, TREC 8", 0.082, power.delta_median),
        compare("§5.2: % detectable with σ of 0.16, of 0.215", (57, 48), shares, digits=0),
        compare("§5.2: 95th percentile of σ, baselines", 0.221, np.percentile(sigmas, 95)),
        compare(
            "§5.2: % of baseline pairs detectable with their mean σ, with that percentile",
            (23, 14),
            [100 * (ahead >= effect * sigma).mean() for sigma in (sigmas.mean(), 0.221)],
            digits=0,
        ),
    ]


def table_5_3(folders: Folders) -> Section:
    """Compute the topics that a baseline and a better system need."""
    rows: list[Row] = []
    years = {year: _adhoc(folders, year) for year in TABLE_5_2}
    equal = {year: _equal_medians(year, second_quartile_medians(t)) for year, t in years.items()}
    whole = ", ".join(str(year) for year, count in equal.items() if count == 2)
    why = f"open: the same reading gives TREC {whole} to the last digit"
    for year, table in years.items():
        delta, sigma, topics = TABLE_5_3[f"TREC {year}"]
        medians = second_quartile_medians(table)
        row = compare(f"TREC {year}, runs: δ, σ", (delta, sigma), medians)
        rows.append(replace(row, remark=why) if row.cells.differ else row)
        if not row.cells.differ:
            needed = float(pw.findings.topics_needed(medians[0] / medians[1]))
            rows.append(compare(f"TREC {year}, runs: topics", topics, needed, digits=0))
    done = {row.what.partition(",")[0] for row in rows if row.what.endswith("topics")}
    rows += [
        _from_medians(name, *printed) for name, printed in TABLE_5_3.items() if name not in done
    ]
    reading = (
        "Power 0.8 at level 0.05, two-sided, by the noncentral t. The thesis does not say where "
        "the second quartile begins and ends; it is taken as R's order(-m)[(n/4):(n/2)], which has "
        "the run at n/4 as well, each baseline with every better run. That gives "
        f"{sum(equal.values())} of the {2 * len(years)} medians, and the topics of TREC {whole}, "
        "to the last digit. The topics of the other collections are computed from the medians that "
        "the table prints."
    )
    choices = (_other_readings(years),)
    title = "Table 5.3: topics needed"
    return Section(PAPER, title, tuple(in_table("5.3", rows)), reading, choices=choices)


def _equal_medians(year: int, medians: tuple[float, float]) -> int:
    """Count the medians of δ and σ that are those of the table, to its digits."""
    printed = TABLE_5_3[f"TREC {year}"][:2]
    return sum(round(ours, 3) == theirs for ours, theirs in zip(medians, printed, strict=True))


FAULTY = 0.05
"""Runs with a mean AP below this may be faulty."""


def _other_readings(years: dict[int, pw.ScoreTable]) -> str:
    """Say how many medians come out if the quartile has other ends, without the run at n/4."""
    rounded = (math.floor, math.ceil, round)
    readings = [
        sum(_equal_medians(year, _read_as(table, *how)) for year, table in years.items())
        for how in product(rounded, rounded, (-1.0, FAULTY))
    ]
    return (
        "Ends of the second quartile rounded down, up or to the nearest, from the run after n/4 "
        f"on, with and without runs whose mean AP is below {FAULTY:g} ({len(readings)} readings): "
        f"no more than {max(readings)} of the {2 * len(years)} printed medians."
    )


Rounding = Callable[[float], int]


def _read_as(
    table: pw.ScoreTable, first: Rounding, last: Rounding, least: float
) -> tuple[float, float]:
    """Return the medians by another reading of the second quartile."""
    means = zip(table.systems, table.means().tolist(), strict=True)
    kept = table.select(runs=[system for system, mean in means if mean > least])
    n = len(kept.systems)
    return second_quartile_medians(kept, np.arange(first(n / 4), last(n / 2)))


def second_quartile_medians(
    table: pw.ScoreTable, at: NDArray[np.int64] | None = None
) -> tuple[float, float]:
    """Return the medians of δ and σ over baselines of the second quartile with better runs."""
    means = table.means()
    order, n = np.argsort(-means, kind="stable"), len(means)
    # R: order(-m)[(n/4):(n/2)] counts from 1, includes both ends, and drops fractions
    if at is None:
        at = np.arange(n / 4, n / 2 + 1e-9).astype(np.int64) - 1
    deltas = np.concatenate(
        [table.value[means > means[b]] - table.value[b] for b in order[at].tolist()]
    )
    return float(np.median(deltas.mean(axis=1))), float(np.median(deltas.std(axis=1, ddof=1)))


def _from_medians(name: str, delta: float, sigma: float, topics: int) -> Row:
    """Compute topics from the printed medians, and the range that their rounding leaves."""
    half = 0.0005
    edges = [(delta, sigma), (delta + half, sigma - half), (delta - half, sigma + half)]
    ours, low, high = (pw.power(delta=d, sigma=s, power=0.8).whole_topics for d, s in edges)
    what = f"{name}, printed medians: topics"
    why = f"rounding of the printed medians allows {low} to {high}"
    row = compare(what, topics, ours, digits=0, allowed=(low, high))
    return replace(row, remark=why) if row.cells.within else row


def figures_5_4_and_5_5(folders: Folders) -> Section:
    """Fit deviations to differences, and test whether all pairs share one deviation."""
    robust = _robust(folders)
    power = pw.findings.collection_power(robust)
    test = pw.findings.dispersion_test(robust, rng=1)
    rows = (
        compare("figure 5.4: intercept, slope", (0.131, 0.233), (power.intercept, power.slope)),
        compare("figure 5.5: pairs", 3003, power.pairs, digits=0),
        compare("figure 5.5: standard deviation of σ", 0.030, test.observed),
        compare("algorithm 5.1: expected", 0.015, test.expected),
        compare(
            "algorithm 5.1: p",
            0.001,
            test.pvalue,
            remark=checked(
                f"proves little: it is the smallest p that {test.resamples} draws allow",
                holds=abs(test.pvalue - 1 / (test.resamples + 1)) < 1e-12,
            ),
        ),
        compare("§5.3.2: pairs with p from 0.05 to 0.10", 137, _nearly(robust), digits=0),
    )
    reading = (
        "Robust 2004 without description-only runs, topics 301–450; algorithm 5.1 with seed 1."
    )
    return Section(PAPER, "Figures 5.4 and 5.5: deviations of pairs", rows, reading)


def _nearly(table: pw.ScoreTable) -> int:
    pvalues = pw.findings.discriminate(table).pvalue
    return int(((pvalues > 0.05) & (pvalues < 0.10)).sum())


def figures_5_9_and_5_10(folders: Folders) -> Section:
    """Simulate adding topics until the power is reached."""
    robust = _robust(folders)
    pairs = pw.findings.baseline_pairs(robust, experimental="upper")
    chosen = np.random.default_rng(1).choice(len(pairs), PAIRS, replace=False)
    deltas = robust.value[pairs.left[chosen]] - robust.value[pairs.right[chosen]]
    effect = float(pw.findings.detectable_effect(100))
    designs = [
        pw.findings.simulate_iterative_design(d, delta=effect * d.std(), rng=i, start=40)
        for i, d in enumerate(deltas)
    ]
    true, mean = np.array([(f.sigma, f.sigma_mean) for f in designs]).T
    (slope, _), covariance = np.polyfit(true, mean, 1, cov=True)
    # 100 pairs there, 25 here.
    error = round(float(np.sqrt(1.25 * covariance[0, 0])), 3)
    rates = np.array([(f.false_positives, f.false_positives_fixed) for f in designs])
    ours, more = rates.mean(axis=0), int((rates[:, 0] > rates[:, 1]).sum())
    others = {n: _iterating(deltas, effect, n) for n in (10, 60)}
    # Two means of 25 × 5,000 draws of a rate near 0.05.
    drawn = 0.0009
    why = checked(
        "proves little: it depends on the topics an experiment starts with (see above)",
        holds=all(abs(rate - ours[0]) > drawn for rate, _ in others.values()),
    )
    same = checked(
        "the slope does not depend on them",
        holds=all(abs(other - slope) < error for _, other in others.values()),
    )
    rows = (
        compare("figure 5.9: slope of estimated σ", 0.965, slope, error=error),
        compare("figure 5.10: rate, iterating", 0.0558, ours[0], digits=4, error=drawn, remark=why),
        compare("figure 5.10: rate, fixed size", 0.0501, ours[1], digits=4, error=drawn),
        pattern(
            "figure 5.10: pairs with more false positives, of 25",
            "20",
            str(more),
            "iterating finds significance too often, in most pairs",
            holds=more > PAIRS / 2,
        ),
    )
    reading = (
        "25 random pairs of a second-quartile baseline and a system of the upper three quarters. "
        "The thesis does not say with how many topics an experiment starts: 40 here."
    )
    starts = ", ".join(f"{n} give {rate:.4f} and {s:.3f}" for n, (rate, s) in others.items())
    choices = (
        f"Rate and slope when iterating, by topics at the start: {starts}; {same}, to its error.",
    )
    title = "Figures 5.9 and 5.10: the iterative design"
    return Section(PAPER, title, rows, reading, choices=choices)


def _iterating(deltas: NDArray[np.float64], effect: float, start: int) -> tuple[float, float]:
    """Return the rate of false positives, and the slope, of experiments that start so small."""
    designs = [
        pw.findings.simulate_iterative_design(d, delta=effect * d.std(), rng=i, start=start)
        for i, d in enumerate(deltas)
    ]
    slope, _ = np.polyfit(
        [design.sigma for design in designs], [design.sigma_mean for design in designs], 1
    )
    return float(np.mean([design.false_positives for design in designs])), float(slope)


def figures_5_11_and_5_12(folders: Folders) -> Section:
    """Weigh deeper judging against more topics, on TREC-8."""
    evidence = read_collection(folders.data / "trec8").evidence
    pairs = pw.findings.baseline_pairs(
        pw.score(evidence, "AP", bounds="none"), experimental="upper"
    )
    chosen = np.random.default_rng(1).choice(len(pairs), 1000, replace=False)
    sample = replace(pairs, left=pairs.left[chosen], right=pairs.right[chosen])
    by_depth = {depth: pw.studies.judge_pairs(evidence, sample, depth=depth) for depth in DEPTHS}
    sizes = {depth: judged.effect_sizes for depth, judged in by_depth.items()}
    documents = {depth: float(judged.documents.mean()) for depth, judged in by_depth.items()}
    design = pw.findings.depth_design(sizes, documents, BUDGETS)
    path = "w10-figures-5-11-5-12.svg"
    _plot(folders, sizes, design, path)
    rows = _depth_rows(sizes, documents, design)
    reading = (
        "1,000 random pairs of a second-quartile baseline and a system of the upper three "
        "quarters, seed 1; AP to the depth, R from the relevant documents that the two retrieve to "
        "the depth. Where they retrieve none, both score 0."
    )
    title = "Figures 5.11 and 5.12: depth against topics, on TREC-8"
    return Section(PAPER, title, rows, reading, path)


def _depth_rows(
    sizes: dict[int, Floats], documents: dict[int, float], design: pw.findings.DepthDesign
) -> tuple[Row, ...]:
    """Say what depth costs, what it tells, and what the same judgments tell at other depths."""
    at = dict(zip(DEPTHS, design.detectable[:, BUDGETS.index(5000)], strict=True))
    means = [float(np.mean(np.abs(size))) for size in sizes.values()]
    return (
        pattern(
            "documents to judge per topic, depths 2, 5, 10, 100 (published: Robust 2004)",
            "3.37 8.1 15.7 151",
            numbers([documents[d] for d in (2, 5, 10, 100)], 1),
            "almost linear in the depth",
            holds=documents[100] > 7 * documents[10],
        ),
        pattern(
            f"figure 5.11: mean effect size at depths {', '.join(map(str, DEPTHS))}",
            "rises slightly",
            numbers(means),
            "deeper judging raises the effect, and far less than it costs",
            holds=means[0] < means[-1] < 3 * means[0],
        ),
        pattern(
            "figure 5.12: detectable by 5,000 judgments at depths 100, 20, 5",
            "0 0.23 0.56",
            numbers([at[100], at[20], at[5]], 2),
            "the shallower the judging, the more pairs the same judgments tell apart",
            holds=at[100] < at[20] < at[5],
        ),
    )


def _plot(
    folders: Folders, sizes: dict[int, Floats], design: pw.findings.DepthDesign, path: str
) -> None:
    with panels(folders.out / path, 1, 2) as (left, right):
        quartiles = [np.percentile(np.abs(s), [25, 50, 75]) for s in sizes.values()]
        left.plot(DEPTHS, quartiles)
        left.set(xscale="log", xlabel="depth", ylabel="effect size: quartiles")
        for depth, shares in zip(DEPTHS, design.detectable, strict=True):
            right.plot(BUDGETS, shares, label=f"depth {depth}")
        right.set(xlabel="documents judged", ylabel="share of effects detectable")
        right.legend()


def _adhoc(folders: Folders, year: int) -> pw.ScoreTable:
    path = folders.data / f"scores/urbano/sigir2019-statistical/adhoc{year}_ap.csv"
    path = folders.data / "scores/trec3-ap.csv" if year == 3 else path
    return pw.read_score_matrix(path, measure="AP")


def _robust(folders: Folders) -> pw.ScoreTable:
    path = folders.data / "scores/urbano/sigir2018-simulation/robust2004(noD)_ap.csv"
    return pw.read_score_matrix(path, measure="AP")


SECTIONS = (
    table_5_2,
    table_5_3,
    figures_5_4_and_5_5,
    figures_5_9_and_5_10,
    figures_5_11_and_5_12,
)
