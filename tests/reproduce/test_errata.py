"""Each erratum has a number to check, and it is what the data give."""

import csv
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.each import over

import poolwise as pw
from reproduce.b23 import TABLE_4
from reproduce.b23_case_study import TABLE_7
from reproduce.b23_unjudged import TABLE_3
from reproduce.d10 import power
from reproduce.errata import ERRATA
from reproduce.sources import read_properties, read_relevant
from reproduce.w10_pooling_bias import COMMON, TABLES_6_4_AND_6_5
from reproduce.w10_power import second_quartile_medians

PAGE = Path(__file__).parents[2] / "reproduce" / "RESULTS.md"


def row(what: str, *, title: str = "") -> str:
    """Return a row of the page, of the section with this title."""
    page = PAGE.read_text(encoding="utf-8")
    section = page[page.index(f"#### {title}") :] if title else page
    return re.search(rf"^\| {re.escape(what)} \|.*$", section, re.MULTILINE)[0]


def ours(what: str, *, title: str = "") -> list[float]:
    """Return our numbers of a row."""
    return [float(number) for number in row(what, title=title).split("|")[3].split()]


def trec5(data: Path) -> pw.ScoreTable:
    path = data / "scores/urbano/sigir2019-statistical/adhoc5_ap.csv"
    return pw.read_score_matrix(path, measure="AP")


def swapped_rows(_: Path) -> bool:
    """On TREC-8, the prior of the pool has the error of the naïve lower bound."""
    title = "Tables 4–6: groups left out, TREC-8"
    errors = (ours(f"table 4, {n}: lower, actual, upper RMSE", title=title)[1] for n in METHODS)
    return abs(np.subtract(*errors)) <= 0.001


METHODS = ("naïve lower", "bootstrap, pool")


def prior_of_all_topics(_: Path) -> bool:
    """Over all topics every percentile is within; by topic, one is off by 0.04 and more."""
    cells = [row(f"{m}, {which}: bootstrap, 95th percentile") for which, m in TABLE_7]
    said = re.search(
        r"95th percentiles are ([\d. ]+), where ([\d. ]+) are printed", PAGE.read_text()
    )
    by_topic, printed = (np.array(numbers.split(), float) for numbers in said.groups())
    return not any("differ" in cell for cell in cells) and np.abs(by_topic - printed).max() > 0.04


def fullest_bin(_: Path) -> bool:
    """Check that the most frequent score is too high nine times of nine."""
    return "printed: 9 of 9 are too high" in PAGE.read_text(encoding="utf-8")


def pearson(data: Path) -> bool:
    """Check that the authors' file has the number of table 5 as Pearson's r."""
    path = data / "b23-authors" / "system-ranking-correlation-on-all-runs-with-unjudged.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        correlations = {
            (entry["corpus"], entry["method"]): entry for entry in map(json.loads, lines)
        }
    upper = correlations["Robust04", "max-residual"]
    return (round(upper["pearson"], 4), round(upper["kendall"], 3)) == (-0.2682, 0.189)


def outside_the_pool(_: Path) -> bool:
    """Check that what the pool to depth 10 lacks has the shares that table 3 calls unjudged."""
    return "0.961 0.039" in row("TREC-8: share of grades, pool; unjudged")


def relevant_of_trec13(data: Path) -> bool:
    """R of the topics adds up to 17,412."""
    R = list(read_relevant(data).values())
    return sum(R) == 17_412 and round(sum(R) / len(R), 2) == 69.93


def one_pair_alike(data: Path) -> bool:
    """Mer8Adtd1 and Mer8Adtd2 score alike on every topic, and are the only deep pair that does."""
    files = [data / "trec8/runs" / f"Mer8Adtd{i}.gz" for i in (1, 2)]
    scores = pw.evaluate(data / "trec8/qrels.gz", files, "AP", bounds="none")["AP"]
    alike = ours("§3.5, TREC-8: pairs that score alike on all topics")
    return bool((scores.value[0] == scores.value[1]).all()) and alike == [1.0]


def sizes_of_mean_errors(_: Path) -> bool:
    """Cells of unadjusted means are column 0 times 1 − n/50, to a unit of the last digit."""
    rows = [cells for widths in TABLES_6_4_AND_6_5.values() for cells, _ in widths.values()]
    off = [
        abs(r[0] * (1 - n / 50) - cell) for r in rows for n, cell in zip(COMMON, r[1:], strict=True)
    ]
    return len(off) == 30 and max(off) < 0.00101


def true_of_all_runs(_: Path) -> bool:
    """All runs give the printed row to a unit of the last digit, the eleven manual ones do not."""
    said = re.search(r"Row “True”, eleven manual runs alone: ([\d. ]+);", PAGE.read_text())
    eleven = np.array(said[1].split(), float)
    printed = np.array([0.067, 0.052, 0.041])
    near = np.abs(ours("True") - printed).max() <= 0.00101
    return near and np.abs(eleven - printed).min() > 0.005


def pairs_of_110(_: Path) -> bool:
    """All pairs of the 110 systems are 5,995."""
    return ours("figure 4.11: pairs in all") == [110 * 109 / 2]


