"""``poolwise pool``: the judgments that fewer or shallower runs would have given."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import groups_option, input_options, reading
from poolwise.cli.output import progress

if TYPE_CHECKING:
    from poolwise import Groups

__all__ = ["pool"]


@click.command(short_help="Write the judgments that a smaller pool would have had.")
@input_options
@click.option("--depth", type=int, required=True, help="Ranks of each run that are pooled.")
@click.option(
    "--leave-out",
    "left_out",
    multiple=True,
    metavar="NAME",
    help="A run, or a group of runs, that is not pooled; may be repeated.",
)
@groups_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The qrels file to write; packed if it ends in .gz.",
)
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
    import poolwise as pw

    with progress("reading"):
        judgments = pw.read_judgments(qrels)
        found = pw.nominate(judgments, pw.read_runs(*runs, **reading(options)))
    by_group = pw.read_groups(groups) if groups else None
    gone = {run for name in left_out for run in _runs_of(name, found.systems, by_group)}
    pooled = [run for run in found.systems if run not in gone]
    reduced = found.depth_pool(depth, systems=pooled)
    pw.write_judgments(reduced, output)
    click.echo(f"{output}: {len(reduced)} of {len(judgments)} judgments, {len(pooled)} runs pooled")


def _runs_of(name: str, systems: tuple[str, ...], groups: "Groups | None") -> tuple[str, ...]:
    """Return the run of this name, or the runs of the group of this name."""
    from poolwise.errors import OptionError

    if name in systems:
        return (name,)
    if groups is not None and name in groups.names:
        return groups.members(name)
    known = (*(groups.names if groups else ()), *systems)
    hint = "" if groups else ", or name a group and give --groups"
    raise OptionError(
        f"--leave-out: {name!r} is neither a run nor a group. "
        f"Hint: use one of {', '.join(known[:10])}{'…' if len(known) > 10 else ''}{hint}."
    )
