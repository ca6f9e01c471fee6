"""B23: what is unjudged when a group is left out (table 3), and runs later than the pool."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.b23 import FOLDERS, MEASURE, PAPER, pooled_and_best
from reproduce.figures import panels
from reproduce.results import Row, Section, compare, in_table, numbers, pattern
from reproduce.sources import Folders, present, read_collection, read_properties, read_qrels


def table_3(folders: Folders) -> Section:
    """Count the grades of the pool to depth 10, and of the other judged documents."""
    rows = []
    for name, folder in present(folders.data, FOLDERS):
        c, _, _ = pooled_and_best(folder)
        official = read_qrels(folder)
        inside = _shares(c.judgments, c.judgments.judged)
        outside = _shares(official, official.judged & ~c.judgments.judged)
        rows.append(
            pattern(
                f"{name}: share of grades, pool; unjudged",
                "Robust04 .80 .18 .02; .96 .04 .00",
                f"{numbers(inside, 2)}; {numbers(outside, 3)}",
                "what the pool to depth 10 lacks is relevant less often than what it holds",
                holds=outside[0] > inside[0],
            )
        )
    reading = (
        "The pool to depth 10. “Unjudged” are the official judgments outside it, as the authors' "
        "code counts them; the text says: what a left-out group alone found."
    )
    return Section(
        PAPER, "Table 3: grades of the pool and of unjudged documents", tuple(rows), reading
    )


def _shares(judgments: pw.Judgments, mask: np.ndarray) -> np.ndarray:
    counts = np.bincount(judgments.codes[mask], minlength=len(judgments.scale))
    return np.asarray(counts / counts.sum())


def later_runs(folders: Folders) -> Section:
    """Score the runs that came after the pool of DL 2019, and draw figure 1 for one of them."""
    folder = folders.data / "trec-dl-2019"
    c = read_collection(folder, "docid")
    official = read_properties(folder, "official_submission")
    later = [name for name in c.runs.systems if official[name] == "no"]
    evidence = pw.align(c.judgments, c.runs.select(later))
    drawn = pw.scores.bootstrap(evidence, MEASURE, rng=1)
    naive = pw.score(evidence, MEASURE, bounds="naive")
    condensed = pw.scores.estimate(evidence, MEASURE, treatment="condensed")
    unjudged = pw.score(evidence, "Unjudged@10", bounds="none").means()
    path = "b23-figure-1.svg"
    _draw(folders.out / path, int(unjudged.argmax()), drawn, naive, condensed)
    rows = _later_rows(unjudged, drawn.table(), naive, condensed)
    reading = (
        "The official pool of DL 2019, and neural runs of later years; nobody judged what they "
        "found, so that errors cannot be told. Figure 1 shows the run with most unjudged documents."
    )
    title = "Figure 1 and table 7's method: later runs on DL 2019"
    return Section(PAPER, title, rows, reading, path)


def _later_rows(
    unjudged: NDArray[np.float64],
    estimates: pw.ScoreTable,
    naive: pw.ScoreTable,
    condensed: pw.ScoreTable,
) -> tuple[Row, ...]:
    """Say what the estimates of the later runs have to do with their bounds."""
    means = [t.mean() for t in (naive.value, estimates.value, condensed.value, naive.upper)]
    return (
        pattern(
            f"unjudged documents in the top 10 of {len(unjudged)} later runs: mean, most",
            "17% to 41% in TREC-COVID",
            numbers([unjudged.mean(), unjudged.max()], 2),
            "runs that no pool knew have unjudged documents",
            holds=bool(unjudged.mean() > 0),
        ),
        pattern(
            "mean nDCG@10: naïve lower, bootstrap, condensed, naïve upper",
            "in this order",
            numbers(means),
            "lower ≤ bootstrap ≤ condensed ≤ upper",
            holds=means == sorted(means),
        ),
        pattern(
            "mean width of ranges: to the 95th percentile, to the naïve upper bound",
            "substantially tighter",
            numbers([(t.upper - t.lower).mean() for t in (estimates, naive)]),
            "the bootstrap tightens the naïve bounds",
            holds=bool((estimates.upper - naive.upper).max() < 1e-9),
        ),
    )


def _draw(
    path: Path,
    run: int,
    drawn: pw.scores.ScoreDistribution,
    naive: pw.ScoreTable,
    condensed: pw.ScoreTable,
) -> None:
    """Draw the distribution of one run's scores on the topics with the widest bounds."""
    width = (naive.upper - naive.lower)[run]
    topics = np.argsort(-width)[:12]
    at = np.arange(len(topics))
    with panels(path, 1, 1, size=5) as (ax,):
        for x, t in zip(at, topics, strict=True):
            values, counts = np.unique(drawn.values[run, t].round(6), return_counts=True)
            size = 60 * counts / counts.max()
            ax.scatter(np.full(len(values), x), values, s=size, alpha=0.5, rasterized=True)
        for table, marker in ((naive.lower, "v"), (naive.upper, "^"), (condensed.value, "x")):
            ax.plot(at, table[run, topics], marker, color="black")
        ax.set_xticks(at.tolist(), [naive.topics[t] for t in topics], rotation=90)
        ax.set(title=naive.systems[run], ylabel="nDCG@10: ▼ lower, ▲ upper, × condensed")


TABLE_3 = {
    "ClueWeb09": ((0.74, 0.17, 0.07, 0.01, 0.01), (0.80, 0.15, 0.03, 0.01, 0.01)),
    "ClueWeb12": ((0.64, 0.25, 0.09, 0.02, 0.02), (0.67, 0.24, 0.08, 0.02, 0.01)),
    "Robust04": ((0.80, 0.18, 0.02, 0.00, 0.00), (0.96, 0.04, 0.00, 0.00, 0.00)),
}
"""Shares of grades 0 to 4: of the pool, and of unjudged documents."""


def table_3_from_counts(folders: Folders) -> Section:
    """Compute the shares of table 3 from the grades that the authors counted, group by group."""
    path = folders.data / "b23-authors" / "overview-over-qrels.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        counted = [json.loads(line) for line in lines]
    why = "the printed row adds up to {:.2f}, ours to 1: see errata"
    rows, equal_by_groups = [], 0
    for corpus, published in TABLE_3.items():
        grades = [row["qrels"] for row in counted if row["corpus"] == corpus]
        for part, name, printed in zip(("incomplete", "unjudged"), ("pool", "unjudged"), published,
                                       strict=True):  # fmt: skip
            by_group = np.array([[g[part].get(str(i), 0) for i in range(5)] for g in grades], float)
            counts = by_group.sum(axis=0)
            row = compare(f"{corpus}, {name}", printed, counts / counts.sum(), digits=2)
            some = by_group[by_group.sum(axis=1) > 0]
            mean = (some / some.sum(axis=1, keepdims=True)).mean(axis=0)
            equal_by_groups += compare(name, printed, mean, digits=2).cells.equal
            off = why.format(sum(printed)) if round(sum(printed), 2) != 1 else "open"
            rows.append(replace(row, remark=off) if row.cells.differ else row)
    reading = (
        "The runs are not public, but the authors' repository counts the grades of each reduced "
        "pool, and of what it lacks: shares of the sums over groups, grades 0 to 4. The mean of "
        f"the groups' shares, as the caption says, gives {equal_by_groups} equal cells, where "
        f"these are {sum(row.cells.equal for row in rows)}."
    )
    title = "Table 3: grades, from the authors' counts"
    return Section(PAPER, title, tuple(in_table("3", rows)), reading)


SECTIONS = (table_3_from_counts, table_3, later_runs)
