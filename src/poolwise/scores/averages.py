"""Averages over topics: the mean, and those that weigh low scores more."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Floats

__all__ = ["AGGREGATES", "AVERAGES", "Average"]


def _geometric_mean(values: Floats, epsilon: float = 1e-5) -> Floats:
    """Return GM-M: ε is added so that a score of 0 counts, and taken off again (U18 §2.1)."""
    return np.exp(np.log(_not_negative(values) + epsilon).mean(axis=1)) - epsilon


def _harmonic_mean(values: Floats, epsilon: float = 1e-5) -> Floats:
    """Return the harmonic mean, with ε as for the geometric one (Ravana & Moffat 2009)."""
    return 1 / (1 / (_not_negative(values) + epsilon)).mean(axis=1) - epsilon


def _not_negative(values: Floats) -> Floats:
    """Return the scores, undefined below 0, where these means have no meaning."""
    return np.where(values < 0, np.nan, values)


class Average(NamedTuple):
    """What an average is called, and its key in ``AGGREGATES``."""

    title: str
    how: str


AVERAGES: dict[str, Average] = {
    "geometric": Average("geometric mean", "gm"),
    "harmonic": Average("harmonic mean", "hm"),
    "median": Average("median", "median"),
}
"""Averages that can stand beside the mean."""

AGGREGATES: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda values: values.mean(axis=1),
    "gm": _geometric_mean,
    "hm": _harmonic_mean,
    "median": lambda values: np.median(values, axis=1),
}
