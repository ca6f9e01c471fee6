"""Section 3 of the report: which differences are real."""

from html import escape

from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._topic_deltas import DeltaDensities, Deltas
from poolwise.views.report.drawings.chart_style import Chart
from poolwise.views.report.drawings.charts import delta_chart, pair_chart
from poolwise.views.report.drawings.density_charts import density_chart
from poolwise.views.report.parts import (
    MOST_TOPICS,
    Field,
    Section,
    by_measure,
    encode,
    figure,
    note,
    p_cell,
    paragraph,
    range_cell,
    rows_of,
    script_data,
    sortable_table,
)

__all__ = ["differences_section"]


_OF_TESTS = ("p", "p_corrected")
"""What is not shown where there are too few topics for a test."""


def differences_section(overview: Overview) -> Section | None:
    """Return the matrix of all pairs, any pair by topic, and all runs against the baseline."""
    parts = {
        str(one.measure): _pairs(one, one.verdicts)
        + _any_pair(one, overview.baseline)
        + _against(one)
        for one in overview
        if one.verdicts is not None
    }
    if not parts:
        return None
    question = "Which differences are real?"
    return Section("differences", question, "Differences", by_measure(parts, overview))


def _pairs(one: MeasureOverview, verdicts: PairVerdicts) -> str:
    left_out = ("measure",) if one.tested else ("measure", *_OF_TESTS)
    columns = {name: c for name, c in verdicts.columns().items() if name not in left_out}
    title = f"Every two runs, by what supports their order in {verdicts.comparisons.measure}"
    return (
        paragraph(*verdicts.sentences())
        + figure(pair_chart(columns, title=title), kind="pairs")
        + note(escape(" ".join(verdicts.method())))
    )


def _any_pair(one: MeasureOverview, baseline: str | None) -> str:
    """Return two lists to choose runs from, and the chart of their differences by topic."""
    names = one.leaderboard()["run"]
    first = next(name for name in names if name != baseline)
    deltas = one.table.deltas(first, baseline or names[1])
    if len(one.table.topics) > MOST_TOPICS:
        every = one.delta_densities()
        content, chart = _counts(every), _folded(deltas, every)
    else:
        content, chart = _scores(one.table), delta_chart(deltas)
    return (
        "<h3>Any two runs, topic by topic</h3>"
        f'<div class="picker">{_choice("a", names, deltas.a)}{_choice("b", names, deltas.b)}'
        f'<output class="said" aria-live="polite"></output>'
        '<a class="anchor pair" href="#differences">link to this pair</a>'
        f"{script_data(content)}</div>" + figure(chart, kind="deltas")
    )


def _folded(deltas: Deltas, every: DeltaDensities) -> Chart:
    return density_chart(
        every.between(deltas.a, deltas.b),
        title=f"{deltas.a} − {deltas.b}: {deltas.outcome}",
        of=f"difference in {deltas.measure}",
        name="deltas",
    )


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


def _counts(every: DeltaDensities) -> dict[str, object]:
    """Return the counts of differences as the page takes them apart again: pair by pair."""
    return {
        "systems": every.systems,
        "width": every.width,
        "bins": every.counts.shape[1],
        "counts": every.counts.ravel().tolist(),
    }


def _against(one: MeasureOverview) -> str:
    if one.against is None:
        return ""
    baseline = str(one.against.b[0])
    rows = [
        (
            row["a"],
            row["difference"],
            range_cell(row["ci_low"], row["ci_high"], sign="+"),
            *([p_cell(row["p"]), p_cell(row["p_adjusted"])] if one.tested else []),
            row["effect_size"],
            row["wins"],
            row["ties"],
            row["losses"],
        )
        for row in rows_of(one.against_baseline())
    ]
    fields = [
        Field("run", of_runs=True),
        Field("difference", 4),
        Field("95% over topics", minor=True),
        *([Field("p", 4, minor=True), Field("p, corrected", 4)] if one.tested else []),
        Field("effect size", 2, minor=True),
        Field("wins", minor=True),
        Field("ties", minor=True),
        Field("losses", minor=True),
    ]
    caption = f"{one.measure} of each run minus that of {baseline}"
    return (
        f"<h3>Against the baseline, {escape(baseline)}</h3>"
        + paragraph(*one.who_beats_the_baseline())
        + sortable_table(fields, rows, name=f"against-{baseline}-{one.measure}", caption=caption)
    )
