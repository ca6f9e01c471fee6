"""``poolwise audit``: what is wrong or thin in these files."""

from typing import Any

import click

from poolwise.cli.options import format_option, input_options, reading
from poolwise.cli.output import emit, progress

__all__ = ["audit"]


@click.command(short_help="Say what is wrong or thin in QRELS and RUNS.")
@input_options
@format_option
def audit(qrels: str, runs: tuple[str, ...], *, form: str | None, **options: Any) -> None:
    """Say what is wrong or thin in QRELS and RUNS, before any score is believed.

    Coverage of the first 10 and 100 ranks by judgments, the rank of the first unjudged document,
    ties and which of them matter, duplicates, topics that are missing, extra, or without relevant
    documents, and relevant documents that no run retrieved.
    """
    import poolwise as pw

    with progress("reading"):
        judgments = pw.read_judgments(qrels)
        found = pw.audit(judgments, pw.read_runs(*runs, **reading(options)))
    columns: dict[str, list[Any]] = {n: list(values) for n, values in found.columns().items()}
    remarks = [str(remark) for remark in found.findings()]
    emit([pw.table_of(columns, digits=2, notes=remarks)], columns, form)
    if form not in (None, "table"):
        for remark in remarks:
            click.echo(remark, err=True)
