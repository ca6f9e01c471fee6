"""The charts of the report, one function each."""

import json
from typing import Any

from poolwise.findings.drawn_topics import DRAWN
from poolwise.findings.pair_verdicts import VERDICTS
from poolwise.findings.treatment_means import BOUNDS_ROW, PLAUSIBLE_ROW
from poolwise.printout.columns import Columns
from poolwise.printout.fitting import shortened
from poolwise.scores.topic_deltas import Deltas
from poolwise.views.report.drawings.chart_style import (
    INK,
    LONGEST_NAME,
    MUTED,
    TOPICS,
    UNJUDGED,
    VERDICT_COLOURS,
    Chart,
    class_of,
    heat_colour,
    load_altair,
    named_data,
    run_labels,
    spec_of,
    tall,
    tooltips,
    turned_labels,
    turned_runs,
)

__all__ = [
    "delta_chart",
    "drawn_chart",
    "estimate_chart",
    "overlap_chart",
    "pair_chart",
    "power_chart",
    "topic_chart",
    "tree_chart",
    "unjudged_chart",
]

_UNSEEN = "\u2060"


def unjudged_chart(columns: Columns, topics: list[str], *, title: str, depth: int) -> Chart:
    """Draw runs × topics, in this order, by how many of the first documents are unjudged."""
    alt = load_altair()
    limits = sorted({max(1, round(depth * share)) for share in (0.1, 0.2, 0.4, 0.6, 0.8)})
    ends = [*(n - 1 for n in limits), depth]
    names = [f"{a}" if a == b else f"{a}–{b}" for a, b in zip([0, *limits], ends, strict=True)]
    chart = (
        named_data(alt)
        .transform_calculate(share=class_of("unjudged", limits, names))
        .mark_rect()
        .encode(
            x=alt.X(
                "topic:N", sort=topics, title="topic, most unjudged first", axis=turned_labels(alt)
            ),
            y=alt.Y("run:N", sort=None, title=None, axis=run_labels(alt)),
            color=heat_colour(alt, "share", names, f"unjudged among the first {depth}"),
            tooltip=tooltips(alt, "run:N", "topic:N", "unjudged:Q"),
        )
    )
    height = tall(len(set(columns["run"])), least=4, most=18)
    return Chart(title, "unjudged", spec_of(chart, height=height), columns)


def pair_chart(columns: Columns, *, title: str) -> Chart:
    """Draw the better run of each pair by row, the other by column, coloured by verdict."""
    alt = load_altair()
    order = list(dict.fromkeys(columns["better"] + columns["worse"]))
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=VERDICT_COLOURS), title=None
    )
    numbers = [name for name in columns if name not in ("better", "worse", "verdict")]
    chart = (
        named_data(alt)
        .mark_rect()
        .encode(
            x=alt.X("worse:N", sort=None, title="run with the lower mean", axis=turned_runs(alt)),
            y=alt.Y("better:N", sort=None, title="run with the higher mean", axis=run_labels(alt)),
            color=colour,
            tooltip=tooltips(alt, "better:N", "worse:N", *(f"{n}:Q" for n in numbers), "verdict:N"),
        )
    )
    height = tall(len(order), least=4, most=22)
    return Chart(title, "pairs", spec_of(chart, height=height), columns)


def delta_chart(deltas: Deltas) -> Chart:
    """Draw the difference on each topic as a bar, the largest first."""
    alt = load_altair()
    columns = {name: deltas.columns()[name] for name in ("topic", "difference")}
    colour = alt.condition(
        "datum.difference < 0", alt.value("var(--behind)"), alt.value("var(--ahead)")
    )
    chart = (
        named_data(alt)
        .mark_bar()
        .encode(
            x=alt.X("topic:N", sort=None, title="topic", axis=turned_labels(alt)),
            y=alt.Y("difference:Q", title=f"difference in {deltas.measure}"),
            color=colour,
            tooltip=[*tooltips(alt, "topic:N"), alt.Tooltip("difference:Q", format="+.4f")],
        )
    )
    title = f"{deltas.a} − {deltas.b}: {deltas.outcome}"
    return Chart(title, "deltas", spec_of(chart, height=240), columns)


