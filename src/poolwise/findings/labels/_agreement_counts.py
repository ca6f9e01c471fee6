"""Agreement of labels from counts by topic: κ, Krippendorff's α, and intervals over topics."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.scores._uncertainty import t_quantile

__all__ = [
    "ALPHAS",
    "FEWEST_TOPICS",
    "KAPPAS",
    "Estimate",
    "alpha",
    "binary_kappa",
    "coincidences",
    "confusions",
    "jackknife",
    "kappa",
]

FEWEST_TOPICS = 8
"""Topics below which no interval is given: it would not hold."""
KAPPAS: dict[str, Callable[[Floats], Floats]] = {
    "nominal": lambda scale: (scale[:, None] != scale).astype(np.float64),
    "linear": lambda scale: np.abs(scale[:, None] - scale),
    "quadratic": lambda scale: np.square(scale[:, None] - scale),
}
"""How much two grades disagree, by the kind of κ."""


@dataclass(frozen=True)
class Estimate:
    """A number, its interval over topics where it has one, and how many topics it is from."""

    value: float
    low: float = float("nan")
    high: float = float("nan")
    topics: int = 0

    @property
    def has_value(self) -> bool:
        """Whether it is defined."""
        return not math.isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there were topics enough for an interval."""
        return not math.isnan(self.low)


