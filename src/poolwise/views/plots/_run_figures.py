"""Figures of runs, as the page has them: they draw what a finding holds, and compute nothing.

Blue is what the choice of topics leaves open, orange what the unjudged documents do.
"""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.findings._beside import QualityBeside
from poolwise.findings._judged_coverage import FIRST_RANKS, JudgedCoverage
from poolwise.findings._pair_verdicts import PAIR_VERDICTS, PairVerdicts
from poolwise.findings._treatment_means import BOUNDS_ROW, PLAUSIBLE_ROW, TreatmentMeans
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._topic_deltas import Deltas
from poolwise.views.plots._style import (
    AHEAD,
    BEHIND,
    DOUBTFUL,
    FEW,
    GREY,
    HOLDS,
    INK,
    LEVEL,
    LIKELY,
    MISSING,
    ORDERED,
    REVERSED,
    TOPICS,
    UNDEFINED,
    UNJUDGED,
    Frame,
    draw_heat,
    figure_of,
    legend_below,
    name_columns,
    name_rows,
    rgb,
)
from poolwise.words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "draw_deltas",
    "draw_estimates",
    "draw_leaderboard",
    "draw_pairs",
    "draw_pareto",
    "draw_topics",
    "draw_unjudged",
]


def draw_leaderboard(table: ScoreTable, frame: Frame, *, level: float = 0.95) -> "Figure":
    """Draw each run's mean, its interval over topics, and the range from unjudged documents."""
    summary, order = table.summary(level), table.order()
    place = range(len(order))
    with frame.axes(table.sentences()[0], rows=len(order)) as axes:
        # Ranges first: what has a level is drawn as a line upon them.
        for uncertainty in sorted(summary.drawn, key=lambda drawn: drawn.is_interval):
            label, (low, high) = (
                uncertainty.words(uncertainty.shown.means.title),
                (uncertainty.low[order], uncertainty.high[order]),
            )
            if uncertainty.is_interval:
                axes.hlines(place, low, high, color=TOPICS, lw=2.5, label=label)
            else:
                axes.barh(place, high - low, 0.7, left=low, color=UNJUDGED, label=label)
        axes.plot(summary.mean[order], place, "|", color=INK, ms=9, mew=1.6, label="mean")
        name_rows(axes, [table.systems[s] for s in order.tolist()])
        axes.set_xlabel(f"mean {table.measure}")
        axes.grid(axis="x", lw=0.4)
    return legend_below(axes, frame)


def draw_pareto(quality: QualityBeside, frame: Frame) -> "Figure":
    """Draw quality over another number, both uncertainties as bars, and the front of the means."""
    side, summary = quality.beside, quality.table.summary()
    x, y, front = side.mean, summary.mean, quality.on_front
    with frame.axes(quality.sentences()[0], rows=16) as axes:
        for uncertainty in sorted(summary.drawn, key=lambda drawn: drawn.is_interval):
            colour, width = (TOPICS, 1.2) if uncertainty.is_interval else (UNJUDGED, 4.0)
            label = uncertainty.words(uncertainty.shown.means.title)
            axes.vlines(x, uncertainty.low, uncertainty.high, color=colour, lw=width, label=label)
        if side.over:
            axes.hlines(y, side.low, side.high, color=GREY, lw=1.2,
                        label=f"95% of {side.name} over {side.over}")  # fmt: skip
        order = np.flatnonzero(front)[np.argsort(x[front], kind="stable")]
        axes.step(x[order], y[order], where="pre" if side.more_is_better else "post", color=INK,
                  lw=0.8, ls="--", label="front of the means")  # fmt: skip
        axes.plot(x[front], y[front], "o", color=INK, ms=4)
        axes.plot(x[~front], y[~front], "o", color=INK, mfc="white", ms=4)
        for run, name in enumerate(quality.systems):
            axes.annotate(name, (x[run], y[run]), xytext=(4, 3), fontsize=7,
                          textcoords="offset points")  # fmt: skip
        axes.set(xlabel=side.words, ylabel=f"mean {quality.measure}")
    return legend_below(axes, frame)


def draw_unjudged(coverage: JudgedCoverage, frame: Frame) -> "Figure":
    """Draw runs × topics by the number of unjudged documents among the first ranks."""
    rows, columns = coverage.run_order().tolist(), coverage.topic_order().tolist()
    title = coverage.where_unjudged()
    with frame.axes(title, rows=len(rows), columns=len(columns), extra=1.5) as axes:
        shown = coverage.unjudged[rows][:, columns] / FIRST_RANKS
        draw_heat(axes, shown, f"share unjudged of the first {FIRST_RANKS}")
        name_rows(axes, [coverage.systems[s] for s in rows])
        name_columns(axes, [coverage.topics[t] for t in columns])
        axes.set_xlabel("topic")
    return figure_of(axes)


