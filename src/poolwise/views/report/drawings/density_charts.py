"""The charts of the report of more topics than fit: how many there are of each kind."""

from poolwise.results._columns import Columns
from poolwise.views.report.drawings.chart_style import (
    TOPICS,
    Chart,
    class_of,
    column,
    heat_colour,
    layer,
    spec_of,
    tall,
    tooltips,
)

__all__ = ["density_chart", "unjudged_density_chart"]

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
