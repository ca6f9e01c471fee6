"""Both uncertainties of a mean, drawn as nested bars in a table cell."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.scores._score_table import Summary
from poolwise.scores._uncertainty import Uncertainty
from poolwise.words import named

__all__ = [
    "Axis",
    "Bar",
    "axis_markup",
    "axis_of",
    "bar_kind",
    "nested_bars",
    "outside_sentence",
    "round_step",
]

_WIDTH = 1000
"""Units across a cell."""
_THINNEST = 6
"""Units of a bar without width, as that of a mean."""
_NARROWEST = 0.01
"""Scores that an axis spans at least."""
_EDGE = 0.05
"""The share of an axis within which a label is at its edge."""

_FEWEST = 5
"""Runs from which some may be left outside of the axis."""
_SHARE = 20
"""One run may be left outside, or one in so many."""
_NARROWER = 2 / 3
"""Runs are left outside where the axis of the others spans this share of it, or less."""


class Axis(NamedTuple):
    """An axis of scores.

    Attributes
    ----------
    low, high : float
        Its ends.
    marks : list of float
        The values marked on it.
    outside : tuple of str
        The runs far below the others, for which it makes no room.
    """

    low: float
    high: float
    marks: list[float]
    outside: tuple[str, ...] = ()


def axis_of(summary: Summary) -> Axis:
    """Return an axis that holds the bars, but for those of one run or a few far below the others.

    Examples
    --------
    >>> topics = Uncertainty("topics", np.array([0.21]), np.array([0.38]), level=0.95)
    >>> judging = Uncertainty("judgments", np.array([0.3]), np.array([0.52]))
    >>> axis_of(Summary(("a",), np.array([0.3]), (topics, judging)))
    Axis(low=0.21, high=0.52, marks=[0.3, 0.4, 0.5], outside=())
    """
    lows, highs = _ends(summary)
    shown = _shown(lows, highs)
    low, high = (lows[shown].min(), highs[shown].max()) if shown.any() else (0.0, 1.0)
    # An interval below 0 is cut off where no score can be below 0.
    below = any(
        (uncertainty.low < 0).any() for uncertainty in summary.drawn if not uncertainty.is_interval
    )
    low = low if below else max(low, 0.0)
    outside = tuple(summary.systems[s] for s in np.flatnonzero(~shown & ~np.isnan(lows)).tolist())
    return _axis(float(low), float(high), outside)


def _axis(low: float, high: float, outside: tuple[str, ...]) -> Axis:
    """Return an axis that begins and ends with its bars, and is marked at round numbers."""
    narrow = max(0.0, _NARROWEST - (high - low)) / 2
    low = math.floor(max(low - narrow, min(low, 0.0)) * 1000 + 1e-9) / 1000
    high = math.ceil((high + narrow) * 1000 - 1e-9) / 1000
    # Six steps or fewer: more labels would run into each other in a narrow column.
    step = round_step((high - low) / 6)
    # 0.3 / 0.1 is a little below 3, and 0.3 is to be marked.
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return Axis(low, high, [round(i * step, 9) for i in range(first, last + 1)], outside)


def _ends(summary: Summary) -> tuple[Floats, Floats]:
    """Return the lowest and the highest end of each run's bars; NaN where there are none.

    An interval over a few topics can be far wider than any score: it is cut off where it is
    further from the others' means and ranges than these are apart.
    """
    ranges = [
        end
        for uncertainty in summary.drawn
        if not uncertainty.is_interval
        for end in (uncertainty.low, uncertainty.high)
    ]
    core = np.stack([summary.mean, *ranges])
    defined = core[~np.isnan(core)]
    span = np.ptp(defined) if len(defined) else 0.0
    wide = [
        end
        for uncertainty in summary.drawn
        if uncertainty.is_interval
        for end in (uncertainty.low, uncertainty.high)
    ]
    intervals = np.reshape(wide, (len(wide), len(summary.systems)))
    if span:
        intervals = np.clip(intervals, defined.min() - span, defined.max() + span)
    ends = np.concatenate([core, intervals])
    return np.fmin.reduce(ends), np.fmax.reduce(ends)


def _shown(lows: Floats, highs: Floats) -> Booleans:
    """Return which runs the axis makes room for."""
    drawn = ~np.isnan(lows)
    for s in np.argsort(highs, kind="stable")[: _most_outside(int(drawn.sum()))].tolist():
        rest = drawn & (highs > highs[s])
        if rest.any() and highs[s] < lows[rest].min():
            narrow = highs[rest].max() - lows[rest].min()
            if narrow <= _NARROWER * (highs[drawn].max() - lows[drawn].min()):
                return rest
    return drawn


def _most_outside(runs: int) -> int:
    return max(1, runs // _SHARE) if runs >= _FEWEST else 0


def outside_sentence(axis: Axis) -> tuple[str, ...]:
    """Say which runs the axis makes no room for; nothing where it holds all."""
    if not axis.outside:
        return ()
    bars = "the bars of this run are" if len(axis.outside) == 1 else "the bars of these runs are"
    return (
        (
            f"The axis begins at {axis.low:g}, without {named(axis.outside)}, far below the "
            f"others: {bars} cut off at its edge."
        ),
    )


def round_step(width: float) -> float:
    """Return the round number at or above a width."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= width * (1 - 1e-9))


