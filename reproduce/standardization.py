"""W10 chapter 4: tables 4.2–4.3 and 4.5–4.12, figures 4.4 and 4.8–4.11, from public score matrices.

Run as ``python -m reproduce.standardization``. Each line prints our numbers, a bar, and the
published ones. Where they differ:

- Tables 4.3 and 4.6, rows "Auto": the matrices do not name the TREC 5 runs, so that the automatic
  ones cannot be picked; only "All" is computed.
- Tables 4.2 and 4.5, TREC 2001 Web and TREC 06 TB: the one has no public matrix, and that of the
  other holds other runs (61, on 149 topics), with AP at 19, 57, 24 where W10 has 19, 49, 32.
- Figure 4.11: W10 also asks raw SP to tell a pair apart, which the matrices lack, so that more
  pairs, and harder ones, count as different.
- Figures 4.8 to 4.11 and the repartition test rest on random draws.
"""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

import poolwise as pw

DATA = Path(
    os.environ.get("POOLWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
ADHOC = DATA / "scores" / "urbano" / "sigir2019-statistical"
ROBUST = DATA / "scores" / "urbano" / "sigir2018-simulation"
COLLECTIONS = {
    "trec6.adhoc": (301, 350),
    "trec7.adhoc": (351, 400),
    "trec8.adhoc": (401, 450),
    "trec2003.rob": (601, 650),
    "trec2004.rob": (651, 700),
}
NATURAL = [name for name in COLLECTIONS if name != "trec6.adhoc"]

Parts = dict[str, pw.ScoreTable]


def main() -> None:
    """Print ours beside the published numbers."""
    trec5 = pw.read_score_matrix(ADHOC / "adhoc5_ap.csv", measure="AP")
    components(trec5)
    significance(trec5)
    raw = robust_parts("AP", "ap")
    standardized = by_original_runs(raw)
    reference_sets(raw, standardized)
    natural_collections(raw, standardized)
    sampled_collections(raw, standardized)


def components(trec5: pw.ScoreTable) -> None:
    """Print tables 4.2, 4.5 and 4.8: shares of systems, topics and interaction, and ρ_I."""
    p10 = pw.read_score_matrix(ADHOC / "adhoc5_p10.csv", measure="P@10")
    show("4.2 TREC 5 AP", shares(trec5), "8 62 30 22")
    show("4.2 TREC 5 P@10", shares(p10), "12 47 41 22")
    show("4.5 TREC 5 sAP", shares(pw.standardize(trec5)), "29 0 71 29")
    show("4.5 TREC 5 sP@10", shares(pw.standardize(p10)), "22 0 78 22")
    for measure, stem, published in (
        ("AP", "ap", ("7 66 27 20", "25 0 75 25", "20 10 70 22")),
        ("P@10", "p10", ("4 60 36 11", "12 0 88 12", "10 8 82 11")),
    ):
        parts = robust_parts(measure, stem)
        parts.pop("trec2004.rob")
        raw, original = side_by_side(parts), side_by_side(by_original_runs(parts))
        show(f"4.8 Robust {measure}", shares(raw), published[0])
        show("    by itself", shares(pw.standardize(raw)), published[1])
        show("    by original runs", shares(original), published[2])


def significance(trec5: pw.ScoreTable) -> None:
    """Print tables 4.3 and 4.6, and figure 4.4."""
    ours = pw.standardize(trec5, pw.StandardizationFactors.from_table(trec5, ddof=1))
    for name, table, published in (("4.3", trec5, "0.636 0.364"), ("4.6", ours, "0.683 0.683")):
        tests = [pw.compare_pairs(table, test=test) for test in ("t", "pooled-t")]
        rates = [float((found.pvalue < 0.05).mean()) for found in tests]
        show(f"{name} {table.measure} paired, two-sample", decimals(rates), published)
    show("figure 4.4: r, τ", decimals(correlations(trec5, ours)), "0.985 0.903")
    show("figure 4.4: slope", f"{np.polyfit(trec5.means(), ours.means(), 1)[0]:.1f}", "7.9")


def reference_sets(raw: Parts, standardized: Parts) -> None:
    """Print table 4.7 and figure 4.8: how far reference systems matter."""
    published = ("0.997 0.945", "0.999 0.965", "0.999 0.971", "0.995 0.935")
    for name, printed in zip(list(COLLECTIONS)[:4], published, strict=True):
        own = pw.standardize(raw[name])
        show(f"4.7 {name}: r, τ", decimals(correlations(standardized[name], own)), printed)
    pair = raw["trec2003.rob"], raw["trec2004.rob"]
    show("4.7 AP, 2003 and 2004", decimals(correlations(*pair)), "0.943 0.742")
    path = DATA / "scores" / "urbano" / "irj2015-reliability" / "robust2003.csv"
    topics = factors("trec2003.rob", "AP").topics
    references = replace(pw.read_score_matrix(path, measure="AP"), topics=topics)
    found = pw.reference_stability(pair[0], references, sizes=[5, 10, 20], rng=1)
    reached = [found.lowest(0.5)[0], found.lowest(0.95)[1], found.lowest(0.99)[2]]
    show("figure 4.8: 5, 10, 20 systems", decimals(reached), "0.888 or more each")


def natural_collections(raw: Parts, standardized: Parts) -> None:
    """Print tables 4.9 to 4.12: κ, and systems better on the first, on the second."""
    published = {
        "AP": "0.627,0,2 1.857,0,103 1.285,0,61 1.387,0,57 0.859,0,8 0.583,2,0",
        "sAP": "0.349,4,2 0.396,5,4 0.452,14,3 0.464,5,13 0.462,13,8 0.394,12,1",
    }
    pairs = [(a, b) for i, a in enumerate(NATURAL) for b in NATURAL[i + 1 :]]
    for parts in (raw, standardized):
        measure = parts["trec7.adhoc"].measure
        for (a, b), printed in zip(pairs, published[measure].split(), strict=True):
            found = pw.compare_collections(parts[a], parts[b])
            ours = f"{found.kappa:.3f},{found.higher_on_first},{found.higher_on_second}"
            show(f"4.9–4.12 {measure} {a} {b}", ours, printed)
    for parts, other, printed in (
        (raw, "trec8.adhoc", "0.353"),
        (raw, "trec2003.rob", "below 0.001"),
        (standardized, "trec2004.rob", "below 0.01"),
    ):
        test = pw.repartition(parts["trec7.adhoc"], parts[other], rng=1, partitions=5000)
        show(f"§4.6.3 p, trec7.adhoc {other} {test.measure}", f"{test.pvalue:.4f}", printed)


def sampled_collections(raw: Parts, standardized: Parts) -> None:
    """Print figures 4.9 and 4.11: errors between random halves of TREC 7 and TREC 8."""
    tables = [
        side_by_side({name: parts[name] for name in ("trec7.adhoc", "trec8.adhoc")})
        for parts in (raw, standardized)
    ]
    for table, printed in zip(tables, ("0.049 0 (most)", "0.049 0.036 0.15"), strict=True):
        rates = pw.repartition(table, rng=1, partitions=5000).false_positives
        ours = [rates.mean(), *np.percentile(rates, [50, 97.5])]
        show(f"figure 4.9 {table.measure}: mean, median, 97.5th %", decimals(ours), printed)
    found = pw.false_negatives(tables, rng=1)
    show("figure 4.11 AP, sAP missed", decimals(found.rates.values()), "over 0.25, 0.03")


def robust_parts(measure: str, stem: str) -> Parts:
    """Return the Robust 2004 scores on each of its sub-collections."""
    table = pw.read_score_matrix(ROBUST / f"robust2004_{stem}.csv", measure=measure)
    return {
        name: table.select(topics=[t for t in table.topics if first <= int(t) <= last])
        for name, (first, last) in COLLECTIONS.items()
    }


def factors(name: str, measure: str) -> pw.StandardizationFactors:
    """Return the published factors of a collection."""
    return pw.load_factors(DATA / "standardization-factors" / f"{name}.mn.csv", measure=measure)


def by_original_runs(parts: Parts) -> Parts:
    """Standardize each sub-collection by the runs that it was made with."""
    return {
        name: pw.standardize(table, factors(name, table.measure)) for name, table in parts.items()
    }


def side_by_side(parts: Parts) -> pw.ScoreTable:
    """Return one table with the topics of all."""
    tables = list(parts.values())
    return pw.ScoreTable.from_matrix(
        np.hstack([table.value for table in tables]),
        systems=tables[0].systems,
        topics=[topic for table in tables for topic in table.topics],
        measure=tables[0].measure,
    )


def shares(table: pw.ScoreTable) -> str:
    """Return the components of variance and ρ_I in percent."""
    found = pw.variance_components(table)
    return " ".join(f"{100 * share:.0f}" for share in (*found.shares, found.relative()))


def correlations(first: pw.ScoreTable, second: pw.ScoreTable) -> list[float]:
    """Return Pearson's r and Kendall's τ between mean scores."""
    means = first.means(), second.means()
    return [float(pw.correlate(*means, method=method)) for method in ("pearson", "tau_b")]


def decimals(values: Iterable[float]) -> str:
    """Return numbers to three places."""
    return " ".join(f"{value:.3f}" for value in values)


def show(what: str, ours: str, published: str) -> None:
    """Print one line."""
    print(f"{what:<44} {ours:<24} | {published}")


if __name__ == "__main__":
    main()
