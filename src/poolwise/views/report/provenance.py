"""Section 10 of the report: how it was made."""

import platform
from collections.abc import Iterable
from html import escape

from poolwise.findings._overview import Overview
from poolwise.provenance._provenance import installed_version
from poolwise.version import __version__
from poolwise.views.report.parts import Field, Section, rows_of, sortable_table
from poolwise.words import counted

__all__ = ["provenance_section"]


def provenance_section(overview: Overview) -> Section:
    """Return what a reader needs to make the same page again, oddities included."""
    entries = overview.origin() | {
        "poolwise": __version__,
        "Python, numpy, scipy": ", ".join(
            [platform.python_version(), *map(installed_version, ("numpy", "scipy"))]
        ),
    }
    terms = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in entries.items())
    body = (
        f"<dl>{terms}</dl>"
        + _list("What stands out in the files", overview.audit.remarks())
        + _list("What was met and let pass", overview.provenance.notices)
        + _inputs(overview)
    )
    return Section("provenance", "How was it made?", "Provenance", body)


def _list(title: str, items: Iterable[object]) -> str:
    points = "".join(f"<li>{escape(str(item))}</li>" for item in items)
    return f"<h3>{title}</h3><ul>{points}</ul>" if points else ""


def _inputs(overview: Overview) -> str:
    rows = [tuple(row.values()) for row in rows_of(overview.inputs())]
    fields = [Field("run", of_runs=True), Field("file"), Field("sha256")]
    table = sortable_table(fields, rows, name="inputs", caption="Where the runs were read from")
    return f"<details><summary>{counted(len(rows), 'run')}</summary>{table}</details>"
