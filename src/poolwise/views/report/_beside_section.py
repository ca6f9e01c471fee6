"""The section of the page on quality beside latency, cost or another number."""

from poolwise.findings._overview import Overview
from poolwise.results._columns import Columns
from poolwise.views.report._chart_style import (
    INK,
    MUTED,
    TOPICS,
    UNJUDGED,
    Chart,
    column,
    layer,
    spec_of,
    tooltips,
)
from poolwise.views.report._parts import by_measure, figure, finding_table, notes, paragraph

__all__ = ["beside"]

_FITTED = {"zero": False}


def beside(overview: Overview) -> str:
    """Return each column beside the scores, with its front; nothing where none was given."""
    if not overview.beside:
        return ""
    return by_measure(overview, lambda part: _of_measure(overview, str(part.measure)))


def _of_measure(overview: Overview, measure: str) -> str:
    parts = []
    for number, quality in enumerate(
        quality for quality in overview.beside if str(quality.measure) == measure
    ):
        first, *others = quality.sentences()
        chart = _chart(quality.columns(), side=quality.beside.words, measure=measure, number=number)
        tables = (
            finding_table(table, name=f"beside-{number}-{measure}") for table in quality.tables()
        )
        parts += [paragraph(first), figure(chart), *tables, notes(*others)]
    return "".join(parts)


def _chart(columns: Columns, *, side: str, measure: str, number: int) -> Chart:
    """Draw quality over the other number, with what topics and judgments leave open as bars."""
    across = column("side_mean:Q", title=side, scale=_FITTED)
    up = column("mean:Q", title=f"mean {measure}", scale=_FITTED)
    tips = tooltips("run:N", "on_front:N", "certain:N", mean=".4f", side_mean=".4g")
    filled = {"test": "datum.on_front == 'yes'", "value": INK}
    spec = spec_of(
        layer({"type": "rule", "color": UNJUDGED, "strokeWidth": 5},
              {"x": across, "y": column("lower:Q"), "y2": column("upper")}),
        layer({"type": "rule", "color": TOPICS, "strokeWidth": 1.5},
              {"x": across, "y": column("ci_low:Q"), "y2": column("ci_high")}),
        layer({"type": "rule", "color": MUTED},
              {"y": up, "x": column("side_low:Q"), "x2": column("side_high")}),
        layer({"type": "point", "filled": True, "opacity": 1, "size": 45, "stroke": INK},
              {"x": across, "y": up, "fill": {"condition": filled, "value": "var(--paper)"},
               "tooltip": tips}),
        layer({"type": "text", "align": "left", "dx": 6, "dy": -6, "fontSize": 10, "color": INK},
              {"x": across, "y": up, "text": column("run:N")}),
        height=340,
    )  # fmt: skip
    title = "Filled runs are on the Pareto front of the means: no other is better in both"
    caption = (
        "Thin blue bars: 95% over topics; wide orange ones: the range if judged; grey ones: 95% of "
        "the other number."
    )
    return Chart(title, f"pareto-{number}", spec, columns, caption)
