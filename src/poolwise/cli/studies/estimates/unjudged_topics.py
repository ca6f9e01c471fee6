"""``poolwise study unjudged``: estimates on topics by how much of a run is unjudged there."""

from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    input_options,
    measure_option,
    reading,
    seed_option,
    treatments_option,
)
from poolwise.cli._output import show
from poolwise.cli._parameter_types import command, shares

__all__ = ["unjudged"]


@command(short_help="Estimate scores where few or many documents are unjudged.")
@input_options
@measure_option
@treatments_option
@click.option(
    "--edges",
    default="0.25,0.5",
    show_default=True,
    callback=shares,
    help="Put topics into bands that end and begin at these shares of unjudged documents.",
)
@click.option(
    "--complete",
    type=click.Path(),
    metavar="QRELS",
    help="Compare with the scores that these judgments give, which are taken to be complete.",
)
@seed_option
@format_option
def unjudged(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    seed: int,
    form: str | None,
    **options: Any,
) -> None:
    """Estimate scores of RUNS on the topics where few, some and many documents are unjudged.

    The share is that of a run's own documents, down to the cut-off of the measure. With --complete,
    the table has the score under complete judgments, too, and says which treatment comes nearest.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_unjudged(qrels, runs, measures, rng=seed, reading=how, **options)
    show([found], form)
