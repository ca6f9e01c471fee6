"""Section 4 of the report: which topics decide."""

from html import escape

import numpy as np

from poolwise.views.plots.figure_data import topic_columns
from poolwise.views.report.charts import topic_chart
from poolwise.views.report.overview import MeasureFindings, ReportFindings
from poolwise.views.report.parts import (
    Field,
    Section,
    by_measure,
    figure,
    listed,
    paragraph,
    sortable_table,
)

__all__ = ["topics_section"]

_NAMED = 3
"""Topics named as hard, as easy, and as dividing."""


def topics_section(found: ReportFindings) -> Section | None:
    """Return the distribution of scores on each topic, raw and standardized."""
    parts = {
        name: _words(one) + _raw(one) + _standardized(one) + _table(found, one)
        for name, one in found.measures.items()
        if one.table.defined.sum() > 1 and len(one.table.systems) > 1
    }
    if not parts:
        return None
    return Section("topics", "Which topics decide?", "Topics", by_measure(parts, found.measures))


def _words(one: MeasureFindings) -> str:
    columns = topic_columns(one.table)
    spread = np.argsort(-np.array(columns["deviation"]), kind="stable")[:_NAMED]
    divided = [columns["topic"][t] for t in spread.tolist()]
    return paragraph(
        f"Easiest by median {escape(str(one.table.measure))}: {listed(columns['topic'][:_NAMED])};",
        f"hardest: {listed(columns['topic'][::-1][:_NAMED])}.",
        f"The runs disagree most on {listed(divided)}.",
    )


def _raw(one: MeasureFindings) -> str:
    columns, measure = topic_columns(one.table), str(one.table.measure)
    medians = columns["median"]
    title = (
        f"Topics differ more than runs: median {measure} goes from {max(medians):.2f} to "
        f"{min(medians):.2f} over topics, mean {measure} from {one.table.means().max():.2f} to "
        f"{one.table.means().min():.2f} over runs"
    )
    return figure(
        topic_chart(
            columns,
            title=title if _spread(medians) > _spread(one.table.means()) else f"{measure} by topic",
            measure=measure,
            name=f"topics-{measure}",
            caption="Line: all runs. Bar: the middle half of them. Tick: the median.",
        )
    )


def _spread(values: list[float] | np.ndarray) -> float:
    return float(np.max(values) - np.min(values))


def _standardized(one: MeasureFindings) -> str:
    if one.standardized is None:
        return ""
    defined = np.flatnonzero(one.table.defined)
    median = np.median(one.table.value[:, defined], axis=0)
    order = np.argsort(-median, kind="stable")
    columns = topic_columns(one.standardized, order)
    far = int(np.argmax(columns["highest"]))
    title = (
        "Standardized, every topic counts alike: what is left is how far runs stand apart, "
        f"furthest on topic {columns['topic'][far]}"
    )
    caption = (
        "Each score minus the mean of all runs on the topic, in their standard deviations; topics "
        "in the order of the chart above."
    )
    return figure(
        topic_chart(
            columns,
            title=title,
            measure=f"standardized {one.table.measure}",
            name=f"topics-{one.standardized.measure}",
            caption=caption,
        )
    )


def _table(found: ReportFindings, one: MeasureFindings) -> str:
    table, pool = one.table, found.evidence.pool.sum(axis=1)
    relevant = found.evidence.relevant(1)
    columns = topic_columns(table)
    place = {topic: t for t, topic in enumerate(table.topics)}
    best = table.value.argmax(axis=0)
    rows = []
    for i, topic in enumerate(columns["topic"]):
        t = place[topic]
        numbers = (columns[name][i] for name in ("median", "lowest", "highest", "deviation"))
        rows.append((topic, int(pool[t]), int(relevant[t]), *numbers, table.systems[best[t]]))
    fields = [
        Field("topic"),
        Field("judged", minor=True),
        Field("relevant"),
        Field("median", 3),
        Field("lowest", 3, minor=True),
        Field("highest", 3, minor=True),
        Field("deviation", 3, help="Standard deviation over runs: how much they disagree"),
        Field("best run", help="One of the best, where several are", minor=True),
    ]
    caption = f"Topics by median {table.measure}"
    return sortable_table(fields, rows, name=f"topics-{table.measure}", caption=caption)
