"""Sections of the page on what is behind the order: topics, documents, estimates, collection."""

import platform
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

from poolwise.errors import shortened
from poolwise.findings._documents_by_run import DocumentsByRun
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview, PageContent
from poolwise.findings._treatment_means import TreatmentMeans
from poolwise.findings.similarity._run_overlaps import OverlapMatrix
from poolwise.provenance._provenance import installed_version
from poolwise.version import __version__
from poolwise.views.report._charts import (
    density_chart,
    drawn_chart,
    estimate_chart,
    overlap_chart,
    power_chart,
    topic_chart,
    tree_chart,
)
from poolwise.views.report._parts import (
    MOST_TOPICS,
    Field,
    by_measure,
    figure,
    notes,
    paragraph,
    range_field,
    rows_of,
    script_data,
    sortable_table,
)
from poolwise.words import counted

__all__ = [
    "documents",
    "drawn",
    "estimates",
    "power",
    "provenance",
    "similarity",
    "to_report",
    "topics",
]

_RUN = Field("run", of_runs=True)

# ---- which topics decide

_TOPICS_LISTED = 200
"""Topics in a table, where there are more than a chart shows."""
_TOPIC_FIELDS = (
    Field("topic"),
    Field("judged", minor=True),
    Field("relevant"),
    Field("median", digits=3),
    Field("lowest", digits=3, minor=True),
    Field("highest", digits=3, minor=True),
    Field("deviation", digits=3, help="Standard deviation over runs: how much they disagree"),
    Field(
        "best run", "best_run", help="With the number of runs that are level with it", minor=True
    ),
)


def topics(overview: Overview) -> str:
    """Return the distribution of scores on each topic, raw and standardized."""
    return by_measure(overview, _topics)


def _topics(part: MeasureOverview) -> str:
    if part.table.defined.sum() <= 1 or len(part.systems) <= 1:
        return ""
    return _raw(part) + _standardized(part) + _topic_table(part)


def _raw(part: MeasureOverview) -> str:
    differ, *others = part.which_topics_decide()
    spread, name = part.table.topic_spread(), f"topics-{part.measure}"
    if len(spread["topic"]) > MOST_TOPICS:
        chart = density_chart(
            part.median_density(), title=differ, of=f"median {part.measure}", name=name
        )
    else:
        chart = topic_chart(
            spread,
            title=differ,
            measure=str(part.measure),
            name=name,
            caption="Line: all runs. Bar: the middle half of them. Tick: the median.",
        )
    return paragraph(*others, lead=False) + figure(chart)


def _standardized(part: MeasureOverview) -> str:
    if part.standardized is None:
        return ""
    spread, scores = part.standardized_spread(), f"standardized {part.measure}"
    title, name = " ".join(part.who_stands_out()), f"topics-{part.standardized.measure}"
    how = "Each score minus the mean of all runs on the topic, in their standard deviations"
    if len(spread["topic"]) > MOST_TOPICS:
        chart = density_chart(
            part.standardized_density(),
            title=title,
            of=f"highest {scores}",
            name=name,
            caption=f"{how}.",
        )
    else:
        caption = f"{how}; topics in the order of the chart above."
        chart = topic_chart(spread, title=title, measure=scores, name=name, caption=caption)
    return figure(chart)


def _topic_table(part: MeasureOverview) -> str:
    defined = int(part.table.defined.sum())
    most = _TOPICS_LISTED if defined > MOST_TOPICS else None
    caption = f"Topics by median {part.measure}"
    if most:
        caption += f": the {most} of {defined:,} on which the runs disagree most"
    rows = rows_of(part.topic_scores(most))
    return sortable_table(_TOPIC_FIELDS, rows, name=f"topics-{part.measure}", caption=caption)


# ---- the documents behind a topic

_TEXT = 400
"""Characters of a text that the page holds."""


