"""The report's charts, as Vega-Lite made with Altair.

Colours are CSS variables of the page, so that light, dark and print are the page's affair: blue is
what the choice of topics leaves open, orange what the unjudged documents do.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from poolwise.errors import MissingExtraError
from poolwise.scores.columns import Columns
from poolwise.views.figure_data import VERDICTS

__all__ = [
    "Chart",
    "delta_chart",
    "estimate_chart",
    "overlap_chart",
    "pair_chart",
    "power_chart",
    "topic_chart",
    "tree_chart",
    "unjudged_chart",
    "vega_bundle",
]

INK, MUTED, RULE = "var(--ink)", "var(--muted)", "var(--rule)"
TOPICS, UNJUDGED = "var(--topics)", "var(--unjudged)"
HEAT = [f"var(--heat-{i})" for i in range(6)]
VERDICT_COLOURS = ["var(--holds)", "var(--topics)", "var(--unjudged)", "var(--open)"]
_TALL = 640
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


@dataclass(frozen=True)
class Chart:
    """A chart and its data.

    Attributes
    ----------
    title : str
        What to read from it.
    name : str
        What its file of data is called.
    spec : dict
        Vega-Lite whose data is named ``data``.
    columns : Columns
        That data.
    caption : str
        How it is drawn.
    """

    title: str
    name: str
    spec: dict[str, Any]
    columns: Columns
    caption: str = ""


def _altair() -> Any:
    try:
        import altair as alt  # noqa: PLC0415 -- optional, and slow to import
        import vl_convert  # noqa: F401, PLC0415 -- the page needs it, too
    except ImportError as error:
        raise MissingExtraError("altair with vl-convert", "report") from error
    return alt


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, so that the page needs no network."""
    _altair()
    import vl_convert  # noqa: PLC0415 -- optional

    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg] # the stub lacks the default
    return str(bundle).replace("</script", "<\\/script")


def _base(alt: Any) -> Any:
    return alt.Chart(alt.NamedData(name="data"))


def _spec(chart: Any, *, height: Any) -> dict[str, Any]:
    """Return Vega-Lite as wide as its place, in the page's colours."""
    spec = chart.properties(width="container", height=height).to_dict()
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["config"] = {
        "background": "transparent",
        "font": _FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": MUTED,
            "titleColor": INK,
            "gridColor": RULE,
            "domainColor": MUTED,
            "tickColor": MUTED,
            "titleFontWeight": "normal",
            "labelOverlap": True,
            "labelLimit": 130,
        },
        "legend": {
            "labelColor": INK,
            "titleColor": INK,
            "titleFontWeight": "normal",
            "orient": "top",
            "labelLimit": 260,
            "columns": 6,
        },
    }
    return spec


def _tall(rows: int, *, least: float, most: float) -> int:
    """Return the height of rows that are all about as tall as a screen together."""
    return round(rows * min(most, max(least, _TALL / max(rows, 1))))


def unjudged_chart(columns: Columns, topics: list[str], *, title: str, depth: int) -> Chart:
    """Draw runs × topics, in this order, by how many of the first documents are unjudged."""
    alt = _altair()
    limits = sorted({max(1, round(depth * share)) for share in (0.1, 0.2, 0.4, 0.6, 0.8)})
    ends = [*(n - 1 for n in limits), depth]
    names = [f"{a}" if a == b else f"{a}–{b}" for a, b in zip([0, *limits], ends, strict=True)]
    chart = (
        _base(alt)
        .transform_calculate(share=_class_of("unjudged", limits, names))
        .mark_rect()
        .encode(
            x=alt.X("topic:N", sort=topics, title="topic, most unjudged first", axis=_many(alt)),
            y=alt.Y("run:N", sort=None, title=None),
            color=_heat(alt, "share", names, f"unjudged among the first {depth}"),
            tooltip=["run:N", "topic:N", "unjudged:Q"],
        )
    )
    height = _tall(len(set(columns["run"])), least=4, most=18)
    return Chart(title, "unjudged", _spec(chart, height=height), columns)


