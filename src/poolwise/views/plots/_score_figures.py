"""Figures of how scores and gains are distributed; they draw what a finding holds."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.distribution._densities import ScoreDensities, ScoreHistogram
from poolwise.findings.distribution._rank_curves import RankWeighting, RecallPrecision
from poolwise.findings.distribution._score_heatmap import SHADES, ItemTotals, ScoreIntensity
from poolwise.scores.treatments._drawn_scores import DrawnScores
from poolwise.studies._gains import BoundConvergence, GainModelFits
from poolwise.studies._references import ReferenceStability
from poolwise.views.plots._style import (
    BEHIND,
    DASHES,
    FEW,
    GREY,
    INK,
    TOPICS,
    Frame,
    dashes,
    figure_of,
    legend_below,
    name_columns,
    name_rows,
    shades,
    side_by_side,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "draw_convergence",
    "draw_densities",
    "draw_draws",
    "draw_gain_models",
    "draw_histogram",
    "draw_intensity",
    "draw_item_totals",
    "draw_recall",
    "draw_references",
    "draw_weights",
]

_DENSITY_TITLES = {
    "scores": "all scores, raw and standardized",
    "systems": "systems at percentiles by mean score",
    "topics": "topics at percentiles by mean score",
    "run": "scores by topic",
}
_NAMED = 6
"""Curves that a legend names; the others are drawn behind them."""
_GAP = 2
"""Empty columns between raw and standardized scores."""


def draw_intensity(intensity: ScoreIntensity, frame: Frame) -> "Figure":
    """Draw raw scores, and beside them the standardized ones, as shades (W10 fig. 4.1, 4.6)."""
    from matplotlib import colormaps  # noqa: PLC0415 -- optional

    rows, columns = intensity.raw.shape
    gap = np.full((rows, _GAP), np.nan)
    image = np.hstack([intensity.raw_shades, gap, intensity.standardized_shades])
    title = f"{intensity.measure}, raw (left) and standardized (right): lighter is higher"
    with frame.axes(title, rows=rows, columns=2 * columns + _GAP) as axes:
        scale = colormaps["cividis"].resampled(SHADES)
        axes.imshow(image, cmap=scale, vmin=-0.5, vmax=SHADES - 0.5, aspect="auto",
                    interpolation="nearest")  # fmt: skip
        name_rows(axes, intensity.systems)
        name_columns(axes, [*intensity.topics, *[""] * _GAP, *intensity.topics])
        axes.set_xlabel("topic")
    return figure_of(axes)


def draw_densities(densities: ScoreDensities, frame: Frame) -> "Figure":
    """Draw the curves of densities (W10 fig. 3.20, 4.2, 4.5)."""
    with frame.axes(
        f"Density of {densities.measure}: {_DENSITY_TITLES[densities.of]}", rows=14
    ) as axes:
        # raw and standardized scores have scales of their own, and so panels of their own
        panels = side_by_side(axes, len(densities.curves) if densities.of == "scores" else 1)
        highest = _highest(densities) if len(panels) == 1 else np.inf
        for number, curve in enumerate(densities.curves):
            panel, colour = panels[number % len(panels)], shades(len(densities.curves))[number]
            peak = float(np.max(curve.density))
            label = curve.name if peak <= highest else f"{curve.name} (peak at {peak:.0f})"
            panel.plot(curve.score, curve.density, color=colour, label=label)
        for panel in panels:
            panel.set_ylim(0, min(highest, panel.get_ylim()[1]))
            panel.set(xlabel="score", ylabel="density")
            panel.legend(fontsize=7)
    return figure_of(axes)


def _highest(densities: ScoreDensities) -> float:
    """Return where to cut a peak, such as that of a run with hardly a score above 0.

    It would press all other curves to the ground.
    """
    return 3 * float(np.median([np.max(curve.density) for curve in densities.curves]))


def draw_histogram(histogram: ScoreHistogram, frame: Frame) -> "Figure":
    """Draw the number of scores in each bin (W10 fig. 3.18)."""
    with frame.axes(f"Scores of {histogram.name}") as axes:
        axes.bar(histogram.edges[:-1], histogram.counts, np.diff(histogram.edges), align="edge",
                 color=FEW, edgecolor=INK, lw=0.6)  # fmt: skip
        axes.set(xlabel=str(histogram.measure), ylabel="scores")
    return figure_of(axes)


def draw_item_totals(totals: ItemTotals, frame: Frame) -> "Figure":
    """Draw each topic's item–total correlation over the spread of its scores (W10 §4.2.2)."""
    with frame.axes(totals.sentences()[-1 if len(totals.sentences()) == 1 else 1], rows=14) as axes:
        axes.axhline(0, color=GREY, lw=0.8)
        axes.plot(totals.deviation, totals.item_total, "o", color=TOPICS, ms=3.5)
        for topic in np.argsort(totals.item_total)[:1].tolist():
            place = (totals.deviation[topic], totals.item_total[topic])
            axes.annotate(totals.topics[topic], place, xytext=(4, 2), fontsize=7,
                          textcoords="offset points")  # fmt: skip
        axes.set_xlabel(f"standard deviation of {totals.measure} on the topic")
        axes.set_ylabel("correlation with all other topics")
    return figure_of(axes)


