"""W10 §4.2 to §4.5: standardization within a collection, from public score matrices."""

import csv
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.results import Row, Section, checked, compare, numbers, pattern
from reproduce.sources import Folders
from reproduce.w10_measures import PAPER

COLLECTIONS = {
    "trec6.adhoc": (301, 350),
    "trec7.adhoc": (351, 400),
    "trec8.adhoc": (401, 450),
    "trec2003.rob": (601, 650),
    "trec2004.rob": (651, 700),
}
SHARES = "shares of systems, topics, interaction, and (where it is a cell of its own) ρ_I, in %"
SYSTEMS = ("ETHme1", "LNmFull1", "Cor5A1se", "anu5aut1")
FAULTY = 0.05
TOPICS = {"q276": 25, "q262": 11, "q277": 26, "q252": 1}
TABLE_4_1 = (
    ("systems, mean", (0.317, 0.282, 0.206, 0.154)),
    ("systems, st.dev", (0.231, 0.271, 0.220, 0.232)),
    ("topics, mean", (0.771, 0.506, 0.175, 0.056)),
    ("topics, st.dev", (0.235, 0.383, 0.118, 0.039)),
)
TABLE_4_4 = {
    "q276": (0.840, 0.975, -0.667, 0.180),
    "q262": (-0.015, 1.161, -1.277, 1.291),
    "q277": (1.434, 1.067, 0.689, -0.985),
    "q252": (-0.275, 0.059, -0.665, 1.340),
}
TABLE_4_4_RAW = {
    "q276": (0.968, 1.000, 0.615, 0.814),
    "q262": (0.500, 0.950, 0.017, 1.000),
    "q277": (0.344, 0.301, 0.256, 0.059),
    "q252": (0.045, 0.058, 0.030, 0.109),
}
TABLE_4_7 = {
    "trec6.adhoc": (0.997, 0.945),
    "trec7.adhoc": (0.999, 0.965),
    "trec8.adhoc": (0.999, 0.971),
    "trec2003.rob": (0.995, 0.935),
}
TABLE_4_8 = {
    ("AP", "ap"): ((7, 66, 27, 20), (25, 0, 75), (20, 10, 70, 22)),
    ("P@10", "p10"): ((4, 60, 36, 11), (12, 0, 88), (10, 8, 82, 11)),
}
# By who is counted: AP, sAP, and what is gained; paired and two-sample tests.
TABLES_4_3_AND_4_6 = {
    "All": ((0.636, 0.364), (0.683, 0.683), (0.047, 0.319)),
    "Auto": ((0.495, 0.130), (0.561, 0.542), (0.066, 0.412)),
}
Parts = dict[str, pw.ScoreTable]
Floats = NDArray[np.float64]


def tables_4_1_and_4_4(folders: Folders) -> Section:
    """Standardize four systems on four topics of TREC 5."""
    table = _trec5(folders)
    factors = pw.scores.StandardizationFactors.from_table(table, ddof=1)
    rows, columns = [table.systems.index(name) for name in SYSTEMS], list(TOPICS.values())
    ours = (
        table.value.mean(axis=1)[rows],
        table.value.std(axis=1, ddof=1)[rows],
        factors.mean[columns],
        factors.deviation[columns],
    )
    z = pw.standardize(table, factors).value
    compared = [
        *(compare(n, p, o, table="4.1") for (n, p), o in zip(TABLE_4_1, ours, strict=True)),
        *(
            compare(f"{t}, raw", p, table.value[rows, TOPICS[t]], table="4.4")
            for t, p in TABLE_4_4_RAW.items()
        ),
        *(
            compare(f"{t}, standardized", p, z[rows, TOPICS[t]], table="4.4")
            for t, p in TABLE_4_4.items()
        ),
        *_texts(table, z, _automatic(folders, table)),
    ]
    reading = (
        f"σ with divisor n−1. Systems {', '.join(SYSTEMS)} (the thesis prints LNmFull11 for "
        f"LNmFull1); topics {', '.join(TOPICS)}."
    )
    title = "Tables 4.1 and 4.4: standardized scores"
    return Section(PAPER, title, tuple(compared), reading)