def _place(value: float, axis: Axis) -> float:
    within = min(max(value, axis.low), axis.high)
    return round((within - axis.low) / (axis.high - axis.low) * _WIDTH, 1)


def axis_markup(axis: Axis) -> str:
    """Return the labels of the axis, for the heading of the column."""
    labels = "".join(_label(mark, _place(mark, axis) / _WIDTH) for mark in axis.marks)
    ends = f'data-low="{axis.low:g}" data-high="{axis.high:g}"'
    return f'<span class="axis" {ends} aria-hidden="true">{labels}</span>'


def _label(mark: float, place: float) -> str:
    # One at an edge would stick out, were it centred.
    shift = 0 if place < _EDGE else 100 if place > 1 - _EDGE else 50
    return f'<span style="left:{place:.1%};transform:translateX(-{shift}%)">{mark:g}</span>'


_TOPS = {"unjudged": 3, "interval": 3, "plausible": 7, "topics": 11}
"""How far below the top of a cell each kind of bar begins; ``interval`` is one of ranks."""


class Bar(NamedTuple):
    """One uncertainty of a mean, as it is drawn."""

    low: float
    high: float
    kind: str
    """How it is coloured: a key of ``_TOPS``."""


def bar_kind(uncertainty: Uncertainty) -> str:
    """Return how an uncertainty is coloured, in bars and in the legend."""
    if uncertainty.over == "draws":
        return "plausible"
    return "topics" if uncertainty.is_interval else "unjudged"


def nested_bars(mean: float, bars: Iterable[Bar], axis: Axis) -> str:
    """Return what judging leaves possible and plausible, the interval over topics, the mean."""
    # Stretched to its cell whatever its width, so it has no text, whose letters would stretch.
    # All lines in one path: there is one in every row of the table.
    lines = "".join(f"M{_place(m, axis)} 0V24" for m in axis.marks)
    marks = f'<path class="grid" d="{lines}"/>' if lines else ""
    # Wide ranges first, so that the thin intervals are seen upon them.
    wide_first = sorted(bars, key=lambda bar: list(_TOPS).index(bar.kind))
    drawn = [_bar(bar, _TOPS[bar.kind], axis) for bar in wide_first]
    drawn.append(_bar(Bar(mean, mean, "mean"), 2, axis))
    return (
        f'<svg class="range" viewBox="0 0 {_WIDTH} 24" preserveAspectRatio="none" '
        f'aria-hidden="true">{marks}{"".join(drawn)}</svg>'
    )


def _bar(bar: Bar, top: int, axis: Axis) -> str:
    low, high, kind = bar
    if math.isnan(low) or math.isnan(high):
        return ""
    x, width = _place(low, axis), _place(high, axis) - _place(low, axis)
    # Something of the thinnest bar stays to be seen.
    thin = max(0.0, _THINNEST - width)
    return (
        f'<rect class="{kind}" x="{x - thin / 2:.1f}" y="{top}" width="{width + thin:.1f}" '
        f'height="{24 - 2 * top}"/>'
    )
