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
from poolwise.studies.by_measure import ByMeasure
from poolwise.studies.similarity.degradation import Degradation, degrade_rankings
from poolwise.studies.similarity.over_time import SimilarityOverTime, similarity_over_time
from poolwise.studies.topics.query_variants import VariantSwaps, variant_swaps
from poolwise.workflows.inputs import as_runs

__all__ = [
    "study_agreement",
    "study_degradation",
    "study_orders",
    "study_persistence_of_overlap",
    "study_time",
    "study_variants",
]


def study_agreement(
    runs: Any, a: str, b: str, *, reading: dict[str, Any] | None = None, **options: Any
) -> AgreementCurve:
    """Compare two runs to increasing depths.

    Parameters
    ----------
    runs
        An object, or whatever :func:`~poolwise.read_runs` reads.
    a, b : str
        Names of the two runs.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        As for :func:`~poolwise.findings.agreement_curve`: persistence, depths, similarities.

    Returns
    -------
    AgreementCurve
        How alike the two are to each depth, by several similarities.

    Examples
    --------
    >>> lists = {"s": {"1": list("abcd")}, "t": {"1": list("bacd")}}
    >>> study_agreement(lists, "s", "t", depths=[1, 2, 4]).agreement.tolist()
    [0.0, 1.0, 1.0]
    """
    return agreement_curve(as_runs(runs, **(reading or {})), a, b, **options)


def study_persistence_of_overlap(
    runs: Any, run: str, *, reading: dict[str, Any] | None = None, **options: Any
) -> PersistenceCurves:
    """Compare one run with all others by RBO at several persistences.

    Parameters
    ----------
    runs
        An object, or whatever :func:`~poolwise.read_runs` reads.
    run : str
        The run that all others are compared with.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        As for :func:`~poolwise.findings.persistence_curves`: the persistences.

    Returns
    -------
    PersistenceCurves
        The mean RBO over topics of each other run, by persistence.

    Examples
    --------
    >>> lists = {"s": {"1": list("abcd")}, "t": {"1": list("bacd")}}
    >>> found = study_persistence_of_overlap(lists, "s", persistences=[0.5, 0.9])
    >>> found.rbo.round(2).tolist()  # they differ at the very top only
    [[0.5, 0.9]]
    """
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

    Parameters
    ----------
    runs
        One run per system and date: an object, or whatever :func:`~poolwise.read_runs` reads.
    dates : str or Path, optional
        The file of dates.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        As for :func:`~poolwise.studies.similarity_over_time`.

    Returns
    -------
    SimilarityOverTime
        How alike each system is to itself on the date before, and to the others on the same date.

    Examples
    --------
    >>> days = {"bm25.2026-05-01": {"1": list("abcd")}, "bm25.2026-05-02": {"1": list("abdc")}}
    >>> study_time(days).sentences()[0]
    'bm25 changes most from one date to the next, to an RBO of 0.973 at p = 0.9, over 2 dates.'
    """
    dated = None if dates is None else _read_dates(Path(dates))
    return similarity_over_time(as_runs(runs, **(reading or {})), dated, **options)


def study_degradation(**options: Any) -> Degradation:
    """Make rankings worse, and see which similarity follows AP.

    Parameters
    ----------
    options
        As for :func:`~poolwise.studies.degrade_rankings`: sizes, repetitions, seed and workers.

    Returns
    -------
    Degradation
        AP and every similarity after each swap.

    Examples
    --------
    >>> study_degradation(rng=1, relevant=3, length=20, swaps=4, repeats=2).ap.shape
    (8,)
    """
    return degrade_rankings(**options)


def study_orders(tables: Iterable[ScoreTable], **options: Any) -> MeasureOrders:
    """Say which measure orders systems most like the first one.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores by the reference first, then by the measures to compare with it.
    options
        As for :func:`~poolwise.findings.measure_orders`.

    Returns
    -------
    MeasureOrders
        The correlation of each order with that of the reference, and which are clearly behind.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(1).random((5, 8))
    >>> names = {"systems": "abcde", "topics": "12345678"}
    >>> tables = [ScoreTable.from_matrix(values**power, measure=measure, **names)
    ...           for power, measure in ((1, "AP"), (3, "P@10"))]
    >>> found = study_orders(tables, resamples=100)
    >>> str(found.correlations[0].first), str(found.correlations[0].second)
    ('AP', 'P@10')
    """
    return measure_orders(list(tables), **options)


def study_variants(
    tables: Iterable[ScoreTable], *, variants: str | Path | None = None, **options: Any
) -> ByMeasure[VariantSwaps]:
    """Say how often sets of queries for the same topics put two systems in opposite orders.

    Parameters
    ----------
    tables : iterable of ScoreTable
        Scores, one table per measure, one column per query.
    variants : str or Path, optional
        A file with query, topic and set on each line; without it, the ids of queries tell both.
    options
        Those of :func:`~poolwise.studies.variant_swaps`.

    Returns
    -------
    ByMeasure of VariantSwaps
        The decisions of all sets about every pair, for each measure.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.2], [0.4, 0.5]], systems="ab", topics=["1-short", "1-long"], measure="AP")
    >>> study_variants([table])["AP"].error_rate
    0.5
    """
    known = None
    if variants is not None:
        known = _read_threes(
            Path(variants), "query, topic and set", remedy="write it such as '401b 401 long'"
        )
    return ByMeasure.of([variant_swaps(table, known, **options) for table in tables])


def _read_dates(path: Path) -> dict[str, tuple[str, str]]:
    remedy = "write it such as 'g17 google 2008-12-05'"
    return _read_threes(path, "run, system and date", remedy=remedy)


def _read_threes(path: Path, what: str, *, remedy: str) -> dict[str, tuple[str, str]]:
    """Return the second and third word of each line by the first."""
    lines = [(n, line.split()) for n, line in enumerate(read_text(path).splitlines(), 1) if line]
    for number, cells in lines:
        if len(cells) != 3:
            raise InputError(
                f"{path}:{number}",
                f"a line must hold {what}",
                value=" ".join(cells),
                remedy=remedy,
            )
    return {first: (second, third) for _, (first, second, third) in lines}