_STATES = dict(
    zip(
        PAIR_VERDICTS,
        (
            *(MISSING, UNDEFINED, HOLDS, ORDERED, LIKELY, REVERSED),
            *(LEVEL, DOUBTFUL, UNJUDGED, FEW, GREY),
        ),
        strict=True,
    )
)
"""The colours of states, as those of the page."""


def draw_pairs(verdicts: PairVerdicts, frame: Frame) -> "Figure":
    """Draw all pairs by whether topics and judgments support their order."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415 -- optional

    columns, measure = verdicts.columns(), verdicts.comparisons.measure
    order = list(dict.fromkeys(columns["better"] + columns["worse"]))
    place = {name: i for i, name in enumerate(order)}
    met = set(columns["state"])
    colours = {state: colour for state, colour in _STATES.items() if state in met}
    title = str(verdicts.comparisons.headline()).partition(":")[0].rstrip(".")
    with frame.axes(title, rows=len(order), columns=len(order), extra=1.9) as axes:
        image = [[(1.0, 1.0, 1.0)] * len(order) for _ in order]
        for better, worse, verdict in zip(
            columns["better"], columns["worse"], columns["state"], strict=True
        ):
            image[place[better]][place[worse]] = rgb(colours[verdict])
        axes.imshow(image, aspect="auto", interpolation="nearest")
        name_rows(axes, order)
        name_columns(axes, order)
        axes.set(xlabel="run with the lower mean", ylabel=f"higher mean {measure}")
        for verdict, colour in colours.items():
            axes.add_patch(Rectangle((0, 0), 0, 0, color=colour, label=verdict))
    return legend_below(axes, frame)


def draw_deltas(deltas: Deltas, frame: Frame) -> "Figure":
    """Draw the difference of two runs on each topic, the largest first."""
    title = f"{deltas.a} − {deltas.b}: {deltas.outcome}"
    with frame.axes(title, columns=len(deltas.topics)) as axes:
        bars = deltas.difference.tolist()
        colours = [BEHIND if bar < 0 else AHEAD for bar in bars]
        axes.bar(range(len(bars)), bars, color=colours)
        axes.axhline(0, color=INK, lw=0.6)
        name_columns(axes, deltas.topics)
        axes.set(xlabel="topic", ylabel=f"difference in {deltas.measure}")
    return figure_of(axes)


def draw_topics(table: ScoreTable, frame: Frame) -> "Figure":
    """Draw the scores of all runs on each topic: range, middle half, median."""
    columns = table.topic_spread()
    place = range(len(columns["topic"]))
    title = f"Topics by median {table.measure} of {counted(len(table.systems), 'run')}"
    with frame.axes(title, columns=len(place)) as axes:
        axes.vlines(place, columns["lowest"], columns["highest"], color=GREY, lw=0.8)
        low, high = (np.array(columns[name]) for name in ("quarter", "three_quarters"))
        axes.bar(place, high - low, 0.7, bottom=low, color=TOPICS)
        axes.plot(place, columns["median"], "_", color=INK, ms=5)
        name_columns(axes, columns["topic"])
        axes.set(xlabel="topic", ylabel=str(table.measure))
    return figure_of(axes)


_RANGES = {BOUNDS_ROW: (UNJUDGED, 9), PLAUSIBLE_ROW: (TOPICS, 4)}
"""Colour and width of what surrounds the points."""


def draw_estimates(estimates: TreatmentMeans, frame: Frame) -> "Figure":
    """Draw what the treatments of unjudged documents make of each run (as B23 fig. 1)."""
    place = range(len(estimates.systems))
    title = f"{estimates.measure} by treatment of the unjudged documents"
    with frame.axes(title, rows=len(place), extra=1.7) as axes:
        for name, (low, high) in estimates.ranges().items():
            colour, width = _RANGES[name]
            axes.hlines(place, low, high, color=colour, lw=width, label=name)
        for number, (name, means) in enumerate(estimates.means.items()):
            marker = "Dos^vPX<>*"[number % 10]
            axes.plot(means, place, marker, color=INK, ms=4, label=name)
        name_rows(axes, estimates.systems)
        axes.set_xlabel(f"mean {estimates.measure}")
    return legend_below(axes, frame)
