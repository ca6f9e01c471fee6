"""Gains by grade, and discounts by rank."""

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.errors import MeasureError

__all__ = [
    "DCG_FORMS",
    "GAINS",
    "binary_gains",
    "discounts",
    "exponential_gains",
    "exponential_shares",
    "ideal_gains",
    "linear_gains",
    "scaled_gains",
    "top_grade",
]

GAINS = {
    "binary": "1 from the relevance level up, else 0",
    "linear": "grade / highest grade",
    "exponential": "(2^grade − 1) / (2^highest − 1)",
}
DCG_FORMS = {
    "log2": "linear gain, discount 1/log2(i + 1)",
    "exp-log2": "exponential gain 2^grade − 1, discount 1/log2(i + 1)",
    "jk": "linear gain, discount 1 to rank b, 1/log_b(i) below",
    "exp-jk": "exponential gain 2^grade − 1, discount 1 to rank b, 1/log_b(i) below",
}

_HIGHEST_EXPONENT = 1000
"""2^1000, added up for a million documents, is still a number."""


def top_grade(scale: Floats) -> float:
    """Return the highest grade of the collection; 1 where nothing above 0 was ever given.

    Examples
    --------
    >>> top_grade(np.array([0.0, 1.0, 3.0])), top_grade(np.array([0.0]))
    (3.0, 1.0)
    """
    return float(scale[-1]) if len(scale) and scale[-1] > 0 else 1.0


def binary_gains(grades: Floats, rel: float) -> Floats:
    """Return 1 for each grade of at least ``rel``, else 0."""
    return (grades >= rel).astype(np.float64)


def linear_gains(grades: Floats) -> Floats:
    """Return the grades themselves."""
    return np.maximum(grades, 0.0)


def exponential_gains(grades: Floats) -> Floats:
    """Return 2^grade − 1; grades whose gains would be too large to add up are refused.

    Examples
    --------
    >>> exponential_gains(np.array([0.0, 1.0, 3.0])).tolist()
    [0.0, 1.0, 7.0]
    """
    if grades.max(initial=0) > _HIGHEST_EXPONENT:
        raise MeasureError(
            f"an exponential gain needs grades of at most {_HIGHEST_EXPONENT}; got "
            f"{grades.max():g}. Hint: use a linear gain, or grades on a smaller scale."
        )
    return np.exp2(np.maximum(grades, 0.0)) - 1


def exponential_shares(grades: Floats, top: float) -> Floats:
    """Return (2^grade − 1) / 2^top, which is at most 1 whatever the grades are.

    Examples
    --------
    >>> exponential_shares(np.array([0.0, 1.0, 2.0]), 2).tolist()
    [0.0, 0.25, 0.75]
    >>> exponential_shares(np.array([1.0, 4999.0, 5000.0]), 5000).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.exp2(np.maximum(grades, 0.0) - top) - np.exp2(-top)


def scaled_gains(scale: Floats, gain: str, rel: float) -> Floats:
    """Return the gain of each grade, from 0 to 1, where 1 is the collection's highest grade.

    Examples
    --------
    >>> scale = np.array([0.0, 1.0, 2.0])
    >>> [scaled_gains(scale, gain, 1).tolist() for gain in ("binary", "linear")]
    [[0.0, 1.0, 1.0], [0.0, 0.5, 1.0]]
    """
    if gain == "binary":
        return binary_gains(scale, rel)
    top = top_grade(scale)
    if gain == "linear":
        return linear_gains(scale) / top
    return exponential_shares(scale, top) / exponential_shares(np.array([top]), top)


def discounts(depth: int, dcg: str, base: float) -> Floats:
    """Return the DCG weight of each rank.

    Examples
    --------
    >>> discounts(4, "log2", 2).round(2).tolist(), discounts(4, "jk", 2).round(2).tolist()
    ([1.0, 0.63, 0.5, 0.43], [1.0, 1.0, 0.63, 0.5])
    """
    ranks = np.arange(1, depth + 1, dtype=np.float64)
    if dcg.endswith("log2"):
        return 1 / np.log2(ranks + 1)  # W10 eq. 3.9
    return np.log(base) / np.log(np.maximum(ranks, base))  # W10 eq. 3.8


def ideal_gains(pool: Integers, gains: Floats, depth: int) -> Floats:
    """Return the gain at each rank of the best ranking of the judged documents, per topic.

    Examples
    --------
    >>> ideal_gains(np.array([[5, 2, 1]]), np.array([0.0, 1.0, 3.0]), 4).tolist()
    [[3.0, 1.0, 1.0, 0.0]]
    """
    steps = np.diff(gains, prepend=0.0)
    at_least = pool[:, ::-1].cumsum(axis=1)[:, ::-1]
    ranks = np.arange(depth)
    ideal = np.zeros((len(pool), depth))
    for code in np.flatnonzero(steps).tolist():
        ideal += steps[code] * (ranks < at_least[:, code, None])
    return ideal
