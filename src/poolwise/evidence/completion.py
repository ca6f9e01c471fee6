"""Documents without a grade: where they are, what they weigh, and lists without them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence.alignment import BEYOND, POOLED, UNJUDGED, Evidence

__all__ = [
    "condense",
    "judged_prefix",
    "pool_gain",
    "unknown_documents",
    "weight_of",
]


def unknown_documents(codes: NDArray[np.integer]) -> Booleans:
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


def weight_of(marked: Booleans, weights: Floats) -> Floats:
    """Return the total weight of the marked cells of each list, systems × topics.

    Parameters
    ----------
    marked : bool array, systems × topics × ranks
    weights : float array, ranks or topics × ranks

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, None]])
    >>> weight_of(unknown_documents(evidence.codes), np.array([0.5, 0.25, 0.125])).tolist()
    [[0.375]]
    """
    by_topic = np.broadcast_to(weights, marked.shape[1:])
    return np.stack([np.einsum("tk,tk->t", by_topic, lists) for lists in marked])


def judged_prefix(evidence: Evidence) -> Integers:
    """Return down to which rank each list is judged without a gap, systems × topics.

    Examples
    --------
    >>> judged_prefix(Evidence.from_grades([[1, 0, None, 1], [None]])).tolist()
    [[2], [0]]
    """
    gap = evidence.codes < 0
    return np.where(gap.any(axis=2), gap.argmax(axis=2), evidence.depth)
