"""``poolwise study orders``: which measure orders systems most like a reference."""

from typing import Any

import click

from poolwise.cli._options import format_option, score_tables, scored_input, seed_option
from poolwise.cli._output import show
from poolwise.cli._parameter_types import Registry, command

__all__ = ["orders"]


@command(short_help="Say which measure orders RUNS most like a reference.")
@scored_input
@click.option(
    "--by",
    type=Registry("findings.agreement._rank_correlation:CORRELATIONS"),
    default="tau",
    show_default=True,
    help="Compare the orders by this coefficient.",
)
@click.option(
    "--resamples",
    type=click.IntRange(2),
    default=1000,
    show_default=True,
    help="Draw topics anew this number of times.",
)
@seed_option
@format_option
def orders(*, by: str, resamples: int, seed: int, form: str | None, **given: Any) -> None:
    """Say which measure orders RUNS most like the first one named, and how sure that is.

    The first measure is the reference. Every other one has the correlation of its order with that
    of the reference, its interval over topics, and how far it is behind the nearest measure, with
    p values over topics and, for Kendall's tau, over systems. Carterette's d_rank is the distance
    of its order from the scores of the reference, in standard errors over topics; its p value says
    how often the reference itself orders runs as far from these scores on topics drawn anew.
    """
    from poolwise import workflows

    found = workflows.study_orders(score_tables(given), method=by, resamples=resamples, rng=seed)
    show([found], form)
