"""Estimates on topics by how much of a run is unjudged there, from files (B23 table 7)."""

from collections.abc import Iterable
from typing import Any

from poolwise.measures.measure import Measure
from poolwise.studies.by_measure import ByMeasure
from poolwise.studies.estimates.unjudged_bands import UnjudgedBands, estimate_by_unjudged
from poolwise.workflows.inputs import as_judgments, as_runs

__all__ = ["study_unjudged"]


def study_unjudged(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    complete: Any = None,
    reading: dict[str, Any] | None = None,
    **options: Any,
) -> ByMeasure[UnjudgedBands]:
    """Estimate scores on topics with few, some and many unjudged documents.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    complete
        Judgments of all documents, to compare with.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.estimate_by_unjudged`.

    Returns
    -------
    ByMeasure of UnjudgedBands
        Means by run, share of unjudged documents and treatment, for each measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=30, rng=3)
    >>> found = study_unjudged(made.judgments, made.runs, ["P@5"], treatments="condensed")
    >>> found["P@5"].topics.shape
    (6, 4)
    """
    how = reading or {}
    both = as_judgments(judgments, **how), as_runs(runs, **how)
    truth = None if complete is None else as_judgments(complete, **how)
    return ByMeasure.of(
        [estimate_by_unjudged(*both, measure, complete=truth, **options) for measure in measures]
    )
