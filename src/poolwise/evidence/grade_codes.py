"""What stands in a cell of the evidence: a grade, or a kind of unknown."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poolwise.arrays import Booleans, Floats, Integers, distinct
from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments

__all__ = [
    "BEYOND",
    "POOLED",
    "UNJUDGED",
    "code_type",
    "codes_of_rows",
    "count_by_grade_and_topic",
    "grade_scale",
    "whole_scale",
    "without_grade",
]

POOLED = -1
"""Code of a document that was pooled and not judged: a negative grade in the qrels."""
UNJUDGED = -2
"""Code of a document that nobody graded."""
BEYOND = -3
"""Code of a rank past the end of the list, where there is no document."""


def without_grade(codes: NDArray[np.integer]) -> Booleans:
    """Return which codes stand for a document without a grade: unjudged, or pooled and not judged.

    Examples
    --------
    >>> without_grade(np.array([1, UNJUDGED, POOLED, BEYOND])).tolist()
    [False, True, True, False]
    """
    return (codes < 0) & (codes != BEYOND)


def grade_scale(judgments: Judgments) -> Floats:
    """Return the grades that a document can have: those of the file, or those declared.

    Examples
    --------
    >>> grade_scale(Judgments.from_dict({"1": {"a": 2, "b": -1}})).tolist()
    [0.0, 2.0]
    >>> grade_scale(Judgments.from_dict({"1": {"b": -1}})).tolist()
    [0.0, 1.0]
    """
    return whole_scale(judgments.scale, judgments.declared)


def whole_scale(*grades: ArrayLike) -> Floats:
    """Return 0 and the positive ones of these grades, ascending; 1 where there are none.

    Examples
    --------
    >>> whole_scale([3, 1], [-1]).tolist(), whole_scale([0]).tolist()
    ([0.0, 1.0, 3.0], [0.0, 1.0])
    """
    every = np.concatenate([np.asarray(some, np.float64).ravel() for some in grades])
    positive = distinct(every[every > 0])
    return np.append(0.0, positive if len(positive) else 1.0)


def code_type(scale: Floats) -> np.dtype[np.integer]:
    """Return the smallest type that holds the codes of so many grades."""
    return np.dtype(np.int8 if len(scale) <= np.iinfo(np.int8).max else np.int16)


def codes_of_rows(judgments: Judgments, dtype: np.dtype[np.integer]) -> NDArray[np.integer]:
    """Return the evidence code of each judgment row."""
    of_grade = np.searchsorted(grade_scale(judgments), judgments.scale)
    of_grade[judgments.scale < 0] = POOLED
    # A hidden row has code −1, which takes the last entry.
    return np.append(of_grade, UNJUDGED).astype(dtype)[judgments.codes]


def count_by_grade_and_topic(
    judgments: Judgments, codes: NDArray[np.integer], topics: tuple[str, ...], grades: int
) -> Integers:
    """Count the judged documents of each topic by grade."""
    seen = codes >= 0
    flat = judgments.topic_of_row[seen] * grades + codes[seen]
    counts = np.bincount(flat, minlength=len(judgments.topics) * grades)
    return counts.reshape(-1, grades)[positions(topics, judgments.topics)]
