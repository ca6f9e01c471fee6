"""``poolwise study comparability``: may scores on different topics be set side by side."""

from typing import Any

import click

from poolwise.cli._options import (
    alpha_option,
    format_option,
    score_tables,
    scored_input,
    seed_option,
)
from poolwise.cli._output import show
from poolwise.cli._parameter_types import command

__all__ = ["comparability"]


@command(short_help="Compare scores of systems on two sets of topics.")
@scored_input
@click.option(
    "--second",
    type=click.Path(),
    metavar="FILE",
    help="Read from this file the topics of a second collection, one per line; the other topics "
    "are the first collection.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Draw this number of random partitions of the topics.",
)
@click.option(
    "--false-negatives",
    "missed",
    is_flag=True,
    help="Count as well how often a difference that is significant on all topics is missed when "
    "each system is tested on its own half of the topics.",
)
@alpha_option
@seed_option
@format_option
def comparability(
    *,
    second: str | None,
    missed: bool,
    partitions: int,
    alpha: float,
    seed: int,
    form: str | None,
    **given: Any,
) -> None:
    """Compare the scores of the same systems on two sets of topics, raw and standardized.

    Without --second, topics are split at random into halves. Every system that is found
    significantly different from itself is a false positive; kappa is the error between its two
    mean scores, in standard deviations of mean scores.
    """
    from poolwise import workflows

    found = workflows.study_comparability(
        score_tables(given),
        second=second or (),
        missed=missed,
        partitions=partitions,
        alpha=alpha,
        rng=seed,
    )
    show([found], form)
