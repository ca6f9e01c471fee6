"""W10 chapter 5: tables 5.2 and 5.3, figures 5.4, 5.5, 5.9 and 5.10, from public score matrices.

Run as ``python -m reproduce.power``. Each line prints our numbers, a bar, and the published ones.
Where they differ:

- Table 5.3, from the runs: W10 does not say where the second quartile begins and ends, nor whether
  broken runs were left out; without runs below 0.05 the medians are 0.044, 0.042, 0.0385, 0.031.
  TREC 3, 4, the Web and the Terabyte tracks have no public matrix.
- Table 5.3, from the printed medians: these have two or three digits, which is up to 3% of topics.
- Figures 5.9 and 5.10: W10 does not say with how many topics an experiment starts; we take 40.
"""

import os
from pathlib import Path

import numpy as np

import poolwise as pw

DATA = Path(
    os.environ.get("POOLWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
TABLE_5_2 = {
    5: "0.170 0.241 0.069 0.097",
    6: "0.199 0.259 0.080 0.105",
    7: "0.151 0.207 0.061 0.084",
    8: "0.159 0.226 0.064 0.091",
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
"""Pairs of systems for figures 5.9 and 5.10."""


def main() -> None:
    """Print ours beside the published numbers."""
    trec_collections()
    printed_medians()
    path = DATA / "scores/urbano/sigir2018-simulation/robust2004(noD)_ap.csv"
    robust = pw.read_score_matrix(path, measure="AP")
    deviations(robust)
    iterative(robust)


def trec_collections() -> None:
    """Print table 5.2, and table 5.3 from the runs."""
    for year, published in TABLE_5_2.items():
        path = DATA / f"scores/urbano/sigir2019-statistical/adhoc{year}_ap.csv"
        found = pw.collection_power(pw.read_score_matrix(path, measure="AP"))
        sigmas = f"{found.sigma_median:.3f} {found.sigma_95:.3f}"
        deltas = f"{found.detectable_median:.3f} {found.detectable_95:.3f}"
        show(f"5.2 TREC {year}: σ and δ, median and 95%", f"{sigmas} {deltas}", published)
        delta, sigma, topics = TABLE_5_3[f"TREC {year}"]
        medians = f"{found.baseline_delta:.3f} {found.baseline_sigma:.3f}"
        needed = f"{np.ceil(found.topics_needed):.0f}"
        show(f"5.3 TREC {year}, runs", f"{medians} {needed}", f"{delta:.3f} {sigma:.3f} {topics}")


def printed_medians() -> None:
    """Print table 5.3 from its own medians."""
    for name, (delta, sigma, topics) in TABLE_5_3.items():
        found = pw.power_analysis(delta=delta, sigma=sigma, power=0.8)
        show(f"5.3 {name}, printed medians", f"{found.whole_topics}", f"{topics}")


def deviations(robust: pw.ScoreTable) -> None:
    """Print figures 5.4 and 5.5, and the outcome of algorithm 5.1."""
    found = pw.collection_power(robust)
    show("figure 5.4: line", f"{found.intercept:.3f} {found.slope:.3f}", "0.131 0.233")
    test = pw.dispersion_test(robust, rng=1)
    show("figure 5.5: dispersion", f"{test.observed:.3f}", "0.030")
    show("algorithm 5.1: expected", f"{test.expected:.3f}, p {test.pvalue:.3f}", "0.015, p 0.001")


def iterative(robust: pw.ScoreTable) -> None:
    """Print figures 5.9 and 5.10: the bias of adding topics until power is reached."""
    pairs = pw.baseline_pairs(robust, experimental="upper")
    chosen = np.random.default_rng(1).choice(len(pairs), PAIRS, replace=False)
    deltas = robust.value[pairs.left[chosen]] - robust.value[pairs.right[chosen]]
    effect = float(pw.detectable_effect(100))
    found = [
        pw.simulate_iterative_design(d, delta=effect * d.std(), rng=i, start=40)
        for i, d in enumerate(deltas)
    ]
    true, mean = np.array([(f.sigma, f.sigma_mean) for f in found]).T
    show("figure 5.9: slope of σ", f"{np.polyfit(true, mean, 1)[0]:.3f}", "0.965")
    rates = np.array([(f.false_positives, f.false_positives_fixed) for f in found])
    more = int((rates[:, 0] > rates[:, 1]).sum())
    ours = f"{rates[:, 0].mean():.4f} {rates[:, 1].mean():.4f}, {more} of {PAIRS}"
    show("figure 5.10: false positives", ours, "0.0558 0.0501, 20 of 25")


def show(what: str, ours: str, published: str) -> None:
    """Print one line."""
    print(f"{what:<44} {ours:<24} | {published}")


if __name__ == "__main__":
    main()
