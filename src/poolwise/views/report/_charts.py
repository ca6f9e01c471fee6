"""The charts of the page, one function each."""

import json
from typing import Any

from poolwise.findings._pair_verdicts import PAIR_VERDICTS
from poolwise.findings._treatment_means import BOUNDS_ROW, DRAWN, PLAUSIBLE_ROW
from poolwise.results._columns import Columns
from poolwise.results._layout import shortened
from poolwise.scores._topic_deltas import Deltas
from poolwise.views.report._chart_style import (
    INK,
    LONGEST_NAME,
    MUTED,
    PLAUSIBLE,
    STATE_COLOURS,
    TOPICS,
    UNJUDGED,
    Chart,
    class_of,
    column,
    heat_colour,
    layer,
    runs_along,
    spec_of,
    tall,
    tooltips,
    turned,
    turned_runs,
)

__all__ = [
    "delta_chart",
    "density_chart",
    "drawn_chart",
    "estimate_chart",
    "label_means_chart",
    "overlap_chart",
    "pair_chart",
    "power_chart",
    "topic_chart",
    "tree_chart",
    "unjudged_chart",
    "unjudged_density_chart",
]

_UNSEEN = "\u2060"
_FITTED = {"zero": False}
"""A scale that begins where the numbers do."""


def unjudged_chart(
    columns: Columns, topics: list[str], *, title: str, depth: int, caption: str = ""
) -> Chart:
    """Draw runs × topics, in this order, by how many of the first documents are unjudged."""
    limits = sorted({max(1, round(depth * share)) for share in (0.1, 0.2, 0.4, 0.6, 0.8)})
    ends = [*(n - 1 for n in limits), depth]
    names = [f"{a}" if a == b else f"{a}–{b}" for a, b in zip([0, *limits], ends, strict=True)]
    encoding = {
        # The order as a domain: as a sort it would be looked up for every mark, name by name.
        "x": turned("topic:N", scale={"domain": topics}, title="topic, most unjudged first"),
        "y": runs_along("run:N", sort=None, title=None),
        "color": heat_colour("share", names, f"unjudged among the first {depth}"),
        "tooltip": tooltips("run:N", "topic:N", "unjudged:Q"),
    }
    shares = {"calculate": class_of("unjudged", limits, names), "as": "share"}
    height = tall(len(set(columns["run"])), least=4, most=18)
    spec = spec_of(layer("rect", encoding, shares), height=height)
    return Chart(title, "unjudged", spec, columns, caption)


def pair_chart(columns: Columns, *, title: str) -> Chart:
    """Draw the better run of each pair by row, the other by column, coloured by state."""
    order = list(dict.fromkeys(columns["better"] + columns["worse"]))
    # Of eleven states few are there: the legend names those.
    met = [state for state in PAIR_VERDICTS if state in set(columns["state"])]
    scale = {"domain": met, "range": [STATE_COLOURS[state] for state in met]}
    numbers = [f"{n}:Q" for n in columns if n not in ("better", "worse", "state")]
    encoding = {
        "x": turned_runs("worse:N", sort=None, title="run with the lower mean"),
        "y": runs_along("better:N", sort=None, title="run with the higher mean"),
        "color": column("state:N", scale=scale, title=None),
        "tooltip": tooltips("better:N", "worse:N", *numbers, "state:N"),
    }
    height = tall(len(order), least=4, most=22)
    return Chart(title, "pairs", spec_of(layer("rect", encoding), height=height), columns)


def delta_chart(deltas: Deltas) -> Chart:
    """Draw the difference on each topic as a bar, the largest first."""
    columns = {name: deltas.columns()[name] for name in ("topic", "difference")}
    behind = {"test": "datum.difference < 0", "value": "var(--behind)"}
    encoding = {
        "x": turned("topic:N", sort=None, title="topic"),
        "y": column("difference:Q", title=f"difference in {deltas.measure}"),
        "color": {"condition": behind, "value": "var(--ahead)"},
        "tooltip": tooltips("topic:N", difference="+.4f"),
    }
    title = f"{deltas.a} − {deltas.b}: {deltas.outcome}"
    return Chart(title, "deltas", spec_of(layer("bar", encoding), height=240), columns)


def topic_chart(columns: Columns, *, title: str, measure: str, name: str, caption: str) -> Chart:
    """Draw the scores of all runs on each topic: range, middle half, median."""
    base = {
        "x": turned("topic:N", sort=None, title="topic, by median score"),
        "tooltip": tooltips("topic:N", **dict.fromkeys(list(columns)[1:], ".3f")),
    }
    whole = {"y": column("lowest:Q", title=measure, scale=_FITTED), "y2": column("highest")}
    half = {"y": column("quarter:Q"), "y2": column("three_quarters")}
    wide = {"width": {"band": 0.7}}
    spec = spec_of(
        layer({"type": "rule", "color": MUTED}, base | whole),
        layer({"type": "bar", "color": TOPICS, **wide}, base | half),
        layer(
            {"type": "tick", "color": INK, "thickness": 2, **wide},
            base | {"y": column("median:Q")},
        ),
        height=260,
    )
    return Chart(title, name, spec, columns, caption)