def _class_of(field: str, limits: Sequence[float], names: Sequence[str]) -> str:
    """Return a Vega expression that names the class of a number."""
    found = f"'{names[-1]}'"
    for limit, name in reversed(list(zip(limits, names, strict=False))):
        found = f"datum.{field} < {limit} ? '{name}' : {found}"
    return found


def _heat(alt: Any, field: str, names: list[str], title: str) -> Any:
    scale = alt.Scale(domain=names, range=HEAT[: len(names)])
    return alt.Color(f"{field}:N", scale=scale, title=title)


def _many(alt: Any) -> Any:
    return alt.Axis(labelAngle=270, labelOverlap=True, ticks=False, labelFontSize=9)


def pair_chart(columns: Columns, *, title: str) -> Chart:
    """Draw the better run of each pair by row, the other by column, coloured by verdict."""
    alt = _altair()
    order = list(dict.fromkeys(columns["better"] + columns["worse"]))
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=VERDICT_COLOURS), title=None
    )
    numbers = ("difference", "lowest", "highest", "p", "p_corrected", "effect_size")
    chart = (
        _base(alt)
        .mark_rect()
        .encode(
            x=alt.X("worse:N", sort=None, title="run with the lower mean", axis=_many(alt)),
            y=alt.Y("better:N", sort=None, title="run with the higher mean"),
            color=colour,
            tooltip=["better:N", "worse:N", *(f"{n}:Q" for n in numbers), "verdict:N"],
        )
    )
    height = _tall(len(order), least=4, most=22)
    return Chart(title, "pairs", _spec(chart, height=height), columns)


def delta_chart(columns: Columns, *, title: str, measure: str) -> Chart:
    """Draw the difference on each topic as a bar, the largest first."""
    alt = _altair()
    colour = alt.condition(
        "datum.difference < 0", alt.value("var(--behind)"), alt.value("var(--ahead)")
    )
    chart = (
        _base(alt)
        .mark_bar()
        .encode(
            x=alt.X("topic:N", sort=None, title="topic", axis=_many(alt)),
            y=alt.Y("difference:Q", title=f"difference in {measure}"),
            color=colour,
            tooltip=["topic:N", alt.Tooltip("difference:Q", format="+.4f")],
        )
    )
    return Chart(title, "deltas", _spec(chart, height=240), columns)


