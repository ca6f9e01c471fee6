"""Who is ahead, with both uncertainties on every row."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.printout.tables import Cell, Column, Table
from poolwise.printout.words import range_text

__all__ = ["Summary", "leaderboard"]

_GAUGE_WIDTH = 30
"""Characters in which both uncertainties are drawn."""


class Summary(NamedTuple):
    """One row per system: the mean and both of its uncertainties."""

    systems: tuple[str, ...]
    mean: Floats
    ci_low: Floats
    ci_high: Floats
    lower: Floats
    upper: Floats

    def ends(self) -> Floats:
        """Return every end of every range, and the means, that are known."""
        numbers = np.concatenate(self[1:])
        return numbers[~np.isnan(numbers)]


def leaderboard(
    summary: Summary,
    order: Indices,
    *,
    title: str,
    beside: Mapping[Column, Floats | Integers] | None = None,
    level: float = 0.95,
    gauge: bool = False,
) -> Table:
    """Return one row per system, in this order.

    Parameters
    ----------
    summary, order
        The numbers of each system, and the systems from best to worst.
    title
        What stands above.
    beside
        Further columns, with one number per system.
    level
        Of the interval over topics.
    gauge
        Draw both ranges on one axis with characters: ``━`` what the unjudged documents leave,
        ``─`` the interval over topics, ``●`` the mean.

    Examples
    --------
    >>> from poolwise.printout.tables import render
    >>> ends = [np.array([x]) for x in (0.3, 0.21, 0.38, 0.3, 0.52)]
    >>> table = leaderboard(Summary(("bm25",), *ends), np.array([0]), title="AP", gauge=True)
    >>> print(render(table))
    AP
    <BLANKLINE>
    run     mean  95% over topics   range if unjudged were judged  0.21                      0.52
    bm25  0.3000  0.2100 to 0.3800  0.3000 to 0.5200               ────────●━━━━━━━━━━━━━━━━━━━━━
    """
    cells: dict[Column, list[Cell]] = {
        Column("run"): list(summary.systems),
        Column("mean", digits=4, best="max"): summary.mean.tolist(),
        Column(f"{level:.0%} over topics"): _ranges(summary.ci_low, summary.ci_high),
        Column("range if unjudged were judged"): _ranges(summary.lower, summary.upper),
    }
    cells |= {column: values.tolist() for column, values in (beside or {}).items()}
    if gauge and len(summary.ends()):
        low, high = float(summary.ends().min()), float(summary.ends().max())
        heading = f"{low:.2f}{high:{_GAUGE_WIDTH - 4}.2f}"
        cells[Column(heading)] = [_gauge(summary, s, low, high) for s in range(len(order))]
    rows = list(zip(*cells.values(), strict=True))
    return Table(tuple(cells), tuple(rows[s] for s in order.tolist()), title=title)


def _ranges(low: Floats, high: Floats) -> list[Cell]:
    return [range_text(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _gauge(summary: Summary, s: int, low: float, high: float) -> str:
    width = (high - low) or 1.0

    def place(value: float) -> int:
        return round((value - low) / width * (_GAUGE_WIDTH - 1))

    cells = [" "] * _GAUGE_WIDTH
    for start, stop, mark in (
        (summary.ci_low[s], summary.ci_high[s], "─"),
        (summary.lower[s], summary.upper[s], "━"),
        (summary.mean[s], summary.mean[s], "●"),
    ):
        if not np.isnan(start):
            first, last = place(float(start)), place(float(stop))
            cells[first : last + 1] = mark * (last + 1 - first)
    return "".join(cells)
