"""What to put where a document has no judgment: nothing, or an expected gain."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poolwise.evidence.alignment import BEYOND, POOLED, UNJUDGED, Evidence

__all__ = ["condense", "fill_gains", "pool_gain", "run_gain", "unknown_documents"]

Floats = NDArray[np.float64]


def unknown_documents(codes: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which codes stand for a document without a grade: unjudged, or pooled and not judged.

    Examples
    --------
    >>> unknown_documents(np.array([1, UNJUDGED, POOLED, BEYOND])).tolist()
    [False, True, True, False]
    """
    return (codes == UNJUDGED) | (codes == POOLED)


def condense(evidence: Evidence) -> Evidence:
    """Drop the documents without a grade and close up (Sakai's condensed lists; W10 §3.4.5).

    Examples
    --------
    >>> condense(Evidence.from_grades([[None, 1, None, 0]])).codes.tolist()
    [[[1, 0, -3, -3]]]
    """
    dropped = unknown_documents(evidence.codes)
    order = np.argsort(dropped, axis=2, kind="stable")
    dropped = np.take_along_axis(dropped, order, axis=2)
    codes = np.take_along_axis(evidence.codes, order, axis=2)
    documents = np.take_along_axis(evidence.documents, order, axis=2)
    # Past the end of a list nothing is unknown, so the dropped documents end up behind it.
    return replace(
        evidence,
        codes=np.where(dropped, BEYOND, codes).astype(codes.dtype),
        documents=np.where(dropped, -1, documents).astype(documents.dtype),
    )


def fill_gains(evidence: Evidence, gains: Floats, unknown: Floats) -> Floats:
    """Return each cell's gain: its grade's where it is judged, else the expected one.

    Parameters
    ----------
    gains : float array, grades
        The gain of each grade of the scale.
    unknown : float array that broadcasts to systems × topics × ranks
        The gain expected of a document without a grade.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> fill_gains(evidence, np.array([0.0, 1.0]), np.array(0.5)).tolist()
    [[[1.0, 0.5, 0.0]]]
    """
    return np.where(unknown_documents(evidence.codes), unknown, evidence.lookup(gains))


def pool_gain(evidence: Evidence, gains: Floats) -> Floats:
    """Return the mean gain of each topic's judged documents, 0 where none is judged.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None]], judged=[1, 0, 0, 0])
    >>> pool_gain(evidence, np.array([0.0, 1.0])).tolist()
    [0.25]
    """
    judged = evidence.pool.sum(axis=1)
    return (evidence.pool @ gains) / np.maximum(judged, 1)


def run_gain(evidence: Evidence, gains: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weighted mean gain of each list's judged documents, and their total weight.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> rate, weight = run_gain(evidence, np.array([0.0, 1.0]), np.array([0.5, 0.3, 0.2]))
    >>> round(rate.item(), 4), round(weight.item(), 4)
    (0.7143, 0.7)
    """
    weight = (evidence.codes >= 0) @ weights
    total = evidence.lookup(gains) @ weights
    rate = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    return rate, weight
