"""How far a number could be from what it is, over what, and how that is shown."""

import math
from numbers import Real

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.measures.bounds.ranges import Bounds

__all__ = ["check_alpha", "check_level", "level_text", "may_enter", "mean_range", "t_quantile"]


def may_enter(value: Floats, lower: Floats) -> Booleans:
    """Return which topics have no score now and can get one, rows × topics.

    A topic without a known relevant document has no recall-based score; if an unjudged document
    there turns out relevant, it has.
    """
    return np.isnan(value) & ~np.isnan(lower)


def mean_range(value: Floats, lower: Floats, upper: Floats) -> Bounds:
    """Return the range of the mean of each row over the topics that count.

    Topics are graded apart from each other, so each of those defined now is at its own end. Of
    the others each may be left out, or enter with any score it could have: for the lower end those
    with the smallest scores enter, as long as the mean falls.

    Parameters
    ----------
    value : float array, rows × topics
        The scores now; a topic counts if all rows have one.
    lower, upper : float array, rows × topics
        The range of each topic; NaN where it has none.

    Examples
    --------
    Two topics at 0.5, and one that may enter with 0.2 to 0.3: the mean may fall to 0.4, and need
    not fall at all.

    >>> value = np.array([[0.5, 0.5, np.nan]])
    >>> low, high = np.array([[0.5, 0.5, 0.2]]), np.array([[0.5, 0.5, 0.3]])
    >>> [end.round(2).item() for end in mean_range(value, low, high)]
    [0.4, 0.5]
    """
    defined = np.asarray(~np.isnan(value).any(axis=0))
    counted = defined | may_enter(value, lower)
    low, high = (np.where(counted, end, np.nan) for end in (lower, upper))
    return Bounds(_lowest(low, defined), 0.0 - _lowest(0.0 - high, defined))


def _lowest(values: Floats, defined: Booleans) -> Floats:
    now, others = values[:, defined], np.sort(values[:, ~defined], axis=1)
    known = now.shape[1]
    total = now.sum(axis=1, keepdims=True) + np.cumsum(others, axis=1)
    means = total / (known + np.arange(1, others.shape[1] + 1))
    mean = now.mean(axis=1) if known else np.full(len(values), np.nan)
    # Undefined numbers come last in each row, and are passed over.
    return np.fmin.reduce(np.column_stack([mean, means]), axis=1)


_MOST_STEPS = 1000
_PRECISION = 1e-15


def t_quantile(degrees: int, level: float) -> float:
    """Return ``t`` such that Student's t lies within ±t with this probability.

    ``scipy.special`` has it for any degrees of freedom; importing that takes longer than all else
    that ``poolwise evaluate`` does to a run.

    Examples
    --------
    >>> round(t_quantile(49, 0.95), 6)
    2.009575
    """
    if level >= 1:
        return math.inf
    # With t = √ν tan θ the probability is concave in θ: Newton's steps from 0 never pass the root.
    gammas = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
    slope = 2 / math.sqrt(math.pi) * gammas
    angle = 0.0
    for _ in range(_MOST_STEPS):
        step = (level - _within(angle, degrees)) / (slope * math.cos(angle) ** (degrees - 1))
        angle += step
        if step <= angle * _PRECISION:
            break
    return math.sqrt(degrees) * math.tan(angle)


def _within(angle: float, degrees: int) -> float:
    """Return the probability of ±√ν tan θ for whole ν (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    odd = degrees % 2
    term = total = 1.0
    square = math.cos(angle) ** 2
    for j in range(1, (degrees - odd) // 2):
        term *= square * (2 * j - 1 + odd) / (2 * j + odd)
        total += term
    if not odd:
        return math.sin(angle) * total
    series = math.sin(angle) * math.cos(angle) * total if degrees > 1 else 0.0
    return 2 / math.pi * (angle + series)


def check_alpha(alpha: float) -> None:
    """Refuse a significance level that is not a share.

    Examples
    --------
    >>> check_alpha(5)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: alpha: a significance level is between 0 and 1; got 5. Hint: use
    0.05.
    """
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise OptionError(
            f"alpha: a significance level is between 0 and 1; got {alpha!r}. Hint: use 0.05."
        )


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a share."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise OptionError(
            f"level: a confidence level is between 0 and 1; got {level!r}. Hint: use 0.95."
        )


def level_text(level: float) -> str:
    """Return a level in percent, with as many digits as it has.

    Examples
    --------
    >>> level_text(0.95), level_text(1 - 0.001)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"
