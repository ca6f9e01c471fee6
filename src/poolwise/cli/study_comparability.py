"""``poolwise study comparability``: may scores on different topics be set side by side."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import format_option
from poolwise.cli.output import emit
from poolwise.cli.scored_input import read_tables, scored_input

if TYPE_CHECKING:
    from poolwise import ScoreTable

__all__ = ["comparability"]


@click.command()
@scored_input
@click.option(
    "--second",
    type=click.File(),
    metavar="FILE",
    help="Topics that make up a second collection, one per line; the others are the first.",
)
@click.option("--partitions", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--seed", type=int, default=1, show_default=True)
@format_option
def comparability(
    *, second: Any, partitions: int, alpha: float, seed: int, form: str | None, **given: Any
) -> None:
    """Compare the scores of the same systems on two sets of topics, raw and standardized.

    Without --second, topics are parted at random into halves. Every system that is found
    significantly different from itself is a false positive; kappa is the error between its two
    mean scores, in standard deviations of mean scores.
    """
    import poolwise as pw

    wanted = second.read().split() if second else []
    parted = [_parts(table, wanted) for table in read_tables(given)]
    forms = [part for first, other in parted for part in ((first, other), _standard(first, other))]
    found = [
        pw.repartition(first, other, rng=seed, partitions=partitions, alpha=alpha)
        for first, other in forms
    ]
    columns = pw.comparability_columns(found)
    emit([pw.table_of(columns, notes=[str(one) for one in found])], columns, form)


def _parts(table: "ScoreTable", second: list[str]) -> "tuple[ScoreTable, ScoreTable | None]":
    if not second:
        return table, None
    first = [topic for topic in table.topics if topic not in second]
    return table.select(topics=first), table.select(topics=second)


def _standard(
    first: "ScoreTable", second: "ScoreTable | None"
) -> "tuple[ScoreTable, ScoreTable | None]":
    import poolwise as pw

    return pw.standardize(first), second and pw.standardize(second)
