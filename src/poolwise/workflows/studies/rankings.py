"""How alike are rankings? Studies by depth, by persistence and by date."""

from pathlib import Path
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.findings.similarity._curves import (
    AgreementCurve,
    PersistenceCurves,
    agreement_curve,
    persistence_curves,
)
from poolwise.studies.similarity.degradation import Degradation, degrade_rankings
from poolwise.studies.similarity.over_time import SimilarityOverTime, similarity_over_time
from poolwise.workflows.studies.labelled_lines import read_labels

__all__ = ["study_agreement", "study_degradation", "study_persistence_of_overlap", "study_time"]


def study_agreement(
    runs: Any, a: str, b: str, *, reading: Reading = Reading(), **options: Any
) -> AgreementCurve:
    """Compare two runs to increasing depths.

    Parameters
    ----------
    runs
        An object, or whatever :func:`~poolwise.read_runs` reads.
    a, b : str
        Names of the two runs.
    reading : Reading
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
    return agreement_curve(reading.runs(runs), a, b, **options)


def study_persistence_of_overlap(
    runs: Any, run: str, *, reading: Reading = Reading(), **options: Any
) -> PersistenceCurves:
    """Compare one run with all others by RBO at several persistences.

    Parameters
    ----------
    runs
        An object, or whatever :func:`~poolwise.read_runs` reads.
    run : str
        The run that all others are compared with.
    reading : Reading
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
    return persistence_curves(reading.runs(runs), run, **options)


def study_time(
    runs: Any,
    *,
    dates: str | Path | None = None,
    reading: Reading = Reading(),
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
    reading : Reading
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
    dated = None
    if dates is not None:
        dated = read_labels(dates, "run, system and date", example="g17 google 2008-12-05")
    return similarity_over_time(reading.runs(runs), dated, **options)


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