def documents(overview: Overview) -> str:
    """Return a choice of topics and the documents of each; nothing where there are none."""
    by_topic = overview.documents
    if by_topic is None or not len(by_topic):
        return ""
    texts = by_topic.texts
    queries = [texts.queries.get(topic.topic, "") for topic in by_topic.topics]
    content = {
        "systems": by_topic.topics[0].systems,
        "depth": by_topic.topics[0].depth,
        # By name: they come in the order of a set, and the same input gives the same page.
        "texts": {name: shortened(text, _TEXT) for name, text in sorted(texts.documents.items())},
        "queries": queries,
        "topics": [_documents_of(topic) for topic in by_topic.topics],
    }
    options = "".join(
        f"<option>{escape(': '.join(filter(None, (topic.topic, query))))}</option>"
        for topic, query in zip(by_topic.topics, queries, strict=True)
    )
    return (
        paragraph(*by_topic.sentences(), lead=False)
        + f'<div class="documents"><div class="choices"><label>topic <select>{options}</select>'
        '</label><label><input type="checkbox"> unjudged documents only</label>'
        '<a class="anchor topic" href="#documents">link to this topic</a></div>'
        f'<div class="of-topic" aria-live="polite"></div>{script_data(content)}</div>'
        + notes(
            "A document is listed with the ranks at which runs have it; those come first that are "
            "ranked early and often. By command: poolwise show QRELS RUNS --topic TOPIC"
        )
    )


def _documents_of(topic: DocumentsByRun) -> dict[str, object]:
    """Return the documents of a topic, their grades, and by run the first ones by their places."""
    return {
        "topic": topic.topic,
        "documents": topic.documents,
        "grades": [None if np.isnan(grade) else grade for grade in topic.grades.tolist()],
        "lists": [_first(topic, s) for s in range(len(topic.systems))],
    }


def _first(topic: DocumentsByRun, system: int) -> list[int]:
    ranks = topic.ranks[:, system]
    there = np.flatnonzero((ranks > 0) & (ranks <= topic.depth))
    return [int(d) for d in there[np.argsort(ranks[there])]]


# ---- what treatments of unjudged documents give, in all and by topic


def estimates(overview: Overview) -> str:
    """Return the treatments of unjudged documents side by side; nothing if all are judged."""
    return by_measure(
        overview, lambda part: "" if part.estimates is None else _estimates(part.estimates)
    )


def _estimates(means: TreatmentMeans) -> str:
    columns = means.columns()
    columns.pop("measure")
    chart = estimate_chart(
        columns,
        title=" ".join(means.widest()),
        measure=str(means.measure),
        caption="Pale orange: all that is possible. Dark orange: what is plausible by the "
        "relevance model. Points: one treatment each; one outside the pale range is not possible.",
    )
    lead = paragraph(*means.affected_sentence(), *filter(None, [means.calibration]))
    remarks = notes(*means.impossible_sentences(), *means.refusals())
    return lead + figure(chart) + _estimate_table(means) + remarks


def _estimate_table(means: TreatmentMeans) -> str:
    fields = [
        _RUN,
        Field("unjudged", digits=2, help="Share of the documents that count", minor=True),
        *(Field(name, digits=4, help=means.summaries.get(name, "")) for name in means.means),
        range_field("bounds", "lower", "upper", "Over every assignment of grades"),
    ]
    caption = f"Mean {means.measure} by treatment of the unjudged documents"
    rows = rows_of(means.by_run())
    return sortable_table(fields, rows, name=f"estimates-{means.measure}", caption=caption)


def drawn(overview: Overview) -> str:
    """Return the draws of the run with the most unjudged documents; nothing without draws."""
    return by_measure(overview, _drawn)


def _drawn(part: MeasureOverview) -> str:
    if part.drawn is None:
        return ""
    chart = drawn_chart(
        part.drawn.marks,
        title=f"{part.drawn.run}, the run with the most unjudged documents, on the topics where "
        "its naive range is widest",
        measure=str(part.drawn.measure),
        caption="Circles: the share of draws that give a score, by their size. For any other run "
        "and topic use poolwise study draws.",
    )
    return paragraph(*part.drawn.sentences()) + figure(chart)


