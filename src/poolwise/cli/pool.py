"""``poolwise pool``: the judgments that fewer or shallower runs would have given."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli.output import emit, progress, show_file
from poolwise.cli.parameters.described import command
from poolwise.cli.parameters.options import groups_option, input_options, output_option, reading

__all__ = ["pool"]


@command(short_help="Write the judgments that a smaller pool would have had.")
@input_options
@click.option("--depth", type=int, required=True, help="Pool this number of ranks of each run.")
@click.option(
    "--leave-out",
    "left_out",
    multiple=True,
    metavar="NAME",
    help="Do not pool this run, or this group of runs. The option may be repeated.",
)
@groups_option
@output_option("Write the qrels to this file; a name that ends in .gz is written compressed.")
def pool(
    qrels: str,
    runs: tuple[str, ...],
    *,
    depth: int,
    left_out: tuple[str, ...],
    groups: str | None,
    output: Path,
    **options: Any,
) -> None:
    """Write the judgments of exactly the documents in the top DEPTH of RUNS.

    Grades come from QRELS, and documents without a grade there stay unjudged. Documents that no
    pooled run has in its first DEPTH ranks are left out, so that the file has the judgments that a
    smaller pool would have had.
    """
    from poolwise import workflows
    from poolwise.printout.words import counted

    with progress("reading"):
        reduced = workflows.pool(
            qrels,
            runs,
            depth=depth,
            leave_out=left_out,
            groups=groups,
            **reading(options),
        )
    plain = workflows.qrels_bytes(reduced, "")
    show_file(output, workflows.qrels_bytes(reduced, output), plain)
    all_of_them = len(reduced.codes)
    emit(f"{output}: {len(reduced):,} of {counted(all_of_them, 'judgment')} are kept.\n")
