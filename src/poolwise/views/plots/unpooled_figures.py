"""Figures of what pools leave out (W10 §3.4.2 and ch. 6); they draw what a study found."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.studies._growth import RelevantBeyond
from poolwise.studies._pooling_bias import PoolingBias
from poolwise.views.plots.style import (
    BEHIND,
    GREY,
    INK,
    TOPICS,
    Frame,
    figure_of,
    legend_below,
    side_by_side,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_pooling_bias", "draw_undiscovered"]


def draw_pooling_bias(found: PoolingBias, frame: Frame) -> "Figure":
    """Draw mean and quartiles of the bias over the width of the pool (W10 fig. 6.2)."""
    title = f"What runs lose or gain in {found.measure} by not being in the pool"
    low, middle, high = found.quartiles()
    means = found.bias.mean(axis=(2, 3))
    place = np.arange(len(found.widths))
    labels = "unjudged documents not relevant", "unjudged documents left out"
    with frame.axes(title, rows=14) as axes:
        axes.axhline(0, color=GREY, lw=0.8)
        for base, (colour, shift) in enumerate(((BEHIND, -0.08), (TOPICS, 0.08))):
            at = place + shift
            axes.vlines(at, low[:, base], high[:, base], color=colour, lw=6, alpha=0.35)
            axes.plot(at, middle[:, base], "_", color=colour, ms=9)
            axes.plot(at, means[:, base], "o-", color=colour, ms=4, label=labels[base])
        axes.set_xticks(place, [str(width) for width in found.widths])
        axes.set_xlim(-0.5, len(place) - 0.5)
        axes.set_xlabel(f"runs in the pool, to depth {found.depth} (dots: means; bars: quartiles)")
        axes.set_ylabel("score less true score")
    return legend_below(axes, frame)


def draw_undiscovered(found: RelevantBeyond, frame: Frame) -> "Figure":
    """Draw new relevant documents by rank, and all down to it, with the extrapolation (W10 §3.4.2).

    The dotted line is the depth of the pool.
    """
    columns = found.curve()
    ranks, fitted = np.array(columns["rank"]), np.array(columns["fitted"])
    added = np.array(columns["added"][: found.depth])
    title = f"{found.share_found:.0%} of the relevant documents expected to depth {found.target:,}"
    with frame.axes(f"{title} are found", rows=14) as axes:
        rate, total = side_by_side(axes, 2)
        seen = added > 0  # a logarithm has no place for a rank without any
        rate.plot(ranks[: found.depth][seen], added[seen], ".", color=TOPICS, ms=4, label="found")
        rate.plot(ranks, fitted, color=BEHIND, label="fitted")
        rate.set(yscale="log", ylabel="new relevant documents per topic")
        total.plot(ranks[: found.depth], added.cumsum(), color=TOPICS, lw=3, label="found")
        total.plot(ranks, fitted.cumsum(), color=BEHIND, label="expected")
        total.set(ylabel="relevant documents per topic")
        total.set_ylim(bottom=0)
        for panel in (rate, total):
            panel.axvline(found.depth, color=INK, lw=0.8, ls=":")
            panel.set(xscale="log", xlabel="rank")
            panel.xaxis.set_major_formatter("{x:,.0f}")
            panel.legend(fontsize=7)
    return figure_of(axes)
