"""What stands in a cell of the evidence: a grade, or a kind of unknown."""

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Integers
from poolwise.collection.identifiers import positions
from poolwise.collection.judgments import Judgments

__all__ = ["BEYOND", "POOLED", "UNJUDGED", "codes_of_rows", "count_by_grade_and_topic"]

POOLED = -1
"""Code of a document that was pooled and not judged: a negative grade in the qrels."""
UNJUDGED = -2
"""Code of a document that nobody graded."""
BEYOND = -3
"""Code of a rank past the end of the list, where there is no document."""


def codes_of_rows(judgments: Judgments, dtype: np.dtype[np.integer]) -> NDArray[np.integer]:
    """Return the evidence code of each judgment row."""
    negative = int((judgments.scale < 0).sum())
    codes = np.maximum(judgments.codes - negative, POOLED)
    return np.where(judgments.judged, codes, UNJUDGED).astype(dtype)


def count_by_grade_and_topic(
    judgments: Judgments, codes: NDArray[np.integer], topics: tuple[str, ...], grades: int
) -> Integers:
    """Count the judged documents of each topic by grade."""
    seen = codes >= 0
    flat = judgments.topic_of_row[seen] * grades + codes[seen]
    counts = np.bincount(flat, minlength=len(judgments.topics) * grades)
    return counts.reshape(-1, grades)[positions(topics, judgments.topics)]
