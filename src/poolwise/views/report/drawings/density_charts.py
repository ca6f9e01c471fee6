"""The charts of the report of more topics than fit: how many there are of each kind."""

from poolwise.printout.columns import Columns
from poolwise.views.report.drawings.chart_style import (
    TOPICS,
    Chart,
    class_of,
    heat_colour,
    load_altair,
    named_data,
    spec_of,
    tall,
    tooltips,
)

__all__ = ["density_chart", "unjudged_density_chart"]

_SHARES = (0.01, 0.1, 0.25, 0.5, 0.75)
"""Ends of the classes of shares of topics."""


def density_chart(columns: Columns, *, title: str, of: str, name: str, caption: str = "") -> Chart:
    """Draw on how many topics a number lies where."""
    alt = load_altair()
    chart = (
        named_data(alt)
        .mark_bar(color=TOPICS)
        .encode(
            x=alt.X("low:Q", title=of, bin="binned", scale=alt.Scale(zero=False)),
            x2=alt.X2("high"),
            y=alt.Y("topics:Q", title="topics"),
            tooltip=[
                *(alt.Tooltip(f"{end}:Q", format=".3f") for end in ("low", "high")),
                *tooltips(alt, "topics:Q"),
            ],
        )
    )
    return Chart(title, name, spec_of(chart, height=240), columns, caption)


def unjudged_density_chart(columns: Columns, *, title: str, topics: int, depth: int) -> Chart:
    """Draw runs by their unjudged documents, coloured by how many of the topics have as many."""
    alt = load_altair()
    names = ["below 1%", "1–10%", "10–25%", "25–50%", "50–75%", "75% and more"]
    chart = (
        named_data(alt)
        .transform_calculate(share=class_of("topics", [s * topics for s in _SHARES], names))
        .mark_rect()
        .encode(
            x=alt.X(
                "unjudged:O",
                title=f"unjudged among the first {depth}",
                axis=alt.Axis(labelAngle=0),
            ),
            y=alt.Y("run:N", sort=None, title=None),
            color=heat_colour(alt, "share", names, "share of topics"),
            tooltip=tooltips(alt, "run:N", "unjudged:Q", "topics:Q"),
        )
    )
    height = tall(len(set(columns["run"])), least=4, most=18)
    return Chart(title, "unjudged", spec_of(chart, height=height), columns)
