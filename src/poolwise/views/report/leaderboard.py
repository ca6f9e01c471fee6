"""Section 1 of the report: who is ahead, and whether to believe it."""

from html import escape

from poolwise.findings.judged_coverage import FIRST_RANKS
from poolwise.findings.measure_overview import MeasureOverview
from poolwise.findings.overview import Overview
from poolwise.views.report.nested_bars import axis_markup, axis_of, nested_bars
from poolwise.views.report.parts import (
    Drawn,
    Field,
    Row,
    Section,
    by_measure,
    note,
    paragraph,
    range_cell,
    rows_of,
    sortable_table,
    warning,
)

__all__ = ["leaderboard_section"]

LEGEND = (
    '<p class="legend"><span class="key mean"></span> mean '
    '<span class="key topics"></span> 95% interval: what other topics could give '
    '<span class="key unjudged"></span> range: what judging the unjudged documents could give</p>'
)


def leaderboard_section(overview: Overview) -> Section:
    """Return the leaderboard of each measure, with both uncertainties and tiers."""
    parts = {
        str(one.measure): _who_leads(one) + LEGEND + _leaderboard(overview, one) + _notes(one)
        for one in overview
    }
    question = "Who is ahead, and can I believe it?"
    return Section("leaderboard", question, "Who is ahead", by_measure(parts, overview))


def _who_leads(one: MeasureOverview) -> str:
    write = paragraph if one.table.defined.any() else warning
    return write(*one.who_leads())


def _leaderboard(overview: Overview, one: MeasureOverview) -> str:
    columns, axis = one.leaderboard(), axis_of(one.table.summary())
    rows: list[Row] = []
    for row in rows_of(columns):
        topics, judging = (row["ci_low"], row["ci_high"]), (row["lower"], row["upper"])
        rows.append(
            (
                row["place"],
                row["run"],
                *([overview.group_of(row["run"])] if overview.groups else []),
                row["tier"],
                row["mean"],
                Drawn(nested_bars(row["mean"], topics, judging, axis), row["mean"]),
                range_cell(*topics),
                range_cell(*judging),
                row["judged_at_10"],
                "yes" if row["could_lead"] else "",
            )
        )
    return sortable_table(
        _fields(grouped=bool(overview.groups), axis=axis_markup(axis)),
        rows,
        name=f"leaderboard-{one.measure}",
        caption=f"Runs by mean {one.measure}; a line separates the tiers",
        marks=dict.fromkeys(_tier_starts(columns["tier"]), "tier-start"),
    )


def _fields(*, grouped: bool, axis: str) -> list[Field]:
    group = [Field("group", minor=True)] if grouped else []
    return [
        Field("#"),
        Field("run"),
        *group,
        Field(
            "tier",
            help="A tier holds runs that do not differ significantly from its first",
            minor=True,
        ),
        Field("mean", 4),
        Field("both uncertainties", markup=axis, help="Sort by the mean"),
        Field("95% over topics", minor=True, help="t interval of the mean over topics"),
        Field("if unjudged were judged", minor=True, help="Over every assignment of grades"),
        Field(
            f"judged@{FIRST_RANKS}",
            2,
            f"Share of the first {FIRST_RANKS} documents that are judged",
            minor=True,
        ),
        Field("could lead", minor=True, help="Judging could put it above the first run"),
    ]


def _tier_starts(tiers: list[int]) -> list[int]:
    return [i for i in range(1, len(tiers)) if tiers[i] != tiers[i - 1]]


def _notes(one: MeasureOverview) -> str:
    caveats = "".join(note(escape(caveat)) for caveat in one.table.caveats())
    if one.comparisons is None:
        return caveats
    return caveats + note(
        "A tier holds the runs that are not significantly different from its first run, at "
        f"{one.comparisons.alpha:g}, by {escape(one.comparisons.test)}, corrected: "
        f"{escape(one.comparisons.correction)}."
    )
