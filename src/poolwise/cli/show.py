"""``poolwise show``: who ranks what on a topic, judged or not."""

from typing import Any

import click

from poolwise.cli._option_forms import number_option
from poolwise.cli._options import format_option, input_options, reading, texts_options
from poolwise.cli._output import show_tables, told
from poolwise.cli._parameter_types import command

__all__ = ["show"]


@command(short_help="Show who ranks what on a topic, judged or not.")
@input_options
@click.option("--topic", required=True, metavar="TOPIC", help="Show the documents of this topic.")
@number_option(
    "--depth",
    least=1,
    default=10,
    text="Show the documents that any run has in its first ranks, down to this one.",
)
@number_option("--top", least=1, default=30, text="Largest number of documents in a table.")
@texts_options
@format_option
def show(
    qrels: str,
    runs: tuple[str, ...],
    *,
    topic: str,
    depth: int,
    top: int,
    form: str | None,
    **options: Any,
) -> None:
    """Show which documents RUNS rank first on a topic, and which of them are judged.

    Each document gets a row with its grade, or ? where it has none, the number of runs that have it
    in their first ranks, and its rank in every run. Documents that are ranked early and often come
    first, by the sum of 1/rank over the runs. tsv, csv and json hold one row for each document and
    run, and all documents.
    """
    from poolwise import workflows

    how = reading(options)
    shown = workflows.show(qrels, runs, topic, depth=depth, reading=how, **options)
    tables = told(shown, shown.tables(most=top))
    show_tables(tables, shown.columns(), form, provenance=shown.provenance)