def estimate_chart(columns: Columns, *, title: str, measure: str, caption: str) -> Chart:
    """Draw what is possible and what is plausible as bars, the treatments as points, by run."""
    looks = {
        BOUNDS_ROW: {"color": UNJUDGED, "height": 12, "opacity": 0.55},
        PLAUSIBLE_ROW: {"color": PLAUSIBLE, "height": 6, "opacity": 1.0},
    }
    there = dict.fromkeys(columns["treatment"])
    bars = [_range_bar(kind, measure, look) for kind, look in looks.items() if kind in there]
    points = _treatment_points([name for name in there if name not in looks])
    height = 28 * len(set(columns["run"])) + 10
    spec = spec_of(*bars, points, height=height)
    return Chart(title, "estimates", spec, columns, caption)


_BY_RUN = {"y": runs_along("run:N", sort=None, title=None)}


def _range_bar(kind: str, measure: str, look: dict[str, Any]) -> dict[str, Any]:
    """Return the bars of one kind of range, by run."""
    ends = {
        "x": column("low:Q", title=f"mean {measure}", scale=_FITTED),
        "x2": column("high"),
        "tooltip": tooltips("run:N", "treatment:N", "low:Q", "high:Q"),
    }
    return layer({"type": "bar", **look}, _BY_RUN | ends, _only("treatment", "===", kind))


def _treatment_points(methods: list[str]) -> dict[str, Any]:
    """Return a point for each treatment, by run."""
    shapes = ["circle", "square", "triangle-up", "diamond", "cross"][: len(methods)]
    means = {
        "x": column("mean:Q"),
        "shape": column("treatment:N", scale={"domain": methods, "range": shapes}, title=None),
        "tooltip": tooltips("run:N", "treatment:N", mean=".4f"),
    }
    mark = {"type": "point", "filled": True, "size": 70, "color": INK, "opacity": 1}
    return layer(mark, _BY_RUN | means, {"filter": "isValid(datum.mean)"})


def _only(field: str, sign: str, value: str) -> dict[str, str]:
    """Return what leaves the rows of one kind, or all others."""
    return {"filter": f"(datum.{field} {sign} '{value}')"}


def drawn_chart(columns: Columns, *, title: str, measure: str, caption: str) -> Chart:
    """Draw the share of draws by score as circles, and single scores as shapes, by topic."""
    base = {
        # Away from the names of topics, which large circles at the edge would cover.
        "y": column("topic:N", sort=None, title="topic", axis={"offset": 12}),
        "x": column("score:Q", title=measure, scale=_FITTED),
    }
    circles = {
        "size": column("share:Q", title="share of draws", scale={"range": [4, 400]}),
        "tooltip": tooltips("topic:N", "score:Q", share=".3f"),
    }
    names = [name for name in dict.fromkeys(columns["what"]) if name != DRAWN]
    scale = {"domain": names, "range": ["circle", "square", "triangle-down", "diamond"]}
    shapes = {
        "shape": column("what:N", scale=scale, title=None),
        "tooltip": tooltips("topic:N", "what:N", score=".4f"),
    }
    circle = {"type": "circle", "color": TOPICS, "opacity": 0.6}
    point = {"type": "point", "color": INK, "filled": True, "opacity": 1, "size": 60}
    spec = spec_of(
        layer(circle, base | circles, _only("what", "===", DRAWN)),
        layer(point, base | shapes, _only("what", "!==", DRAWN)),
        height=40 * len(set(columns["topic"])) + 10,
    )
    return Chart(title, "drawn", spec, columns, caption)


def overlap_chart(columns: Columns, *, title: str) -> Chart:
    """Draw the overlap of all runs with each other, in the order of the tree."""
    limits = [0.1, 0.3, 0.5, 0.7, 0.9]
    names = ["below 0.1", "0.1–0.3", "0.3–0.5", "0.5–0.7", "0.7–0.9", "0.9 and above"]
    encoding = {
        "x": turned_runs("other:N", sort=None, title=None),
        "y": runs_along("run:N", sort=None, title=None),
        "color": heat_colour("alike", names, "rank-biased overlap"),
        "tooltip": tooltips("run:N", "other:N", overlap=".3f"),
    }
    classes = {"calculate": class_of("overlap", limits, names), "as": "alike"}
    height = tall(len(set(columns["run"])), least=4, most=22)
    return Chart(
        title, "overlap", spec_of(layer("rect", encoding, classes), height=height), columns
    )