def topic_chart(columns: Columns, *, title: str, measure: str, name: str, caption: str) -> Chart:
    """Draw the scores of all runs on each topic: range, middle half, median."""
    alt = _altair()
    base = _base(alt).encode(
        x=alt.X("topic:N", sort=None, title="topic, by median score", axis=_many(alt)),
        tooltip=["topic:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in list(columns)[1:])],
    )
    y = alt.Y("lowest:Q", title=measure, scale=alt.Scale(zero=False))
    chart = alt.layer(
        base.mark_rule(color=MUTED).encode(y=y, y2="highest:Q"),
        base.mark_bar(color=TOPICS, width={"band": 0.7}).encode(
            y="quarter:Q", y2="three_quarters:Q"
        ),
        base.mark_tick(color=INK, thickness=2, width={"band": 0.7}).encode(y="median:Q"),
    )
    return Chart(title, name, _spec(chart, height=260), columns, caption)


def estimate_chart(columns: Columns, *, title: str, measure: str, caption: str) -> Chart:
    """Draw bounds and drawn grades as bars, the treatments as points, one row per run."""
    alt = _altair()
    runs = len(set(columns["run"]))
    base = _base(alt).encode(y=alt.Y("run:N", sort=None, title=None))
    x = alt.X("low:Q", title=f"mean {measure}", scale=alt.Scale(zero=False))
    methods = sorted(
        {m for m, v in zip(columns["treatment"], columns["value"], strict=True) if v is not None}
    )
    shapes = ["circle", "square", "triangle-up", "diamond", "cross"][: len(methods)]
    points = base.mark_point(filled=True, size=70, color=INK, opacity=1).encode(
        x="value:Q",
        shape=alt.Shape("treatment:N", scale=alt.Scale(domain=methods, range=shapes), title=None),
        tooltip=["run:N", "treatment:N", alt.Tooltip("value:Q", format=".4f")],
    )

    def bar(kind: str, colour: str, height: int, opacity: float) -> Any:
        drawn = base.transform_filter(alt.datum.treatment == kind)
        tooltip = ["run:N", "treatment:N", "low:Q", "high:Q"]
        return drawn.mark_bar(color=colour, height=height, opacity=opacity).encode(
            x=x, x2="high:Q", tooltip=tooltip
        )

    bars = [
        bar("bounds", UNJUDGED, 12, 0.55),
        bar("bootstrap, 5% to 95%", TOPICS, 6, 1.0),
    ]
    chart = alt.layer(*bars, points.transform_filter("isValid(datum.value)"))
    height = 28 * runs + 10
    return Chart(title, "estimates", _spec(chart, height=height), columns, caption)


def overlap_chart(columns: Columns, *, title: str) -> Chart:
    """Draw the overlap of all runs with each other, in the order of the tree."""
    alt = _altair()
    limits = [0.1, 0.3, 0.5, 0.7, 0.9]
    names = ["below 0.1", "0.1–0.3", "0.3–0.5", "0.5–0.7", "0.7–0.9", "0.9 and above"]
    chart = (
        _base(alt)
        .transform_calculate(alike=_class_of("overlap", limits, names))
        .mark_rect()
        .encode(
            x=alt.X("other:N", sort=None, title=None, axis=_many(alt)),
            y=alt.Y("run:N", sort=None, title=None),
            color=_heat(alt, "alike", names, "rank-biased overlap"),
            tooltip=["run:N", "other:N", alt.Tooltip("overlap:Q", format=".3f")],
        )
    )
    height = _tall(len(set(columns["run"])), least=4, most=22)
    return Chart(title, "overlap", _spec(chart, height=height), columns)


def tree_chart(columns: Columns, names: tuple[str, ...], *, title: str) -> Chart:
    """Draw a dendrogram, the runs by name down the left side."""
    alt = _altair()
    rows = alt.Axis(
        values=list(range(len(names))),
        labelExpr=f"{json.dumps(names)}[datum.value]",
        grid=False,
        ticks=False,
        domain=False,
        labelOverlap=False,
    )
    ends = alt.Scale(domain=[-0.6, len(names) - 0.4], nice=False, reverse=True)
    chart = (
        _base(alt)
        .mark_rule(color=TOPICS, strokeWidth=1.5)
        .encode(
            x=alt.X("distance:Q", title="distance (1 − rank-biased overlap) at which they join"),
            x2="distance_end:Q",
            y=alt.Y("row:Q", axis=rows, scale=ends, title=None),
            y2="row_end:Q",
        )
    )
    return Chart(title, "tree", _spec(chart, height=max(120, 12 * len(names))), columns)


def power_chart(columns: Columns, *, title: str, measure: str, topics: int) -> Chart:
    """Draw the difference that is detected against the number of topics."""
    alt = _altair()
    base = _base(alt)
    lines = base.mark_line(strokeWidth=2.5, color=TOPICS).encode(
        x=alt.X("topics:Q", scale=alt.Scale(type="log", nice=False), title="topics"),
        y=alt.Y("difference:Q", title=f"detectable difference in {measure}"),
        strokeDash=alt.StrokeDash(
            "spread:N",
            sort=list(dict.fromkeys(columns["spread"])),
            title="spread of differences",
            legend=alt.Legend(symbolStrokeColor=TOPICS),
        ),
        tooltip=["topics:Q", "spread:N", alt.Tooltip("difference:Q", format=".4f")],
    )
    here = base.mark_rule(color=INK, strokeDash=[2, 3]).encode(x=alt.datum(topics))
    return Chart(title, "power", _spec(alt.layer(lines, here), height=260), columns)
