"""Section 7 of the report: what to judge next."""

import re

from poolwise.findings._overview import Overview
from poolwise.results._finding import Finding
from poolwise.views.report.parts import (
    Field,
    Section,
    by_measure,
    paragraph,
    rows_of,
    sortable_table,
)

__all__ = ["to_judge_section"]

_FIELDS = (
    Field("topic"),
    Field("document"),
    Field("best rank", help="The best rank that any run gives it"),
    Field("runs", help="How many runs have it in the ranks that count", minor=True),
    Field("orders it moves", help="Open orders whose difference changes if it is relevant"),
    Field("by, in sum", 4, help="How far it moves these differences of means, in sum", minor=True),
)

_COMMAND = re.compile("`([^`]+)`")
"""A command among words."""


def to_judge_section(overview: Overview) -> Section | None:
    """Return the documents that would settle the most; None where no order is open."""
    parts = {
        str(one.measure): "".join(_documents(found, str(one.measure)) for found in one.to_judge)
        or paragraph(*one.nothing_to_judge())
        for one in overview
    }
    if not any(one.to_judge for one in overview):
        return None
    return Section("to-judge", "What to judge next?", "To judge", by_measure(parts, overview))


def _documents(found: Finding, measure: str) -> str:
    rows = rows_of(found.columns())
    said = _COMMAND.sub(r"<code>\1</code>", paragraph(*found.sentences()))
    if not rows:
        return said
    run = rows[0]["run"]
    cells = [tuple(row.values())[1:] for row in rows]
    caption = f"Documents to judge for the orders of {run} and other runs by {measure}"
    return said + sortable_table(_FIELDS, cells, name=f"to-judge-{run}-{measure}", caption=caption)
