"""The report's figures for papers: Matplotlib figures in one style, to be saved as PDF, SVG or PNG.

Blue is what the choice of topics leaves open, orange what the unjudged documents do. Every function
returns a :class:`matplotlib.figure.Figure`, and changes no setting of yours.
"""

from typing import TYPE_CHECKING

import numpy as np

from poolwise.collection.groups import Groups
from poolwise.errors import OptionError
from poolwise.evidence.completion import count_ungraded
from poolwise.evidence.evidence import Evidence
from poolwise.findings.comparison.many_comparisons import Comparisons
from poolwise.findings.planning.past_systems import CollectionPower
from poolwise.findings.similarity.run_clusters import RunTree, cluster_runs
from poolwise.findings.similarity.run_overlaps import OverlapMatrix
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.views.plots.figure_data import (
    VERDICTS,
    delta_columns,
    pair_columns,
    power_columns,
    topic_columns,
    tree_segments,
)
from poolwise.views.plots.style import (
    BEHIND,
    FEW,
    GREY,
    HOLDS,
    INK,
    TOPICS,
    UNJUDGED,
    draw_heat,
    figure_of,
    height_of,
    legend_below,
    name_columns,
    name_rows,
    new_axes,
    rgb,
)
from poolwise.views.report.estimates import estimates_of
from poolwise.views.report.overview import counted_ranks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "plot_deltas",
    "plot_estimates",
    "plot_leaderboard",
    "plot_pairs",
    "plot_power",
    "plot_similarity",
    "plot_topics",
    "plot_tree",
    "plot_unjudged",
]


def plot_leaderboard(table: ScoreTable, *, level: float = 0.95) -> "Figure":
    """Draw each run's mean, its interval over topics, and the range from unjudged documents.

    .. image:: ../../docs/figures/leaderboard.png

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.1]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> plot_leaderboard(table).axes[0].get_xlabel()
    'mean AP'
    """
    found, order = table.summary(level), table.order()
    place = np.arange(len(order))
    title = f"{table.systems[order[0]]} has the highest mean {table.measure}"
    with new_axes(height_of(len(order)), title) as axes:
        open_ = found.upper[order] - found.lower[order]
        label = "range if unjudged were judged"
        axes.barh(place, open_, 0.7, left=found.lower[order], color=UNJUDGED, label=label)
        ends = found.ci_low[order], found.ci_high[order]
        axes.hlines(place, *ends, color=TOPICS, lw=3, label=f"{level:.0%} over topics")
        axes.plot(found.mean[order], place, "|", color=INK, ms=9, mew=1.6, label="mean")
        name_rows(axes, [table.systems[s] for s in order.tolist()])
        axes.set_xlabel(f"mean {table.measure}")
        axes.grid(axis="x", lw=0.4)
    return legend_below(axes)


def plot_unjudged(evidence: Evidence, *, depth: int = 10) -> "Figure":
    """Draw runs × topics by the number of unjudged documents among the first ranks.

    .. image:: ../../docs/figures/unjudged.png
    """
    counts = count_ungraded(evidence.truncate(depth))
    rows, columns = (np.argsort(-counts.sum(axis=a), kind="stable") for a in (1, 0))
    title = f"{(counts > 0).any(axis=1).sum()} runs have unjudged documents in the first {depth}"
    with new_axes(height_of(len(rows)) + 0.6, title) as axes:
        draw_heat(
            axes, counts[np.ix_(rows, columns)] / depth, f"share unjudged of the first {depth}"
        )
        name_rows(axes, [evidence.systems[s] for s in rows.tolist()])
        name_columns(axes, [evidence.topics[t] for t in columns.tolist()])
        axes.set_xlabel("topic")
    return figure_of(axes)


def plot_pairs(found: Comparisons) -> "Figure":
    """Draw all pairs by whether topics and judgments support their order.

    .. image:: ../../docs/figures/pairs.png
    """
    from matplotlib.patches import Rectangle  # noqa: PLC0415 -- optional

    columns = pair_columns(found)
    order = list(dict.fromkeys(columns["better"] + columns["worse"]))
    place = {name: i for i, name in enumerate(order)}
    colours = (HOLDS, FEW, UNJUDGED, GREY)
    holds = columns["verdict"].count(VERDICTS[0])
    with new_axes(
        height_of(len(order)) + 1, f"{holds:,} of {len(found):,} differences hold"
    ) as axes:
        image = np.ones((len(order), len(order), 3))
        rows = [place[name] for name in columns["better"]]
        cells = [place[name] for name in columns["worse"]]
        image[rows, cells] = [rgb(colours[VERDICTS.index(v)]) for v in columns["verdict"]]
        axes.imshow(image, aspect="auto", interpolation="nearest")
        name_rows(axes, order)
        name_columns(axes, order)
        axes.set(xlabel="run with the lower mean", ylabel=f"higher mean {found.measure}")
        for colour, verdict in zip(colours, VERDICTS, strict=True):
            axes.add_patch(Rectangle((0, 0), 0, 0, color=colour, label=verdict))
    return legend_below(axes)


