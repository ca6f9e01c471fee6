"""``poolwise study depth`` and ``movement``: what deeper pools and evaluation would change."""

from typing import Any

import click

from poolwise.cli.output import below, progress, show, show_tables
from poolwise.cli.parameters.options import (
    format_option,
    input_options,
    measure_option,
    reading,
    workers_option,
)
from poolwise.cli.parameters.registry import Registry

__all__ = ["depth", "movement"]


def _numbers(_ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Read depths with commas between them."""
    try:
        return tuple(int(number) for number in value.split(","))
    except ValueError as error:
        raise click.BadParameter(
            f"depths are whole numbers with commas between; got {value!r}.", param=param
        ) from error


@click.command(short_help="Show what pool and evaluation depth do to scores.")
@input_options
@measure_option
@click.option(
    "--pool-depths",
    default="5,10,20,50,100",
    show_default=True,
    callback=_numbers,
    help="How many ranks of each run are pooled.",
)
@click.option(
    "--depths",
    default="5,10,20,50,100",
    show_default=True,
    callback=_numbers,
    help="Down to which rank runs are evaluated.",
)
@click.option(
    "--form",
    "forms",
    type=Registry("studies.depth.measure_forms:FORMS"),
    multiple=True,
    default=("given",),
    show_default=True,
    help="The measure as given, raw, over its ideal (cut, or expanded), or standardized.",
)
@click.option("--residual", type=float, help="Let the p of RBP leave this residual at each depth.")
@click.option(
    "--show",
    "shown",
    type=Registry("studies.depth.pool_depths:GRID_NUMBERS"),
    default="power",
    show_default=True,
    help="The number in the cells of tables; programs get all.",
)
@workers_option
@format_option
def depth(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    shown: str,
    form: str | None,
    **options: Any,
) -> None:
    """Show what pool depth and evaluation depth do to scores and comparisons of RUNS.

    For each measure, form, pool depth and evaluation depth: the mean score, the share of pairs of
    runs that are significantly different, and how far the order of runs and the order of p values
    agree with those of the deepest evaluation on the deepest pool.
    """
    from poolwise import workflows

    how = reading(options)
    with progress("pools") as report:
        found = workflows.study_depths(
            qrels, runs, measures, reading=how, progress=report, **options
        )
    show_tables(below(found.tables(show=shown), found.sentences()), found.columns(), form)


@click.command(short_help="Show how far scores move as pools deepen.")
@input_options
@measure_option
@click.option(
    "--pool-depths",
    default="5,10,15,20,25",
    show_default=True,
    callback=_numbers,
    help="How many ranks of each run the shallow pools have.",
)
@click.option(
    "--reference",
    type=int,
    default=50,
    show_default=True,
    help="How many ranks of each run the deep pool has.",
)
@click.option(
    "--p",
    type=float,
    default=0.98,
    show_default=True,
    help="Persistence of the RBP whose residual is set beside the movement.",
)
@format_option
def movement(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    form: str | None,
    **options: Any,
) -> None:
    """Show how far scores move as pools deepen, beside the residual that warned of it."""
    from poolwise import workflows

    how = reading(options)
    show([workflows.study_movement(qrels, runs, measures, reading=how, **options)], form)
