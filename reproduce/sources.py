"""Where the real data lies, and how it is read.

A folder of a test collection (``trec8``, ``trec7`` …) holds ``runs/``, the judgments as ``qrels``
or ``qrels.gz``, and ``runs.tsv`` (run, group, type). ``scores/`` and ``standardization-factors/``
hold the public matrices. A column of a paper whose collection is not there is left out.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import poolwise as pw


@dataclass(frozen=True)
class Folders:
    """The folder of the data, and the one figures are written to."""

    data: Path
    out: Path


@dataclass(frozen=True, eq=False)
class Collection:
    """Runs met with judgments, and who nominated what."""

    runs: pw.Runs
    judgments: pw.Judgments
    evidence: pw.Evidence
    nominations: pw.collection.Nominations

    @classmethod
    def of(cls, runs: pw.Runs, judgments: pw.Judgments) -> "Collection":
        """Meet runs with judgments."""
        return cls(runs, judgments, pw.align(judgments, runs), pw.nominate(judgments, runs))

    def pool(self, depth: int) -> pw.Evidence:
        """Return the evidence under the judgments of a pool of all runs."""
        return self.evidence.regrade(self.nominations.depth_pool(depth))


@lru_cache(maxsize=3)
def read_collection(folder: Path, ties: str = "trec_eval") -> Collection:
    """Read all runs and judgments of a test collection."""
    return Collection.of(pw.read_runs(folder / "runs", ties=ties), read_qrels(folder))


@lru_cache(maxsize=2)
def read_deeply_judged(folder: Path) -> Collection:
    """Read the runs that are judged to depth 50 on all topics, ties by rank (U18 §3.1, §3.5)."""
    whole = read_collection(folder, "rank")
    return Collection.of(whole.runs.select(whole.nominations.deeply_judged(50)), whole.judgments)


def read_qrels(folder: Path) -> pw.Judgments:
    """Read the judgments of a test collection."""
    return pw.read_judgments(next(iter(sorted(folder.glob("qrels*")))))


def read_properties(folder: Path, column: str) -> dict[str, str]:
    """Return one column of ``runs.tsv``, by run."""
    with (folder / "runs.tsv").open(encoding="utf-8") as lines:
        return {row["run"]: row[column] for row in csv.DictReader(lines, delimiter="\t")}


def read_pooled(folder: Path) -> tuple[str, ...]:
    """Return the runs whose first 100 documents were judged."""
    judged = read_properties(folder, "judged_to_depth100")
    return tuple(run for run, answer in judged.items() if answer == "yes")


def read_factor(data: Path, name: str, kind: str, measure: str) -> dict[str, float]:
    """Return a column of the published standardization factors, by topic: ``mn`` or ``sd``."""
    with (data / "standardization-factors" / f"{name}.{kind}.csv").open(encoding="utf-8") as lines:
        return {row[""]: float(row[measure]) for row in csv.DictReader(lines)}


def read_relevant(data: Path) -> dict[str, int]:
    """Return R of the topics of Robust 2004: the quotient of their mean SP and mean AP."""
    total, mean = (read_factor(data, "trec2004.rob", "mn", m) for m in ("SP", "AP"))
    return {topic: round(total[topic] / mean[topic]) for topic in total}


def present(data: Path, folder_of: dict[str, str]) -> Iterable[tuple[str, Path]]:
    """Yield the names of the collections that are there, and their folders."""
    for name, folder in folder_of.items():
        if (data / folder / "runs").is_dir():
            yield name, data / folder
