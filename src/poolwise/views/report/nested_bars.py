"""Both uncertainties of a mean, drawn as nested bars in a table cell."""

import math

from poolwise.scores.score_table import Summary

__all__ = ["Axis", "axis_markup", "axis_of", "nested_bars"]

_WIDTH = 1000
"""Units across a cell."""
_THINNEST = 6
"""Units of a bar without width, as that of a mean."""
_NARROWEST = 0.01
"""Scores that an axis spans at least."""

Axis = tuple[float, float, list[float]]
"""Smallest and largest value, and the values marked between."""


def axis_of(summary: Summary) -> Axis:
    """Return an axis that holds every end of every bar.

    Examples
    --------
    >>> import numpy as np
    >>> ends = [np.array([x]) for x in (0.3, 0.21, 0.38, 0.3, 0.52)]
    >>> axis_of(Summary(("a",), *ends))
    (0.2, 0.6, [0.2, 0.3, 0.4, 0.5, 0.6])
    """
    known = summary.ends().tolist()
    low, high = min(known, default=0.0), max(known, default=1.0)
    # An interval below 0 is cut off where no score can be below 0.
    low = low if (summary.lower < 0).any() else max(low, 0.0)
    step = _step(max(high - low, _NARROWEST) / 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [round(i * step, 9) for i in range(first, max(last, first + 1) + 1)]
    return marks[0], marks[-1], marks


def _step(width: float) -> float:
    """Return the round number at or above a width."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= width * (1 - 1e-9))


def _place(value: float, axis: Axis) -> float:
    return round(max(value - axis[0], 0.0) / (axis[1] - axis[0]) * _WIDTH, 1)


def axis_markup(axis: Axis) -> str:
    """Return the labels of the axis, for the heading of the column."""
    labels = "".join(
        f'<span style="left:{_place(mark, axis) / _WIDTH:.1%}">{mark:g}</span>' for mark in axis[2]
    )
    return f'<span class="axis" aria-hidden="true">{labels}</span>'


def nested_bars(
    mean: float, topics: tuple[float, float], judging: tuple[float, float], axis: Axis
) -> str:
    """Return the range from unjudged documents, the interval over topics in it, and the mean."""
    marks = "".join(f'<path class="grid" d="M{_place(m, axis)} 0V24"/>' for m in axis[2])
    bars = _bar("unjudged", *judging, 4, axis) + _bar("topics", *topics, 9, axis)
    bars += _bar("mean", mean, mean, 2, axis)
    return (
        f'<svg class="range" viewBox="0 0 {_WIDTH} 24" preserveAspectRatio="none" '
        f'aria-hidden="true">{marks}{bars}</svg>'
    )


def _bar(kind: str, low: float, high: float, top: int, axis: Axis) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    x, width = _place(low, axis), _place(high, axis) - _place(low, axis)
    # Something of the thinnest bar stays to be seen.
    thin = max(0.0, _THINNEST - width)
    return (
        f'<rect class="{kind}" x="{x - thin / 2:.1f}" y="{top}" width="{width + thin:.1f}" '
        f'height="{24 - 2 * top}"/>'
    )
