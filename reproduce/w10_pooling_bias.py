"""W10 §3.4.2, and chapter 6: tables 6.1, 6.4 and 6.5, and figure 6.2, from pools of TREC-8.

Each of the eleven best manual runs is scored by tRBP@10 (p = 0.8) with the judgments of a pool of
random automatic runs, raw and adjusted, against its score with all judgments.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from poolwise.studies._pooling_bias import complete_pool, sample_errors
from poolwise.studies._swaps import random_subsets
from reproduce.figures import draw_boxes, panels
from reproduce.results import LIMIT, Row, Section, checked, compare, numbers, pattern
from reproduce.sources import Collection, Folders, read_collection, read_pooled, read_properties
from reproduce.w10_measures import PAPER

WIDTHS = (2, 4, 10, 20, 40)
COMMON = (10, 15, 20)
POOLS = 100
TOPIC_SAMPLES = 200
DEPTH = 10
MEASURE = pw.parse_measure("tRBP(p=0.8)@10")

# Table 6.1, columns 4 and 5 (the adjusted score of width 2 is not legible in our copy), and the
# rows "Unadjusted" (0, 10, 15, 20 common topics) and "Adjusted" (10, 15, 20) of 6.4 and 6.5.
TABLE_6_1 = {
    2: (0.451, np.nan),
    4: (0.384, 0.294),
    10: (0.283, 0.237),
    20: (0.231, 0.203),
    40: (0.177, 0.159),
}
TABLES_6_4_AND_6_5 = {
    "nonrelevant": {
        2: ((0.451, 0.361, 0.316, 0.271), (0.060, 0.046, 0.037)),
        4: ((0.384, 0.308, 0.269, 0.231), (0.059, 0.045, 0.037)),
        10: ((0.283, 0.226, 0.198, 0.170), (0.054, 0.041, 0.033)),
        20: ((0.231, 0.185, 0.162, 0.139), (0.050, 0.038, 0.031)),
        40: ((0.177, 0.141, 0.124, 0.106), (0.045, 0.035, 0.028)),
    },
    "condensed": {
        2: ((0.154, 0.123, 0.108, 0.093), (0.054, 0.041, 0.033)),
        4: ((0.091, 0.073, 0.064, 0.055), (0.046, 0.035, 0.028)),
        10: ((0.033, 0.027, 0.023, 0.020), (0.036, 0.027, 0.022)),
        20: ((0.018, 0.014, 0.013, 0.011), (0.030, 0.023, 0.019)),
        40: ((0.013, 0.010, 0.009, 0.008), (0.026, 0.020, 0.016)),
    },
}
# Of Robust 2004, by width: table 6.1, columns 2 and 3.
TABLE_6_1_ROBUST = {
    2: (0.127, 0.041),
    4: (0.078, 0.028),
    10: (0.029, 0.015),
    20: (0.013, 0.008),
    40: (0.007, 0.006),
}

CELLS = 2 * len(TABLE_6_1) - 1 + 2 * 38
"""Numbers of the three tables that can be compared: one of table 6.1 is not legible."""
BEYOND = math.erfc(LIMIT / math.sqrt(2))
"""The chance of a normal number to be beyond as many standard errors as are allowed."""
OPEN = (
    f"open: chance would take about {CELLS * BEYOND:.0f} of the {CELLS} cells of these tables "
    "beyond two standard errors, and cells of a width go together, since all rest on the same 100 "
    "draws"
)

Floats = NDArray[np.float64]


def load(folders: Folders) -> Collection:
    """Return TREC-8."""
    return read_collection(folders.data / "trec8")


def manual_and_automatic(folders: Folders) -> tuple[list[str], list[str]]:
    """Return the names of the eleven best manual runs, and of the automatic ones."""
    folder = folders.data / "trec8"
    c, kind = load(folders), read_properties(folder, "type")
    means = dict(zip(c.runs.systems, pw.score(c.evidence, MEASURE).means().tolist(), strict=True))
    manual = [name for name in c.runs.systems if kind[name] == "manual"]
    automatic = [name for name in c.runs.systems if kind[name] != "manual"]
    return sorted(manual, key=lambda name: -means[name])[:11], automatic


def of_manual_runs(
    folders: Folders, *, pools: int, widths: tuple[int, ...] = WIDTHS, seed: int = 8
) -> pw.studies.PoolingBias:
    """Return the errors of the eleven manual runs with pools of automatic runs."""
    c, (manual, automatic) = load(folders), manual_and_automatic(folders)
    return pw.studies.pooling_bias(
        c.judgments, c.runs, MEASURE, depth=DEPTH, widths=widths, common=COMMON, pools=pools,
        samples=TOPIC_SAMPLES, tested=manual, pooled=automatic, rng=seed,
    )  # fmt: skip


def errors_by_width(study: pw.studies.PoolingBias, w: int) -> dict[str, Floats]:
    """Return sizes of errors at one width, pools × manual runs × columns of the tables.

    Of the bases: unadjusted with 0 common topics and each number of them, then adjusted.
    """
    by_base = {
        base: np.stack(
            [
                *(study.unadjusted(n)[w, b] for n in (0, *study.common)),
                *study.from_topics[w, b],
            ],
            axis=-1,
        )
        for b, base in enumerate(pw.studies.BASES)
    }
    systems = np.stack([study.unadjusted()[w, 0], np.abs(study.from_systems[w])], axis=-1)
    return by_base | {"systems": systems}


def tables_6_1_6_4_6_5(folders: Folders) -> Section:
    """Compute mean absolute errors for the manual runs."""
    study = of_manual_runs(folders, pools=POOLS)
    by_width = {width: errors_by_width(study, w) for w, width in enumerate(WIDTHS)}
    rows: list[Row] = []
    by_group = adjusted_by_groups(folders, POOLS)
    for width in WIDTHS:
        raw, adjusted = by_width[width]["systems"][..., :1], np.abs(by_group[width])[..., None]
        rows.append(_error(f"width {width}: raw", TABLE_6_1[width][:1], raw, "6.1"))
        if width > 2:
            rows.append(_error(f"width {width}: adjusted", TABLE_6_1[width][1:], adjusted, "6.1"))
    for table, scoring in (("6.4", "nonrelevant"), ("6.5", "condensed")):
        rows.append(_true_means(folders, table))
        for width in WIDTHS:
            errors, printed = by_width[width][scoring], TABLES_6_4_AND_6_5[scoring][width]
            rows += [
                _error(f"width {width}: unadjusted", printed[0], errors[..., :4], table),
                _error(f"width {width}: adjusted", printed[1], errors[..., 4:], table),
            ]
    reading = (
        "The thesis draws one pool and one of the eleven manual runs, 100 times, and for each 200 "
        "samples of common topics; we score all eleven with each of 100 pools (seed 8). The "
        "standard error is that of its 100 draws, from the spread of ours over pools and runs, and "
        "of our own 100 pools. All rows of a width rest on the same draws of the thesis, so they "
        "are off together. Documents without an official judgment count as not relevant. Common "
        "topics: 0, 10, 15, 20, and adjusted 10, 15, 20. Row “True” is of all 129 runs: the "
        "caption says eleven."
    )
    choices = (
        _adjustments(by_width, by_group),
        checked(
            "Unadjusted: the printed cells are (1 − n/50) × column 0, to a unit of the last digit, "
            "which is the size of the mean error over topic samples; algorithm 6.3 would average "
            "sizes.",
            holds=_are_sizes_of_means(),
        ),
        _true_of_some(folders),
    )
    title = "Tables 6.1, 6.4 and 6.5: errors from pooling bias, TREC-8 manual runs"
    return Section(PAPER, title, tuple(rows), reading, choices=choices)


def _are_sizes_of_means() -> bool:
    """Say whether the printed errors with n common topics are 1 − n/50 of those with none."""
    printed = (cells for widths in TABLES_6_4_AND_6_5.values() for cells, _ in widths.values())
    return all(
        abs(first * (1 - n / 50) - cell) < 0.00101
        for first, *others in printed
        for n, cell in zip(COMMON, others, strict=True)
    )


def adjusted_by_groups(folders: Folders, pools: int, seed: int = 8) -> dict[int, Floats]:
    """Return adjusted less true means, pools × manual runs, if groups leave the pool as a whole.

    W10 algorithm 6.1 lets one pooled run after the other leave the pool; its group's other runs
    would still nominate much of what it found.
    """
    c, (manual, automatic) = load(folders), manual_and_automatic(folders)
    groups = pw.read_groups(folders.data / "trec8" / "runs.tsv")
    whole = complete_pool(c.judgments, c.runs, DEPTH)
    nominations = pw.nominate(whole, c.runs)
    truth = _means(pw.align(whole, c.runs.select(manual)))
    random = np.random.default_rng(seed)
    by_width: dict[int, list[list[float]]] = {width: [] for width in WIDTHS}
    for width in WIDTHS:
        for _ in range(pools):
            members = random.choice(automatic, width, replace=False).tolist()
            judged = nominations.depth_pool(DEPTH, systems=members)
            pool = pw.align(judged, c.runs.select([*members, *manual]))
            by = pw.scores.BiasFromSystems(
                pooled=tuple(members), depth=DEPTH, fewest=2, groups=groups.select(pool.systems)
            )
            gained, raw = by.adjustments(pool, MEASURE), _means(pool)
            by_width[width].append(
                [raw[m] - truth[m] + (gained[m].factor if m in gained else 0.0) for m in manual]
            )
    return {width: np.array(errors) for width, errors in by_width.items()}


def _means(evidence: pw.Evidence) -> dict[str, float]:
    means = np.nan_to_num(MEASURE.score(evidence), nan=0.0).mean(axis=1)
    return dict(zip(evidence.systems, means.tolist(), strict=True))


def _adjustments(by_width: dict[int, dict[str, Floats]], by_group: dict[int, Floats]) -> str:
    """Say what is added to scores, if a run leaves the pool alone and if its group does."""
    widths = WIDTHS[1:]
    printed = [TABLE_6_1[w][0] - TABLE_6_1[w][1] for w in widths]
    raw = [by_width[w]["systems"][..., 0].mean() for w in widths]
    alone = [r - by_width[w]["systems"][..., 1].mean() for w, r in zip(widths, raw, strict=True)]
    group = [r - np.abs(by_group[w]).mean() for w, r in zip(widths, raw, strict=True)]
    return (
        "Table 6.1, raw less adjusted, widths 4 to 40: "
        f"{numbers(printed)} printed; {numbers(group)} if the groups of pooled runs leave with "
        f"them, as here; {numbers(alone)} if each leaves alone."
    )


def _sizes_of_true(folders: Folders) -> list[Floats]:
    """Return by number of common topics the error of their mean alone, of each run."""
    # What was never judged counts as not relevant here anyway.
    truth, random = MEASURE.score(load(folders).evidence), np.random.default_rng(8)
    chosen = [random_subsets(random, 50 * TOPIC_SAMPLES, truth.shape[1], n) for n in COMMON]
    return [np.abs(sample_errors(truth, topics)).mean(axis=1) for topics in chosen]


def _true_of_some(folders: Folders) -> str:
    """Say what row “True” is of some of the runs."""
    systems, sizes = load(folders).runs.systems, _sizes_of_true(folders)
    manual, automatic = (
        numbers([size[np.isin(systems, names)].mean() for size in sizes])
        for names in manual_and_automatic(folders)
    )
    return f"Row “True”, eleven manual runs alone: {manual}; automatic runs: {automatic}."


def _true_means(folders: Folders, table: str) -> Row:
    """Compare the error of the mean over the common topics alone, of all runs."""
    sizes = _sizes_of_true(folders)
    # The thesis draws 100 systems; 50 times 200 topic samples leave ours without error.
    error = [size.std() / np.sqrt(POOLS) for size in sizes]
    ours = [size.mean() for size in sizes]
    return compare("True", (0.067, 0.052, 0.041), ours, error=error, table=table)


def _error(what: str, published: tuple[float, ...], errors: Floats, table: str) -> Row:
    """Compare mean absolute errors: 100 draws of a pool and a run there, 100 pools here."""
    draws = errors.reshape(-1, errors.shape[2])
    theirs, ours = draws.std(axis=0) / np.sqrt(POOLS), errors.mean(axis=1).std(axis=0) / POOLS**0.5
    error = np.hypot(theirs, ours)
    row = compare(what, published, draws.mean(axis=0), error=error, table=table)
    return replace(row, remark=OPEN) if row.cells.differ else row


def figure_6_2(folders: Folders) -> Section:
    """Draw pools and one more run from all of TREC-8, and see how far its score is off."""
    c = load(folders)
    study = pw.studies.pooling_bias(
        c.judgments, c.runs, MEASURE, depth=DEPTH, widths=WIDTHS, common=COMMON, pools=POOLS,
        samples=1, rng=6,
    )  # fmt: skip
    path = "w10-figure-6-2.svg"
    with panels(folders.out / path, 1, 1) as (ax,):
        for i, (colour, shift) in enumerate((("tab:blue", -0.2), ("tab:red", 0.2))):
            draw_boxes(ax, study.bias[:, i, :, 0], WIDTHS, colour=colour, shift=shift)
        ax.set(xlabel="pool width", ylabel="bias: not relevant (blue), condensed (red)")
    means = dict(zip(WIDTHS, study.bias.mean(axis=(2, 3)), strict=True))
    raw, adjusted = study.unadjusted()[:, 0].mean(axis=(1, 2)), study.from_systems
    errors = dict(
        zip(WIDTHS, zip(raw, np.abs(adjusted).mean(axis=(1, 2)), strict=True), strict=True)
    )
    wide, narrow = means[40], means[2]
    rows = (
        *(
            pattern(
                f"width {width}: mean bias not relevant, condensed; absolute error raw, adjusted",
                f"−{TABLE_6_1_ROBUST[width][0]}, positive; {numbers(TABLE_6_1_ROBUST[width])}",
                f"{numbers(means[width])}; {numbers(errors[width])}",
                "against the run if not relevant, for it if condensed; adjusting helps",
                holds=means[width][0] < 0 < means[width][1] and errors[width][1] < errors[width][0],
            )
            for width in WIDTHS
        ),
        pattern(
            "size of bias at widths 2 and 40, not relevant against condensed",
            "condensed smaller in narrow pools, larger in wide ones",
            f"{narrow[0]:.3f} {narrow[1]:.3f}, {wide[0]:.3f} {wide[1]:.3f}",
            "as published for Robust 2004",
            holds=abs(narrow[1]) < abs(narrow[0]) and abs(wide[1]) > abs(wide[0]),
        ),
    )
    reading = (
        "100 pools of each width to depth 10, with one more run each (seed 6); tRBP@10, p = 0.8. "
        "Published: Robust 2004."
    )
    title = "Figure 6.2 and table 6.1, random runs: the method on TREC-8"
    return Section(PAPER, title, rows, reading, path)


def section_3_4_2(folders: Folders) -> Section:
    """Extrapolate the relevant documents of TREC-8 as Zobel does, by topic and all together."""
    c = load(folders)
    pooled = read_pooled(folders.data / "trec8")
    fits = {
        fit: pw.studies.relevant_beyond(c.nominations, 100, systems=pooled, fit=fit)
        for fit in pw.studies.FITS
    }
    means = [fit.expected.mean() for fit in fits.values()]
    shares = [fit.share_found for fit in fits.values()]
    half = [fit.from_half.mean() for fit in fits.values()]
    judged = fits["together"].found.mean()
    rows = (
        compare("judged relevant documents per topic", 95, judged, digits=0),
        pattern(
            "relevant documents per topic",
            "200 or so",
            numbers(means, 0),
            "with one decline for all topics, within a sixth; with one for each, more",
            holds=abs(means[0] / 200 - 1) < 1 / 6 and means[1] > means[0],
        ),
        pattern(
            "share that pooling finds",
            "around 50%",
            numbers(shares, 2),
            "with one decline for all topics, within a sixth; with one for each, fewer",
            holds=abs(shares[0] / 0.5 - 1) < 1 / 6 and shares[1] < shares[0],
        ),
        pattern(
            "expected to depth 100 from the first 50 ranks",
            "no number",
            f"{numbers(half, 1)}, where {judged:.1f} are",
            "within a tenth",
            holds=all(abs(mean / judged - 1) < 0.1 for mean in half),
        ),
    )
    reading = (
        "The 71 pooled runs; new relevant documents decline as a power of the rank, by Poisson "
        "regression over ranks 1 to 100, and go on to rank 1,000. First one decline for all "
        "topics, then one for each. The thesis names neither the function nor the depth."
    )
    title = "Section 3.4.2: how many relevant documents of TREC-8 the pool has found"
    return Section(PAPER, title, rows, reading)


SECTIONS = (section_3_4_2, tables_6_1_6_4_6_5, figure_6_2)