def plot_deltas(table: ScoreTable, a: str, b: str) -> "Figure":
    """Draw the difference of two runs on each topic, the largest first.

    .. image:: ../../docs/figures/deltas.png

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> plot_deltas(table, "a", "b").axes[0].get_title(loc="left")
    'a − b: 1 win, 1 tie, 1 loss'
    """
    columns = delta_columns(table, a, b)
    delta = np.array(columns["difference"])
    counts = ((delta > 0).sum(), (delta == 0).sum(), (delta < 0).sum())
    words = zip(counts, (("win", "wins"), ("tie", "ties"), ("loss", "losses")), strict=True)
    said = ", ".join(f"{n} {one if n == 1 else many}" for n, (one, many) in words)
    with new_axes(2.6, f"{a} − {b}: {said}") as axes:
        colours = np.where(delta < 0, BEHIND, TOPICS).tolist()
        axes.bar(range(len(delta)), delta, color=colours)
        axes.axhline(0, color=INK, lw=0.6)
        name_columns(axes, columns["topic"])
        axes.set(xlabel="topic", ylabel=f"difference in {table.measure}")
    return figure_of(axes)


def plot_topics(table: ScoreTable) -> "Figure":
    """Draw the scores of all runs on each topic: range, middle half, median.

    .. image:: ../../docs/figures/topics.png
    """
    columns = topic_columns(table)
    place = np.arange(len(columns["topic"]))
    with new_axes(2.8, f"Topics by median {table.measure} of {len(table.systems)} runs") as axes:
        axes.vlines(place, columns["lowest"], columns["highest"], color=GREY, lw=0.8)
        low, high = (np.array(columns[name]) for name in ("quarter", "three_quarters"))
        axes.bar(place, high - low, 0.7, bottom=low, color=TOPICS)
        axes.plot(place, columns["median"], "_", color=INK, ms=5)
        name_columns(axes, columns["topic"])
        axes.set(xlabel="topic", ylabel=table.measure)
    return figure_of(axes)


def plot_estimates(
    evidence: Evidence, measure: Measure | str, *, groups: Groups | None = None, rng: int
) -> "Figure":
    """Draw what the treatments of unjudged documents make of each run (as B23 fig. 1).

    .. image:: ../../docs/figures/estimates.png
    """
    measure = parse_measure(measure)
    seen, table = counted_ranks(evidence, measure), score(evidence, measure)
    found = estimates_of(evidence, seen, measure, table, groups=groups, rng=rng)
    if found is None:
        raise OptionError(
            f"evidence: no run has unjudged documents that count for {measure!r}. Hint: plot "
            "the leaderboard."
        )
    place = np.arange(len(found.systems))
    title = f"{measure!r} under treatments of the unjudged documents"
    with new_axes(height_of(len(place)) + 0.8, title) as axes:
        axes.hlines(place, found.lower, found.upper, color=UNJUDGED, lw=9, label="possible")
        if found.drawn is not None:
            ends = found.drawn[:, 0], found.drawn[:, -1]
            axes.hlines(place, *ends, color=TOPICS, lw=4, label="90% of draws")
        for marker, (name, means) in zip("Dos^v", found.means.items(), strict=False):
            axes.plot(means, place, marker, color=INK, ms=4, label=name)
        name_rows(axes, found.systems)
        axes.set_xlabel(f"mean {measure!r}")
    return legend_below(axes)


def plot_similarity(overlap: OverlapMatrix) -> "Figure":
    """Draw the overlap of all runs with each other, similar ones side by side.

    .. image:: ../../docs/figures/similarity.png
    """
    order = cluster_runs(overlap).order
    at = [overlap.systems.index(name) for name in order]
    with new_axes(height_of(len(order)) + 1, "Blocks along the diagonal rank alike") as axes:
        draw_heat(axes, overlap.ext[np.ix_(at, at)], f"rank-biased overlap, p = {overlap.p:g}")
        name_rows(axes, order)
        name_columns(axes, list(order))
    return figure_of(axes)


def plot_tree(tree: RunTree) -> "Figure":
    """Draw the runs as a dendrogram.

    .. image:: ../../docs/figures/tree.png
    """
    lines = tree_segments(tree)
    with new_axes(height_of(len(tree.order)), "Runs that rank alike join early") as axes:
        for x, x2, y, y2 in zip(*lines.values(), strict=True):
            axes.plot((x, x2), (y, y2), color=TOPICS, lw=1.2, solid_capstyle="projecting")
        name_rows(axes, tree.order)
        axes.set_xlabel("distance at which they join (1 − rank-biased overlap)")
    return figure_of(axes)


def plot_power(found: CollectionPower) -> "Figure":
    """Draw the difference that is detected against the number of topics.

    .. image:: ../../docs/figures/power.png
    """
    columns = power_columns(found)
    half = len(columns["topics"]) // 2
    title = f"{found.topics} topics detect {found.detectable_median:.3f} between typical runs"
    with new_axes(2.8, title) as axes:
        for line, part in (("-", slice(half)), ("--", slice(half, None))):
            topics, difference = columns["topics"][part], columns["difference"][part]
            axes.plot(topics, difference, line, color=TOPICS, label=columns["spread"][part][0])
        axes.axvline(found.topics, color=INK, lw=0.8, ls=":")
        axes.set_xscale("log")
        axes.set_xticks(
            [n for n in (10, 20, 50, 100, 200, 500, 1000) if n <= max(columns["topics"])]
        )
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_ylim(0)
        axes.set(xlabel="topics", ylabel=f"detectable difference in {found.measure}")
        axes.legend(title="spread of differences")
    return figure_of(axes)
