"""Section 1 of the report: who is ahead, and whether to believe it."""

from html import escape

from poolwise.views.report.nested_bars import axis_markup, axis_of, nested_bars
from poolwise.views.report.overview import DEPTH, MeasureFindings, ReportFindings
from poolwise.views.report.parts import (
    Drawn,
    Field,
    Section,
    by_measure,
    interval_cell,
    listed,
    paragraph,
    sortable_table,
    warning,
)

__all__ = ["leaderboard_section"]

_JUDGED_HELP = f"Share of the first {DEPTH} documents that are judged"

LEGEND = (
    '<p class="legend"><span class="key mean"></span> mean '
    '<span class="key topics"></span> 95% interval: what other topics could give '
    '<span class="key unjudged"></span> range: what judging the unjudged documents could give</p>'
)


def leaderboard_section(found: ReportFindings) -> Section:
    """Return the leaderboard of each measure, with both uncertainties and tiers."""
    parts = {
        name: _who_leads(one) + LEGEND + _leaderboard(found, one)
        for name, one in found.measures.items()
    }
    question = "Who is ahead, and can I believe it?"
    return Section("leaderboard", question, "Who is ahead", by_measure(parts, found.measures))


def _who_leads(one: MeasureFindings) -> str:
    table, order = one.table, one.table.order().tolist()
    if not table.defined.any():
        return warning(f"No topic has a score by {escape(str(table.measure))} for every run.")
    best, others = order[0], len(order) - 1
    text = (
        f"<b>{escape(table.systems[best])}</b> has the highest mean {escape(str(table.measure))}, "
    )
    text += f"{table.means()[best]:.4f}, over {int(table.defined.sum())} topics."
    if not others:
        return paragraph(text)
    beside = [table.systems[s] for s in order[1:] if one.tier[s] == 1]
    close = (
        f"No test separates it from {len(beside)} of the other {others} runs: {listed(beside)}."
        if beside
        else f"The test separates it from all {others} other runs."
    )
    return paragraph(text, close, _who_could_lead(one, best))


def _who_could_lead(one: MeasureFindings, best: int) -> str:
    if one.unknown:
        return f"What the unjudged documents could change is not known, since {one.unknown}."
    above = [one.table.systems[s] for s in _could_lead(one, best)]
    if not above:
        return "No judging of the unjudged documents could put another run above it."
    return f"The unjudged documents alone could put {len(above)} above it: {listed(above)}."


def _could_lead(one: MeasureFindings, best: int) -> list[int]:
    """Return the systems that unjudged documents could put above the best, by their means."""
    if one.unknown:
        return []
    could = one.open_to()[best]
    return [s for s in one.table.order().tolist() if could[s]]


def _leaderboard(found: ReportFindings, one: MeasureFindings) -> str:
    table, summary = one.table, one.table.summary()
    axis = axis_of(summary)
    judged = found.judged.system_means()
    open_ = set(_could_lead(one, int(table.order()[0])))
    rows = [
        (
            place,
            table.systems[s],
            *([found.groups.labels[s]] if found.groups else []),
            int(one.tier[s]),
            float(summary.mean[s]),
            Drawn(nested_bars(summary, s, axis), float(summary.mean[s])),
            interval_cell(summary.ci_low[s], summary.ci_high[s]),
            interval_cell(summary.lower[s], summary.upper[s]),
            float(judged[s]),
            "yes" if s in open_ else "",
        )
        for place, s in enumerate(table.order().tolist(), start=1)
    ]
    fields = _leaderboard_fields(grouped=found.groups is not None, axis=axis_markup(axis))
    starts = _tier_starts([row[3 if found.groups else 2] for row in rows])
    notes = "".join(f'<p class="how">{escape(note)}.</p>' for note in table.caveats())
    caption = f"Runs by mean {table.measure}; a line parts the tiers"
    return (
        sortable_table(
            fields,
            rows,
            name=f"leaderboard-{table.measure}",
            caption=caption,
            marks=dict.fromkeys(starts, "tier-start"),
        )
        + notes
        + _about_tiers(one)
    )


def _leaderboard_fields(*, grouped: bool, axis: str) -> list[Field]:
    group = [Field("group", minor=True)] if grouped else []
    return [
        Field("#"),
        Field("run"),
        *group,
        Field("tier", help="Runs that no test separates from the best of their tier", minor=True),
        Field("mean", 4),
        Field("both uncertainties", markup=axis, help="Sort by the mean"),
        Field("95% over topics", minor=True, help="t interval of the mean over topics"),
        Field("if unjudged were judged", minor=True, help="Over every assignment of grades"),
        Field(f"judged@{DEPTH}", 2, _JUDGED_HELP, minor=True),
        Field(
            "could lead",
            minor=True,
            help="Judging could put it above the first run",
        ),
    ]


def _tier_starts(tiers: list[object]) -> list[int]:
    return [i for i in range(1, len(tiers)) if tiers[i] != tiers[i - 1]]


def _about_tiers(one: MeasureFindings) -> str:
    if one.comparisons is None:
        return ""
    by = f"The range of the difference of two runs is over {one.how}." if one.how else ""
    return (
        f'<p class="how">Tiers: {escape(one.comparisons.test)}, '
        f"{escape(one.comparisons.correction)}, at 0.05; a tier holds the runs that the test does "
        f"not separate from the best of them. {escape(by)}</p>"
    )
