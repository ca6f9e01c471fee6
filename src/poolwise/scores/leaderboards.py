"""Who is ahead, with both uncertainties on every row."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices
from poolwise.results._tables import Cell, Column, Gauge, Table
from poolwise.words import range_text

__all__ = ["PLAUSIBLE", "POSSIBLE", "Summary", "leaderboard"]

POSSIBLE = "range if unjudged were judged"
"""Heading of the range of all that judging could give."""
PLAUSIBLE = "plausible range by model"
"""Heading of the range that judging gives with a stated probability."""


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
    beside: Mapping[Column, NDArray[Any]] | None = None,
    level: float = 0.95,
    range_title: str = POSSIBLE,
) -> Table:
    """Return one row per system, in this order.

    Parameters
    ----------
    summary, order
        The numbers of each system, and the systems from best to worst.
    title
        What stands above.
    beside
        Further columns, with one number or text per system.
    level
        Of the interval over topics.
    range_title
        What the range over judgments is called.

    Examples
    --------
    >>> from poolwise.results._layout import render
    >>> ends = [np.array([x]) for x in (0.3, 0.21, 0.38, 0.3, 0.52)]
    >>> table = leaderboard(Summary(("bm25",), *ends), np.array([0]), title="AP")
    >>> print(render(table))
    AP
    <BLANKLINE>
    run     mean  95% over topics   range if unjudged were judged
    bm25  0.3000  0.2100 to 0.3800  0.3000 to 0.5200
    """
    cells: dict[Column, list[Cell]] = {
        Column("run"): list(summary.systems),
        Column("mean", digits=4, best="max"): summary.mean.tolist(),
        Column(f"{level:.0%} over topics"): _ranges(summary.ci_low, summary.ci_high),
        Column(range_title): _ranges(summary.lower, summary.upper),
    }
    cells |= {column: values.tolist() for column, values in (beside or {}).items()}
    rows = list(zip(*cells.values(), strict=True))
    gauge = Gauge(*(tuple(numbers[order].tolist()) for numbers in summary[1:]))
    return Table(tuple(cells), tuple(rows[s] for s in order.tolist()), title=title, gauge=gauge)


def _ranges(low: Floats, high: Floats) -> list[Cell]:
    return [range_text(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