def _item_total_r(table: pw.ScoreTable) -> float:
    """Correlate the topics' deviations with how well each agrees with all the others."""
    return pw.findings.item_total_correlations(table).correlation


def _texts(table: pw.ScoreTable, z: Floats, automatic: list[str]) -> list[Row]:
    """Compare what §4.2.2, §4.3 and §4.4.1 say of all scores of TREC 5."""
    quartiles = np.percentile(table.value.std(axis=0, ddof=1), (75, 25))
    lexis = [run for run in table.systems if run.startswith("LNa")]
    other = [
        _item_total_r(table.select(runs=[*automatic, *some]))
        for some in (lexis, *([run] for run in lexis))
    ]
    why = checked(
        f"none of these counts gives it: {numbers(other[:1])} with both Lexis-Nexis runs that "
        f"its group calls automatic, {numbers(other[1:])} with one of them",
        holds=0.091 not in np.round(other, 3),
    )
    return [
        compare("§4.2.2: σ of the topics at both quartiles", (0.170, 0.067), quartiles),
        compare("§4.2.2: r of σ and item–total correlation", 0.277, _item_total_r(table)),
        compare(
            "§4.2.2: the same, 28 automatic runs that work",
            0.091,
            _item_total_r(table.select(runs=automatic)),
            remark=why,
        ),
        compare("§4.3: % of sAP from −2 to 2", 96, 100 * (np.abs(z) <= 2).mean(), digits=0),
        compare("§4.4.1: median of sAP", -0.2, np.median(z), digits=1),
    ]


def tables_4_2_4_5_4_8(folders: Folders) -> Section:
    """Compute components of variance, raw and standardized."""
    published = {
        "AP": ((8, 62, 30, 22), (29, 0, 71)),
        "P@10": ((12, 47, 41, 22), (22, 0, 78)),
    }
    rows: list[Row] = []
    for measure, (raw, standardized) in published.items():
        table = _trec5(folders, measure)
        rows.append(_shares(f"TREC 5 {measure}", raw, table, "4.2"))
        rows.append(_shares(f"TREC 5 s{measure}", standardized, pw.standardize(table), "4.5"))
    for (measure, stem), printed in TABLE_4_8.items():
        parts = robust_parts(folders, measure, stem)
        parts.pop("trec2004.rob")
        whole = side_by_side(parts)
        tables = whole, pw.standardize(whole), side_by_side(by_original_runs(folders, parts))
        kinds = ("raw", "by itself", "by the original runs")
        rows += [
            _shares(f"Robust 2004 {measure}, {kind}", row, table, "4.8")
            for kind, row, table in zip(kinds, printed, tables, strict=True)
        ]
    reading = (
        f"{SHARES[0].upper()}{SHARES[1:]}. TREC 2001 Web has no public matrix, and that of TREC "
        f"2006 Terabyte holds other runs ({_terabyte(folders)}, where W10 has 19 49 32)."
    )
    title = "Tables 4.2, 4.5 and 4.8: components of variance"
    return Section(PAPER, title, tuple(rows), reading)


def _shares(what: str, published: Sequence[float], table: pw.ScoreTable, number: str) -> Row:
    components = pw.findings.variance_components(table)
    ours = [100 * share for share in (*components.shares, components.relative())]
    return compare(what, published, ours[: len(published)], digits=0, table=number)


def _terabyte(folders: Folders) -> str:
    """Say what the public matrix of TREC 2006 Terabyte gives."""
    path = folders.data / "scores/urbano/sigir2019-standardization/terabyte2006_ap.csv"
    table = pw.read_score_matrix(path, measure="AP")
    components = pw.findings.variance_components(table)
    shares = [100 * part for part in components.shares[:3]]
    return f"{len(table.systems)}, on {len(table.topics)} topics: AP {numbers(shares, 0)}"


