"""The parts of an organiser's page: drawn from findings, again and again as grades arrive."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any
from urllib.parse import quote

import numpy as np

from poolwise.findings.campaigns._assessors import AssessorReport
from poolwise.findings.campaigns._status import CampaignStatus, MeanEstimates
from poolwise.results._layout import render
from poolwise.results._tables import Table
from poolwise.views.report._nested_bars import (
    Axis,
    Bar,
    axis_markup,
    axis_of,
    bar_kind,
    nested_bars,
    outside_sentence,
)
from poolwise.views.report._parts import (
    Drawn,
    Field,
    Row,
    notes,
    paragraph,
    range_field,
    rows_of,
    sortable_table,
    where,
)
from poolwise.words import counted, visible

__all__ = ["HEADINGS", "board_parts"]

HEADINGS = {
    "due": "What is due",
    "runs": "Runs",
    "assessors": "Assessors",
    "disputes": "Disputes",
    "export": "Export",
}
"""The sections of the page."""

DisputedDocument = tuple[str, str, Sequence[tuple[str, float, str]]]
"""A topic, a document, and assessor, grade and note of everybody who judged it."""
_MOST_DISPUTES = 50
"""Disputes that a page shows at a time."""


def board_parts(
    statuses: Sequence[CampaignStatus],
    assessors: AssessorReport,
    disputes: Sequence[DisputedDocument],
    *,
    grades: Mapping[float, str],
    queries: Mapping[str, str],
    done: str = "",
) -> dict[str, str]:
    """Return the markup of each part.

    Parameters
    ----------
    statuses
        How runs stand, by measure.
    assessors
        What each assessor has done.
    disputes
        Documents with different grades.
    grades, queries
        The label of each grade, and the query of each topic.
    done
        Why nothing more need be judged; empty while something does.
    """
    nothing = paragraph("Runs and topics are missing: add them with poolwise campaign add-run.")
    return {
        "due": "".join(_due(status, done) for status in statuses[:1]),
        "runs": "".join(map(_runs, statuses)) or nothing,
        "assessors": _assessors(assessors),
        "disputes": _disputes(disputes, grades, queries),
        "export": notes(*(status.balance() for status in statuses[:1])),
    }


def _due(status: CampaignStatus, done: str) -> str:
    """Draw what is due, in one sentence; below it why, and what is certain."""
    first, *others = dict.fromkeys((*status.sentences(), *filter(None, [done])))
    return f'<div class="due">{paragraph(first)}</div>{paragraph(*others, lead=False)}'


def _runs(status: CampaignStatus) -> str:
    """Draw the leaderboard of one measure, with all that is uncertain of each mean."""
    summary = status.table.summary()
    axis = axis_of(summary)
    keys = [("mean", "mean by what is judged")] + [
        (bar_kind(uncertainty), uncertainty.words(uncertainty.shown.means.legend))
        for uncertainty in summary.drawn
    ]
    legend = " ".join(f'<span class="key {kind}"></span> {text}' for kind, text in keys)
    remarks = (*status.table.caveats(), *outside_sentence(axis))
    return f'<p class="legend">{legend}</p>{_leaderboard(status, axis)}{notes(*remarks)}'


def _leaderboard(status: CampaignStatus, axis: Axis) -> str:
    summary = status.table.summary()
    columns: dict[str, list[Any]] = {"run": list(summary.systems)} | summary.columns()
    columns["judged"] = status.judged.tolist()
    estimates = {"adjusted": status.adjusted, "estimate": status.sampled}
    for name, means in estimates.items():
        columns |= _estimate_cells(name, means)
    drawn = [
        (*uncertainty.shown.means.ends, bar_kind(uncertainty)) for uncertainty in summary.drawn
    ]

    def bars(row: Row) -> Drawn:
        nested = [Bar(row[low], row[high], kind) for low, high, kind in drawn]
        return Drawn(nested_bars(row["mean"], nested, axis), row["mean"])

    fields = [
        Field("run"),
        Field("mean", digits=4),
        Field("uncertainties", bars, markup=axis_markup(axis)),
        *(
            range_field(
                uncertainty.words(uncertainty.shown.means.page), *uncertainty.shown.means.ends
            )
            for uncertainty in summary.drawn
        ),
        *(
            field
            for name, means in estimates.items()
            for field in where(
                not np.isnan(means.value).all(),
                Field(name, digits=4, minor=True),
                range_field(f"{name}, 95%", f"{name}_low", f"{name}_high"),
            )
        ),
        Field("judged", lambda row: f"{row['judged']:.0%}", minor=True),
    ]
    rows = rows_of(columns)
    return sortable_table(
        fields,
        [rows[at] for at in status.order.tolist()],
        name=f"runs-{status.measure}",
        caption=f"Runs by mean {status.measure}",
    )


def _estimate_cells(name: str, means: MeanEstimates) -> dict[str, list[float]]:
    ends = {"": means.value, "_low": means.low, "_high": means.high}
    return {f"{name}{end}": column.tolist() for end, column in ends.items()}


def _assessors(report: AssessorReport) -> str:
    work, *confusions = report.tables()
    said = paragraph(*report.sentences(), lead=False)
    if not report.work:
        return said
    others = "".join(
        _folded(f"confusion-{at}", confusion.title, _scrolled(confusion))
        for at, confusion in enumerate(confusions)
    )
    links = "".join(
        f'<button type="button" data-retire="{_text(name)}">{_text(name)}</button>'
        for name in report.work
    )
    ending = _folded("retire", "End the links of an assessor", f'<p class="parts">{links}</p>')
    return f"{said}{_scrolled(work)}{others}{ending}"


def _text(text: str) -> str:
    return escape(visible(text))


def _folded(name: str, summary: str, markup: str) -> str:
    return f'<details id="{name}"><summary>{_text(summary)}</summary>{markup}</details>'


def _scrolled(table: Table) -> str:
    label = _text(f"Table: {table.title}")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"{render(table, 'html')}</div>"
    )


def _disputes(
    disputes: Sequence[DisputedDocument], grades: Mapping[float, str], queries: Mapping[str, str]
) -> str:
    if not disputes:
        return paragraph("No document has different grades that nobody has decided on.")
    first = disputes[:_MOST_DISPUTES]
    shown = "".join(_dispute(dispute, grades, queries.get(dispute[0], "")) for dispute in first)
    said = f"{counted(len(disputes), 'document')} with different grades"
    rest = f"; the first {len(first)} are shown" if len(first) < len(disputes) else ""
    return f"{paragraph(f'{said}{rest}.')}{shown}"


def _dispute(dispute: DisputedDocument, grades: Mapping[float, str], query: str) -> str:
    topic, document, opinions = dispute
    # Ids may hold bytes that are not UTF-8, which no page can.
    topic_id, document_id = (quote(name, errors="surrogateescape") for name in (topic, document))
    names = f'data-topic="{topic_id}" data-document="{document_id}"'
    said = "; ".join(
        f"{who}: {grades.get(grade, f'{grade:g}')}{f' ({note})' if note else ''}"
        for who, grade, note in sorted(opinions)
    )
    buttons = "".join(
        f'<button type="button" {names} data-grade="{grade:g}">{escape(label)}</button>'
        for grade, label in grades.items()
    )
    place = sha256(f"{topic}\0{document}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    reading = f'<div class="read" {names} tabindex="0" role="region" aria-label="Document"></div>'
    return (
        f'<div class="dispute"><p><b>{_text(query or topic)}</b><br>{_text(said)}</p>'
        f"{_folded(f'dispute-{place}', f'Read {document} (topic {topic})', reading)}"
        f'<p class="parts" role="group" aria-label="Decide">{buttons}</p></div>'
    )
