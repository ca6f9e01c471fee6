"""``poolwise study discrimination``: which pairs of runs are significantly different."""

from typing import Any

import click

from poolwise.cli.options import format_option
from poolwise.cli.output import emit
from poolwise.cli.scored_input import read_tables, scored_input

__all__ = ["discrimination"]


@click.command(short_help="Count the pairs of RUNS that are significantly different by a measure.")
@scored_input
@click.option(
    "--test",
    type=click.Choice(("t", "wilcoxon", "sign", "randomization", "bootstrap", "studentized")),
    default="t",
    show_default=True,
    help="The significance test on the differences of two runs over topics.",
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="The significance level."
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="How many resamples a randomized test takes.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The seed of everything drawn at random.",
)
@format_option
def discrimination(
    *, test: str, alpha: float, resamples: int, seed: int, form: str | None, **given: Any
) -> None:
    """Count the significantly different pairs of RUNS by measure, and compare with the first.

    The power is the share of all pairs with p below alpha, uncorrected; a pair that both measures
    find significant in opposite directions counts as a false positive.
    """
    import poolwise as pw

    found = pw.discriminate_all(
        read_tables(given), test=test, alpha=alpha, resamples=resamples, rng=seed
    )
    columns = found.columns()
    emit([pw.table_of(columns, notes=found.sentences())], columns, form)
