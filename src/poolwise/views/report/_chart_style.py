"""The one style of all charts: Vega-Lite as plain dicts, in the page's colours.

A test holds every chart to the schema of Vega-Lite, as Altair has it; to import Altair would take
longer than to draw a small page. Colours are CSS variables of the page, so that light, dark and
print are the page's affair: blue is what the choice of topics leaves open, orange what the unjudged
documents do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from poolwise.results._columns import Columns

__all__ = [
    "INK",
    "LONGEST_NAME",
    "MUTED",
    "PLAUSIBLE",
    "STATE_COLOURS",
    "TOPICS",
    "UNJUDGED",
    "Chart",
    "class_of",
    "column",
    "heat_colour",
    "layer",
    "runs_along",
    "spec_of",
    "tall",
    "tooltips",
    "turned",
    "turned_runs",
]

INK, MUTED, RULE = "var(--ink)", "var(--muted)", "var(--rule)"
TOPICS, UNJUDGED, PLAUSIBLE = "var(--topics)", "var(--unjudged)", "var(--plausible)"
HEAT = [f"var(--heat-{i})" for i in range(6)]
STATE_COLOURS = {
    "rests on missing topics": "var(--missing)",
    "undefined now": "var(--undefined)",
    "holds": "var(--holds)",
    "order certain, significance open": "var(--ordered)",
    "very likely holds": "var(--likely)",
    "probably the other way round": "var(--reversed)",
    "level": "var(--level)",
    "doubtful": "var(--plausible)",
    "significant, judging unknown": "var(--unjudged)",
    "too few topics": "var(--few)",
    "open": "var(--open)",
}
"""Green holds, orange is what judging leaves open, blue what topics do, grey what both do."""
LONGEST_NAME = 24
"""Characters of a name beside an axis; what is longer loses its middle."""
# By an expression: a limit of Vega cuts the end of a name, and runs of a series differ there.
_SHORT_NAME = (
    f"length(datum.label) > {LONGEST_NAME} ? slice(datum.label, 0, {LONGEST_NAME // 2}) + '…' + "
    f"slice(datum.label, {1 - LONGEST_NAME // 2}) : datum.label"
)
# Labels that would lie on each other are left out; the tooltip names every topic.
_TURNED = {"labelAngle": 270, "labelOverlap": True, "ticks": False, "labelFontSize": 9}
_TALL = 640
"""Pixels of a chart of many rows, which a screen shows without scrolling."""
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


Part = dict[str, Any]
"""A part of a chart, as Vega-Lite has it."""

_TYPES = {"N": "nominal", "O": "ordinal", "Q": "quantitative"}


def column(name: str, **looks: Any) -> Part:
    """Return a column of the data by its name and the letter of its type.

    Examples
    --------
    >>> column("mean:Q", title="mean P@10")
    {'field': 'mean', 'type': 'quantitative', 'title': 'mean P@10'}
    """
    field, _, letter = name.partition(":")
    return {"field": field, **({"type": _TYPES[letter]} if letter else {}), **looks}


def layer(mark: str | Part, encoding: Part, *transforms: Part) -> Part:
    """Return one layer of a chart, or the whole of it.

    Examples
    --------
    >>> layer("rect", {"y": column("run:N")})
    {'mark': {'type': 'rect'}, 'encoding': {'y': {'field': 'run', 'type': 'nominal'}}}
    """
    drawn = {"type": mark} if isinstance(mark, str) else mark
    first = {"transform": list(transforms)} if transforms else {}
    return {**first, "mark": drawn, "encoding": encoding}


def spec_of(*layers: Part, height: int) -> Part:
    """Return Vega-Lite as wide as its place, in the page's colours, of data that the page has."""
    drawn = layers[0] if len(layers) == 1 else {"layer": list(layers)}
    spec = {"data": {"name": "data"}, **drawn, "width": "container", "height": height}
    # Names of runs take from the width of the plot; they do not stick out of a narrow screen.
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
            "titlePadding": 8,
            "labelOverlap": True,
            "labelLimit": 150,
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


def tall(rows: int, *, least: float, most: float) -> int:
    """Return the height of rows that are all about as tall as a screen together."""
    return round(rows * min(most, max(least, _TALL / max(rows, 1))))


def class_of(field: str, limits: Sequence[float], names: Sequence[str]) -> str:
    """Return a Vega expression that names the class of a number."""
    # The page makes the classes, so that the data to download has the number itself.
    expression = f"'{names[-1]}'"
    for limit, name in reversed(list(zip(limits, names, strict=False))):
        expression = f"datum.{field} < {limit} ? '{name}' : {expression}"
    return expression


def heat_colour(field: str, names: list[str], title: str) -> Part:
    """Return a colour by class, of which there are six at most."""
    scale = {"domain": names, "range": HEAT[: len(names)]}
    return column(f"{field}:N", scale=scale, title=title)


def tooltips(*fields: str, **formats: str) -> list[Part]:
    """Return what is told of these fields, and of numbers in these formats.

    Examples
    --------
    >>> tooltips("run:N", mean=".4f")[1]
    {'field': 'mean', 'type': 'quantitative', 'format': '.4f'}
    """
    numbers = (column(f"{name}:Q", format=form) for name, form in formats.items())
    return [*map(column, fields), *numbers]


def runs_along(name: str, **looks: Any) -> Part:
    """Return a column of runs along an axis, whose names may be long."""
    return column(name, **looks, axis={"labelExpr": _SHORT_NAME})


def turned(name: str, **looks: Any) -> Part:
    """Return a column of many names, along an axis that turns them."""
    return column(name, **looks, axis=_TURNED)


def turned_runs(name: str, **looks: Any) -> Part:
    """Return a column of many runs, along an axis that turns and shortens their names."""
    return column(name, **looks, axis={**_TURNED, "labelExpr": _SHORT_NAME})
