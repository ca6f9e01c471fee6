"""``poolwise study curves`` and ``weights``: precision by recall, and what ranks weigh."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import format_option, input_options, plot_option, reading, topics_option
from poolwise.cli._output import draw, show
from poolwise.cli._parameter_types import MEASURES, command, several_names

__all__ = ["curves", "weights"]


@command(short_help="Show the precision of RUNS at levels of recall.")
@input_options
@topics_option
@plot_option
@format_option
def curves(
    qrels: str,
    runs: tuple[str, ...],
    *,
    topics: str,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show the interpolated precision of RUNS at eleven levels of recall.

    Recall is that of the relevant documents that are known, and so rests on the judgments.
    """
    from poolwise import workflows

    found = workflows.study_curves(qrels, runs, topics=topics, reading=reading(options))
    show([found], form)
    draw(found, plot)


@command(short_help="Show what each rank weighs in a measure.")
@click.option(
    "-m",
    "--measure",
    "measures",
    type=MEASURES,
    multiple=True,
    metavar="MEASURE",
    callback=several_names,
    help="Show the weights of this measure, such as RBP(p=0.95) or DCG. The option may be "
    "repeated. [default: RBP with p = 0.5, 0.8 and 0.95, and DCG]",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Evaluate this number of ranks.",
)
@click.option(
    "--judged",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Say how much of the weight lies past this rank.",
)
@plot_option
@format_option
def weights(
    *,
    measures: tuple[str, ...],
    depth: int,
    judged: int,
    plot: Path | None,
    form: str | None,
) -> None:
    """Show what each rank weighs in a measure, and how much of the weight lies past a depth."""
    from poolwise import workflows

    found = workflows.study_weights(measures, depth=depth, judged=judged)
    show([found], form)
    draw(found, plot)
