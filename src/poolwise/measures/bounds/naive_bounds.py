"""Bounds that need only the pool: naive ones, and the plain range of a measure."""

from dataclasses import replace

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.alignment import BEYOND, Evidence
from poolwise.measures.measure import Bounds, Measure

__all__ = ["fill_from_pool", "naive_bounds", "plain_range", "unjudged_counts"]


def naive_bounds(measure: Measure, evidence: Evidence, *, level: float = 0.0) -> Bounds:
    """Return the score, and the score once unjudged documents took what the pool has left.

    The ideal stays that of the pool, so that runs can be compared; a true grading can lie outside
    (B23 §3.3, table 1).
    """
    lower = measure.score(evidence)
    filled = fill_from_pool(measure.cut(evidence), level=level)
    return Bounds(lower, measure.score(filled))


def fill_from_pool(evidence: Evidence, *, level: float = 0.0) -> Evidence:
    """Give each unjudged document, from the top down, the highest grade left in the pool.

    Left is what the pool holds outside the ranking. Once no grade above 0, or of at least
    ``level``, is left, documents stay unjudged.

    Examples
    --------
    >>> filled = fill_from_pool(Evidence.from_grades([[None, 1, None, None]], judged=[1, 1, 2]))
    >>> filled.codes.tolist()
    [[[2, 1, 1, -2]]]
    """
    unknown = (evidence.codes < 0) & (evidence.codes != BEYOND)
    nth = np.cumsum(unknown, axis=2, dtype=np.int32)
    codes = evidence.codes.copy()
    available = np.zeros(evidence.codes.shape[:2], np.int64)
    for code in range(len(evidence.scale) - 1, -1, -1):
        if evidence.scale[code] <= 0 or evidence.scale[code] < level:
            break
        taken = available
        retrieved = (evidence.codes == code).sum(axis=2)
        available = taken + np.maximum(evidence.pool[:, code] - retrieved, 0)
        here = unknown & (nth > taken[:, :, None]) & (nth <= available[:, :, None])
        codes[here] = code
    return replace(evidence, codes=codes)


def unjudged_counts(evidence: Evidence) -> Integers:
    """Return the number of documents without a grade in each list."""
    return ((evidence.codes < 0) & (evidence.codes != BEYOND)).sum(axis=2)


def plain_range(
    value: Floats, evidence: Evidence, *, low: float = 0.0, high: float = 1.0
) -> Bounds:
    """Return all that a measure can be where a list has unjudged documents, else its value.

    For measures whose extremes over gradings have no simple form: wide, and never wrong.
    """
    known = unjudged_counts(evidence) == 0
    return Bounds(np.where(known, value, low), np.where(known, value, high))
