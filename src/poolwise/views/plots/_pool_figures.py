"""Figures of pools, depth, persistence, and what pools leave out; they draw what a study found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poolwise.studies._calibration import Reliability
from poolwise.studies._depth import DepthSetting, DepthStudy
from poolwise.studies._growth import PoolExtrapolation, PoolGrowth
from poolwise.studies._movement import ScoreMovement
from poolwise.studies._persistence import PersistenceMatch
from poolwise.studies._persistence_study import TopicMatches
from poolwise.studies._pooling_bias import PoolingBias
from poolwise.studies._residuals import RBPUncertainty
from poolwise.views.plots._style import (
    BEHIND,
    DASHES,
    GREY,
    INK,
    TOPICS,
    UNJUDGED,
    Frame,
    draw_boxes,
    figure_of,
    legend_below,
    legend_of,
    panel_grid,
    shades,
    side_by_side,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "draw_growth",
    "draw_matches",
    "draw_movement",
    "draw_pooling_bias",
    "draw_powers",
    "draw_topic_matches",
    "draw_uncertainty",
    "draw_undiscovered",
]


def draw_powers(study: DepthStudy, frame: Frame) -> "Figure":
    """Draw discriminative power over evaluation depth, a curve per pool (D10 fig. 3, 4)."""
    kinds = study.families
    across = min(2, len(kinds))
    title = "Share of pairs significantly different, by pool and evaluation depth"
    with frame.axes(title, rows=14 * -(-len(kinds) // across)) as axes:
        for panel, kind in zip(panel_grid(axes, len(kinds), across=across), kinds, strict=True):
            alike = [s for s in study.settings if (s.family, s.form) == kind]
            _draw_power(panel, study, alike)
            name = str(kind[0]) if kind[1] == "given" else f"{kind[0]}, {kind[1]}"
            panel.set_title(name, fontsize=7, fontweight="normal")
    return legend_of(panel, axes, frame)


def _draw_power(panel: "Axes", study: DepthStudy, settings: Sequence[DepthSetting]) -> None:
    """Draw the curves of one measure, and across them evaluation to the depth of each pool."""
    pools = sorted({s.pool_depth for s in settings})
    for pool, colour in zip(pools, shades(len(pools)), strict=True):
        points = sorted((s.depth, study.power(s)) for s in settings if s.pool_depth == pool)
        panel.plot(*zip(*points, strict=True), ".-", color=colour, label=f"pool to {pool}")
    level = sorted((s.depth, study.power(s)) for s in settings if s.pool_depth == s.depth)
    if level:
        label = "evaluated as deep as pooled"
        panel.plot(*zip(*level, strict=True), "x--", color=INK, ms=4, lw=0.8, label=label)
    panel.tick_params(labelsize=6)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:.0f}")
    panel.xaxis.set_minor_formatter("")
    panel.set_xlabel("evaluation depth", fontsize=7)


def draw_matches(matches: Sequence[PersistenceMatch], frame: Frame) -> "Figure":
    """Draw how alike RBP and other measures order systems, over its residual (U18 fig. 2)."""
    from matplotlib.ticker import LogFormatter  # noqa: PLC0415 -- optional

    first = matches[0]
    with frame.axes("RBP that is nearest to each measure, and its residual", rows=14) as axes:
        for number, match in enumerate(matches):
            colour, dashes = shades(len(matches))[number], DASHES[number % len(DASHES)]
            label = f"{match.measure}: p = {match.p:.3f}"
            axes.plot(match.residuals, match.correlations, ls=dashes, color=colour, label=label)
            axes.plot(match.residual, match.correlation, "o", color=colour, ms=4)
        if first.residuals.min() > 0:  # most persistences have a small residual
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.4)))
        low, high = first.persistences[[0, -1]]
        axes.set(xlabel=f"mean residual of RBP, from p = {low:g} to {high:g}", ylabel=first.by)
    return legend_below(axes, frame)


def draw_topic_matches(matches: Sequence[TopicMatches], frame: Frame) -> "Figure":
    """Draw the best persistence of each topic over its relevant documents (U18 fig. 3)."""
    across = min(2, len(matches))
    title = "RBP nearest to a measure on each topic, by relevant documents"
    with frame.axes(title, rows=12 * -(-len(matches) // across)) as axes:
        for panel, match in zip(
            panel_grid(axes, len(matches), across=across), matches, strict=True
        ):
            tau, _ = match.correlation_with_relevant()
            panel.plot(
                match.relevant[match.matched], match.p[match.matched], ".", color=TOPICS, ms=4
            )
            panel.set_title(f"{match.measure}: tau {tau:.2f}", fontsize=7, fontweight="normal")
            panel.set(xscale="log", ylim=(0.48, 1.02))
            panel.tick_params(labelsize=6)
            panel.set_xlabel("known relevant documents", fontsize=7)
            panel.set_ylabel("p", fontsize=7)
    return figure_of(axes)


def draw_movement(movements: Sequence[ScoreMovement], frame: Frame) -> "Figure":
    """Draw score on a shallow pool less final score, over pool depth and residual (U18 fig. 5, 6).

    Boxes go from the lower to the upper quartile, with the median; crosses are means.
    """
    title = f"Score on a shallow pool less that on the pool of depth {movements[0].reference}"
    with frame.axes(title, rows=12 * len(movements)) as axes:
        panels = panel_grid(axes, 2 * len(movements), across=2)
        for movement, left, right in zip(movements, panels[::2], panels[1::2], strict=True):
            _draw_movement_boxes(left, movement)
            colours = shades(len(movement.pool_depths))
            for depth, x, y, colour in zip(
                movement.pool_depths, movement.residuals, movement.differences, colours, strict=True
            ):
                right.plot(x.ravel(), y.ravel(), ".", color=colour, ms=1, alpha=0.3,
                           label=f"pool to {depth}", rasterized=True)  # fmt: skip
            right.axhline(0, color=GREY, lw=0.8)
            right.tick_params(labelsize=6)
            right.set_xlabel("residual of RBP", fontsize=7)
    return legend_of(right, axes, frame)


def _draw_movement_boxes(panel: "Axes", movement: ScoreMovement) -> None:
    columns = movement.columns()
    places = np.arange(len(movement.pool_depths))
    low, middle, high = (np.array(columns[n]) for n in ("quartile1", "median", "quartile3"))
    panel.bar(places, high - low, bottom=low, width=0.6, color=TOPICS, alpha=0.5)
    panel.hlines(middle, places - 0.3, places + 0.3, color=INK)
    panel.plot(places, columns["mean"], "x", color=BEHIND, ms=4)
    panel.axhline(0, color=GREY, lw=0.8)
    panel.set_xticks(places, [str(depth) for depth in movement.pool_depths])
    panel.tick_params(labelsize=6)
    panel.set_title(str(movement.measure), fontsize=7, fontweight="normal")
    panel.set_xlabel("pool depth", fontsize=7)


def draw_growth(growth: PoolGrowth, frame: Frame) -> "Figure":
    """Draw pool sizes over topics by depth, and the rate of what is added (U18 fig. 4, G16 fig. 3).

    Boxes go from the lower to the upper quartile of topics, whiskers to the least and the most.
    """
    at = np.arange(len(growth.depths))
    judged, relevant = growth.spread()
    with frame.axes("Documents in the pools of topics, and what deeper pools add", rows=14) as axes:
        sizes, rates = side_by_side(axes, 2)
        draw_boxes(sizes, at - 0.2, judged, colour=TOPICS, label="judged", width=0.36)
        draw_boxes(sizes, at + 0.2, relevant, colour=BEHIND, label="relevant", width=0.36)
        if relevant["lowest"].min() > 0:
            sizes.set_yscale("log")
        else:  # a logarithm has no place for a topic without relevant documents
            sizes.set_yscale("symlog", linthresh=1)
            sizes.set_ylim(bottom=0)
        sizes.yaxis.set_major_formatter("{x:,.0f}")
        sizes.set_xticks(at, [str(depth) for depth in growth.depths])
        sizes.set(xlabel="pool depth", ylabel="documents per topic")
        sizes.legend(fontsize=7)
        rates.plot(at, 100 * growth.rates(), "o-", color=INK, ms=4)
        rates.set_xticks(at, growth.bands(), rotation=90 if len(at) > 5 else 0)
        rates.set(xlabel="ranks added", ylabel="% relevant of the documents added")
        rates.set_ylim(bottom=0)
    return figure_of(axes)


def draw_uncertainty(uncertainty: RBPUncertainty, frame: Frame) -> "Figure":
    """Draw scores and residuals of RBP over the depth that a user expects to reach (U18 fig. 1).

    Boxes go from the lower to the upper quartile of runs and topics, whiskers to the extremes.
    """
    at = np.log(uncertainty.expected_depths)
    wide = 0.36 * float(np.diff(at).min(initial=1.0))
    scores, residuals = uncertainty.spread()
    with frame.axes("RBP and its residual over all runs and topics", rows=14) as axes:
        label = "score, unjudged documents not relevant"
        draw_boxes(axes, at - 0.55 * wide, scores, colour=TOPICS, label=label, width=wide)
        label = "residual, what unjudged documents could add"
        draw_boxes(axes, at + 0.55 * wide, residuals, colour=UNJUDGED, label=label, width=wide)
        names = [
            f"{p:g}\n{depth:,.0f}"
            for p, depth in zip(uncertainty.persistences, uncertainty.expected_depths, strict=True)
        ]
        axes.set_xticks(at, names)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("p, and the number of documents that a user expects to look at")
    return legend_below(axes, frame)


def draw_pooling_bias(bias: PoolingBias, frame: Frame) -> "Figure":
    """Draw mean and quartiles of the bias over the width of the pool (W10 fig. 6.2)."""
    title = f"What runs lose or gain in {bias.measure} by not being in the pool"
    low, middle, high = bias.quartiles()
    means = bias.bias.mean(axis=(2, 3))
    place = np.arange(len(bias.widths))
    labels = "unjudged documents not relevant", "unjudged documents left out"
    with frame.axes(title, rows=14) as axes:
        axes.axhline(0, color=GREY, lw=0.8)
        for base, (colour, shift) in enumerate(((BEHIND, -0.08), (TOPICS, 0.08))):
            at = place + shift
            axes.vlines(at, low[:, base], high[:, base], color=colour, lw=6, alpha=0.35)
            axes.plot(at, middle[:, base], "_", color=colour, ms=9)
            axes.plot(at, means[:, base], "o-", color=colour, ms=4, label=labels[base])
        axes.set_xticks(place, [str(width) for width in bias.widths])
        axes.set_xlim(-0.5, len(place) - 0.5)
        axes.set_xlabel(f"runs in the pool, to depth {bias.depth} (dots: means; bars: quartiles)")
        axes.set_ylabel("score less true score")
    return legend_below(axes, frame)


def draw_undiscovered(extrapolation: PoolExtrapolation, frame: Frame) -> "Figure":
    """Draw new relevant documents by rank, and all down to it, with the extrapolation (W10 §3.4.2).

    The dotted line is the depth of the pool.
    """
    columns = extrapolation.curve()
    ranks, fitted = np.array(columns["rank"]), np.array(columns["fitted"])
    added = np.array(columns["added"][: extrapolation.depth])
    share, target = f"{extrapolation.share_found:.0%}", f"{extrapolation.target:,}"
    title = f"{share} of the relevant documents expected to depth {target}"
    with frame.axes(f"{title} are found", rows=14) as axes:
        rate, total = side_by_side(axes, 2)
        seen = added > 0  # a logarithm has no place for a rank without any
        rate.plot(
            ranks[: extrapolation.depth][seen], added[seen], ".", color=TOPICS, ms=4, label="found"
        )
        rate.plot(ranks, fitted, color=BEHIND, label="fitted")
        rate.set(yscale="log", ylabel="new relevant documents per topic")
        total.plot(ranks[: extrapolation.depth], added.cumsum(), color=TOPICS, lw=3, label="found")
        total.plot(ranks, fitted.cumsum(), color=BEHIND, label="expected")
        total.set(ylabel="relevant documents per topic")
        total.set_ylim(bottom=0)
        for panel in (rate, total):
            panel.axvline(extrapolation.depth, color=INK, lw=0.8, ls=":")
            panel.set(xscale="log", xlabel="rank")
            panel.xaxis.set_major_formatter("{x:,.0f}")
            panel.legend(fontsize=7)
    return figure_of(axes)


def draw_reliability(reliability: Reliability, frame: Frame) -> "Figure":
    """Draw the observed share of relevant documents over the predicted one."""
    with frame.axes("Relevance of unjudged documents: predicted and observed", rows=12) as axes:
        axes.plot([0, 1], [0, 1], color=INK, lw=0.8, ls="--", label="as predicted")
        axes.plot(
            reliability.predicted, reliability.observed, "o-", color=INK, ms=4, label="observed"
        )
        for said, true, count in zip(
            reliability.predicted, reliability.observed, reliability.documents, strict=True
        ):
            axes.annotate(f"{count:,.0f}", (said, true), xytext=(4, -10), fontsize=7,
                          textcoords="offset points")  # fmt: skip
        axes.set_xlabel("mean predicted probability of relevance")
        axes.set_ylabel("share of relevant documents")
    return legend_below(axes, frame)