def automatic_runs(data: Path) -> bool:
    """28 automatic runs work, Lexis-Nexis's counted as manual, and give table 4.6."""
    with (data / "scores/trec5-runs.tsv").open() as lines:
        runs = list(csv.DictReader(lines, delimiter="\t"))
    means = trec5(data).means()
    kept = [
        run["run"]
        for run, mean in zip(runs, means, strict=True)
        if run["type"] == "automatic" and not run["run"].startswith("LN") and mean > 0.05
    ]
    return len(kept) == 28 and "2 equal" in row("Auto: sAP paired, two-sample")


def sigma_of_trec8(data: Path) -> bool:
    """Check that the median σ of baseline pairs is 0.1360."""
    path = data / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    return round(second_quartile_medians(pw.read_score_matrix(path, measure="AP"))[1], 4) == 0.136


def name_of_a_run(data: Path) -> bool:
    """NIST lists LNmFull1, and no LNmFull11."""
    text = gzip.decompress((data / "scores/nist-means.tsv.gz").read_bytes()).decode()
    return "\tLNmFull1\t" in text and "\tLNmFull11\t" not in text


def power_of_trec5(data: Path) -> bool:
    """Check that the public scores give 0.6361."""
    return round(power(pw.findings.discriminate(trec5(data)).pvalue), 4) == 0.6361


def discount(_: Path) -> bool:
    """At rank 1, log₂ of the minimum is 0; with the maximum table 1 comes out."""
    printed = row("T8: P@10, RBP.8, RBP.95, AP, nDCG, their mean")
    return (
        np.log2(min(2, 1)) == 0
        and "6 equal" in printed
        and 0.718 in ours(printed.split("|")[1].strip())
    )


def best_estimates(_: Path) -> bool:
    """For TAS-B the default is nearer to the truth than the bootstrap, or as near."""
    (_, some, (boot, _)), (_, every, (boots, _)) = (
        TABLE_7[which, "TAS-B"] for which in (".25 to .5", "all topics")
    )
    errors = [
        round(x - y, 3)
        for x, y in ((some[0], some[3]), (boot, some[3]), (every[0], every[3]), (boots, every[3]))
    ]
    return errors == [0.0, 0.25, -0.074, 0.078]


def condensed_error(_: Path) -> bool:
    """Table 4 has 0.092 for condensed lists on ClueWeb12."""
    return TABLE_4["condensed"].split("; ")[2].split()[1] == ".092"


def clueweb12(data: Path) -> bool:
    """Both printed rows add up to 1.02; grade 4 has a share of 0.0017 in the pool."""
    path = data / "b23-authors" / "overview-over-qrels.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        grades = [
            entry["qrels"] for entry in map(json.loads, lines) if entry["corpus"] == "ClueWeb12"
        ]
    pool = np.array([sum(g["incomplete"].get(str(i), 0) for g in grades) for i in range(5)])
    sums = [round(sum(printed), 2) for printed in TABLE_3["ClueWeb12"]]
    return sums == [1.02, 1.02] and round(pool[4] / pool.sum(), 4) == 0.0017


def fortieth(data: Path) -> bool:
    """From the best on, q277 is topic 20 of 50, and Cor5A1se, column 15, system 24 of 61."""
    table = trec5(data)
    topics, systems = table.value.mean(axis=0), table.means()
    places = int((topics >= topics[26]).sum()), int((systems >= systems[14]).sum())
    return places == (20, 24) and round(topics[26], 3) == 0.175 and round(systems[14], 3) == 0.206


def groups(data: Path) -> bool:
    """Check that the list of TREC-8's runs names 41 groups."""
    return len(set(read_properties(data / "trec8", "group").values())) == 41


CHECKS: dict[str, tuple[Callable[[Path], bool], ...]] = {
    "B23 tables 4 and 5": (swapped_rows,),
    "B23 §3.2": (prior_of_all_topics,),
    "B23 §4": (fullest_bin,),
    "B23 table 5": (pearson,),
    "B23 table 3": (outside_the_pool, clueweb12),
    "U18 table 1": (relevant_of_trec13,),
    "U18 §3.5": (one_pair_alike,),
    "W10 tables 6.4 and 6.5": (sizes_of_mean_errors, true_of_all_runs),
    "W10 figure 4.11": (pairs_of_110,),
    "W10 table 4.6": (automatic_runs,),
    "W10 §5.2": (sigma_of_trec8,),
    "W10 table 4.1": (name_of_a_run,),
    "D10 table 1": (power_of_trec5,),
    "D10 eq. 5": (discount,),
    "B23 §4.3": (best_estimates,),
    "B23 §4.2": (condensed_error,),
    "W10 §4.2.1, figures 4.2, 4.3 and 4.7": (fortieth,),
    "D10 §3.3 (a question)": (groups,),
}


ARITHMETIC = {"U18 §3.2 (a question)"}
"""What takes no data: a reader checks it in the head."""


def test_every_erratum_has_its_evidence_and_its_check() -> None:
    """An entry has where, printed, ours, evidence and a number; as many checks as entries."""
    places = [where for where, *_ in ERRATA]
    assert set(places) == {*CHECKS, *ARITHMETIC}
    assert len(places) == sum(map(len, CHECKS.values())) + len(ARITHMETIC)
    assert all(cell for entry in ERRATA for cell in entry)


@over("check", [check for some in CHECKS.values() for check in some], ids=lambda c: c.__name__)
def test_the_number_to_check_is_what_the_data_give(
    check: Callable[[Path], bool], data_dir: Path
) -> None:
    """Whoever computes it again gets the number that the page names."""
    assert check(data_dir), check.__doc__
