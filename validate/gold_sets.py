"""Whether an honest pool is accused of being circular, and whether a circular one is found."""

from collections.abc import Callable

import numpy as np

import poolwise as pw
from poolwise.workflows import audit_origin
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = ["origin_table"]

COLLECTIONS, LEVEL, SEED = 40, 0.05, 7301
SIZES = ((4, 15), (8, 30))
"""Runs and topics."""
Made = pw.collection.Simulated
Draw = np.random.Generator


def _joined(*parts: pw.Judgments) -> pw.Judgments:
    grades: dict[str, dict[str, float]] = {}
    for part in parts:
        for topic, document, grade in part:
            grades.setdefault(topic, {})[document] = grade
    return pw.Judgments.from_dict(grades)


def _some(made: Made, draw: Draw, runs: int) -> pw.Runs:
    return made.runs.select(draw.choice(made.runs.systems, runs, replace=False).tolist())


def _thin(made: Made, draw: Draw) -> pw.Judgments:
    pool = pw.pool(made.truth, _some(made, draw, 2), depth=10)
    return pool.keep(draw.random(len(pool.codes)) < 0.5)


HONEST: dict[str, Callable[[Made, Draw], pw.Judgments]] = {
    "all runs, depth 10": lambda made, _: pw.pool(made.truth, made.runs, depth=10),
    "all runs, depth 3": lambda made, _: pw.pool(made.truth, made.runs, depth=3),
    "two runs": lambda made, draw: pw.pool(made.truth, _some(made, draw, 2), depth=10),
    "two runs, half of it judged": _thin,
}
CIRCULAR: dict[str, Callable[[Made, Draw], pw.Judgments]] = {
    "one run": lambda made, draw: pw.pool(made.truth, _some(made, draw, 1), depth=10),
    "one run, and the first 2 of all": lambda made, draw: _joined(
        pw.pool(made.truth, _some(made, draw, 1), depth=10),
        pw.pool(made.truth, made.runs, depth=2),
    ),
}


def origin_table(_folders: Folders) -> ValidationTable:
    """Count how often one run is said to have made the judgments."""
    rows = [
        _row(name, pool, runs, topics)
        for name, pool in (HONEST | CIRCULAR).items()
        for runs, topics in SIZES
    ]
    # Three standard errors of a rate at the level.
    most = LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / COLLECTIONS)
    holds = all(float(str(row["accused"])) <= most for row in rows if row["judged"] in HONEST)
    return table_of_rows(
        "Circular gold sets",
        "`audit --origin` accuses a run of an honest pool in about "
        f"{LEVEL:.0%} of cases at most, and finds the run that made the judgments alone, or most "
        f"of them. {COLLECTIONS} simulated collections each, nothing told; a set is honest where "
        "two runs or more were judged alike.",
        rows,
        holds=holds,
    )


def _row(name: str, pool: Callable[[Made, Draw], pw.Judgments], runs: int, topics: int) -> Row:
    draw = np.random.default_rng(SEED)
    accused = 0
    for seed in range(COLLECTIONS):
        made = pw.simulate(systems=runs, topics=topics, depth=30, rng=SEED + seed)
        origin = audit_origin(pool(made, draw), made.runs, resamples=999, rng=seed)
        accused += bool(origin.stands_out)
    kind = "honest" if name in HONEST else "circular"
    return {
        "set": kind, "judged": name, "runs": runs, "topics": topics,
        "accused": accused / COLLECTIONS,
    }  # fmt: skip
