"""Sections of the report: what treatments of unjudged documents give, in all and by topic."""

from html import escape

from poolwise.findings._overview import Overview
from poolwise.findings._treatment_means import DrawnTopics, TreatmentMeans
from poolwise.views.report.drawings.charts import drawn_chart, estimate_chart
from poolwise.views.report.parts import (
    Field,
    Section,
    by_measure,
    figure,
    note,
    paragraph,
    range_cell,
    rows_of,
    sortable_table,
)

__all__ = ["drawn_section", "estimates_section"]


def estimates_section(overview: Overview) -> Section | None:
    """Return the treatments of unjudged documents side by side; None if all are judged."""
    parts = {
        str(one.measure): _estimates(one.estimates) for one in overview if one.estimates is not None
    }
    if not parts:
        return None
    body = by_measure(parts, overview)
    return Section("estimates", "How do the estimates compare?", "Estimates", body)


def _estimates(found: TreatmentMeans) -> str:
    columns = found.columns()
    columns.pop("measure")
    chart = estimate_chart(
        columns,
        title=" ".join(found.widest()),
        measure=str(found.measure),
        caption="Orange: all that is possible. Blue: what is plausible by the relevance model. "
        "Points: one treatment each; a point outside the orange cannot be true.",
    )
    remarks = (*found.impossible_sentences(), *found.refusals())
    notes = "".join(note(escape(sentence)) for sentence in remarks)
    said = paragraph(*found.affected_sentence(), *filter(None, [found.calibration]))
    return said + figure(chart) + _table(found) + notes


def _table(found: TreatmentMeans) -> str:
    rows = [
        (
            row["run"],
            row["unjudged"],
            *(row[name] for name in found.means),
            range_cell(row["lower"], row["upper"]),
        )
        for row in rows_of(found.by_run())
    ]
    fields = [
        Field("run", of_runs=True),
        Field("unjudged", 2, help="Share of the documents that count", minor=True),
        *(Field(name, 4, help=found.summaries.get(name, "")) for name in found.means),
        Field("bounds", minor=True, help="Over every assignment of grades"),
    ]
    caption = f"Mean {found.measure} by treatment of the unjudged documents"
    return sortable_table(fields, rows, name=f"estimates-{found.measure}", caption=caption)


def drawn_section(overview: Overview) -> Section | None:
    """Return the draws of the run with the most unjudged documents; None if nothing is drawn."""
    parts = {str(one.measure): _drawn(one.drawn) for one in overview if one.drawn is not None}
    if not parts:
        return None
    question = "What could a run score on single topics?"
    return Section("drawn", question, "Draws", by_measure(parts, overview))


def _drawn(found: DrawnTopics) -> str:
    chart = drawn_chart(
        found.marks,
        title=f"{found.run}, the run with the most unjudged documents, on the topics where its "
        "naive range is widest",
        measure=str(found.measure),
        caption="Circles: the share of draws that give a score, by their size. For any other run "
        "and topic use poolwise study draws.",
    )
    return paragraph(*found.sentences()) + figure(chart)
