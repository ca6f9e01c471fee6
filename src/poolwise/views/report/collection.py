"""Sections 5 to 8 of the report: estimates, similarity, power, and how it was made."""

import platform
from html import escape
from importlib.metadata import PackageNotFoundError, version
from math import ceil

from poolwise.evidence.topic_choice import TOPIC_RULES
from poolwise.findings.planning.past_systems import CollectionPower
from poolwise.printout.columns import Columns
from poolwise.views.plots.figure_data import overlap_columns, power_columns, tree_segments
from poolwise.views.report.charts import estimate_chart, overlap_chart, power_chart, tree_chart
from poolwise.views.report.estimates import Estimates
from poolwise.views.report.overview import MeasureFindings, ReportFindings
from poolwise.views.report.parts import (
    Field,
    Row,
    Section,
    by_measure,
    figure,
    interval_cell,
    listed,
    paragraph,
    sortable_table,
)

__all__ = ["estimates_section", "power_section", "provenance_section", "similarity_section"]

_ALIKE = 0.5
"""Runs joined at a smaller distance than this are named as a family."""


def estimates_section(found: ReportFindings) -> Section | None:
    """Return the treatments of unjudged documents side by side; None if all are judged."""
    parts = {
        name: _estimates(one, one.estimates)
        for name, one in found.measures.items()
        if one.estimates is not None
    }
    if not parts:
        return None
    body = by_measure(parts, found.measures)
    return Section("estimates", "How do the estimates compare?", "Estimates", body)


def _estimates(one: MeasureFindings, found: Estimates) -> str:
    measure = str(one.table.measure)
    gap = found.upper - found.lower
    widest = int(gap.argmax())
    title = (
        f"What {found.systems[widest]} scores depends most on the treatment: "
        f"between {found.lower[widest]:.3f} and {found.upper[widest]:.3f} is possible"
    )
    caption = (
        "Orange: all that is possible. Blue: 90% of 200 draws of grades for the unjudged documents "
        "(B23). Points: one treatment each; a point outside the orange cannot be true."
    )
    shown = (
        f"{found.candidates} of {len(one.table.systems)} runs have unjudged documents that count "
        f"for {escape(str(measure))}"
        + (
            f"; the {len(found.systems)} with the most are shown."
            if len(found.systems) < found.candidates
            else "."
        )
    )
    notes = "".join(f'<p class="how">Not shown: {escape(text)}</p>' for text in found.missing)
    chart = estimate_chart(_estimate_columns(found), title=title, measure=measure, caption=caption)
    return paragraph(shown) + figure(chart) + _estimate_table(found, measure) + notes


def _estimate_columns(found: Estimates) -> Columns:
    """Return one row per run and treatment: a value, or a range from low to high."""
    columns: Columns = {"run": [], "treatment": [], "value": [], "low": [], "high": []}
    for i, run in enumerate(found.systems):
        rows = [("bounds", None, float(found.lower[i]), float(found.upper[i]))]
        if found.drawn is not None:
            low, high = float(found.drawn[i, 0]), float(found.drawn[i, -1])
            rows.append(("bootstrap, 5% to 95%", None, low, high))
        for row in [*rows, *((n, float(v[i]), None, None) for n, v in found.means.items())]:
            for name, cell in zip(columns, (run, *row), strict=True):
                columns[name].append(cell)
    return columns


def _estimate_table(found: Estimates, measure: str) -> str:
    rows: list[Row] = []
    for i, run in enumerate(found.systems):
        bounds = interval_cell(found.lower[i], found.upper[i])
        means = (float(values[i]) for values in found.means.values())
        rows.append((run, float(found.share[i]), *means, bounds))
    fields = [
        Field("run"),
        Field("unjudged", 2, help="Share of the documents that count", minor=True),
        *(Field(name, 4) for name in found.means),
        Field("bounds", minor=True),
    ]
    caption = f"Mean {measure} by treatment of the unjudged documents"
    return sortable_table(fields, rows, name=f"estimates-{measure}", caption=caption)


