"""Section 4 of the report: which topics decide."""

from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.views.report.drawings.charts import topic_chart
from poolwise.views.report.drawings.density_charts import density_chart
from poolwise.views.report.parts import (
    MOST_TOPICS,
    Field,
    Section,
    by_measure,
    figure,
    paragraph,
    rows_of,
    sortable_table,
)

__all__ = ["topics_section"]


_LISTED = 200
"""Topics in a table, where there are more than a chart shows."""


def topics_section(overview: Overview) -> Section | None:
    """Return the distribution of scores on each topic, raw and standardized."""
    parts = {
        str(one.measure): _raw(one) + _standardized(one) + _table(one)
        for one in overview
        if one.table.defined.sum() > 1 and len(one.systems) > 1
    }
    if not parts:
        return None
    return Section("topics", "Which topics decide?", "Topics", by_measure(parts, overview))


def _raw(one: MeasureOverview) -> str:
    differ, *others = one.which_topics_decide()
    spread, name = one.table.topic_spread(), f"topics-{one.measure}"
    if len(spread["topic"]) > MOST_TOPICS:
        chart = density_chart(
            one.median_density(), title=differ, of=f"median {one.measure}", name=name
        )
    else:
        chart = topic_chart(
            spread,
            title=differ,
            measure=str(one.measure),
            name=name,
            caption="Line: all runs. Bar: the middle half of them. Tick: the median.",
        )
    return paragraph(*others, lead=False) + figure(chart)


def _standardized(one: MeasureOverview) -> str:
    if one.standardized is None:
        return ""
    spread, scores = one.standardized_spread(), f"standardized {one.measure}"
    title, name = " ".join(one.who_stands_out()), f"topics-{one.standardized.measure}"
    how = "Each score minus the mean of all runs on the topic, in their standard deviations"
    if len(spread["topic"]) > MOST_TOPICS:
        chart = density_chart(
            one.standardized_density(),
            title=title,
            of=f"highest {scores}",
            name=name,
            caption=f"{how}.",
        )
    else:
        caption = f"{how}; topics in the order of the chart above."
        chart = topic_chart(spread, title=title, measure=scores, name=name, caption=caption)
    return figure(chart)


def _table(one: MeasureOverview) -> str:
    fields = [
        Field("topic"),
        Field("judged", minor=True),
        Field("relevant"),
        Field("median", 3),
        Field("lowest", 3, minor=True),
        Field("highest", 3, minor=True),
        Field("deviation", 3, help="Standard deviation over runs: how much they disagree"),
        Field("best run", help="With the number of runs that are level with it", minor=True),
    ]
    topics = int(one.table.defined.sum())
    most = _LISTED if topics > MOST_TOPICS else None
    rows = [tuple(row.values()) for row in rows_of(one.topic_scores(most))]
    caption = f"Topics by median {one.measure}"
    if most:
        caption += f": the {most} of {topics:,} on which the runs disagree most"
    return sortable_table(fields, rows, name=f"topics-{one.measure}", caption=caption)
