"""Section 1 of the report: who is ahead, and whether to believe it."""

from html import escape

from poolwise.findings._judged_coverage import FIRST_RANKS
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.views.report.nested_bars import (
    Axis,
    axis_markup,
    axis_of,
    nested_bars,
    outside_sentence,
)
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
        str(one.measure): _of_measure(overview, one, axis_of(one.table.summary()))
        for one in overview
    }
    question = "Who is ahead, and can I believe it?"
    return Section("leaderboard", question, "Who is ahead", by_measure(parts, overview))


def _of_measure(overview: Overview, one: MeasureOverview, axis: Axis) -> str:
    return _who_leads(one) + LEGEND + _leaderboard(overview, one, axis) + _notes(one, axis)


def _who_leads(one: MeasureOverview) -> str:
    write = paragraph if one.table.defined.any() else warning
    return write(*one.headline()) + "".join(map(paragraph, one.outlook()))


def _leaderboard(overview: Overview, one: MeasureOverview, axis: Axis) -> str:
    columns = one.leaderboard()
    rows: list[Row] = []
    open_lead = any(columns["could_lead"])
    for row in rows_of(columns):
        topics, judging = (row["ci_low"], row["ci_high"]), (row["lower"], row["upper"])
        rows.append(
            (
                row["place"],
                row["run"],
                *([overview.group_of(row["run"])] if overview.groups else []),
                *([row["tier"]] if one.tested else []),
                row["mean"],
                Drawn(nested_bars(row["mean"], topics, judging, axis), row["mean"]),
                range_cell(*topics),
                range_cell(*judging),
                row["judged_at_10"],
                *(["yes" if row["could_lead"] else ""] if open_lead else []),
            )
        )
    fields = _fields(grouped=bool(overview.groups), tested=one.tested, axis=axis_markup(axis))
    return sortable_table(
        fields if open_lead else fields[:-1],
        rows,
        name=f"leaderboard-{one.measure}",
        caption=f"Runs by mean {one.measure}{'; a line separates the tiers' if one.tested else ''}",
        marks=dict.fromkeys(_tier_starts(columns["tier"]), "tier-start"),
    )


def _fields(*, grouped: bool, tested: bool, axis: str) -> list[Field]:
    group = [Field("group", minor=True)] if grouped else []
    same = "A tier holds runs that do not differ significantly from its first"
    return [
        Field("#"),
        Field("run", of_runs=True),
        *group,
        *([Field("tier", help=same, minor=True)] if tested else []),
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


def _notes(one: MeasureOverview, axis: Axis) -> str:
    remarks = (*one.table.caveats(), *outside_sentence(axis), *one.what_tiers_are())
    return "".join(note(escape(remark)) for remark in remarks)
