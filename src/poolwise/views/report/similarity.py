"""Section 8 of the report: how alike the runs are."""

from poolwise.findings.overview import Overview
from poolwise.findings.similarity._run_overlaps import OverlapMatrix
from poolwise.views.report.drawings.charts import overlap_chart, tree_chart
from poolwise.views.report.parts import Field, Section, figure, note, paragraph, sortable_table

__all__ = ["similarity_section"]


def similarity_section(overview: Overview) -> Section | None:
    """Return which runs rank alike; None for one run."""
    overlap, joined = overview.overlap, overview.tree
    if overlap is None or joined is None:
        return None
    families, *others = overview.who_ranks_alike()
    tree = tree_chart(joined.segments(), joined.order, title=families)
    matrix = overlap_chart(
        overlap.arranged.cells(),
        title="Blocks along the diagonal are runs that rank alike, in the order of the tree",
    )
    how = note(f"Rank-biased overlap at p = {overlap.p:g}, mean over topics; average linkage.")
    body = paragraph(*others) + _twins(overlap) + figure(tree) + figure(matrix) + how
    return Section("similarity", "How alike are the runs?", "Similarity", body)


def _twins(overlap: OverlapMatrix) -> str:
    twins = overlap.near_duplicates()
    if not twins:
        return ""
    fields = [Field("run", of_runs=True), Field("and", of_runs=True), Field("overlap", 4)]
    caption = "Near-duplicates, which are not independent evidence"
    return sortable_table(fields, twins, name="near-duplicates", caption=caption)
