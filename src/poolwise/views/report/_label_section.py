"""The section of the page on labels by machines: what they would change, and whom they favour."""

from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.views.report._charts import label_means_chart
from poolwise.views.report._parts import by_measure, figure, finding_table, notes, paragraph

__all__ = ["labels"]


def labels(overview: Overview) -> str:
    """Return how labels agree with the judgments and what they change; nothing without labels."""
    if not overview.labels:
        return ""
    first = overview.labels[0]
    agreement = "".join(
        finding_table(table, name=f"labels-{i}") for i, table in enumerate(first.agreement_tables())
    )
    favoured = "".join(finding_table(t, name="labels-favoured") for t in first.favoured_tables())
    return (
        by_measure(overview, lambda part: _changes(overview, part))
        + paragraph(*first.about_agreement(), lead=False)
        + agreement
        + "".join(map(paragraph, first.about_favoured()))
        + favoured
        + notes(*first.caveats())
    )


def _changes(overview: Overview, part: MeasureOverview) -> str:
    """Return what becomes of conclusions by a measure."""
    agreement = overview.labels_by(part)
    chart = label_means_chart(
        agreement.means_by_set(),
        title="Runs on the line have the same mean by labels as by people; what counts is whether "
        "they keep their order",
        measure=str(part.measure),
    )
    tables = (
        finding_table(table, name=f"labels-{part.measure}")
        for table in agreement.conclusion_tables()
    )
    return (
        paragraph(agreement.supported(), *agreement.about_conclusions())
        + "".join(tables)
        + figure(chart)
    )
