"""``poolwise study judging-order``: what orders of judging find, and whom they hurt."""

from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    groups_option,
    input_options,
    reading,
    seed_option,
    workers_option,
)
from poolwise.cli._output import progress, show
from poolwise.cli._parameter_types import MEASURES, Registry, command, several_names, whole_numbers

__all__ = ["judging_order"]


@command(name="judging-order", short_help="Replay orders of judging on complete judgments.")
@input_options
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    default="AP",
    show_default=True,
    metavar="MEASURE",
    help="Score the runs by this measure.",
)
@click.option(
    "--order",
    "--method",
    "orders",
    type=Registry("judging._next:METHODS"),
    multiple=True,
    help="Replay this order. The option may be repeated. [default: all orders]",
)
@click.option(
    "--judgments",
    "counts",
    default="100,300,500,1000",
    show_default=True,
    metavar="LIST",
    callback=whole_numbers,
    help="Look at what was found after these numbers of judgments per topic.",
)
@click.option(
    "--pooled",
    multiple=True,
    metavar="RUN",
    callback=several_names,
    help="Judge the documents of this run; all runs are scored. The option may be repeated, and "
    "names may be separated by commas. [default: all runs]",
)
@click.option(
    "--leave-out",
    "left_out",
    is_flag=True,
    help="Judge without each pooled run in turn, too, or without each group where --groups is "
    "given, and say how far the runs fall that were left out. This takes many replays.",
)
@groups_option
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Judge this number of ranks of each run in the end.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Judge this number of documents of a topic before their grades are learned.",
)
@seed_option
@workers_option
@format_option
def judging_order(qrels: str, runs: tuple[str, ...], *, form: str | None, **options: Any) -> None:
    """Replay orders of judging on QRELS, which are taken to be complete.

    The table says how many relevant documents each order finds, how many judgments it needs for
    95% of them, how well runs are ordered by what was judged until then, which share of the
    significant pairs is kept, reversed and lost, and by how many places the run falls that falls
    most: an order that hurts some run is not fair to it.
    """
    from poolwise import workflows

    how = reading(options)
    with progress("replaying") as step:
        found = workflows.study_judging_orders(qrels, runs, reading=how, progress=step, **options)
    show([found], form)