def topic_chart(columns: Columns, *, title: str, measure: str, name: str, caption: str) -> Chart:
    """Draw the scores of all runs on each topic: range, middle half, median."""
    alt = load_altair()
    base = named_data(alt).encode(
        x=alt.X("topic:N", sort=None, title="topic, by median score", axis=turned_labels(alt)),
        tooltip=[
            *tooltips(alt, "topic:N"),
            *(alt.Tooltip(f"{n}:Q", format=".3f") for n in list(columns)[1:]),
        ],
    )
    y = alt.Y("lowest:Q", title=measure, scale=alt.Scale(zero=False))
    chart = alt.layer(
        base.mark_rule(color=MUTED).encode(y=y, y2=alt.Y2("highest")),
        base.mark_bar(color=TOPICS, width={"band": 0.7}).encode(
            y=alt.Y("quarter:Q"), y2=alt.Y2("three_quarters")
        ),
        base.mark_tick(color=INK, thickness=2, width={"band": 0.7}).encode(y=alt.Y("median:Q")),
    )
    return Chart(title, name, spec_of(chart, height=260), columns, caption)


def estimate_chart(columns: Columns, *, title: str, measure: str, caption: str) -> Chart:
    """Draw what is possible and what is plausible as bars, the treatments as points, by run."""
    alt = load_altair()
    runs = len(set(columns["run"]))
    base = named_data(alt).encode(y=alt.Y("run:N", sort=None, title=None, axis=run_labels(alt)))
    x = alt.X("low:Q", title=f"mean {measure}", scale=alt.Scale(zero=False))
    ranges = (BOUNDS_ROW, PLAUSIBLE_ROW)
    methods = [name for name in dict.fromkeys(columns["treatment"]) if name not in ranges]
    shapes = ["circle", "square", "triangle-up", "diamond", "cross"][: len(methods)]
    points = base.mark_point(filled=True, size=70, color=INK, opacity=1).encode(
        x=alt.X("mean:Q"),
        shape=alt.Shape("treatment:N", scale=alt.Scale(domain=methods, range=shapes), title=None),
        tooltip=[
            *tooltips(alt, "run:N", "treatment:N"),
            alt.Tooltip("mean:Q", format=".4f"),
        ],
    )

    def bar(kind: str, colour: str, height: int, opacity: float) -> Any:
        drawn = base.transform_filter(alt.datum.treatment == kind)
        tooltip = tooltips(alt, "run:N", "treatment:N", "low:Q", "high:Q")
        return drawn.mark_bar(color=colour, height=height, opacity=opacity).encode(
            x=x, x2=alt.X2("high"), tooltip=tooltip
        )

    looks: dict[str, tuple[str, int, float]] = {
        BOUNDS_ROW: (UNJUDGED, 12, 0.55),
        PLAUSIBLE_ROW: (TOPICS, 6, 1.0),
    }
    bars = [bar(kind, *look) for kind, look in looks.items() if kind in columns["treatment"]]
    chart = alt.layer(*bars, points.transform_filter("isValid(datum.mean)"))
    height = 28 * runs + 10
    return Chart(title, "estimates", spec_of(chart, height=height), columns, caption)


def drawn_chart(columns: Columns, *, title: str, measure: str, caption: str) -> Chart:
    """Draw the share of draws by score as circles, and single scores as shapes, by topic."""
    alt = load_altair()
    topics = len(set(columns["topic"]))
    x = alt.X("score:Q", title=measure, scale=alt.Scale(zero=False))
    base = named_data(alt).encode(y=alt.Y("topic:N", sort=None, title="topic"), x=x)
    shapes = [name for name in dict.fromkeys(columns["what"]) if name != DRAWN]
    drawn = (
        base.transform_filter(alt.datum.what == DRAWN)
        .mark_circle(color=TOPICS, opacity=0.6)
        .encode(
            size=alt.Size("share:Q", title="share of draws", scale=alt.Scale(range=[4, 400])),
            tooltip=[*tooltips(alt, "topic:N", "score:Q"), alt.Tooltip("share:Q", format=".3f")],
        )
    )
    single = (
        base.transform_filter(alt.datum.what != DRAWN)
        .mark_point(color=INK, filled=True, opacity=1, size=60)
        .encode(
            shape=alt.Shape(
                "what:N",
                scale=alt.Scale(
                    domain=shapes, range=["circle", "square", "triangle-down", "diamond"]
                ),
                title=None,
            ),
            tooltip=[*tooltips(alt, "topic:N", "what:N"), alt.Tooltip("score:Q", format=".4f")],
        )
    )
    chart = alt.layer(drawn, single)
    return Chart(title, "drawn", spec_of(chart, height=40 * topics + 10), columns, caption)


