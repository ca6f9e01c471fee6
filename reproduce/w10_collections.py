"""W10 §4.6: standardization between collections, from public score matrices."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.results import Row, Section, checked, compare, in_table, numbers, pattern
from reproduce.sources import Folders, read_factor, read_qrels, read_relevant
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
FROM_FACTORS = {
    "RBP.95": ((0.331, 0.343, 0.308, 0.308), 3),
    "nDCG": ((0.479, 0.514, 0.617, 0.574), 3),
    "DCG": ((9.11, 9.81, 6.22, 6.75), 2),
}
FROM_R = {"relevant": ((93.5, 94.6, 33.2, 42.1), 1), "SP": ((17.88, 20.29, 9.71, 11.61), 2)}
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
        compared = [
            pw.studies.comparability(parts[measure][a], parts[measure][b])
            for i, a in enumerate(NATURAL)
            for b in NATURAL[i + 1 :]
        ]
        ours = ([f.higher_on_first for f in compared], [f.higher_on_second for f in compared])
        tested = "4.10" if measure == "AP" else "4.12"
        better = (f"{measure}: systems better on the {which}" for which in ("first", "second"))
        comparable = "4.9" if measure == "AP" else "4.11"
        rows += [
            compare(f"{measure}: κ", kappas, [f.kappa for f in compared], table=comparable),
            compare(next(better), first, ours[0], digits=0, table=tested),
            compare(next(better), second, ours[1], digits=0, table=tested),
        ]
        if measure == "AP":
            mean = np.mean([f.kappa for f in compared])
            rows.append(compare("figure 4.13: mean κ of AP", 1.1, mean, digits=1))
    rows += in_table("4.13", [*_means(folders, parts), *_published_means(folders)])
    means = checked(
        "which are the means of its systems by topic", holds=_factors_are_means(folders)
    )
    reading = (
        "Pairs: T7–T8, T7–T03, T7–T04, T8–T03, T8–T04, T03–T04. One-tailed tests at 0.025. Table "
        f"4.13: RBP, nDCG, DCG and R come from the factors of Robust 2004, {means} (AP and P@10 "
        "of the public matrices say so); R is SP/AP, and SP is AP × R; a mean of standardized "
        "scores is the standardized mean."
    )
    title = "Tables 4.9–4.13: natural collections"
    return Section(PAPER, title, tuple(rows), reading)


def _factors_are_means(folders: Folders) -> bool:
    """Say whether the factors of Robust 2004 are the means of its matrices over systems."""
    folder = folders.data / "scores/urbano/sigir2018-simulation"
    for measure, stem in (("AP", "ap"), ("P@10", "p10")):
        table = pw.read_score_matrix(folder / f"robust2004_{stem}.csv", measure=measure)
        published = read_factor(folders.data, "trec2004.rob", "mn", measure)
        ours = dict(zip(table.topics, table.value.mean(axis=0).tolist(), strict=True))
        if any(abs(published[topic] - mean) > 1e-9 for topic, mean in ours.items()):
            return False
    return True


def _means(folders: Folders, parts: dict[str, Parts]) -> list[Row]:
    """Compare the means that public matrices hold, and the judgments of TREC-8."""
    tables = {**parts, "P@10": robust_parts(folders, "P@10", "p10")}
    judged = len(read_qrels(folders.data / "trec8")) / 50
    return [
        compare("judged, T8", 1736.6, judged, digits=1),
        *(
            compare(f"mean {m}", published, [tables[m][n].means().mean() for n in NATURAL])
            for m, published in TABLE_4_13.items()
        ),
    ]


def _published_means(folders: Folders) -> list[Row]:
    """Compare the means that the published standardization factors hold."""
    data = folders.data
    scores = {m: read_factor(data, "trec2004.rob", "mn", m) for m in FROM_FACTORS}
    scores["relevant"] = {topic: float(n) for topic, n in read_relevant(data).items()}
    ap = read_factor(data, "trec2004.rob", "mn", "AP")
    scores["SP"] = {topic: ap[topic] * n for topic, n in scores["relevant"].items()}
    rows = [
        compare(f"mean {m}", published, [_mean_on(scores[m], n) for n in NATURAL], digits=digits)
        for m, (published, digits) in {**FROM_FACTORS, **FROM_R}.items()
    ]
    standardized = [_standardized_mean(data, name, scores["DCG"]) for name in NATURAL]
    return [*rows, compare("mean sDCG", (0.137, 0.081, 0.083, 0.000), standardized)]


def _mean_on(scores: dict[str, float], collection: str) -> float:
    first, last = COLLECTIONS[collection]
    return float(np.mean([score for t, score in scores.items() if first <= int(t) <= last]))


def _standardized_mean(data: Path, name: str, scores: dict[str, float]) -> float:
    """Return the mean over topics of mean scores, standardized by the original runs."""
    mean, deviation = (read_factor(data, name, kind, "DCG") for kind in ("mn", "sd"))
    first, last = COLLECTIONS[name]
    topics = [t for t in mean if first <= int(t) <= last]
    return float(np.mean([(scores[t] - mean[t]) / deviation[t] for t in topics]))


def random_collections(folders: Folders) -> Section:
    """Part topics at random: figures 4.9 and 4.11, and the tests of §4.6.3."""
    raw = robust_parts(folders, "AP", "ap")
    original = by_original_runs(folders, raw)
    names = ("trec7.adhoc", "trec8.adhoc")
    tables = [side_by_side({n: parts[n] for n in names}) for parts in (raw, original)]
    rows = [*_repartitions(raw, original), *_false_positives(*tables), *_missed(folders, tables)]
    title = "Figures 4.9 and 4.11, §4.6.3: random collections"
    reading = (
        "5,000 random partitions, seed 1. The p value of T7–T8 is taken to rest on 1,000 of them, "
        "as figure 4.10 does: the thesis does not say. Figure 4.11: raw SP is AP × R, with R from "
        "the published factors."
    )
    times = _error_of_p(1000) / _error_of_p(5000)
    more = f"z of T7–T8 would be {times:.1f} times as large"
    choices = (f"With 5,000 partitions in the thesis, too, {more}.",)
    return Section(PAPER, title, tuple(rows), reading, choices=choices)


def _missed(folders: Folders, tables: list[pw.ScoreTable]) -> list[Row]:
    """Count the pairs that surely differ, and how often halves of the topics miss it."""
    R = read_relevant(folders.data)
    by_topic = np.array([R[topic] for topic in tables[0].topics], float)
    total = replace(tables[0], measure=pw.parse_measure("SP"), value=tables[0].value * by_topic)
    missing = pw.studies.false_negatives([total, *tables], rng=1)
    p10 = robust_parts(folders, "P@10", "p10")
    halves = [{n: part[n] for n in NATURAL[:2]} for part in (p10, by_original_runs(folders, p10))]
    plain, standardized = (side_by_side(half) for half in halves)
    normalized = replace(
        plain, measure=pw.parse_measure("nP@10"), value=plain.value * 10 / np.minimum(by_topic, 10)
    )
    precise = pw.studies.false_negatives([plain, normalized, standardized], rng=1)
    missed = list(missing.rates.values())
    return [
        compare("figure 4.11: pairs in all", 5955, missing.pairs, digits=0, remark="see errata"),
        compare("figure 4.11: pairs that differ by P@10", 1714, precise.different, digits=0),
        compare(
            "figure 4.11: pairs that differ by SP",
            2896,
            missing.different,
            digits=0,
            remark=_lacking_digits(tables, by_topic),
        ),
        pattern(
            "figure 4.11: pairs missed, SP, AP and sAP",
            "0.25 to over 0.4; 0.03",
            numbers(missed),
            "standardization misses far fewer true differences",
            holds=min(missed[:2]) > 0.25 and missed[2] < 0.08,
        ),
    ]


def _error_of_p(theirs: int, *, p: float = 0.353, ours: int = 5000) -> float:
    """Return the standard error of the difference of two p values, of so many partitions each."""
    return round(float(np.sqrt(p * (1 - p) * (1 / theirs + 1 / ours))), 4)


def _lacking_digits(
    tables: list[pw.ScoreTable], by_topic: NDArray[np.float64], draws: int = 60
) -> str:
    """Say how many pairs differ if the digits that the public AP lacks are drawn."""
    (raw, standardized), rng, different = tables, np.random.default_rng(1), set()
    for _ in range(draws):
        drawn = replace(raw, value=raw.value + rng.uniform(-5e-5, 5e-5, raw.value.shape))
        total = replace(drawn, measure=pw.parse_measure("SP"), value=drawn.value * by_topic)
        missed = pw.studies.false_negatives([total, drawn, standardized], rng=1, samples=2)
        different.add(missed.different)
    counts = " or ".join(map(str, sorted(different)))
    return f"open: {draws} draws of the digits that the public AP lacks give {counts}"


def _repartitions(raw: Parts, original: Parts) -> list[Row]:
    pvalues = [
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
        compare("§4.6.3: p, T7–T8, AP", 0.353, pvalues[0], error=_error_of_p(1000)),
        pattern(
            "§4.6.3: p, T7–T03, AP", "0.001", f"{pvalues[1]:.4f}", claim, holds=pvalues[1] < 0.001
        ),
        pattern(
            "§4.6.3: p, T7–T04, sAP", "0.01", f"{pvalues[2]:.4f}", claim, holds=pvalues[2] < 0.01
        ),
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