def draw_references(stability: ReferenceStability, frame: Frame) -> "Figure":
    """Draw the τ that shares of samples reach, over the number of reference systems."""
    columns = stability.columns()
    with frame.axes(
        f"Order by standardized {stability.measure}, with fewer reference runs"
    ) as axes:
        names = [name for name in columns if name.startswith("tau_")]
        looks = zip(shades(len(names)), dashes(len(names)), strict=True)
        for name, (colour, dash) in zip(names, looks, strict=True):
            label = f"reached by {name.removeprefix('tau_')}% of samples"
            axes.plot(columns["size"], columns[name], "o", ls=dash, color=colour, ms=3,
                      label=label)  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(stability.sizes, [str(size) for size in stability.sizes])
        axes.minorticks_off()
        axes.set(
            xlabel="reference runs", ylabel=f"tau with the order by all {stability.references}"
        )
        axes.legend(fontsize=7)
    return figure_of(axes)


def draw_recall(curves: RecallPrecision, frame: Frame) -> "Figure":
    """Draw precision over recall, with the best runs in front (W10 fig. 3.3)."""
    best = curves.order[:_NAMED]
    with frame.axes("Interpolated precision at levels of recall", rows=14) as axes:
        for row in curves.order[_NAMED:]:
            axes.plot(curves.recall, curves.precision[row], color=GREY, lw=0.5)
        for row, colour in zip(best, shades(len(best)), strict=True):
            axes.plot(curves.recall, curves.precision[row], ".-", color=colour,
                      label=curves.systems[row])  # fmt: skip
        axes.set_ylim(0, 1.02)
        axes.set(xlabel="recall of known relevant documents", ylabel="precision")
    return legend_below(axes, frame)


def draw_weights(weighting: RankWeighting, frame: Frame) -> "Figure":
    """Draw the weight of each rank on logarithmic scales (W10 fig. 3.7, D10 fig. 1)."""
    ranks = np.arange(1, weighting.depth + 1)
    title = f"What a relevant document adds at each rank; share of weight past {weighting.judged}"
    with frame.axes(title, rows=14) as axes:
        for measure, row, share, colour in zip(
            weighting.measures,
            weighting.weights,
            weighting.past,
            shades(len(weighting.measures)),
            strict=True,
        ):
            axes.plot(ranks, np.where(row > 0, row, np.nan), color=colour,
                      label=f"{measure}: {share:.1%}")  # fmt: skip
        axes.axvline(weighting.judged, color=GREY, lw=0.8, ls="--")
        axes.set(xscale="log", yscale="log", ylim=(1e-6, 1.5), xlabel="rank", ylabel="weight")
        axes.xaxis.set_major_formatter("{x:.0f}")
    return legend_below(axes, frame)


