"""Figures of how scores are distributed (W10 §3.3.7 and ch. 4); they draw what a finding holds."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.distribution.item_totals import ItemTotals
from poolwise.findings.distribution.score_density import ScoreDensities, ScoreHistogram
from poolwise.findings.distribution.score_shades import SHADES, ScoreIntensity
from poolwise.studies.topics.reference_systems import ReferenceStability
from poolwise.views.plots.style import (
    FEW,
    GREY,
    INK,
    TOPICS,
    Frame,
    figure_of,
    name_columns,
    name_rows,
    shades,
    side_by_side,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "draw_densities",
    "draw_histogram",
    "draw_intensity",
    "draw_item_totals",
    "draw_references",
]

_DENSITY_TITLES = {
    "scores": "all scores, raw and standardized",
    "systems": "systems at percentiles by mean score",
    "topics": "topics at percentiles by mean score",
    "run": "scores by topic",
}
_GAP = 2
"""Empty columns between raw and standardized scores."""


def draw_intensity(found: ScoreIntensity, frame: Frame) -> "Figure":
    """Draw raw scores, and beside them the standardized ones, as shades (W10 fig. 4.1, 4.6)."""
    from matplotlib import colormaps  # noqa: PLC0415 -- optional

    rows, columns = found.raw.shape
    gap = np.full((rows, _GAP), np.nan)
    image = np.hstack([found.raw_shades, gap, found.standardized_shades])
    title = f"{found.measure}, raw (left) and standardized (right): lighter is higher"
    with frame.axes(title, rows=rows, columns=2 * columns + _GAP) as axes:
        scale = colormaps["cividis"].resampled(SHADES)
        axes.imshow(image, cmap=scale, vmin=-0.5, vmax=SHADES - 0.5, aspect="auto",
                    interpolation="nearest")  # fmt: skip
        name_rows(axes, found.systems)
        name_columns(axes, [*found.topics, *[""] * _GAP, *found.topics])
        axes.set_xlabel("topic")
    return figure_of(axes)


def draw_densities(found: ScoreDensities, frame: Frame) -> "Figure":
    """Draw the curves of densities (W10 fig. 3.20, 4.2, 4.5)."""
    with frame.axes(f"Density of {found.measure}: {_DENSITY_TITLES[found.of]}", rows=14) as axes:
        # raw and standardized scores have scales of their own, and so panels of their own
        panels = side_by_side(axes, len(found.curves) if found.of == "scores" else 1)
        for number, curve in enumerate(found.curves):
            panel, colour = panels[number % len(panels)], shades(len(found.curves))[number]
            panel.plot(curve.score, curve.density, color=colour, label=curve.name)
        for panel in panels:
            panel.set_ylim(0)
            panel.set(xlabel="score", ylabel="density")
            panel.legend(fontsize=7)
    return figure_of(axes)


def draw_histogram(found: ScoreHistogram, frame: Frame) -> "Figure":
    """Draw the number of scores in each bin (W10 fig. 3.18)."""
    with frame.axes(f"Scores of {found.name}") as axes:
        axes.bar(found.edges[:-1], found.counts, np.diff(found.edges), align="edge",
                 color=FEW, edgecolor=INK, lw=0.6)  # fmt: skip
        axes.set(xlabel=str(found.measure), ylabel="scores")
    return figure_of(axes)


def draw_item_totals(found: ItemTotals, frame: Frame) -> "Figure":
    """Draw each topic's item–total correlation over the spread of its scores (W10 §4.2.2)."""
    with frame.axes(found.sentences()[-1 if len(found.sentences()) == 1 else 1], rows=14) as axes:
        axes.axhline(0, color=GREY, lw=0.8)
        axes.plot(found.deviation, found.item_total, "o", color=TOPICS, ms=3.5)
        for topic in np.argsort(found.item_total)[:1].tolist():
            place = (found.deviation[topic], found.item_total[topic])
            axes.annotate(found.topics[topic], place, xytext=(4, 2), fontsize=7,
                          textcoords="offset points")  # fmt: skip
        axes.set_xlabel(f"standard deviation of {found.measure} on the topic")
        axes.set_ylabel("correlation with all other topics")
    return figure_of(axes)


def draw_references(found: ReferenceStability, frame: Frame) -> "Figure":
    """Draw the τ that shares of samples reach, over the number of reference systems."""
    columns = found.columns()
    with frame.axes(f"Order by standardized {found.measure}, with fewer reference runs") as axes:
        names = [name for name in columns if name.startswith("tau_")]
        for name, colour in zip(names, shades(len(names)), strict=True):
            label = f"reached by {name.removeprefix('tau_')}% of samples"
            axes.plot(columns["size"], columns[name], "o-", color=colour, ms=3, label=label)
        axes.set_xscale("log")
        axes.set_xticks(found.sizes, [str(size) for size in found.sizes])
        axes.minorticks_off()
        axes.set(xlabel="reference runs", ylabel=f"tau with the order by all {found.references}")
        axes.legend(fontsize=7)
    return figure_of(axes)
