"""``poolwise study depth`` and ``movement``: what deeper pools and evaluation would change."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    input_options,
    measure_option,
    plot_option,
    pooled_option,
    reading,
    workers_option,
)
from poolwise.cli._output import below, draw, progress, show, show_tables
from poolwise.cli._parameter_types import Registry, command, whole_numbers

__all__ = ["depth", "growth", "movement", "undiscovered"]


@command(short_help="Show what pool and evaluation depth do to scores.")
@input_options
@measure_option
@click.option(
    "--pool-depths",
    default="5,10,20,50,100",
    show_default=True,
    callback=whole_numbers,
    help="Pool these numbers of ranks of each run, one pool after another.",
)
@click.option(
    "--depths",
    default="5,10,20,50,100",
    show_default=True,
    callback=whole_numbers,
    help="Evaluate runs down to these ranks.",
)
@click.option(
    "--form",
    "forms",
    type=Registry("studies.depth.measure_forms:FORMS"),
    multiple=True,
    default=("given",),
    show_default=True,
    help="Use the measure as it is given, raw, divided by the ideal of the same depth (normalized) "
    "or of all relevant documents (expanded), or standardized. The option may be repeated.",
)
@click.option(
    "--residual",
    type=float,
    help="Choose the p of RBP at each depth so that this residual is left below it.",
)
@click.option(
    "--show",
    "shown",
    type=Registry("studies.depth.depth_study:GRID_NUMBERS"),
    default="power",
    show_default=True,
    help="Show this number in the cells of tables; tsv, csv and json hold all of them.",
)
@click.option(
    "--tested",
    is_flag=True,
    help="Leave pairs that are equal on every topic, and have no p value, out of the shares.",
)
@workers_option
@plot_option
@format_option
def depth(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    shown: str,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show what pool depth and evaluation depth do to scores and comparisons of RUNS.

    Each combination of measure, form, pool depth and evaluation depth has the mean score, the share
    of pairs of runs that are significantly different, and the agreement of the order of runs and
    of the order of p values with those of the deepest evaluation on the deepest pool.
    """
    from poolwise import workflows

    how = reading(options)
    with progress("pools") as report:
        found = workflows.study_depths(
            qrels, runs, measures, reading=how, progress=report, **options
        )
    tables = below(found.tables(show=shown), found.sentences())
    show_tables(tables, found.columns(), form, provenance=found.provenance)
    draw(found, plot)


@command(short_help="Show how far scores move as pools become deeper.")
@input_options
@measure_option
@click.option(
    "--pool-depths",
    default="5,10,15,20,25",
    show_default=True,
    callback=whole_numbers,
    help="Pool these numbers of ranks of each run for the shallow pools.",
)
@click.option(
    "--reference",
    type=int,
    default=50,
    show_default=True,
    help="Pool this number of ranks of each run for the deep pool.",
)
@click.option(
    "--p",
    type=float,
    default=0.98,
    show_default=True,
    help="Show the residual of RBP with this persistence beside the movement.",
)
@plot_option
@format_option
def movement(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show how far scores move as pools become deeper, beside the residual that predicts it."""
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_movement(qrels, runs, measures, reading=how, **options)
    show([found], form)
    draw(found, plot)


@command(short_help="Show how pools of RUNS grow with their depth.")
@input_options
@click.option(
    "--pool-depths",
    default="1,2,5,10,20,50,100",
    show_default=True,
    callback=whole_numbers,
    help="Pool these numbers of ranks of each run, one pool after another.",
)
@plot_option
@format_option
def growth(
    qrels: str, runs: tuple[str, ...], *, plot: Path | None, form: str | None, **options: Any
) -> None:
    """Show how many documents, and relevant ones, pools of RUNS hold as they become deeper."""
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_growth(qrels, runs, reading=how, **options)
    show([found], form)
    draw(found, plot)


@command(short_help="Estimate how many relevant documents a deeper pool would find.")
@input_options
@pooled_option
@click.option(
    "--depth",
    type=click.IntRange(2),
    default=100,
    show_default=True,
    help="Say to which depth the runs were pooled and judged.",
)
@click.option(
    "--target",
    type=click.IntRange(3),
    help="Estimate the relevant documents down to this depth. [default: ten times the depth of the "
    "pool]",
)
@click.option(
    "--level",
    "rel",
    type=float,
    default=1.0,
    show_default=True,
    help="Count documents of at least this grade as relevant.",
)
@click.option(
    "--fit",
    type=Registry("studies.depth.undiscovered:FITS"),
    default="together",
    show_default=True,
    help="Let the rate of discovery decline alike on all topics (together), or on each by itself "
    "(topics).",
)
@plot_option
@format_option
def undiscovered(
    qrels: str,
    runs: tuple[str, ...],
    *,
    pooled: tuple[str, ...],
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Estimate how many relevant documents a deeper pool of RUNS would find.

    The deeper a pool, the fewer new relevant documents each rank adds. This decline is fitted
    inside the pool and extrapolated below it; a fit to half of the pool says how far to trust it.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_undiscovered(qrels, runs, pooled=pooled or None, reading=how, **options)
    show([found], form)
    draw(found, plot)
