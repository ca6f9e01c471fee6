"""``poolwise audit``: what is wrong or thin in these files."""

from typing import Any

import click

from poolwise.cli.output import progress, show
from poolwise.cli.parameters.options import format_option, input_options, reading

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
    from poolwise import workflows

    with progress("reading"):
        found = workflows.audit(qrels, runs, **reading(options))
    show([found], form)
