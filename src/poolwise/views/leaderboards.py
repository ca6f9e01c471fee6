"""Who is ahead, with both uncertainties on every row."""

import numpy as np

from poolwise.printout.tables import Cell, Column, Table
from poolwise.scores.score_table import ScoreTable, Summary

__all__ = ["leaderboard", "topic_scores"]

GAUGE_WIDTH = 30


def leaderboard(
    table: ScoreTable,
    judged: ScoreTable | None = None,
    *,
    residual: ScoreTable | None = None,
    level: float = 0.95,
    gauge: bool = False,
) -> Table:
    """Return one row per run, best mean first.

    Parameters
    ----------
    table
        The scores to rank by.
    judged
        Share of judged documents per run and topic (``Judged@10``), shown in a column.
    residual
        The matched residual per run and topic, likewise.
    gauge
        Draw both ranges on one axis with characters: ``━`` what the unjudged documents leave,
        ``─`` the interval over topics, ``●`` the mean.

    Examples
    --------
    >>> from poolwise.printout.tables import render
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> print(render(leaderboard(table)))
    AP: 2 runs, 3 topics
    <BLANKLINE>
    run    mean  95% over topics  range if unjudged were judged
    a    0.4000  0.1516–0.6484    0.4000–0.4000
    b    0.2000  −0.2303–0.6303   0.2000–0.2000
    """
    summary = table.summary(level)
    order = table.order().tolist()
    rows = [_row(summary, s) for s in order]
    columns = [
        Column("run"),
        Column("mean", digits=4, best="max"),
        Column(f"{level:.0%} over topics"),
        Column("range if unjudged were judged"),
    ]
    for beside, digits in ((residual, 4), (judged, 2)):
        if beside is not None:
            columns.append(Column(str(beside.measure), digits=digits))
            share = beside.system_means()
            rows = [(*row, float(share[s])) for row, s in zip(rows, order, strict=True)]
    if gauge:
        axis = _axis(summary)
        columns.append(Column(f"{axis[0]:.2f}{axis[1]:{GAUGE_WIDTH - 4}.2f}"))
        rows = [(*row, _gauge(summary, s, axis)) for row, s in zip(rows, order, strict=True)]
    topics = int(table.defined.sum())
    return Table(
        columns=tuple(columns),
        rows=tuple(rows),
        title=f"{table.measure}: {len(rows)} runs, {topics} topics",
        notes=table.caveats(),
    )


def _row(summary: Summary, s: int) -> tuple[Cell, ...]:
    return (
        summary.systems[s],
        float(summary.mean[s]),
        _range(summary.ci_low[s], summary.ci_high[s]),
        _range(summary.lower[s], summary.upper[s]),
    )


def _range(low: float, high: float) -> str:
    if np.isnan(low):
        return "–"
    return f"{low:.4f}–{high:.4f}".replace("-", "−")


def _axis(summary: Summary) -> tuple[float, float]:
    """Return the smallest and largest value to draw."""
    ends = np.concatenate([summary.mean, *summary[2:]])
    return float(np.nanmin(ends)), float(np.nanmax(ends))


def _gauge(summary: Summary, s: int, axis: tuple[float, float]) -> str:
    low, high = axis
    width = (high - low) or 1.0

    def place(value: float) -> int:
        return round((value - low) / width * (GAUGE_WIDTH - 1))

    cells = [" "] * GAUGE_WIDTH
    for start, stop, mark in (
        (summary.ci_low[s], summary.ci_high[s], "─"),
        (summary.lower[s], summary.upper[s], "━"),
        (summary.mean[s], summary.mean[s], "●"),
    ):
        if not np.isnan(start):
            first, last = place(float(start)), place(float(stop))
            cells[first : last + 1] = mark * (last + 1 - first)
    return "".join(cells)


def topic_scores(table: ScoreTable) -> Table:
    """Return one row per run and topic."""
    parts = (table.value, table.lower, table.upper)
    rows: list[tuple[Cell, ...]] = [
        (system, topic, *(float(part[s, t]) for part in parts))
        for s, system in enumerate(table.systems)
        for t, topic in enumerate(table.topics)
    ]
    numbers = (Column(title, digits=4) for title in ("value", "lower", "upper"))
    return Table(
        columns=(Column("run"), Column("topic"), *numbers),
        rows=tuple(rows),
        title=f"{table.measure} by topic",
    )
