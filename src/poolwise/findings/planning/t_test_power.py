"""What a paired t test detects: effect sizes, numbers of topics, and its power (W10 ch. 5)."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats
from poolwise.errors import OptionError, require_choice
from poolwise.scores._uncertainty import check_alpha

__all__ = [
    "LARGE",
    "bisect",
    "check_reachable",
    "checked",
    "detectable_effect",
    "effect_at",
    "power_at",
    "power_of_test",
    "tails_of",
    "topics_at",
    "topics_needed",
    "whole_topics",
]

ALTERNATIVES = {"two-sided": 2, "one-sided": 1}
"""Into how many tails the significance level is parted."""

LARGE = 1e6
"""Degrees of freedom beyond which t hardly changes: the topics are right to a millionth."""


def whole_topics(topics: float) -> float:
    """Return a number of topics rounded up; infinite stays infinite.

    Examples
    --------
    >>> whole_topics(55.01), whole_topics(56.0), whole_topics(float("inf"))
    (56, 56, inf)
    """
    # a solution may lie above the whole number it stands for by rounding error
    return topics if math.isinf(topics) else math.ceil(topics - 1e-9)


def power_of_test(
    effect_size: ArrayLike,
    topics: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    alternative: str = "two-sided",
) -> Floats:
    """Return the power for effect sizes δ/σ and numbers of topics, elementwise.

    Parameters
    ----------
    effect_size
        True differences in deviations of the per-topic differences, δ/σ.
    topics
        Numbers of topics; both are broadcast against each other.
    alpha
        Significance levels.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    float array
        The chance to find each difference significant, from the noncentral t distribution.

    Examples
    --------
    >>> power_of_test([0.2, 0.5, 0.8], 50).round(3).tolist()
    [0.284, 0.934, 1.0]
    """
    return power_at(effect_size, topics, alpha, tails_of(alternative))


def detectable_effect(
    topics: ArrayLike,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> Floats:
    """Return the effect size δ/σ that so many topics detect; times σ, the difference.

    Parameters
    ----------
    topics
        Numbers of topics.
    power, alpha
        The chance to find the difference, and the significance level.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    float array
        The effect size for each number of topics.

    Examples
    --------
    >>> (0.159 * detectable_effect([50, 249])).round(3).tolist()
    [0.064, 0.028]
    """
    n = np.asarray(topics, np.float64)
    checked("topics", float(n.min()))
    check_reachable(checked("power", power), checked("alpha", alpha))
    return effect_at(n, power, alpha, tails_of(alternative))


def topics_needed(
    effect_size: ArrayLike,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> Floats:
    """Return how many topics detect effect sizes δ/σ, not rounded; infinite for an effect of 0.

    Parameters
    ----------
    effect_size
        True differences in deviations of the per-topic differences, δ/σ.
    power, alpha
        The chance to find the difference, and the significance level.
    alternative : {"two-sided", "one-sided"}
        What the test is for.

    Returns
    -------
    float array
        The number of topics for each effect size.

    Examples
    --------
    >>> topics_needed([0.2, 0.5, 0.8]).round(1).tolist()
    [198.2, 33.4, 14.3]
    """
    check_reachable(checked("power", power), checked("alpha", alpha))
    return topics_at(
        np.abs(np.asarray(effect_size, np.float64)), power, alpha, tails_of(alternative)
    )


def power_at(effect: ArrayLike, topics: ArrayLike, alpha: ArrayLike, tails: int) -> Floats:
    """Return the power of the test, from the noncentral t distribution."""
    return _power_of(topics, alpha, tails)(effect)


def _power_of(topics: ArrayLike, alpha: ArrayLike, tails: int) -> Callable[[ArrayLike], Floats]:
    """Return what gives the power for an effect: the critical value is found once."""
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415 -- late: slow to import

    n = np.asarray(topics, np.float64)
    freedom = np.minimum(n, LARGE) - 1
    critical = -stdtrit(freedom, np.asarray(alpha) / tails)

    def power(effect: ArrayLike) -> Floats:
        centre = np.sqrt(n) * np.asarray(effect, np.float64)
        # the library gives NaN for some far tails, all of them below 1e-14
        upper = 1 - np.nan_to_num(nctdtr(freedom, centre, critical))
        lower = np.nan_to_num(nctdtr(freedom, centre, -critical)) if tails == 2 else 0.0
        return np.asarray(upper + lower)

    return power


def effect_at(topics: ArrayLike, power: float, alpha: float, tails: int) -> Floats:
    """Return the effect size of that power; the test is the more powerful the larger it is."""
    n = np.asarray(topics, np.float64)
    reached = _power_of(n, alpha, tails)
    top = np.full(n.shape, 1.0)
    while (short := reached(top) < power).any():
        top = np.where(short, 2 * top, top)
    return bisect(reached, power, np.zeros(n.shape), top)


def topics_at(effect: ArrayLike, power: float, alpha: float, tails: int) -> Floats:
    """Return the number of topics of that power, 2 at least, infinite for no effect."""
    size = np.asarray(effect, np.float64)
    some = size > 0
    # So many are more than enough for the smallest effect whose number of topics is a number.
    most = np.finfo(np.float64).max / 4
    n = np.full(size.shape, 4.0)
    while (short := some & (power_at(size, n, alpha, tails) < power) & (n < most)).any():
        n = np.where(short, 2 * n, n)
    found = np.exp(
        bisect(
            lambda log: power_at(size, np.exp(log), alpha, tails),
            power,
            np.full(size.shape, np.log(2.0)),
            np.log(n),
        )
    )
    return np.where(some & (n < most), found, np.inf)


def bisect(rising: Callable[[Floats], Floats], target: float, low: Floats, high: Floats) -> Floats:
    """Return where a rising function meets the target, elementwise."""
    for _ in range(45):
        middle = (low + high) / 2
        below = rising(middle) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


_RANGES = {
    "delta": (0.0, np.inf),
    "sigma": (0.0, np.inf),
    "topics": (2.0 - 1e-9, np.inf),
    "power": (0.0, 1.0),
}


def checked(name: str, value: float) -> float:
    """Return a quantity that lies in its range."""
    if name == "alpha":
        check_alpha(value)
        return float(value)
    low, high = _RANGES[name]
    if not low < value < high:
        raise OptionError(
            f"{name}: {value} is not between {low:g} and {high:g}. Hint: use a value inside."
        )
    return float(value)


def check_reachable(power: float, alpha: float) -> None:
    """Raise where a power is asked for that a test has without any difference."""
    if power <= alpha:
        raise OptionError(
            f"power: {power} is not above alpha, {alpha}, which no difference at all reaches. "
            "Hint: use 0.8."
        )


def tails_of(alternative: str) -> int:
    """Return into how many tails the level is parted."""
    require_choice("alternative", alternative, ALTERNATIVES)
    return ALTERNATIVES[alternative]
