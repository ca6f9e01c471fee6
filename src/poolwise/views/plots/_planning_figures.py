"""Figures of plans for experiments (W10 ch. 5); they draw what a finding holds."""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings.planning._collection_power import CollectionPower
from poolwise.findings.planning._designs import DesignComparison
from poolwise.findings.planning._experiment import DepthDesign
from poolwise.findings.planning._iterative import TopicInclusion
from poolwise.views.plots._style import (
    BEHIND,
    GREY,
    INK,
    TOPICS,
    Frame,
    dashes,
    figure_of,
    name_rows,
    shades,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_depths", "draw_designs", "draw_inclusion", "draw_power"]


def draw_power(power: CollectionPower, frame: Frame) -> "Figure":
    """Draw the difference that is detected against the number of topics."""
    columns = power.curve()
    points = list(zip(columns["spread"], columns["topics"], columns["difference"], strict=True))
    with frame.axes(power.sentences()[0].partition(", and of")[0]) as axes:
        for line, spread in zip(("-", "--"), dict.fromkeys(columns["spread"]), strict=True):
            topics = [n for name, n, _ in points if name == spread]
            difference = [d for name, _, d in points if name == spread]
            axes.plot(topics, difference, line, color=TOPICS, label=spread)
        axes.axvline(power.topics, color=INK, lw=0.8, ls=":")
        axes.set_xscale("log")
        axes.set_xticks(
            [n for n in (10, 20, 50, 100, 200, 500, 1000) if n <= max(columns["topics"])]
        )
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_ylim(0)
        axes.set(xlabel="topics", ylabel=f"detectable difference in {power.measure}")
        axes.legend(title="spread of differences")
    return figure_of(axes)


def draw_designs(designs: DesignComparison, frame: Frame) -> "Figure":
    """Draw how many topics each design takes: mean, and 90% of the experiments."""
    place = range(len(designs.designs))
    title = (
        f"Topics that designs take to detect {designs.delta:.3g} with a power of {designs.power:g}"
    )
    with frame.axes(title, rows=2 * len(place)) as axes:
        axes.hlines(place, designs.topics_5, designs.topics_95, color=TOPICS, lw=4)
        axes.plot(designs.topics_mean, place, "o", color=INK, ms=5)
        for row, name in enumerate(designs.designs):
            false = designs.false_positives[row]
            colour = BEHIND if name == "peeking" else INK
            said = f"power {designs.found[row]:.2f}, {false:.1%} false positives"
            axes.annotate(said, (1.02, row), xycoords=("axes fraction", "data"), va="center",
                          fontsize=7, color=colour, annotation_clip=False)  # fmt: skip
        name_rows(axes, designs.designs)
        axes.set_xlim(0)
        axes.set_xlabel("topics: mean, and 5th to 95th percentile of the experiments")
        axes.grid(axis="x", lw=0.4)
    return figure_of(axes)


def draw_depths(design: DepthDesign, frame: Frame) -> "Figure":
    """Draw the share of effects detected over the number of judgments, by depth (W10 fig. 5.12)."""
    title = f"The median effect costs least at depth {design.cheapest}"
    with frame.axes(title, rows=14) as axes:
        looks = zip(shades(len(design.depths)), dashes(len(design.depths)), strict=True)
        for depth, shares, (colour, dash) in zip(
            design.depths, design.detectable, looks, strict=True
        ):
            label = f"depth {depth}"
            axes.plot(design.budgets, shares, "o", ls=dash, color=colour, ms=3, label=label)
        axes.set_xscale("log")
        axes.set_xticks(design.budgets, [f"{b:,}" for b in design.budgets], minor=False)
        axes.minorticks_off()
        axes.set_ylim(0, 1.02)
        axes.set(xlabel="documents judged", ylabel="share of effects detectable")
        axes.legend(fontsize=7)
    return figure_of(axes)


def draw_inclusion(inclusion: TopicInclusion, frame: Frame) -> "Figure":
    """Draw how often topics are included over their difference (W10 fig. 5.8)."""
    title = "Topics with a typical difference are included more often"
    with frame.axes(
        title if inclusion.near > inclusion.far else "How often topics are included"
    ) as axes:
        axes.plot(inclusion.difference, inclusion.inclusion, "o", color=TOPICS, ms=3.5, alpha=0.8)
        axes.axvline(
            float(np.mean(inclusion.difference)), color=INK, lw=0.8, label="mean difference"
        )
        axes.axhline(float(np.mean(inclusion.inclusion)), color=GREY, lw=0.8, ls="--",
                     label="equal chances")  # fmt: skip
        axes.set_xlabel(
            f"{inclusion.a} − {inclusion.b}: difference in {inclusion.measure} on the topic"
        )
        axes.set_ylabel("share of experiments with the topic")
        if axes.get_ylim()[1] > 1:
            axes.set_ylim(top=1.005)
        axes.legend(fontsize=7)
    return figure_of(axes)