# ---- how alike the runs are, and whether the collection is big enough


def similarity(overview: Overview) -> str:
    """Return which runs rank alike; nothing for one run."""
    overlap, joined = overview.overlap, overview.tree
    if overlap is None or joined is None:
        return ""
    families, *others = overview.who_ranks_alike()
    tree = tree_chart(joined.segments(), joined.order, title=families)
    matrix = overlap_chart(
        overlap.arranged.cells(),
        title="Blocks along the diagonal are runs that rank alike, in the order of the tree",
    )
    how = notes(f"Rank-biased overlap at p = {overlap.p:g}, mean over topics; average linkage.")
    return paragraph(*others) + _twins(overlap) + figure(tree) + figure(matrix) + how


def _twins(overlap: OverlapMatrix) -> str:
    names = ("run", "and", "overlap")
    rows = [dict(zip(names, twins, strict=True)) for twins in overlap.near_duplicates()]
    if not rows:
        return ""
    fields = [_RUN, Field("and", of_runs=True), Field("overlap", digits=4)]
    caption = "Near-duplicates, which are not independent evidence"
    return sortable_table(fields, rows, name="near-duplicates", caption=caption)


def power(overview: Overview) -> str:
    """Return what the number of topics can detect; nothing without two runs and two topics."""
    return by_measure(overview, _power)


def _power(part: MeasureOverview) -> str:
    if part.power is None:
        return ""
    chart = power_chart(
        part.power.curve(),
        title="The difference that is detected falls with the number of topics; the dotted line "
        "is where this collection stands",
        measure=str(part.power.measure),
        topics=part.power.topics,
    )
    return paragraph(*part.power.sentences()) + figure(chart)


# ---- what to report

_CHECKLIST_FIELDS = (
    _RUN,
    Field("mean", digits=4),
    range_field("range if judged", "lower", "upper", "Over every assignment of grades"),
    Field("longest list", "list_length", minor=True),
    Field("judged", digits=2, help="Share of the documents down to the depth of the measure"),
    Field("least", "judged_least", digits=2, help="On the topic where the least is judged"),
    Field("on topic", "least_topic", minor=True),
    Field("residual", digits=4, help="Weight of what is unjudged, by rank-biased precision"),
)


def to_report(overview: Overview) -> str:
    """Return what the papers ask to be reported with every score."""
    return by_measure(overview, _to_report)


def _to_report(part: MeasureOverview) -> str:
    if part.checklist is None:
        return ""
    rows = rows_of(part.checklist.columns())
    caption = f"Checklist for {part.measure}"
    table = sortable_table(
        _CHECKLIST_FIELDS, rows, name=f"checklist-{part.measure}", caption=caption
    )
    return paragraph(*part.checklist.sentences()) + table


# ---- how the page was made


def provenance(overview: PageContent[Any]) -> str:
    """Return what a reader needs to make the same page again, oddities included."""
    entries = overview.origin() | {
        "poolwise": __version__,
        "Python, numpy, scipy": ", ".join(
            [platform.python_version(), *map(installed_version, ("numpy", "scipy"))]
        ),
    }
    terms = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in entries.items())
    return (
        f"<dl>{terms}</dl>"
        + _list("What stands out in the files", overview.audit.remarks())
        + _list("What was met and let pass", overview.provenance.notices)
        + _inputs(overview)
    )


def _list(title: str, items: Iterable[object]) -> str:
    points = "".join(f"<li>{escape(str(item))}</li>" for item in items)
    return f"<h3>{title}</h3><ul>{points}</ul>" if points else ""


def _inputs(overview: PageContent[Any]) -> str:
    rows = rows_of(overview.inputs())
    fields = [_RUN, Field("file"), Field("sha256")]
    table = sortable_table(fields, rows, name="inputs", caption="Where the runs were read from")
    return f"<details><summary>{counted(len(rows), 'run')}</summary>{table}</details>"
