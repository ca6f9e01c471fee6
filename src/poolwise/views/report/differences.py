"""Section 3 of the report: which differences are real."""

from html import escape

import numpy as np

from poolwise.scores.score_table import ScoreTable
from poolwise.views.plots.figure_data import VERDICTS, delta_columns, pair_columns
from poolwise.views.report.charts import delta_chart, pair_chart
from poolwise.views.report.overview import MeasureFindings, ReportFindings
from poolwise.views.report.parts import (
    Field,
    Section,
    by_measure,
    encode,
    figure,
    interval_cell,
    p_cell,
    paragraph,
    script_data,
    sortable_table,
)

__all__ = ["differences_section"]


def differences_section(found: ReportFindings) -> Section | None:
    """Return the matrix of all pairs, any pair by topic, and all runs against the baseline."""
    parts = {
        name: _pairs(one) + _any_pair(one, found.baseline) + _against(one)
        for name, one in found.measures.items()
        if one.comparisons is not None
    }
    if not parts:
        return None
    return Section(
        "differences",
        "Which differences are real?",
        "Differences",
        by_measure(parts, found.measures),
    )


def _pairs(one: MeasureFindings) -> str:
    columns = {} if one.comparisons is None else pair_columns(one.comparisons)
    counts = {verdict: columns["verdict"].count(verdict) for verdict in VERDICTS}
    total, holds = len(columns["verdict"]), counts[VERDICTS[0]]
    title = (
        f"{holds:,} of {total:,} differences in {one.table.measure} hold against other topics and "
        "against any judging of the unjudged documents"
    )
    text = paragraph(
        f"Of {total:,} pairs of runs, <b>{holds:,}</b> hold: they are significant over topics "
        "after correction, and no judging reverses them.",
        f"<b>{counts[VERDICTS[1]]:,}</b> need more topics,",
        f"<b>{counts[VERDICTS[2]]:,}</b> more judgments,",
        f"<b>{counts[VERDICTS[3]]:,}</b> both.",
    )
    return text + figure(pair_chart(columns, title=title), kind="pairs") + _method(one)


def _method(one: MeasureFindings) -> str:
    if one.comparisons is None:
        return ""
    over = f"over {one.how}" if one.how else f"not known, since {one.unknown}"
    return (
        f'<p class="how">p: {escape(one.comparisons.test)}; corrected: '
        f"{escape(one.comparisons.correction)}. Effect size: the difference in standard deviations "
        f"of the per-topic differences. Lowest, highest: {escape(over)}.</p>"
    )


def _any_pair(one: MeasureFindings, baseline: str | None) -> str:
    """Return two lists to choose runs from, and the chart of their differences by topic."""
    table, order = one.table, one.table.order().tolist()
    names = [table.systems[s] for s in order]
    first = next(name for name in names if name != baseline)
    second = baseline or names[1]
    chart = delta_chart(
        delta_columns(table, first, second),
        title=delta_title(table, first, second),
        measure=str(table.measure),
    )
    return (
        "<h3>Any two runs, topic by topic</h3>"
        f'<div class="picker">{_choice("a", names, first)}{_choice("b", names, second)}'
        f'<output class="said" aria-live="polite"></output>{script_data(_scores(table))}</div>'
        + figure(chart, kind="deltas")
    )


def delta_title(table: ScoreTable, a: str, b: str) -> str:
    """Say what to read from the bars of two runs."""
    delta = np.array(delta_columns(table, a, b)["difference"])
    wins, ties, losses = ((f(delta, 0)).sum() for f in (np.greater, np.equal, np.less))
    return f"{a} − {b}: {wins} wins, {ties} ties, {losses} losses"


def _choice(name: str, names: list[str], chosen: str) -> str:
    options = "".join(
        f"<option{' selected' if n == chosen else ''}>{escape(n)}</option>" for n in names
    )
    label = {"a": "run", "b": "minus run"}[name]
    return f'<label>{label} <select data-run="{name}">{options}</select></label>'


def _scores(table: ScoreTable) -> dict[str, object]:
    """Return the scores as the page takes them apart again: row by row."""
    return {
        "systems": table.systems,
        "topics": table.topics,
        "scores": encode({"value": table.value.ravel().tolist()})["value"],
    }


def _against(one: MeasureFindings) -> str:
    if one.against is None:
        return ""
    against = one.against
    baseline = str(against.b[0])
    rows = [
        (
            pair.a,
            pair.difference,
            interval_cell(pair.ci_low, pair.ci_high, sign="+"),
            p_cell(pair.pvalue),
            p_cell(pair.p_adjusted),
            pair.effect_size,
            pair.wins,
            pair.ties,
            pair.losses,
        )
        for pair in (against[i] for i in np.argsort(-against.difference, kind="stable").tolist())
    ]
    fields = [
        Field("run"),
        Field("difference", 4),
        Field("95% over topics", minor=True),
        Field("p", 4, minor=True),
        Field("p, corrected", 4),
        Field("effect size", 2, minor=True),
        Field("wins", minor=True),
        Field("ties", minor=True),
        Field("losses", minor=True),
    ]
    title = f"<h3>Against the baseline, {escape(baseline)}</h3>"
    significant = against.significant()
    better = int((significant & (against.difference > 0)).sum())
    worse = int((significant & (against.difference < 0)).sum())
    said = paragraph(
        f"<b>{better}</b> of {len(against)} runs are better than <b>{escape(baseline)}</b> and "
        f"<b>{worse}</b> worse, by {escape(against.test)} ({escape(against.correction)}) at 0.05."
    )
    caption = f"{one.table.measure} of each run minus that of {baseline}"
    name = f"against-{baseline}-{one.table.measure}"
    return title + said + sortable_table(fields, rows, name=name, caption=caption)
