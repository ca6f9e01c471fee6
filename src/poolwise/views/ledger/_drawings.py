"""Pictures of the site as SVG: boxes by year, and published gains."""

import math
from collections.abc import Callable, Sequence
from html import escape

from poolwise.findings.history._trend import PublishedGains, Trend
from poolwise.results._columns import Columns
from poolwise.views.report._nested_bars import round_step
from poolwise.words import visible

__all__ = ["gains_picture", "trend_picture"]

_NARROWEST = 0.01
"""Scores that an axis spans at least."""
_WIDTH, _HEIGHT = 900, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 20, 15, 140
_CROWDED = 24
"""Columns closer than this have steeper names, which need less room beside each other."""


def _place(low: float, high: float) -> Callable[[float], float]:
    """Return how far down a score stands."""
    room = _HEIGHT - _TOP - _BOTTOM
    return lambda value: round(_TOP + room * (1 - (value - low) / ((high - low) or 1.0)), 1)


def _grid(low: float, high: float) -> str:
    down, step = _place(low, high), round_step(max(high - low, _NARROWEST) / 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    lines = []
    for value in (i * step for i in range(first, last + 1)):
        y = down(value)
        lines.append(f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>')
        lines.append(
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{value:.{_digits(step)}f}</text>'
        )
    return "".join(lines)


def _digits(step: float) -> int:
    """Return the decimals that tell marks apart."""
    return max(0, -math.floor(math.log10(step)))


def _figure(content: str, title: str, caption: str) -> str:
    return (
        f'<figure><figcaption>{escape(visible(title))}</figcaption><div class="picture" '
        f'tabindex="0" role="region" aria-label="{escape(visible(title))}">'
        f'<svg class="boxes" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(visible(caption))}">{content}</svg></div></figure>'
    )


def _columns_at(count: int) -> list[float]:
    room = _WIDTH - _LEFT - _RIGHT
    return [_LEFT + room * (i + 0.5) / max(count, 1) for i in range(count)]


def _label(x: float, text: str, columns: int) -> str:
    y = _HEIGHT - _BOTTOM + 14
    angle = -62 if (_WIDTH - _LEFT - _RIGHT) / columns < _CROWDED else -35
    return (
        f'<text x="{x:.1f}" y="{y}" text-anchor="end" transform="rotate({angle} {x:.1f} {y})">'
        f"{escape(visible(text))}</text>"
    )


def trend_picture(trend: Trend) -> str:
    """Return a box and whiskers for each collection, the oldest first (W10 fig. 8.2)."""
    rows = trend.columns()
    low, high = min(rows["lowest"]), max(rows["highest"])
    down = _place(low, high)
    places = _columns_at(len(rows["year"]))
    half = min(22.0, 0.35 * (_WIDTH - _LEFT - _RIGHT) / len(places))
    drawn = [_grid(low, high)]
    for i, x in enumerate(places):
        drawn.append(_box(rows, i, x, half, down))
        year = rows["year"][i]
        name = f"{rows['collection'][i]}{f' {year}' if year else ''}"
        drawn.append(_label(x, name, len(places)))
    title = f"{trend.measure} over the years: extremes, quartiles and median of the runs"
    return _figure("".join(drawn), title, trend.sentences()[0])


def _box(rows: Columns, i: int, x: float, half: float, down: Callable[[float], float]) -> str:
    at = {name: down(rows[name][i]) for name in ("lowest", "quarter", "median", "three_quarters")}
    top = down(rows["highest"][i])
    height = max(1.0, at["quarter"] - at["three_quarters"])
    return (
        f'<path class="whisker" d="M{x:.1f} {top}V{at["lowest"]}"/>'
        f'<rect class="box" x="{x - half:.1f}" y="{at["three_quarters"]}" width="{2 * half:.1f}" '
        f'height="{height:.1f}"/>'
        f'<path class="median" d="M{x - half:.1f} {at["median"]}H{x + half:.1f}"/>'
    )


def gains_picture(gains: PublishedGains) -> str:
    """Return baselines and improved runs by year, joined by a line (W10 fig. 8.4)."""
    rows, marks = gains.columns(), gains.marks()
    scores: Sequence[float] = [*rows["baseline_mean"], *rows["mean"], *marks.values()]
    low, high = min(scores), max(scores)
    down = _place(low, high)
    drawn = [_grid(low, high)]
    for name, value in marks.items():
        y = down(value)
        drawn.append(f'<path class="mark" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>')
        drawn.append(f'<text x="{_WIDTH - _RIGHT}" y="{y - 4}" text-anchor="end">{name}</text>')
    pairs = zip(_columns_at(len(rows["run"])), rows["baseline_mean"], rows["mean"], strict=True)
    for i, (x, before, after) in enumerate(pairs):
        drawn.append(f'<path class="gain" d="M{x:.1f} {down(before)}V{down(after)}"/>')
        drawn.append(f'<circle class="baseline" cx="{x:.1f}" cy="{down(before)}" r="4.5"/>')
        drawn.append(f'<circle class="improved" cx="{x:.1f}" cy="{down(after)}" r="4.5"/>')
        name = f"{rows['run'][i]} {rows['year'][i] or ''}".strip()
        drawn.append(_label(x, name, len(rows["run"])))
    title = f"{gains.measure} on {gains.collection}: baselines (hollow) and improved runs (full)"
    return _figure("".join(drawn), title, gains.sentences()[0])
