"""Plots of labels: where grades differ, whom a judge favours, and the order of runs."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.labels._label_agreement import LabelAgreement, SetPair
from poolwise.views.plots._style import (
    BEHIND,
    GREY,
    INK,
    TOPICS,
    Frame,
    figure_of,
    name_rows,
    side_by_side,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_confusion", "draw_excess", "draw_orders"]


def draw_confusion(pair: SetPair, frame: Frame) -> "Figure":
    """Draw how often each grade of one set met each of the other."""
    counts = pair.confusion
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    title = f"Grades by {pair.second.name} where {pair.first.name} gave …"
    with frame.axes(title, rows=12) as axes:
        axes.imshow(share, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (row, column), count in np.ndenumerate(counts.astype(int)):
            colour = "white" if share[row, column] > 0.6 else INK
            axes.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
        axes.set_yticks(range(len(counts)), [f"{grade:g}" for grade in pair.scales[0]])
        axes.set_xticks(range(counts.shape[1]), [f"{grade:g}" for grade in pair.scales[1]])
        axes.set(ylabel=pair.first.name, xlabel=pair.second.name)
    return figure_of(axes)


def draw_excess(agreement: LabelAgreement, frame: Frame) -> "Figure":
    """Draw the excess of each run by the first judge, with its interval over topics."""
    name, excess = next(iter(agreement.excesses.items()))
    order = np.argsort(-excess.value, kind="stable")
    title = f"What {name} gives beyond people's grades"
    with frame.axes(title, rows=len(order)) as axes:
        axes.axvline(0, color=GREY, lw=0.8)
        for place, s in enumerate(order.tolist()):
            colour = BEHIND if excess.systems[s] in excess.favoured else TOPICS
            axes.errorbar(excess.value[s], place, xerr=excess.half_width[s], fmt="o", ms=3,
                          color=colour, lw=1)  # fmt: skip
        name_rows(axes, [excess.systems[s] for s in order.tolist()])
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.set_xlabel("excess in grades per document, 95% over topics; flagged runs in purple")
    return figure_of(axes)


def draw_orders(agreement: LabelAgreement, frame: Frame) -> "Figure":
    """Draw the means of runs by each set over those by people."""
    with frame.axes("Means by labels over means by people", rows=16) as axes:
        panels = side_by_side(axes, len(agreement.conclusions))
        for panel, (name, seen) in zip(panels, agreement.conclusions.items(), strict=False):
            panel.plot(seen.human, seen.machine, "o", color=TOPICS, ms=3)
            both = np.concatenate([seen.human, seen.machine])
            ends = [both.min(), both.max()]
            panel.plot(ends, ends, color=GREY, lw=0.8)
            panel.set_ylabel(f"by {name} (τ_b {seen.tau:.2f}, top 15 {seen.top:.2f})")
            panel.set_xlabel(f"{seen.measure} by {agreement.reference}")
    return figure_of(axes)
