"""The smallest and largest p value that a range of per-topic differences leaves to the t test.

With S the sum and Q the sum of squares of n differences, t² = (n − 1) / (nQ/S² − 1). So t is
largest where Q/S² is smallest, and the other way round. Each difference moves on its own between
its bounds. Q/S² is smallest where all differences are as equal as their bounds let them be, which
leaves one number to look for. Where every sum is above 0, its largest value is found by putting
the chord of x² between the bounds in the place of x²: that never gives less, and exactly as much
at the ends of the ranges, where the largest value is, save for one topic.
"""

import os
from typing import NamedTuple

import numpy as np

from poolwise.arrays import TOLERANCE, Floats
from poolwise.errors import require_choice
from poolwise.findings.comparison._resampling import SIDES

__all__ = ["PRange", "t_pvalue_range", "t_range"]

_CELLS = 1 << 16
"""Pairs × topics at a time: what is made of them stays in the cache."""
_THREADS = 4
"""Parts that are worked on at the same time."""


class PRange(NamedTuple):
    """No assignment of grades to unjudged documents takes the p value out of this range."""

    low: Floats
    high: Floats


def t_pvalue_range(lower: Floats, upper: Floats, *, alternative: str = "two-sided") -> PRange:
    """Return the range of the paired t test's p value where differences lie between bounds.

    Parameters
    ----------
    lower, upper : float array, pairs × topics
        Bounds of the per-topic differences, none of them undefined.
    alternative : {"two-sided", "greater", "less"}
        What the test claims of the difference.

    Examples
    --------
    >>> lower, upper = np.array([[0.1, 0.2, 0.3]]), np.array([[0.1, 0.2, 0.4]])
    >>> [p.round(4).item() for p in t_pvalue_range(lower, upper)]
    [0.0742, 0.1181]
    """
    from scipy.special import stdtr  # noqa: PLC0415 -- late: scipy is slow to import

    require_choice("alternative", alternative, SIDES)
    low, high = t_range(lower, upper)
    freedom = max(lower.shape[1] - 1, 1)
    if alternative == "greater":
        return PRange(stdtr(freedom, -high), stdtr(freedom, -low))
    if alternative == "less":
        return PRange(stdtr(freedom, low), stdtr(freedom, high))
    nearest = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    furthest = np.maximum(np.abs(low), np.abs(high))
    return PRange(2 * stdtr(freedom, -furthest), 2 * stdtr(freedom, -nearest))


def t_range(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the smallest and largest t statistic of each pair.

    NaN for fewer than two topics, and where every difference is 0 and stays so.

    Examples
    --------
    >>> [t.round(3).tolist() for t in t_range(np.array([[0.1, 0.3]]), np.array([[0.2, 0.4]]))]
    [[1.667], [5.0]]
    """
    if lower.shape[1] < 2:
        return np.full(len(lower), np.nan), np.full(len(lower), np.nan)
    step = max(1, _CELLS // lower.shape[1])
    parts = [slice(first, first + step) for first in range(0, max(len(lower), 1), step)]
    if len(parts) == 1:
        return _t_range(lower, upper)
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as threads:
        found = [*threads.map(lambda some: _t_range(lower[some], upper[some]), parts)]
    low, high = zip(*found, strict=True)
    return np.concatenate(low), np.concatenate(high)


def _t_range(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    # Rounding may have put the ends of an empty range the wrong way round.
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    silent = np.where((lower != 0).any(axis=1) | (upper != 0).any(axis=1), 0.0, np.nan)
    return silent - _largest_t(-upper, -lower), silent + _largest_t(lower, upper)


def _largest_t(lower: Floats, upper: Floats) -> Floats:
    """Return the largest t: as far above 0 as it gets, or as near below."""
    n, total = lower.shape[1], upper.sum(axis=1)
    rounding = TOLERANCE * n * np.abs(upper).max(axis=1)
    above, below = total > rounding, total < -rounding
    found = np.zeros(len(lower))
    found[above] = _t(_least_ratio(lower[above], upper[above]), n)
    found[below] = -_t(_most_ratio(-upper[below], -lower[below]), n)
    return found


def _t(ratio: Floats, n: int) -> Floats:
    """Return |t| from Q/S²; infinite where nothing varies but by rounding."""
    spread = n * ratio - 1
    varies = spread > TOLERANCE
    return np.where(varies, np.sqrt((n - 1) / np.where(varies, spread, 1.0)), np.inf)


def _least_ratio(lower: Floats, upper: Floats) -> Floats:
    """Return the smallest Q/S² with S above 0: each difference is a level, cut to its bounds.

    As the level rises past its lower bound a difference begins to move with it, and past its upper
    bound it stops. Between two such events Q/S² = (A + kc²)/(B + kc)², smallest at c = A/B.
    """
    level = np.concatenate([lower, upper], axis=1)
    order = np.argsort(level, axis=1, kind="stable")
    sign = np.where(order < lower.shape[1], -1.0, 1.0)
    level = np.take_along_axis(level, order, axis=1)
    moving = np.cumsum(-sign, axis=1)[:, :-1]
    fixed = (lower.sum(axis=1, keepdims=True) + np.cumsum(sign * level, axis=1))[:, :-1]
    squares = (lower**2).sum(axis=1, keepdims=True) + np.cumsum(sign * level**2, axis=1)
    squares = squares[:, :-1]
    start, stop = level[:, :-1], level[:, 1:]
    best = squares / np.where(fixed == 0, 1.0, fixed)
    ratios = [
        _ratio(squares + moving * c**2, fixed + moving * c).min(axis=1)
        for c in (start, stop, np.clip(best, start, stop))
    ]
    return np.asarray(np.min(ratios, axis=0))


def _most_ratio(lower: Floats, upper: Floats) -> Floats:
    """Return the largest Q/S² where every sum is above 0, with chords in the place of squares.

    For a given sum, the differences with the largest lower + upper, the slope of the chord, stand
    at their upper bounds. From one of them to the next Q = a + bS, and Q/S² peaks at S = −2a/b.
    """
    slope = -np.sort(-(lower + upper), axis=1)
    step = np.take_along_axis(upper - lower, np.argsort(-(lower + upper), axis=1), axis=1)
    total = lower.sum(axis=1, keepdims=True) + _running(step)
    squares = (lower**2).sum(axis=1, keepdims=True) + _running(slope * step)
    rest = squares[:, :-1] - slope * total[:, :-1]
    peak = -2 * rest / np.where(slope == 0, 1.0, slope)
    peak = np.clip(peak, total[:, :-1], total[:, 1:])
    at_ends, at_peaks = squares / total**2, (rest + slope * peak) / peak**2
    return np.maximum(at_ends.max(axis=1), at_peaks.max(axis=1))


def _running(steps: Floats) -> Floats:
    """Return the sums of the first 0, 1, … steps."""
    return np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))


def _ratio(squares: Floats, total: Floats) -> Floats:
    """Return Q/S², infinite where S is not above 0."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = squares / total**2
    np.copyto(found, np.inf, where=total <= 0)
    return np.asarray(found)