def similarity_section(found: ReportFindings) -> Section | None:
    """Return which runs rank alike; None where that cannot be asked."""
    if found.overlap is None or found.tree is None:
        return None
    families = [g for g in found.tree.groups(within=_ALIKE) if len(g) > 1]
    twins = found.overlap.near_duplicates()
    largest = max(families, key=len, default=())
    title = (
        f"{len(families)} families of runs overlap by {1 - _ALIKE:g} or more; "
        f"the largest has {len(largest)} runs"
        if families
        else f"No two runs overlap by {1 - _ALIKE:g} or more"
    )
    tree = tree_chart(tree_segments(found.tree), found.tree.order, title=title)
    columns = overlap_columns(found.overlap, found.tree.order)
    matrix = overlap_chart(
        columns, title="Blocks along the diagonal are runs that rank alike, in the tree's order"
    )
    how = (
        '<p class="how">Rank-biased overlap at p = '
        f"{found.overlap.p:g}, mean over topics; average linkage.</p>"
    )
    body = _twins(twins) + figure(tree) + figure(matrix) + how
    return Section("similarity", "How alike are the runs?", "Similarity", body)


def _twins(twins: tuple[tuple[str, str, float], ...]) -> str:
    if not twins:
        return paragraph("No near-duplicates: no two runs overlap by 0.95 or more.")
    rows = [(a, b, value) for a, b, value in twins]
    fields = [Field("run"), Field("and"), Field("overlap", 4)]
    text = paragraph(
        f"<b>{len(twins)} near-duplicate pairs</b>: they overlap by 0.95 or more, so they are not "
        "independent evidence."
    )
    return text + sortable_table(fields, rows, name="near-duplicates", caption="Near-duplicates")


def power_section(found: ReportFindings) -> Section | None:
    """Return what the number of topics can detect; None without two runs and two topics."""
    parts = {n: _power(one.power) for n, one in found.measures.items() if one.power is not None}
    if not parts:
        return None
    return Section(
        "power", "Is the collection big enough?", "Power", by_measure(parts, found.measures)
    )


def _power(power: CollectionPower) -> str:
    title = (
        f"{power.topics} topics detect a difference of {power.detectable_median:.3f} in "
        f"{power.measure} between typical runs; smaller ones take more topics"
    )
    enough = ""
    if power.baseline_pairs:
        enough = (
            f"To tell a run from a good baseline ({power.baseline_delta:.3f} apart, as is typical "
            f"here) would take <b>{ceil(power.topics_needed):,} topics</b>."
        )
    text = paragraph(
        f"Per-topic differences between two runs have a standard deviation of "
        f"{power.sigma_median:.3f} (median of {power.pairs:,} pairs; 95th percentile "
        f"{power.sigma_95:.3f}).",
        f"With {power.topics} topics, a test with power {power.power:g} at {power.alpha:g} detects "
        f"a true difference of <b>{power.detectable_median:.3f}</b> between typical runs, of "
        f"{power.detectable_95:.3f} between unlike ones (W10 ch. 5).",
        enough,
    )
    chart = power_chart(
        power_columns(power), title=title, measure=str(power.measure), topics=power.topics
    )
    return text + figure(chart)


def provenance_section(found: ReportFindings) -> Section:
    """Return what a reader needs to make the same page again, oddities included."""
    origin = found.evidence.provenance
    entries = {
        "judgments": str(origin.judgments),
        "runs": f"{len(origin.runs)}, listed below",
        "ties": f"broken by {origin.tie_rule}",
        "topics": f"{origin.topic_rule}: {TOPIC_RULES[origin.topic_rule]}",
        "measures": ", ".join(found.measures),
        "poolwise": _version("poolwise"),
        "Python, numpy, scipy": ", ".join(
            [platform.python_version(), *map(_version, ("numpy", "scipy"))]
        ),
    }
    terms = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in entries.items())
    remarks = "".join(f"<li>{escape(str(remark))}</li>" for remark in found.audit.remarks())
    odd = "".join(f"<li>{escape(str(notice))}</li>" for notice in origin.notices)
    body = (
        f"<dl>{terms}</dl><h3>What stands out in the files</h3><ul>{remarks}</ul>"
        + (f"<h3>What was met and let pass</h3><ul>{odd}</ul>" if odd else "")
        + _inputs(found)
    )
    return Section("provenance", "How was it made?", "Provenance", body)


def _version(package: str) -> str:
    """Return what is installed; a source tree on the path is no installation."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "from a source tree"


def _inputs(found: ReportFindings) -> str:
    sources = found.evidence.provenance.runs
    rows = [
        (system, source.path, source.sha256 or None)
        for system, source in zip(found.evidence.systems, sources, strict=False)
    ]
    fields = [Field("run"), Field("file"), Field("sha256")]
    table = sortable_table(fields, rows, name="inputs", caption="Run files")
    return f"<details><summary>{listed([str(len(rows))])} run files</summary>{table}</details>"
