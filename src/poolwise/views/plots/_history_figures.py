"""Figures of results over time; they draw what a finding holds."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.history._ranks import RankIntervals
from poolwise.findings.history._trend import PublishedGains, Trend
from poolwise.views.plots._style import (
    BEHIND,
    FEW,
    INK,
    TOPICS,
    Frame,
    draw_boxes,
    figure_of,
    legend_below,
    name_columns,
    name_rows,
)
from poolwise.words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_gains", "draw_ranks", "draw_trend"]

_MARKS = ("-", "--", ":")


def draw_trend(trend: Trend, frame: Frame) -> "Figure":
    """Draw a box for each collection, the oldest first (W10 fig. 8.2)."""
    rows = trend.columns()
    by = f", standardized by {trend.reference}" if trend.reference else ""
    with frame.axes(f"{trend.measure} over the years{by}", columns=len(rows["year"])) as axes:
        numbers = {
            name: np.array(rows[name])
            for name in ("lowest", "quarter", "median", "three_quarters", "highest")
        }
        at = np.arange(len(rows["year"]))
        draw_boxes(axes, at, numbers, colour=TOPICS, label="runs")
        named = zip(rows["collection"], rows["year"], strict=True)
        name_columns(axes, [f"{name} {year or ''}".strip() for name, year in named])
        axes.set_ylabel(str(trend.measure))
    return figure_of(axes)


def draw_gains(gains: PublishedGains, frame: Frame) -> "Figure":
    """Draw baselines and improved runs, joined by a line, by year (W10 fig. 8.4)."""
    rows = gains.columns()
    with frame.axes(f"{gains.measure} on {gains.collection}", columns=len(rows["run"])) as axes:
        for (name, value), style in zip(gains.marks().items(), _MARKS, strict=True):
            axes.axhline(value, color=BEHIND, lw=1, ls=style, label=name)
        at = np.arange(len(rows["run"]))
        axes.vlines(at, rows["baseline_mean"], rows["mean"], color=INK, lw=0.8)
        axes.plot(at, rows["baseline_mean"], "o", color="white", mec=INK, ms=5, label="baseline")
        axes.plot(at, rows["mean"], "o", color=TOPICS, mec=INK, ms=5, label="improved")
        named = zip(rows["run"], rows["year"], strict=True)
        name_columns(axes, [f"{name} {year or ''}".strip() for name, year in named])
        axes.set_ylabel(str(gains.measure))
        return legend_below(axes, frame)


def draw_ranks(ranks: RankIntervals, frame: Frame) -> "Figure":
    """Draw the ranks that topics leave to each run, and those under resampled topics."""
    title = f"Ranks by {ranks.measure}, {counted(ranks.topics, 'topic')}"
    with frame.axes(title, rows=len(ranks.systems)) as axes:
        at = np.arange(len(ranks.systems))
        level = f"{100 * (1 - ranks.alpha):g}% rank interval"
        axes.hlines(at, ranks.low, ranks.high, color=FEW, lw=5, label=level)
        axes.hlines(at, ranks.resampled_low, ranks.resampled_high, color=TOPICS, lw=1.8,
                    label="under resampled topics: no confidence interval")  # fmt: skip
        axes.plot(ranks.rank, at, "|", color=INK, ms=7, label="rank by the mean")
        name_rows(axes, ranks.systems)
        axes.set_xlabel("rank")
        return legend_below(axes, frame)