def overlap_chart(columns: Columns, *, title: str) -> Chart:
    """Draw the overlap of all runs with each other, in the order of the tree."""
    alt = load_altair()
    limits = [0.1, 0.3, 0.5, 0.7, 0.9]
    names = ["below 0.1", "0.1–0.3", "0.3–0.5", "0.5–0.7", "0.7–0.9", "0.9 and above"]
    chart = (
        named_data(alt)
        .transform_calculate(alike=class_of("overlap", limits, names))
        .mark_rect()
        .encode(
            x=alt.X("other:N", sort=None, title=None, axis=turned_runs(alt)),
            y=alt.Y("run:N", sort=None, title=None, axis=run_labels(alt)),
            color=heat_colour(alt, "alike", names, "rank-biased overlap"),
            tooltip=[
                *tooltips(alt, "run:N", "other:N"),
                alt.Tooltip("overlap:Q", format=".3f"),
            ],
        )
    )
    height = tall(len(set(columns["run"])), least=4, most=22)
    return Chart(title, "overlap", spec_of(chart, height=height), columns)


def tree_chart(columns: Columns, names: tuple[str, ...], *, title: str) -> Chart:
    """Draw a dendrogram, the runs by name down the left side."""
    alt = load_altair()
    shown = shortened(names, LONGEST_NAME)
    rows = alt.Axis(
        values=list(range(len(names))),
        # Vega must not take a name for one of its own words; the mark is not seen (page.js).
        labelExpr=f"{json.dumps([name + _UNSEEN for name in shown])}[datum.value]",
        grid=False,
        ticks=False,
        domain=False,
        labelOverlap=False,
    )
    ends = alt.Scale(domain=[-0.6, len(names) - 0.4], nice=False, reverse=True)
    chart = (
        named_data(alt)
        .mark_rule(color=TOPICS, strokeWidth=1.5)
        .encode(
            x=alt.X("distance:Q", title="distance (1 − overlap) where they join"),
            x2=alt.X2("distance_end"),
            y=alt.Y("row:Q", axis=rows, scale=ends, title=None),
            y2=alt.Y2("row_end"),
        )
    )
    return Chart(title, "tree", spec_of(chart, height=max(120, 12 * len(names))), columns)


def power_chart(columns: Columns, *, title: str, measure: str, topics: int) -> Chart:
    """Draw the difference that is detected against the number of topics."""
    alt = load_altair()
    base = named_data(alt)
    lines = base.mark_line(strokeWidth=2.5, color=TOPICS).encode(
        x=alt.X("topics:Q", scale=alt.Scale(type="log", nice=False), title="topics"),
        y=alt.Y("difference:Q", title=f"detectable difference in {measure}"),
        strokeDash=alt.StrokeDash(
            "spread:N",
            sort=list(dict.fromkeys(columns["spread"])),
            title="spread of differences",
            legend=alt.Legend(symbolStrokeColor=TOPICS),
        ),
        tooltip=[
            *tooltips(alt, "topics:Q", "spread:N"),
            alt.Tooltip("difference:Q", format=".4f"),
        ],
    )
    here = base.mark_rule(color=INK, strokeDash=[2, 3]).encode(x=alt.datum(topics))
    return Chart(title, "power", spec_of(alt.layer(lines, here), height=260), columns)