def tables_4_3_and_4_6(folders: Folders) -> Section:
    """Count significant pairs, raw and standardized, paired and not."""
    raw = _trec5(folders)
    ours = pw.standardize(raw, pw.scores.StandardizationFactors.from_table(raw, ddof=1))
    automatic = _automatic(folders, raw)
    rates = {
        "All": (_rates(raw), _rates(ours)),
        "Auto": tuple(_rates(table.select(runs=automatic)) for table in (raw, ours)),
    }
    rows = []
    for who, (before, after) in rates.items():
        printed = TABLES_4_3_AND_4_6[who]
        gained = np.subtract(np.round(after, 3), np.round(before, 3))
        rows += [
            compare(f"{who}: AP paired, two-sample", printed[0], before, table="4.3"),
            compare(f"{who}: sAP paired, two-sample", printed[1], after, table="4.6"),
            compare(f"{who}: more than AP by", printed[2], gained, table="4.6"),
        ]
    line = np.polyfit(raw.means(), ours.means(), 1)
    rows += [
        compare("figure 4.4: r, τ", (0.985, 0.903), correlations(raw, ours)),
        compare("figure 4.4: slope, intercept", (7.9, -1.5), line, digits=1),
        compare("§4.4.1: % of sAP below 0", 57, 100 * (ours.value < 0).mean(), digits=0),
        compare("§4.4.1: sAP above 4, of 3,050", 10, (ours.value > 4).sum(), digits=0),
        *_intervals(raw, ours),
    ]
    reading = (
        "σ with divisor n−1, of all 61 runs in rows “Auto”, too; the two-sample test pools the "
        "variances. “Auto”: automatic runs with a mean AP above 0.05, the two of Lexis-Nexis that "
        f"its group calls automatic counted as manual: {len(automatic)} runs. "
        "What is gained is the difference of printed shares."
    )
    alone = _rates(pw.standardize(raw.select(runs=automatic), ddof=1))
    choices = (
        (
            f"Standardized by the {len(automatic)} runs alone, the row Auto of table 4.6 is "
            f"{numbers(alone)}."
        ),
        checked(
            "The caption of table 4.6 says 30 automatic runs minus 4 faulty ones; 28, as table 4.3 "
            "says, is what gives the digits.",
            holds=len(automatic) == 28
            and all(r.cells.equal == 2 for r in rows if "Auto" in r.what),
        ),
    )
    title = "Tables 4.3 and 4.6, figure 4.4: significance after standardization"
    return Section(PAPER, title, tuple(rows), reading, choices=choices)


def _automatic(folders: Folders, table: pw.ScoreTable) -> list[str]:
    """Return the automatic runs of TREC 5 that work, as the thesis counts them."""
    with (folders.data / "scores/trec5-runs.tsv").open(encoding="utf-8") as lines:
        kinds = {row["run"]: row["type"] for row in csv.DictReader(lines, delimiter="\t")}
    means = dict(zip(table.systems, table.means().tolist(), strict=True))
    return [
        run
        for run in table.systems
        if kinds[run] == "automatic" and not run.startswith("LN") and means[run] > FAULTY
    ]


def _rates(table: pw.ScoreTable) -> list[float]:
    tests = (pw.findings.run_test(table, test=test) for test in ("t", "pooled-t"))
    return [float((test.pvalue < 0.05).mean()) for test in tests]


def _intervals(raw: pw.ScoreTable, standardized: pw.ScoreTable) -> list[Row]:
    published = {
        ("ETHme1", "AP"): (0.32, 0.07),
        ("LNmFull1", "AP"): (0.28, 0.08),
        ("ETHme1", "sAP"): (1.28, 0.37),
        ("LNmFull1", "sAP"): (0.61, 0.18),
    }
    tables = {"AP": raw, "sAP": standardized}
    rows = []
    for (system, measure), printed in published.items():
        place = raw.systems.index(system)
        low, high = (bound[place] for bound in tables[measure].interval())
        ours = ((low + high) / 2, (high - low) / 2)
        what = f"§4.4.2: {measure} of {system}, ±"
        rows.append(compare(what, printed, ours, digits=2))
    equal = sum(not row.cells.differ for row in rows)
    why = f"the thesis gives no formula, and {equal} of its {len(rows)} intervals come out"
    return [replace(row, remark=why) if row.cells.differ else row for row in rows]


