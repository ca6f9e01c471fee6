"""``poolwise merge``: grades brought back into the judgments."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._option_forms import choice_option
from poolwise.cli._options import output_option, qrels_argument, reading, reading_options
from poolwise.cli._output import emit, show_file
from poolwise.cli._parameter_types import argument, command

__all__ = ["merge"]


@command(short_help="Merge new grades into the judgments.")
@qrels_argument()
@argument(
    "grades",
    type=click.Path(),
    nargs=-1,
    required=True,
    help_text="New grades, in files in the order of time: TREC qrels, or three "
    "columns with topic, document and grade.",
)
@reading_options
@choice_option(
    "--conflicts",
    registry="collection._merged:CONFLICT_RULES",
    default="error",
    text="Resolve different grades of a document: keep the first of them, the last, the highest, "
    "the most frequent (majority; the lowest of several) or their mean, or refuse it (error).",
)
@output_option("Write the qrels to this file; a name that ends in .gz is written compressed.")
def merge(
    qrels: str, grades: tuple[str, ...], *, conflicts: str, output: Path, **options: Any
) -> None:
    """Merge new grades into the judgments of QRELS, and write them to a new file.

    Every document that several files grade is counted, by whether the grades agree. Nothing is
    overwritten unless --conflicts says which grade counts. QRELS may be an empty file.
    """
    from poolwise import workflows

    merged = workflows.merge(qrels, *grades, conflicts=conflicts, reading=reading(options))
    # The record has the hash of the plain text, so that compressing a file changes no number.
    plain = workflows.qrels_bytes(merged.judgments, "")
    show_file(output, workflows.qrels_bytes(merged.judgments, output), plain)
    emit(f"{output}: {' '.join(merged.sentences())}\n")
