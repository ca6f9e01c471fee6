"""Figures of gain by rank and of what it predicts (G16); they draw what a study found."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.studies._gains import BoundConvergence, GainModelFits
from poolwise.views.plots.style import DASHES, GREY, INK, Frame, legend_below, shades

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_convergence", "draw_gain_models"]


def draw_gain_models(found: GainModelFits, frame: Frame) -> "Figure":
    """Draw the gains of one topic by rank, and the curve of each model (G16 fig. 4)."""
    ranks = np.arange(1, len(found.gains) + 1)
    single = found.models[:-1]  # the hybrid is one of the others on a single topic
    with frame.axes(f"Gain by rank on topic {found.topic}, and models of it", rows=14) as axes:
        axes.plot(ranks, found.gains, ".", color=INK, ms=3, label="mean gain of the runs")
        looks = zip(single, found.curves, shades(len(single)), DASHES, strict=False)
        for name, curve, colour, dashes in looks:
            axes.plot(ranks, curve, ls=dashes, color=colour, label=name)
        if found.depth is not None:
            axes.axvline(found.depth + 0.5, color=GREY, lw=0.8, ls="--")
            axes.annotate(f"fitted down to {found.depth}", (found.depth + 0.5, 1.1), fontsize=7,
                          xytext=(3, 0), textcoords="offset points", va="top")  # fmt: skip
        axes.set_ylim(0, 1.1)
        axes.set(xlabel="rank", ylabel="gain")
    return legend_below(axes, frame)


def draw_convergence(found: BoundConvergence, frame: Frame) -> "Figure":
    """Draw the range of a score by evaluation depth and pool, and predictions (G16 fig. 2)."""
    ranks = np.arange(1, found.lower.shape[1] + 1)
    title = f"RBP(p={found.p:g}) of {found.run} on topic {found.topic}: bounds by depth"
    with frame.axes(title, rows=16) as axes:
        colours = shades(len(found.pool_depths))
        for depth, low, high, colour in zip(
            found.pool_depths, found.lower, found.upper, colours, strict=True
        ):
            axes.fill_between(ranks, low, high, color=colour, alpha=0.15)
            axes.plot(ranks, low, color=colour, label=f"bounds, pool of depth {depth}")
            axes.plot(ranks, high, color=colour)
        place = ranks[-1] * (1.03 + 0.02 * np.arange(len(found.predicted)))
        for x, (name, value), marker in zip(
            place, found.predicted.items(), "Dos^vPX<>*" * 3, strict=False
        ):
            axes.plot(x, value, marker, color=INK, ms=4, label=name)
        axes.set_ylim(0, 1.02)
        beside = f"; points: predicted from the pool of depth {found.pool_depths[0]}"
        axes.set_xlabel("evaluation depth" + beside * bool(found.predicted))
        axes.set_ylabel("score")
    return legend_below(axes, frame)
