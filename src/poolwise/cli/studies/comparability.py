"""``poolwise study comparability``: may scores on different topics be set side by side."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import format_option, seed_option
from poolwise.cli.output import emit_finding
from poolwise.cli.scored_input import read_tables, scored_input

if TYPE_CHECKING:
    from poolwise import ScoreTable

__all__ = ["comparability"]


@click.command(short_help="Compare scores of systems on two sets of topics.")
@scored_input
@click.option(
    "--second",
    type=click.File(),
    metavar="FILE",
    help="Topics that make up a second collection, one per line; the others are the first.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="How many random partitions of the topics are drawn.",
)
@click.option(
    "--false-negatives",
    "with_missed",
    is_flag=True,
    help="Also count how often a sure difference between two systems is missed when each is "
    "tested on its own half of the topics.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@seed_option
@format_option
def comparability(
    *,
    second: Any,
    with_missed: bool,
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
    import poolwise as pw

    tables = read_tables(given)
    wanted = second.read().split() if second else []
    forms = [(table, pw.standardize(table)) for table in tables]
    found = [
        pw.studies.repartition(*_parts(table, wanted), rng=seed, partitions=partitions, alpha=alpha)
        for pair in forms
        for table in pair
    ]
    missed = [
        pw.studies.false_negatives(pair, rng=seed, alpha=alpha) for pair in forms if with_missed
    ]
    emit_finding(pw.studies.ComparabilityStudy.of(found, missed), form)


def _parts(table: "ScoreTable", second: list[str]) -> "tuple[ScoreTable, ScoreTable | None]":
    if not second:
        return table, None
    first = [topic for topic in table.topics if topic not in second]
    return table.select(topics=first), table.select(topics=second)
