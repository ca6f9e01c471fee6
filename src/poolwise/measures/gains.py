"""Gains by grade, and discounts by rank."""

import numpy as np

from poolwise.arrays import Floats, Integers

__all__ = [
    "DCG_FORMS",
    "GAINS",
    "binary_gains",
    "discounts",
    "exponential_gains",
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
    """Return 2^grade − 1."""
    return np.exp2(np.maximum(grades, 0.0)) - 1


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
    of = linear_gains if gain == "linear" else exponential_gains
    return of(scale) / of(np.array([top_grade(scale)]))


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