def table_4_7(folders: Folders) -> Section:
    """Standardize the Robust 2004 runs by themselves and by the original runs."""
    raw = robust_parts(folders, "AP", "ap")
    original = by_original_runs(folders, raw)
    pair = raw["trec2003.rob"], raw["trec2004.rob"]
    rows = [
        *(
            compare(f"{n}: r, τ", p, correlations(original[n], pw.standardize(raw[n])), table="4.7")
            for n, p in TABLE_4_7.items()
        ),
        compare("AP on 2003 and 2004: r, τ", (0.943, 0.742), correlations(*pair), table="4.7"),
        compare(
            "figure 4.8: τ of AP and sAP, 2003",
            0.888,
            correlations(pair[0], original["trec2003.rob"])[1],
        ),
        _few_references(folders, pair[0]),
        *_outliers(original["trec2003.rob"]),
    ]
    title = "Table 4.7 and figure 4.8: other reference systems"
    return Section(
        PAPER, title, tuple(rows), "Published factors; figure 4.8: 2,000 samples, seed 1."
    )


def _outliers(table: pw.ScoreTable) -> list[Row]:
    """Compare what §4.7.2 says of the largest standardized scores of Robust 2004, topic 605."""
    scores, bound = table.select(topics=["605"]).value, np.sqrt(78 - 1)
    return [
        compare("§4.7.2: largest score a reference system can have", 8.77, bound, digits=2),
        compare("§4.7.2: systems above it on topic 605", 8, (scores > bound).sum(), digits=0),
        compare("§4.7.2: largest score on topic 605", 11.82, scores.max(), digits=2),
    ]


def _few_references(folders: Folders, table: pw.ScoreTable) -> Row:
    path = folders.data / "scores/urbano/irj2015-reliability/robust2003.csv"
    factors = folders.data / "standardization-factors/trec2003.rob.mn.csv"
    # The matrix does not name its topics, and has them in the order of the factors.
    topics = pw.scores.load_factors(factors, measure="AP").topics
    references = replace(pw.read_score_matrix(path, measure="AP"), topics=topics)
    stability = pw.studies.reference_stability(table, references, sizes=[5, 10, 20], rng=1)
    reached = [stability.lowest(0.5)[0], stability.lowest(0.95)[1], stability.lowest(0.99)[2]]
    return pattern(
        "figure 4.8: τ of 5 systems (median), 10 (95%), 20 (99%)",
        "about 0.888 or more",
        numbers(reached),
        "so few reference systems order runs as alike as raw and standardized AP do",
        holds=min(reached) > 0.888 - 0.005,
    )


def _trec5(folders: Folders, measure: str = "AP") -> pw.ScoreTable:
    stem = {"AP": "ap", "P@10": "p10"}[measure]
    path = folders.data / f"scores/urbano/sigir2019-statistical/adhoc5_{stem}.csv"
    with (folders.data / "scores/trec5-runs.tsv").open(encoding="utf-8") as lines:
        names = tuple(row["run"] for row in csv.DictReader(lines, delimiter="\t"))
    return replace(pw.read_score_matrix(path, measure=measure), systems=names)


def robust_parts(folders: Folders, measure: str, stem: str) -> Parts:
    """Return the Robust 2004 scores on each of its sub-collections."""
    path = folders.data / f"scores/urbano/sigir2018-simulation/robust2004_{stem}.csv"
    table = pw.read_score_matrix(path, measure=measure)
    return {
        name: table.select(topics=[t for t in table.topics if first <= int(t) <= last])
        for name, (first, last) in COLLECTIONS.items()
    }


def by_original_runs(folders: Folders, parts: Parts) -> Parts:
    """Standardize each sub-collection by the runs that it was made with."""
    folder = folders.data / "standardization-factors"
    return {
        name: pw.standardize(
            table, pw.scores.load_factors(folder / f"{name}.mn.csv", measure=table.measure)
        )
        for name, table in parts.items()
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


def correlations(first: pw.ScoreTable, second: pw.ScoreTable) -> list[float]:
    """Return Pearson's r and Kendall's τ between mean scores."""
    means = first.means(), second.means()
    return [float(pw.correlate(*means, method=method)) for method in ("pearson", "tau_b")]


SECTIONS = (tables_4_1_and_4_4, tables_4_2_4_5_4_8, tables_4_3_and_4_6, table_4_7)
