"""W10 §4.6: standardization between collections, from public score matrices."""

import numpy as np

import poolwise as pw
from reproduce.results import Row, Section, compare, numbers, pattern
from reproduce.sources import Folders
from reproduce.w10_measures import PAPER
from reproduce.w10_standardization import (
    COLLECTIONS,
    Parts,
    by_original_runs,
    robust_parts,
    side_by_side,
)

NATURAL = [name for name in COLLECTIONS if name != "trec6.adhoc"]
# κ, and systems better on the first and on the second of a pair, pairs in order of NATURAL.
TABLES_4_9_TO_4_12 = {
    "AP": (
        (0.627, 1.857, 1.285, 1.387, 0.859, 0.583),
        (0, 0, 0, 0, 0, 2),
        (2, 103, 61, 57, 8, 0),
    ),
    "sAP": (
        (0.349, 0.396, 0.452, 0.464, 0.462, 0.394),
        (4, 5, 14, 5, 13, 12),
        (2, 4, 3, 13, 8, 1),
    ),
}
TABLE_4_13 = {
    "P@10": (0.452, 0.450, 0.466, 0.434),
    "AP": (0.212, 0.244, 0.327, 0.293),
    "sAP": (0.088, 0.022, 0.077, 0.000),
}


def tables_4_9_to_4_13(folders: Folders) -> Section:
    """Compare the natural collections."""
    raw = robust_parts(folders, "AP", "ap")
    parts = {"AP": raw, "sAP": by_original_runs(folders, raw)}
    rows: list[Row] = []
    for measure, (kappas, first, second) in TABLES_4_9_TO_4_12.items():
        found = [
            pw.studies.comparability(parts[measure][a], parts[measure][b])
            for i, a in enumerate(NATURAL)
            for b in NATURAL[i + 1 :]
        ]
        ours = ([f.higher_on_first for f in found], [f.higher_on_second for f in found])
        rows += [
            compare(f"{measure}: κ", kappas, [f.kappa for f in found]),
            compare(f"{measure}: systems better on the first", first, ours[0], digits=0),
            compare(f"{measure}: systems better on the second", second, ours[1], digits=0),
        ]
    parts["P@10"] = robust_parts(folders, "P@10", "p10")
    rows += [
        compare(f"4.13 mean {m}", published, [parts[m][n].means().mean() for n in NATURAL])
        for m, published in TABLE_4_13.items()
    ]
    reading = "Pairs: T7–T8, T7–T03, T7–T04, T8–T03, T8–T04, T03–T04. One-tailed tests at 0.025."
    title = "Tables 4.9–4.13: natural collections"
    return Section(PAPER, title, tuple(rows), reading)


def random_collections(folders: Folders) -> Section:
    """Part topics at random: figures 4.9 and 4.11, and the tests of §4.6.3."""
    raw = robust_parts(folders, "AP", "ap")
    original = by_original_runs(folders, raw)
    names = ("trec7.adhoc", "trec8.adhoc")
    tables = [side_by_side({n: parts[n] for n in names}) for parts in (raw, original)]
    missed = list(pw.studies.false_negatives(tables, rng=1).rates.values())
    rows = [
        *_repartitions(raw, original),
        *_false_positives(*tables),
        pattern(
            "figure 4.11: pairs missed, AP and sAP",
            "0.25 to over 0.4; 0.03",
            numbers(missed),
            "standardization misses far fewer true differences. W10 also asks raw SP to tell a "
            "pair apart, which the matrices lack, so that harder pairs count here",
            holds=missed[0] > 0.25 and missed[1] < 0.08,
        ),
    ]
    title = "Figures 4.9 and 4.11, §4.6.3: random collections"
    return Section(PAPER, title, tuple(rows), "5,000 random partitions, seed 1.")


def _repartitions(raw: Parts, original: Parts) -> list[Row]:
    found = [
        pw.studies.repartition(parts["trec7.adhoc"], parts[other], rng=1, partitions=5000).pvalue
        for parts, other in (
            (raw, "trec8.adhoc"),
            (raw, "trec2003.rob"),
            (original, "trec2004.rob"),
        )
    ]
    claim = "significant at this level"
    return [
        # Of 1,000 partitions there, 5,000 here.
        compare("§4.6.3: p, T7–T8, AP", 0.353, found[0], error=0.0165),
        pattern("§4.6.3: p, T7–T03, AP", "0.001", f"{found[1]:.4f}", claim, holds=found[1] < 0.001),
        pattern("§4.6.3: p, T7–T04, sAP", "0.01", f"{found[2]:.4f}", claim, holds=found[2] < 0.01),
    ]


def _false_positives(raw: pw.ScoreTable, standardized: pw.ScoreTable) -> list[Row]:
    rates = [
        pw.studies.repartition(table, rng=1, partitions=5000).false_positives
        for table in (raw, standardized)
    ]
    errors = [round(float(r.std() * np.sqrt(2 / 5000)), 4) for r in rates]
    high = [float(np.percentile(r, 97.5)) for r in rates]
    return [
        compare("figure 4.9: mean rate, AP", 0.049, rates[0].mean(), error=errors[0]),
        compare("figure 4.9: mean rate, sAP", 0.049, rates[1].mean(), error=errors[1]),
        compare("figure 4.9: median rate, sAP", 0.036, np.median(rates[1])),
        pattern(
            "figures 4.9, 4.12: 97.5th percentile, AP and sAP",
            "about 0.5; just over 0.15",
            numbers(high),
            "standardization cuts the high rates from a half to a sixth",
            holds=high[0] > 0.4 and 0.15 < high[1] < 0.18,
        ),
    ]


SECTIONS = (tables_4_9_to_4_13, random_collections)
