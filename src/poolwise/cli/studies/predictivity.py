"""``poolwise study predictivity``, ``swaps`` and ``variants``: whether the order of runs holds."""

from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    score_tables,
    scored_input,
    seed_option,
    workers_option,
)
from poolwise.cli._output import progress, show
from poolwise.cli._parameter_types import Registry, command

__all__ = ["predictivity", "swaps", "variants"]

_top_option = click.option(
    "--top",
    type=float,
    default=1.0,
    show_default=True,
    help="Leave out systems that are not in this share of the best by any measure.",
)


@command(short_help="Say how well measures predict the order of RUNS.")
@scored_input
@_top_option
@click.option(
    "--partitions",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Split the topics into random halves this number of times.",
)
@click.option(
    "--by",
    type=Registry("studies.topics.half_splits:TAUS"),
    default="tau_b",
    show_default=True,
    help="Compare the two orders by this coefficient.",
)
@seed_option
@workers_option
@format_option
def predictivity(
    *,
    top: float,
    partitions: int,
    by: str,
    seed: int,
    workers: int,
    form: str | None,
    **given: Any,
) -> None:
    """Say how well each measure predicts the order of RUNS, by itself and by the others.

    Topics are split into random halves many times. The predictivity is the mean Kendall's tau
    between the order by one measure on one half and the order by another on the other half.
    """
    from poolwise import workflows

    tables = score_tables(given)
    with progress("partitions") as report:
        found = workflows.study_predictivity(
            tables,
            top=top,
            rng=seed,
            partitions=partitions,
            method=by,
            workers=workers,
            progress=report,
        )
    show([found], form)


@command(short_help="Say how often two RUNS swap places on other topics.")
@scored_input
@_top_option
@click.option(
    "--size", type=int, help="Put this number of topics into each set. [default: half of all]"
)
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Draw this number of pairs of topic sets.",
)
@click.option(
    "--width",
    type=float,
    default=0.01,
    show_default=True,
    help="Count differences together in bins of this width.",
)
@click.option(
    "--sets",
    type=Registry("studies.topics.topic_sets:SETS"),
    default="disjoint",
    show_default=True,
    help="Split the topics into two sets, or draw each set anew with replacement.",
)
@click.option(
    "--alpha", type=float, help="Count only differences that are significant at this level."
)
@seed_option
@workers_option
@format_option
def swaps(
    *,
    top: float,
    size: int | None,
    draws: int,
    width: float,
    sets: str,
    alpha: float | None,
    seed: int,
    workers: int,
    form: str | None,
    **given: Any,
) -> None:
    """Say how often two RUNS are in the opposite order on other topics, by their difference.

    Pairs are binned by their difference on one set of topics; a swap is the opposite order on
    another set.
    """
    from poolwise import workflows

    tables = score_tables(given)
    with progress("draws") as report:
        found = workflows.study_swaps(
            tables,
            top=top,
            rng=seed,
            size=size,
            draws=draws,
            width=width,
            sets=sets,
            alpha=alpha,
            workers=workers,
            progress=report,
        )
    show([found], form)


@command(short_help="Say how often two RUNS swap with the wording of queries.")
@scored_input
@click.option(
    "--variants",
    "file",
    type=click.Path(),
    metavar="FILE",
    help="Read query, topic and set of queries from the lines of this file. [default: the ids of "
    "queries tell topic and set, such as 401-2, 401.short or 401b]",
)
@click.option(
    "--fuzziness",
    type=float,
    default=0.05,
    show_default=True,
    help="Count means as equal that differ by no more than this share of the larger one.",
)
@format_option
def variants(*, file: str | None, fuzziness: float, form: str | None, **given: Any) -> None:
    """Say how often sets of queries for the same topics put two RUNS in opposite orders.

    Each topic has several queries, one in each set. A pair of runs is ordered by every set; the
    rate is the share of decisions that goes against what most sets say.
    """
    from poolwise import workflows

    tables = score_tables(given)
    show([workflows.study_variants(tables, variants=file, fuzziness=fuzziness)], form)
