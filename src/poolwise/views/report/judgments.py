"""Section 2 of the report: whether the judgments support it."""

from poolwise.findings._judged_coverage import FIRST_RANKS
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.views.report.drawings.charts import unjudged_chart
from poolwise.views.report.drawings.density_charts import unjudged_density_chart
from poolwise.views.report.parts import (
    MOST_TOPICS,
    Drawn,
    Field,
    Section,
    by_measure,
    figure,
    p_cell,
    paragraph,
    range_cell,
    rows_of,
    sortable_table,
    warning,
)

__all__ = ["judgments_section"]

_LISTED = 50
"""Comparisons named in a table."""
_WITHOUT_A_LIST = "Where nothing is drawn, the run lacks the topic."


def judgments_section(overview: Overview) -> Section:
    """Return what is judged of each run, and which comparisons that leaves open."""
    parts = {str(one.measure): _support(one) for one in overview}
    body = by_measure(parts, overview) + _heat_map(overview)
    return Section("judgments", "Do the judgments support this?", "Judgments", body)


def _support(one: MeasureOverview) -> str:
    cautions = one.cautions()
    said = warning(*cautions) if cautions else paragraph(*one.coverage.least_sentence())
    return said + _coverage(one) + paragraph(*one.what_could_turn()) + _reversals(one)


def _coverage(one: MeasureOverview) -> str:
    rows = [
        (
            row["run"],
            row["judged_at_10"],
            row["judged_at_100"],
            row["residual"],
            row["first_unjudged_mean"],
            row["first_unjudged_min"],
            _places(row["best_place"], row["worst_place"]),
        )
        for row in rows_of(one.run_coverage())
    ]
    fields = [
        Field("run", of_runs=True),
        Field(f"judged@{FIRST_RANKS}", 2),
        Field("judged@100", 2, minor=True),
        Field("residual", 4, f"Width of the range of the mean {one.measure}", minor=True),
        Field("first unjudged", 1, help="Its mean rank over topics", minor=True),
        Field("earliest", help="The smallest rank of a first unjudged document", minor=True),
        Field("possible places", help="Whatever the unjudged documents are, and missing topics"),
    ]
    caption = f"How much of each run is judged, and what that leaves open for {one.measure}"
    return sortable_table(fields, rows, name=f"judged-{one.measure}", caption=caption)


def _places(best: int, worst: int) -> Drawn:
    """Return the places that a run could have; one that is settled stands alone."""
    return Drawn(f"{best} to {worst}" if best < worst else f"{best}", worst - best)


def _reversals(one: MeasureOverview) -> str:
    """Name the comparisons that judging could reverse, significant and large ones first."""
    pairs = [] if one.verdicts is None else rows_of(one.verdicts.reversals())
    if not pairs:
        return ""
    rows = [
        (
            row["better"],
            row["worse"],
            row["difference"],
            range_cell(row["lowest"], row["highest"]),
            *([p_cell(row["p_corrected"])] if one.tested else []),
        )
        for row in pairs[:_LISTED]
    ]
    fields = [
        Field("ahead now", of_runs=True),
        Field("could overtake it", of_runs=True),
        Field("difference", 4),
        Field("range", minor=True, help="Of the difference, whatever the unjudged documents are"),
        *([Field("p, corrected", 4, minor=True)] if one.tested else []),
    ]
    shown = "all of them" if len(rows) == len(pairs) else f"the first {len(rows)}"
    caption = f"Comparisons by {one.measure} that judging could reverse ({shown})"
    return sortable_table(fields, rows, name=f"reversible-{one.measure}", caption=caption)


def _heat_map(overview: Overview) -> str:
    coverage = overview.coverage
    if not coverage.unjudged.any():
        return paragraph(coverage.where_unjudged())
    if len(coverage.topics) > MOST_TOPICS:
        return figure(
            unjudged_density_chart(
                coverage.cell_counts(),
                title=coverage.where_unjudged(),
                topics=len(coverage.topics),
                depth=FIRST_RANKS,
            )
        )
    names = [coverage.topics[t] for t in coverage.topic_order().tolist()]
    chart = unjudged_chart(
        *(coverage.cells(), names),
        title=coverage.where_unjudged(),
        depth=FIRST_RANKS,
        caption="" if coverage.answered.all() else _WITHOUT_A_LIST,
    )
    return figure(chart)