def tree_chart(columns: Columns, names: tuple[str, ...], *, title: str) -> Chart:
    """Draw a dendrogram, the runs by name down the left side."""
    shown = shortened(names, LONGEST_NAME)
    rows = {
        "values": list(range(len(names))),
        # Vega must not take a name for one of its own words; the mark is not seen (page.js).
        "labelExpr": f"{json.dumps([name + _UNSEEN for name in shown])}[datum.value]",
        **dict.fromkeys(("grid", "ticks", "domain", "labelOverlap"), False),
    }
    ends = {"domain": [-0.6, len(names) - 0.4], "nice": False, "reverse": True}
    encoding = {
        "x": column("distance:Q", title="distance (1 − overlap) where they join"),
        "x2": column("distance_end"),
        "y": column("row:Q", axis=rows, scale=ends, title=None),
        "y2": column("row_end"),
    }
    rule = {"type": "rule", "color": TOPICS, "strokeWidth": 1.5}
    spec = spec_of(layer(rule, encoding), height=max(120, 12 * len(names)))
    return Chart(title, "tree", spec, columns)


def power_chart(columns: Columns, *, title: str, measure: str, topics: int) -> Chart:
    """Draw the difference that is detected against the number of topics."""
    encoding = {
        "x": column("topics:Q", scale={"type": "log", "nice": False}, title="topics"),
        "y": column("difference:Q", title=f"detectable difference in {measure}"),
        "strokeDash": column(
            "spread:N",
            sort=list(dict.fromkeys(columns["spread"])),
            title="spread of differences",
            legend={"symbolStrokeColor": TOPICS},
        ),
        "tooltip": tooltips("topics:Q", "spread:N", difference=".4f"),
    }
    here = {"type": "rule", "color": INK, "strokeDash": [2, 3]}
    spec = spec_of(
        layer({"type": "line", "strokeWidth": 2.5, "color": TOPICS}, encoding),
        layer(here, {"x": {"datum": topics}}),
        height=260,
    )
    return Chart(title, "power", spec, columns)


def label_means_chart(columns: Columns, *, title: str, measure: str) -> Chart:
    """Draw the means of runs by labels over those by people; on the line both are equal."""
    both = [*columns["people"], *columns["labels"]]
    low, high = min(both), max(both)
    sets = list(dict.fromkeys(columns["set"]))
    shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
    scale = {"domain": sets, "range": [shapes[i % len(shapes)] for i in range(len(sets))]}
    encoding = {
        "x": column("people:Q", title=f"mean {measure} by people", scale=_FITTED),
        "y": column("labels:Q", title="by labels", scale=_FITTED),
        "shape": column("set:N", scale=scale, title=None),
        "tooltip": tooltips("set:N", "run:N", people=".4f", labels=".4f"),
    }
    start, end = {"datum": low, "scale": _FITTED}, {"datum": high}
    line = {"x": start, "y": start, "x2": end, "y2": end}
    spec = spec_of(
        layer({"type": "rule", "color": MUTED}, line),
        layer({"type": "point", "color": TOPICS, "size": 50, "opacity": 0.9}, encoding),
        height=320,
    )
    return Chart(title, "label-means", spec, columns)


_SHARES = (0.01, 0.1, 0.25, 0.5, 0.75)
"""Ends of the classes of shares of topics."""


def density_chart(columns: Columns, *, title: str, of: str, name: str, caption: str = "") -> Chart:
    """Draw on how many topics a number lies where."""
    ends = tooltips(low=".3f", high=".3f")
    encoding = {
        "x": column("low:Q", title=of, bin="binned", scale={"zero": False}),
        "x2": column("high"),
        "y": column("topics:Q", title="topics"),
        "tooltip": [*ends, *tooltips("topics:Q")],
    }
    spec = spec_of(layer({"type": "bar", "color": TOPICS}, encoding), height=240)
    return Chart(title, name, spec, columns, caption)


def unjudged_density_chart(columns: Columns, *, title: str, topics: int, depth: int) -> Chart:
    """Draw runs by their unjudged documents, coloured by how many of the topics have as many."""
    names = ["below 1%", "1–10%", "10–25%", "25–50%", "50–75%", "75% and more"]
    across = f"unjudged among the first {depth}"
    encoding = {
        "x": column("unjudged:O", title=across, axis={"labelAngle": 0}),
        "y": column("run:N", sort=None, title=None),
        "color": heat_colour("share", names, "share of topics"),
        "tooltip": tooltips("run:N", "unjudged:Q", "topics:Q"),
    }
    classes = class_of("topics", [s * topics for s in _SHARES], names)
    drawn = layer("rect", encoding, {"calculate": classes, "as": "share"})
    height = tall(len(set(columns["run"])), least=4, most=18)
    return Chart(title, "unjudged", spec_of(drawn, height=height), columns)