def draw_draws(drawn: DrawnScores, frame: Frame) -> "Figure":
    """Draw how often each score of a run on a topic comes out (B23 fig. 1)."""
    with frame.axes(f"{drawn.run} on topic {drawn.topic}, {drawn.draws:,} draws", rows=12) as axes:
        axes.vlines(drawn.values, 0, drawn.shares, color=TOPICS, lw=2, label="draws")
        # other scores stand above each other, so that none hides another, or a draw
        top = float(drawn.shares.max())
        for step, (name, value, marker, colour) in enumerate(_beside_draws(drawn), start=1):
            if not np.isnan(value):
                axes.plot(value, top * (1 + 0.07 * step), marker, color=colour, ms=5,
                          label=f"{name} {value:.3f}")  # fmt: skip
        axes.set_xlim(-0.02, max(1.02, float(drawn.values[-1])))
        axes.set_ylim(0, 1.45 * top)
        axes.set(xlabel=str(drawn.measure), ylabel="share of draws")
    return legend_below(axes, frame)


def _beside_draws(drawn: DrawnScores) -> tuple[tuple[str, float, str, str], ...]:
    """Return what is drawn above the draws: its name, score, mark and colour."""
    return (
        ("plain", drawn.plain, "o", INK),
        ("condensed", drawn.condensed, "s", BEHIND),
        ("most frequent", drawn.mode, "v", TOPICS),
        ("95% of draws to", drawn.reached, "<", TOPICS),
        ("naive upper bound", drawn.highest, "D", INK),
    )


def draw_gain_models(fits: GainModelFits, frame: Frame) -> "Figure":
    """Draw the gains of one topic by rank, and the curve of each model (G16 fig. 4)."""
    ranks = np.arange(1, len(fits.gains) + 1)
    single = fits.models[:-1]  # the hybrid is one of the others on a single topic
    with frame.axes(f"Gain by rank on topic {fits.topic}, and models of it", rows=14) as axes:
        axes.plot(ranks, fits.gains, ".", color=INK, ms=3, label="mean gain of the runs")
        looks = zip(single, fits.curves, shades(len(single)), DASHES, strict=False)
        for name, curve, colour, dashes in looks:
            axes.plot(ranks, curve, ls=dashes, color=colour, label=name)
        if fits.depth is not None:
            axes.axvline(fits.depth + 0.5, color=GREY, lw=0.8, ls="--")
            axes.annotate(f"fitted down to {fits.depth}", (fits.depth + 0.5, 1.1), fontsize=7,
                          xytext=(3, 0), textcoords="offset points", va="top")  # fmt: skip
        axes.set_ylim(0, 1.1)
        axes.set(xlabel="rank", ylabel="gain")
    return legend_below(axes, frame)


def draw_convergence(convergence: BoundConvergence, frame: Frame) -> "Figure":
    """Draw the range of a score by evaluation depth and pool, and predictions (G16 fig. 2)."""
    ranks = np.arange(1, convergence.lower.shape[1] + 1)
    of_run = f"{convergence.run} on topic {convergence.topic}"
    title = f"RBP(p={convergence.p:g}) of {of_run}: bounds by depth"
    with frame.axes(title, rows=16) as axes:
        colours = shades(len(convergence.pool_depths))
        for depth, low, high, colour in zip(
            convergence.pool_depths, convergence.lower, convergence.upper, colours, strict=True
        ):
            axes.fill_between(ranks, low, high, color=colour, alpha=0.15)
            axes.plot(ranks, low, color=colour, label=f"bounds, pool of depth {depth}")
            axes.plot(ranks, high, color=colour)
        place = ranks[-1] * (1.03 + 0.02 * np.arange(len(convergence.predicted)))
        for x, (name, value), marker in zip(
            place, convergence.predicted.items(), "Dos^vPX<>*" * 3, strict=False
        ):
            axes.plot(x, value, marker, color=INK, ms=4, label=name)
        axes.set_ylim(0, 1.02)
        beside = f"; points: predicted from the pool of depth {convergence.pool_depths[0]}"
        axes.set_xlabel("evaluation depth" + beside * bool(convergence.predicted))
        axes.set_ylabel("score")
    return legend_below(axes, frame)
