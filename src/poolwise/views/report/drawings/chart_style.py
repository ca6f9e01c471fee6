"""The one style of all charts: Vega-Lite made with Altair, in the page's colours.

Colours are CSS variables of the page, so that light, dark and print are the page's affair: blue is
what the choice of topics leaves open, orange what the unjudged documents do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from poolwise.errors import MissingExtraError, ResourceError
from poolwise.printout.columns import Columns

__all__ = [
    "INK",
    "LONGEST_NAME",
    "MUTED",
    "TOPICS",
    "UNJUDGED",
    "VERDICT_COLOURS",
    "Chart",
    "class_of",
    "heat_colour",
    "load_altair",
    "named_data",
    "run_labels",
    "spec_of",
    "tall",
    "tooltips",
    "turned_labels",
    "turned_runs",
]

INK, MUTED, RULE = "var(--ink)", "var(--muted)", "var(--rule)"
TOPICS, UNJUDGED = "var(--topics)", "var(--unjudged)"
HEAT = [f"var(--heat-{i})" for i in range(6)]
VERDICT_COLOURS = [
    *("var(--holds)", "var(--few)", "var(--unjudged)", "var(--open)"),
    "var(--missing)",
]
LONGEST_NAME = 24
"""Characters of a name beside an axis; what is longer loses its middle."""
_SHORT_NAME = (
    f"length(datum.label) > {LONGEST_NAME} ? slice(datum.label, 0, {LONGEST_NAME // 2}) + '…' + "
    f"slice(datum.label, {1 - LONGEST_NAME // 2}) : datum.label"
)
_TALL = 640
_ADDRESS_SPACE = 80 << 30
"""Bytes of addresses that V8 reserves in vl-convert 1.9: 67 GB were measured."""
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


def load_altair() -> Any:
    """Return Altair, or say how to install it, or why it cannot run here.

    Returns
    -------
    module
        Altair, ready to draw.

    Examples
    --------
    >>> load_altair().__name__
    'altair'
    """
    _require_address_space()
    try:
        import altair as alt  # noqa: PLC0415 -- optional, and slow to import
        import vl_convert  # noqa: F401, PLC0415 -- the page needs it, too
    except ImportError as error:
        raise MissingExtraError("altair with vl-convert", "report") from error
    return alt


def _require_address_space() -> None:
    """Raise where the engine behind vl-convert could not start: it would end the process."""
    try:
        import resource  # noqa: PLC0415 -- not on every system
    except ImportError:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _ADDRESS_SPACE:
        raise ResourceError(
            f"the charts of the page take {_ADDRESS_SPACE >> 30} GB of addresses, though little "
            f"memory, and the limit is {limit / 2**30:.3g} GB. Hint: raise it (ulimit -v "
            "unlimited), or limit memory in another way."
        )


def named_data(alt: Any) -> Any:
    """Return a chart of data that the page supplies."""
    return alt.Chart(alt.NamedData(name="data"))


def spec_of(chart: Any, *, height: Any) -> dict[str, Any]:
    """Return Vega-Lite as wide as its place, in the page's colours."""
    spec = chart.properties(width="container", height=height).to_dict(validate=False)
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
    found = f"'{names[-1]}'"
    for limit, name in reversed(list(zip(limits, names, strict=False))):
        found = f"datum.{field} < {limit} ? '{name}' : {found}"
    return found


def heat_colour(alt: Any, field: str, names: list[str], title: str) -> Any:
    """Return a colour by class, of which there are six at most."""
    scale = alt.Scale(domain=names, range=HEAT[: len(names)])
    return alt.Color(f"{field}:N", scale=scale, title=title)


def tooltips(alt: Any, *fields: str) -> list[Any]:
    """Return what is told of these fields; a bare name takes Altair milliseconds to look up."""
    return [alt.Tooltip(field) for field in fields]


def run_labels(alt: Any) -> Any:
    """Return an axis of runs, whose names may be long."""
    return alt.Axis(labelExpr=_SHORT_NAME)


def turned_labels(alt: Any, **more: Any) -> Any:
    """Return an axis of many names."""
    return alt.Axis(labelAngle=270, labelOverlap=True, ticks=False, labelFontSize=9, **more)


def turned_runs(alt: Any) -> Any:
    """Return an axis of many runs."""
    return turned_labels(alt, labelExpr=_SHORT_NAME)
