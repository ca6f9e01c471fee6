"""A ledger of the real data, and its site: ``python -m reproduce.ledger LEDGER SITE``.

TREC-8 and Deep Learning 2019 and 2021 with runs; TREC 3, 5 to 7, Robust 2003 and 2004, Terabyte
2006 and Web 2010 to 2014 as scores only; and the means that NIST printed, of thirty years.
"""

import argparse
import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import poolwise as pw
from poolwise.workflows import Ledger

__all__ = ["MATRICES", "Matrix", "fill", "main"]

BY = {"by": "reproduce", "date": "2026-11-18"}


@dataclass(frozen=True)
class Matrix:
    """Files of scores: the collection and its year, one file per measure, and the first topic."""

    collection: str
    year: int
    files: Mapping[str, str]
    rows: str = "topics"
    first_topic: int | None = None


_ADHOC = "urbano/sigir2019-statistical"
_WEB = "urbano/sigir2018-simulation"
MATRICES = (
    Matrix("trec3-adhoc", 1994, {"AP": "trec3-ap.csv"}),
    *(
        Matrix(
            f"trec{number}-adhoc",
            year,
            {name: f"{_ADHOC}/adhoc{number}_{end}.csv" for name, end in
             (("AP", "ap"), ("P@10", "p10"), ("RR", "rr"))},
            first_topic=first,
        )
        for number, year, first in ((5, 1996, 251), (6, 1997, 301), (7, 1998, 351))
    ),
    Matrix("trec12-robust", 2003, {"AP": "urbano/irj2015-reliability/robust2003.csv"}),
    Matrix("trec13-robust", 2004, {"AP": "newbestsub/R04.csv"}, rows="systems"),
    Matrix("trec15-terabyte", 2006, {"AP": "newbestsub/TB06.csv"}, rows="systems"),
    *(
        Matrix(
            f"web{year}",
            year,
            {name: f"{_WEB}/web{year}_{end}.csv" for name, end in
             (("AP", "ap"), ("P@10", "p10"), ("nDCG@20", "ndcg20"))},
        )
        for year in range(2010, 2015)
    ),
)  # fmt: skip
"""Scores of others."""


def fill(results: Ledger, data: Path) -> None:
    """Add all of the data to a ledger."""
    trec8 = data / "trec8"
    metadata = _told(trec8 / "runs.tsv", year=1999)
    results.add(trec8 / "qrels.gz", trec8 / "runs", ["AP", "nDCG@10", "P@10"], missing="zero",
                collection="trec8-adhoc", metadata=metadata, **BY)  # fmt: skip
    for year in (2019, 2021):
        folder = data / f"trec-dl-{year}"
        results.add(folder / "qrels.gz", folder / "runs", ["nDCG@10", "AP(rel=2)", "RBP(p=0.8)"],
                    missing="zero", collection=f"dl{year}-passage",
                    metadata=_told(folder / "runs.tsv", year=year), **BY)  # fmt: skip
    for matrix in MATRICES:
        paths = [data / "scores" / path for path in matrix.files.values()]
        results.add_scores(paths, list(matrix.files), collection=matrix.collection,
                           year=matrix.year, rows=matrix.rows, first_topic=matrix.first_topic,
                           original=True, **BY)  # fmt: skip
    results.add_means(data / "scores" / "nist-means.tsv.gz", original=True, **BY)


def _told(path: Path, *, year: int) -> dict[str, dict[str, Any]]:
    """Return what is known of runs: those of the track are original, later ones have no year."""
    with path.open(encoding="utf-8") as file:
        rows = {row.pop("run"): row for row in csv.DictReader(file, delimiter="\t")}
    original = {"original": True, "year": year}
    return {
        run: row | (original if row.get("official_submission") != "no" else {})
        for run, row in rows.items()
    }


def _beside() -> Path:
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("POOLWISE_DATA", beside))


def main() -> None:
    """Fill a ledger, check it, print the trend, and write the site."""
    parser = argparse.ArgumentParser(prog="python -m reproduce.ledger", description=__doc__)
    parser.add_argument("ledger", type=Path)
    parser.add_argument("site", type=Path)
    parser.add_argument("--data", type=Path, default=_beside(), help="the folder of real data")
    options = parser.parse_args()
    results = pw.ledger(options.ledger, make=True)
    fill(results, options.data)
    print(results.check())
    print(results.trend("AP", reference="trec13-robust"))
    pages = pw.views.write_ledger_site(
        results.overview(reference="trec13-robust"), options.site, title="Thirty years of TREC"
    )
    print(f"{pages:,} pages in {options.site}")


if __name__ == "__main__":
    main()
