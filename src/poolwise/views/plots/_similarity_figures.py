"""Figures of how alike rankings are (W10 ch. 7); they draw what a finding holds."""

import itertools
from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.similarity._clusters import RunTree
from poolwise.findings.similarity._curves import AgreementCurve, PersistenceCurves
from poolwise.findings.similarity._run_overlaps import OverlapMatrix
from poolwise.studies._rankings import Degradation
from poolwise.studies._time import SimilarityOverTime
from poolwise.views.plots._style import (
    BEHIND,
    FEW,
    GREY,
    HOLDS,
    INK,
    TOPICS,
    Frame,
    draw_heat,
    figure_of,
    legend_below,
    name_columns,
    name_rows,
    panel_grid,
    shades,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "draw_agreement",
    "draw_degradation",
    "draw_persistences",
    "draw_similarity",
    "draw_time",
    "draw_tree",
]

_NAMED = 6
"""Curves that a legend names; the others are drawn behind them."""


def draw_similarity(overlap: OverlapMatrix, frame: Frame) -> "Figure":
    """Draw the overlap of all runs with each other, similar ones side by side."""
    arranged = overlap.arranged
    runs = len(arranged.systems)
    title = "Blocks along the diagonal rank alike"
    with frame.axes(title, rows=runs, columns=runs, extra=1.9) as axes:
        draw_heat(axes, arranged.ext, f"rank-biased overlap, p = {overlap.p:g}")
        name_rows(axes, arranged.systems)
        name_columns(axes, arranged.systems)
    return figure_of(axes)


def draw_tree(tree: RunTree, frame: Frame) -> "Figure":
    """Draw the runs as a dendrogram."""
    lines = tree.segments()
    with frame.axes("Runs that rank alike join early", rows=len(tree.order)) as axes:
        for x, x2, y, y2 in zip(*lines.values(), strict=True):
            axes.plot((x, x2), (y, y2), color=TOPICS, lw=1.2, solid_capstyle="projecting")
        name_rows(axes, tree.order)
        axes.set_xlabel("distance at which they join (1 − rank-biased overlap)")
    return figure_of(axes)


def draw_agreement(curve: AgreementCurve, frame: Frame) -> "Figure":
    """Draw how alike two runs are to each depth (W10 fig. 7.7, 7.8)."""
    title = curve.sentences()[0].partition(", on average")[0]
    with frame.axes(title, rows=14 if not curve.also else 22) as axes:
        label = f"RBO {curve.p:g}: bounds"
        axes.fill_between(curve.depths, curve.rbo_min, curve.rbo_max, color=FEW, alpha=0.35,
                          lw=0, label=label)  # fmt: skip
        axes.plot(curve.depths, curve.rbo_ext, color=TOPICS, label=f"RBO {curve.p:g}")
        axes.plot(curve.depths, curve.agreement, color=INK, ls=":", label="agreement")
        axes.plot(curve.depths, curve.average_overlap, color=HOLDS, ls="-.",
                  label="average overlap")  # fmt: skip
        axes.plot(curve.depths, curve.kendall, color=BEHIND, ls="--", label="Kendall's tau")
        looks = zip(shades(len(curve.also)), itertools.cycle("osv^DP"))
        for name, values, (colour, mark) in zip(curve.also, curve.others, looks, strict=True):
            axes.plot(curve.depths, values, marker=mark, color=colour, lw=0.9, ms=3,
                      label=name.replace("_", " "))  # fmt: skip
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set(xlabel="depth", ylabel="similarity")
    return legend_below(axes, frame)


def draw_persistences(curves: PersistenceCurves, frame: Frame) -> "Figure":
    """Draw RBO of one run with the others over persistence (W10 fig. 7.5)."""
    with frame.axes(f"Similarity to {curves.run}, from shallow to deep", rows=14) as axes:
        order = np.argsort(-curves.rbo.mean(axis=1), kind="stable").tolist()
        for row in order[_NAMED:]:
            axes.plot(curves.persistences, curves.rbo[row], color=GREY, lw=0.6)
        for row, colour in zip(order[:_NAMED], shades(len(order[:_NAMED])), strict=True):
            axes.plot(curves.persistences, curves.rbo[row], "o-", color=colour, ms=3,
                      label=curves.others[row])  # fmt: skip
        axes.set_ylim(0, 1.02)
        axes.set(xlabel="persistence p", ylabel="rank-biased overlap")
    return legend_below(axes, frame)


def draw_time(over_time: SimilarityOverTime, frame: Frame) -> "Figure":
    """Draw RBO with the date before, and of systems with each other, by date (W10 fig. 7.6)."""
    columns = over_time.columns()
    rows = list(zip(columns["system"], columns["other"], columns["date"], columns["rbo"],
                    strict=True))  # fmt: skip
    days = sorted(set(columns["date"]))
    names = list(dict.fromkeys((a, b) for a, b, _, _ in rows))
    with frame.axes(over_time.sentences()[0].partition(", to")[0], rows=18) as axes:
        for (a, b), colour in zip(names, shades(len(names)), strict=True):
            points = [(days.index(day), rbo) for x, y, day, rbo in rows if (x, y) == (a, b)]
            label = f"{a} and {b}" if b else f"{a} and the date before"
            # Two systems on one date stand behind one system on two.
            look = {"ls": "--", "lw": 0.7} if b else {"ls": "-", "marker": "."}
            axes.plot(*zip(*points, strict=True), color=colour, label=label, **look)
        shown = range(0, len(days), max(1, len(days) // 8))
        axes.set_xticks(list(shown), [days[i] for i in shown], rotation=30, ha="right")
        axes.set_ylim(0, 1.02)
        axes.set_ylabel(f"rank-biased overlap, p = {over_time.p:g}")
    return legend_below(axes, frame)


def draw_degradation(degradation: Degradation, frame: Frame) -> "Figure":
    """Draw AP over each similarity, with the τ between them (W10 fig. 7.9)."""
    title = "AP of rankings made worse, over their similarity to the ideal one"
    with frame.axes(title, rows=34) as axes:
        panels = panel_grid(axes, len(degradation.names), across=3)
        for panel in panels[::3]:
            panel.set_ylabel("AP", fontsize=6)
        for panel, name, values, tau in zip(
            panels, degradation.names, degradation.similarity, degradation.taus(), strict=True
        ):
            _scatter(panel, degradation, values)
            panel.set_xlabel("similarity", fontsize=6, labelpad=1)
            panel.set_title(f"{name}: tau {tau:.2f}", fontsize=7, fontweight="normal")
    return figure_of(axes)


def _scatter(panel: "Axes", degradation: Degradation, values: "np.ndarray") -> None:
    panel.plot(values, degradation.ap, ".", color=TOPICS, ms=1.2, alpha=0.5)
    panel.tick_params(labelsize=6)
    panel.set(xlim=(0, 1.02), ylim=(0, 1.02))
