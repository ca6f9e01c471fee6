"""``poolwise pool``: the judgments that fewer or shallower runs would have given."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli.output import progress
from poolwise.cli.parameters.options import groups_option, input_options, output_option, reading

__all__ = ["pool"]


@click.command(short_help="Write the judgments that a smaller pool would have had.")
@input_options
@click.option("--depth", type=int, required=True, help="How many ranks of each run are pooled.")
@click.option(
    "--leave-out",
    "left_out",
    multiple=True,
    metavar="NAME",
    help="Do not pool this run, or this group of runs. The option may be repeated.",
)
@groups_option
@output_option("The qrels file to write; it is compressed if its name ends in .gz.")
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

    Grades come from QRELS; documents without a grade there stay out. What no pooled run has in
    its first DEPTH ranks is left out, so the file is what a smaller effort would have judged.
    """
    from poolwise import workflows
    from poolwise.printout.words import counted

    with progress("reading"):
        reduced = workflows.write_pool(
            qrels,
            runs,
            output,
            depth=depth,
            leave_out=left_out,
            groups=groups,
            **reading(options),
        )
    all_of_them = len(reduced.codes)
    click.echo(f"{output}: {len(reduced):,} of {counted(all_of_them, 'judgment')} are kept.")
