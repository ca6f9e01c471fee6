"""Section 2 of the report: whether the judgments support it."""

from collections.abc import Iterator
from html import escape

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.printout.words import counted
from poolwise.views.plots.figure_data import unjudged_columns
from poolwise.views.report.charts import unjudged_chart
from poolwise.views.report.overview import DEPTH, MeasureFindings, ReportFindings
from poolwise.views.report.parts import (
    Drawn,
    Field,
    Section,
    by_measure,
    figure,
    interval_cell,
    p_cell,
    paragraph,
    sortable_table,
    warning,
)

__all__ = ["judgments_section"]

_THIN = 0.9
"""A run with a smaller share of judged documents is named in a warning."""
_WARNED = 5
"""So many of them, at most."""
_LISTED = 50
"""Comparisons named in a table."""


def judgments_section(found: ReportFindings) -> Section:
    """Return what is judged of each run, and which comparisons that leaves open."""
    parts = {name: _support(found, one) for name, one in found.measures.items()}
    body = by_measure(parts, found.measures) + _heat_map(found)
    return Section("judgments", "Do the judgments support this?", "Judgments", body)


def _support(found: ReportFindings, one: MeasureFindings) -> str:
    return _cautions(found, one) + _coverage(found, one) + _reversals(one)


def _cautions(found: ReportFindings, one: MeasureFindings) -> str:
    """Warn where the judgments do not support a conclusion: of all runs, or of some."""
    share = float(one.reversible.mean()) if len(one.reversible) else 0.0
    if share > 0.5:
        return warning(
            f"By {escape(str(one.table.measure))}, judging the unjudged documents could reverse "
            f"{share:.0%} of all comparisons. The judgments do not support a ranking by it; a "
            "measure that looks at fewer ranks may fare better."
        )
    judged = found.judged.system_means()
    unsettled = [] if one.unknown else list(_unsettled(one, judged))
    if unsettled:
        rest = len(unsettled) - _WARNED
        more = [f"The same is true of {counted(rest, 'more run')}, listed below."] * (rest > 0)
        return warning(*unsettled[:_WARNED], *more)
    least = float(np.nanmin(judged))
    return paragraph(f"Every run has at least {least:.0%} of its first {DEPTH} documents judged.")


def _unsettled(one: MeasureFindings, judged: Floats) -> Iterator[str]:
    """Say of each run that is thinly judged which places it could have, the thinnest first."""
    best, worst = _places(one)
    for s in np.argsort(judged, kind="stable").tolist():
        if judged[s] < _THIN and best[s] < worst[s]:
            yield (
                f"The judgments do not settle where <b>{escape(one.table.systems[s])}</b> stands: "
                f"{judged[s]:.0%} of its first {DEPTH} documents are judged, and depending on the "
                f"rest its place is anything from {best[s]} to {worst[s]} of {len(judged)}."
            )


def _places(one: MeasureFindings) -> tuple[Integers, Integers]:
    """Return the best and the worst place that each run can have, whatever is judged."""
    means, n, open_ = one.table.means(), len(one.table.systems), one.open_to()
    above = means[None, :] > means[:, None]
    best = 1 + (above & ~open_).sum(axis=1)
    worst = n - ((means[None, :] < means[:, None]) & ~open_).sum(axis=1)
    return best, worst


def _coverage(found: ReportFindings, one: MeasureFindings) -> str:
    table, seen = one.table, found.audit
    low, high = table.mean_bounds()
    best, worst = _places(one)
    first = seen.first_unjudged
    rows = [
        (
            table.systems[s],
            float(seen.judged_at_10[s]),
            float(seen.judged_at_100[s]),
            float(high[s] - low[s]),
            float(first[s].mean()),
            int(first[s].min()),
            Drawn(f"{best[s]} to {worst[s]}", float(worst[s] - best[s])),
        )
        for s in np.argsort(seen.judged_at_10, kind="stable").tolist()
    ]
    fields = [
        Field("run"),
        Field("judged@10", 2),
        Field("judged@100", 2, minor=True),
        Field("residual", 4, f"Width of the range of the mean {table.measure}", minor=True),
        Field("first unjudged", 1, help="Its mean rank over topics", minor=True),
        Field("earliest", help="The smallest rank of a first unjudged document", minor=True),
        Field("possible places", help="Whatever the unjudged documents are"),
    ]
    caption = f"How much of each run is judged, and what that leaves open for {table.measure}"
    return sortable_table(fields, rows, name=f"judged-{table.measure}", caption=caption)


def _reversals(one: MeasureFindings) -> str:
    if one.comparisons is None:
        return ""
    if one.unknown:
        return paragraph(
            f"Which comparisons judging could reverse is not known, since {escape(one.unknown)}."
        )
    reversible = one.reversible
    total, doubtful = len(reversible), int((reversible & one.separated).sum())
    if not reversible.any():
        return paragraph(f"No judging could reverse any of the {total:,} comparisons.")
    text = paragraph(
        f"<b>{int(reversible.sum()):,} of {total:,} comparisons</b> could be reversed by judging "
        f"the unjudged documents alone; {doubtful:,} of them are significant over topics."
    )
    return text + _reversal_table(one)


def _reversal_table(one: MeasureFindings) -> str:
    """Name the comparisons that judging could reverse, the largest differences first."""
    if one.comparisons is None:
        return ""
    order = np.lexsort((-np.abs(one.comparisons.difference), ~one.separated))
    chosen = order[one.reversible[order]][:_LISTED].tolist()
    pairs = [one.comparisons[i].better_first() for i in chosen]
    rows = [
        (
            pair.a,
            pair.b,
            pair.difference,
            interval_cell(pair.bound_low, pair.bound_high),
            p_cell(pair.p_adjusted),
        )
        for pair in pairs
    ]
    fields = [
        Field("ahead now"),
        Field("could overtake it"),
        Field("difference", 4),
        Field("range", minor=True, help="Of the difference, whatever the unjudged documents are"),
        Field("p, corrected", 4, minor=True),
    ]
    shown = f"the first {len(rows)}" if len(rows) == _LISTED else "all of them"
    caption = f"Comparisons by {one.table.measure} that judging could reverse ({shown})"
    return sortable_table(fields, rows, name=f"reversible-{one.table.measure}", caption=caption)


def _heat_map(found: ReportFindings) -> str:
    unjudged, present = found.unjudged()
    if not unjudged.any():
        return paragraph(f"The first {DEPTH} documents of every run are judged on every topic.")
    columns = unjudged_columns(unjudged, present, found.evidence.systems, found.evidence.topics)
    runs, topics = (unjudged > 0).any(axis=1).sum(), (unjudged > 0).any(axis=0).sum()
    title = (
        f"{runs} of {len(unjudged)} runs and {topics} of {unjudged.shape[1]} topics have unjudged "
        f"documents among the first {DEPTH}: the more a cell stands out, the more of them"
    )
    order = np.argsort(-unjudged.sum(axis=0), kind="stable").tolist()
    names = [found.evidence.topics[t] for t in order]
    return figure(unjudged_chart(columns, names, title=title, depth=DEPTH))
