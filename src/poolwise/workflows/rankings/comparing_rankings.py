"""Compare rankings by depth, by persistence and by date, from whatever runs can be read from."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from poolwise.collection.files.sources import read_text
from poolwise.errors import InputError
from poolwise.findings.agreement.orders_by_measure import MeasureOrders, measure_orders
from poolwise.findings.similarity.overlap_curves import (
    AgreementCurve,
    PersistenceCurves,
    agreement_curve,
    persistence_curves,
)
from poolwise.scores.score_table import ScoreTable
from poolwise.studies.similarity.degradation import Degradation, degrade_rankings
from poolwise.studies.similarity.over_time import SimilarityOverTime, similarity_over_time
from poolwise.workflows.inputs import as_runs

__all__ = [
    "study_agreement",
    "study_degradation",
    "study_orders",
    "study_persistence_of_overlap",
    "study_time",
]


def study_agreement(
    runs: Any, a: str, b: str, *, reading: dict[str, Any] | None = None, **options: Any
) -> AgreementCurve:
    """Compare two runs to increasing depths."""
    return agreement_curve(as_runs(runs, **(reading or {})), a, b, **options)


def study_persistence_of_overlap(
    runs: Any, run: str, *, reading: dict[str, Any] | None = None, **options: Any
) -> PersistenceCurves:
    """Compare one run with all others by RBO at several persistences."""
    return persistence_curves(as_runs(runs, **(reading or {})), run, **options)


def study_time(
    runs: Any,
    *,
    dates: str | Path | None = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> SimilarityOverTime:
    """Compare the runs of systems from date to date.

    ``dates`` is a file with run, system and date on each line; without it, names hold both.
    """
    dated = None if dates is None else _read_dates(Path(dates))
    return similarity_over_time(as_runs(runs, **(reading or {})), dated, **options)


def study_degradation(**options: Any) -> Degradation:
    """Make rankings worse, and see which similarity follows AP."""
    return degrade_rankings(**options)


def study_orders(tables: Iterable[ScoreTable], **options: Any) -> MeasureOrders:
    """Say which measure orders systems most like the first one."""
    return measure_orders(list(tables), **options)


def _read_dates(path: Path) -> dict[str, tuple[str, str]]:
    lines = [(n, line.split()) for n, line in enumerate(read_text(path).splitlines(), 1) if line]
    for number, cells in lines:
        if len(cells) != 3:
            raise InputError(
                f"{path}:{number}",
                "a line must hold run, system and date",
                value=" ".join(cells),
                remedy="write it such as 'g17 google 2008-12-05'",
            )
    return {run: (system, day) for _, (run, system, day) in lines}