def confusions(
    first: Floats, second: Floats, topic: Indices, scales: tuple[Floats, Floats]
) -> Floats:
    """Return how often grades met, topics × grades of the first × grades of the second.

    Documents that one of them did not label, NaN, take no part.

    Examples
    --------
    >>> grades = np.array([0.0, 1, 1, np.nan]), np.array([0.0, 0, 1, 1])
    >>> scale = np.array([0.0, 1])
    >>> confusions(*grades, np.array([0, 0, 1, 1]), (scale, scale)).tolist()
    [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    rows, columns = map(len, scales)
    places, present = np.unique(topic[both], return_inverse=True)
    left, right = (
        np.searchsorted(s, g[both]) for s, g in zip(scales, (first, second), strict=True)
    )
    cell = (present * rows + left) * columns + right
    counts = np.bincount(cell, minlength=len(places) * rows * columns)
    return counts.reshape(len(places), rows, columns).astype(np.float64)


def kappa(counts: Floats, weights: Floats) -> Floats:
    """Return Cohen's κ of tables of counts, … × grades × grades (Cohen 1968).

    Examples
    --------
    >>> weights = KAPPAS["nominal"](np.arange(2.0))
    >>> float(kappa(np.array([[20.0, 5], [10, 15]]), weights).round(4))
    0.4
    """
    total = counts.sum(axis=(-2, -1))
    expected = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    seen, by_chance = ((weights * c).sum(axis=(-2, -1)) for c in (counts, expected))
    with np.errstate(invalid="ignore", divide="ignore"):
        # Where chance cannot disagree, all labels are the same, and κ has no value.
        return np.where(by_chance > 0, 1 - seen * total / by_chance, np.nan)


def binary_kappa(counts: Floats, rows: int, columns: int) -> Floats:
    """Return κ of relevance: from these places of both scales upwards.

    Examples
    --------
    >>> counts = np.array([[20.0, 5, 0], [0, 10, 15]])
    >>> float(binary_kappa(counts, 1, 1).round(4))
    0.8
    """
    by_row = np.stack([counts[..., :rows, :].sum(-2), counts[..., rows:, :].sum(-2)], axis=-2)
    table = np.stack([by_row[..., :columns].sum(-1), by_row[..., columns:].sum(-1)], axis=-1)
    return kappa(table, KAPPAS["nominal"](np.arange(2.0)))


def coincidences(grades: Floats, topic: Indices, scale: Floats) -> Floats:
    """Return how often grades meet in a document, topics × grades × grades (Krippendorff 2004).

    A document with m labels has each of its ordered pairs counted 1/(m − 1).

    Parameters
    ----------
    grades : float array, authors × documents
    topic : int array
        The topic of each document.
    scale : float array
    """
    held = np.stack([(grades == grade).sum(axis=0) for grade in scale], axis=1).astype(np.float64)
    labels = held.sum(axis=1)
    several = labels >= 2
    held, labels = held[several], labels[several]
    places, present = np.unique(topic[several], return_inverse=True)
    share = held / (labels - 1)[:, None]
    counts = np.zeros((len(places), len(scale), len(scale)))
    for c in range(len(scale)):
        for k in range(len(scale)):
            pairs = share[:, c] * (held[:, k] - (c == k))
            counts[:, c, k] = np.bincount(present, pairs, minlength=len(places))
    return counts


def _ordinal(totals: Floats, scale: Floats) -> Floats:
    """Return the ordinal metric: how many labels lie between two grades, their halves included."""
    del scale
    below = np.cumsum(totals, axis=-1)
    between = below[..., None, :] - below[..., :, None] + totals[..., :, None]
    half = (totals[..., :, None] + totals[..., None, :]) / 2
    upper = np.triu(np.ones((totals.shape[-1],) * 2, bool))
    distance = np.where(upper, between - half, 0.0)
    return np.square(distance + np.swapaxes(distance, -1, -2))


ALPHAS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "nominal": lambda _totals, scale: KAPPAS["nominal"](scale),
    "ordinal": _ordinal,
    "interval": lambda _totals, scale: KAPPAS["quadratic"](scale),
}
"""How much two grades disagree, by the kind of α; the ordinal metric goes by their counts."""


def alpha(counts: Floats, scale: Floats, kind: str) -> Floats:
    """Return Krippendorff's α of coincidences, … × grades × grades.

    Examples
    --------
    Two authors, four documents: they agree on three.

    >>> grades = np.array([[0.0, 0, 1, 1], [0, 0, 1, 0]])
    >>> counts = coincidences(grades, np.zeros(4, int), np.arange(2.0))
    >>> float(alpha(counts.sum(axis=0), np.arange(2.0), "nominal").round(4))
    0.5333
    """
    totals = counts.sum(axis=-1)
    labels = totals.sum(axis=-1)
    distance = ALPHAS[kind](totals, scale)
    seen = (counts * distance).sum(axis=(-2, -1))
    by_chance = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(by_chance > 0, 1 - seen * (labels - 1) / by_chance, np.nan)


def jackknife(
    counts: Floats,
    statistic: Callable[[Floats], Floats],
    *,
    level: float = 0.95,
    transformed: bool = True,
) -> Estimate:
    """Return a statistic of summed counts, with its jackknife-t interval over topics.

    Parameters
    ----------
    counts : float array, topics × …
        Of the topics that have any.
    statistic
        From counts, … × grades × grades, to numbers.
    level
        The level of confidence.
    transformed
        Whether the interval is made on the scale of atanh, where it covers better; else it is
        symmetric.

    Examples
    --------
    >>> counts = np.tile([[20.0, 5], [10, 15]], (10, 1, 1)) + np.arange(10)[:, None, None]
    >>> estimate = jackknife(counts, lambda c: kappa(c, KAPPAS["nominal"](np.arange(2.0))))
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (0.294, 0.256, 0.331)
    """
    n = len(counts)
    whole = counts.sum(axis=0)
    value = float(statistic(whole)) if n else float("nan")
    if n < FEWEST_TOPICS:
        return Estimate(value, topics=n)
    left_out = np.append(statistic(whole - counts), value)
    if np.isnan(left_out).any() or (transformed and np.abs(left_out).max() >= 1):
        return Estimate(value, topics=n)
    there, back = (np.arctanh, np.tanh) if transformed else (_same, _same)
    *without, centre = there(left_out)
    error = np.sqrt((n - 1) / n * np.square(without - np.mean(without)).sum())
    half = t_quantile(n - 1, level) * error
    return Estimate(value, float(back(centre - half)), float(back(centre + half)), n)


def _same(values: Floats) -> Floats:
    return values
