"""``poolwise study inclusion`` and ``peeking``: what adding topics on the way does."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    alpha_option,
    format_option,
    plot_option,
    score_tables,
    scored_input,
    seed_option,
)
from poolwise.cli._output import draw, show
from poolwise.cli._parameter_types import command

__all__ = ["inclusion", "peeking"]


@command(short_help="Show which topics an iterative design prefers.")
@scored_input
@click.option("--a", required=True, metavar="RUN", help="Compare this run with the other one.")
@click.option("--b", required=True, metavar="RUN", help="Compare the first run with this one.")
@click.option(
    "--delta", type=float, required=True, help="Add topics until this difference is detectable."
)
@click.option(
    "--start",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    help="Start with this number of topics.",
)
@click.option(
    "--simulations",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Simulate this number of experiments.",
)
@seed_option
@plot_option
@format_option
def inclusion(
    *,
    a: str,
    b: str,
    delta: float,
    start: int,
    simulations: int,
    seed: int,
    plot: Path | None,
    form: str | None,
    **given: Any,
) -> None:
    """Show which topics an experiment prefers that adds topics until it is powerful enough.

    Topics are added in random order until a difference seems detectable. Topics that differ as
    most do keep the deviation small, so that they are in the topic set more often than others.
    """
    from poolwise import workflows

    found = workflows.study_inclusion(
        score_tables(given)[0], a, b, delta=delta, start=start, simulations=simulations, rng=seed
    )
    show([found], form)
    draw(found, plot)


@command(short_help="Show what testing after each topic would find.")
@scored_input
@click.option(
    "--start",
    type=click.IntRange(2),
    default=25,
    show_default=True,
    help="Look at significance from this number of topics on.",
)
@click.option(
    "--orders",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Add the topics in this number of random orders.",
)
@click.option(
    "--highest",
    type=float,
    default=0.1,
    show_default=True,
    help="Take the pairs of runs whose p value on all topics lies between alpha and this.",
)
@alpha_option
@seed_option
@format_option
def peeking(
    *,
    start: int,
    orders: int,
    highest: float,
    alpha: float,
    seed: int,
    form: str | None,
    **given: Any,
) -> None:
    """Show how many pairs that just miss significance testing after each topic would call so.

    The price of peeking: topics are added in random order, and significance is looked at after
    each of them; one look that finds it is enough.
    """
    from poolwise import workflows

    show(
        [
            workflows.study_peeking(
                table, start=start, orders=orders, highest=highest, alpha=alpha, rng=seed
            )
            for table in score_tables(given)
        ],
        form,
    )
