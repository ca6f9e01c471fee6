"""Section 4 of the report: which topics decide."""

from poolwise.findings.measure_overview import MeasureOverview
from poolwise.findings.overview import Overview
from poolwise.views.report.charts import topic_chart
from poolwise.views.report.parts import (
    Field,
    Section,
    by_measure,
    figure,
    paragraph,
    rows_of,
    sortable_table,
)

__all__ = ["topics_section"]


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
    chart = topic_chart(
        one.table.topic_spread(),
        title=differ,
        measure=str(one.measure),
        name=f"topics-{one.measure}",
        caption="Line: all runs. Bar: the middle half of them. Tick: the median.",
    )
    return paragraph(*others, lead=False) + figure(chart)


def _standardized(one: MeasureOverview) -> str:
    if one.standardized is None:
        return ""
    chart = topic_chart(
        one.standardized_spread(),
        title=" ".join(one.who_stands_out()),
        measure=f"standardized {one.measure}",
        name=f"topics-{one.standardized.measure}",
        caption="Each score minus the mean of all runs on the topic, in their standard "
        "deviations; topics in the order of the chart above.",
    )
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
    rows = [tuple(row.values()) for row in rows_of(one.topic_scores())]
    caption = f"Topics by median {one.measure}"
    return sortable_table(fields, rows, name=f"topics-{one.measure}", caption=caption)
