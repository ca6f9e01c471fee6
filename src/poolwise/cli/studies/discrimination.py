"""``poolwise study discrimination``: which pairs of runs a measure finds different."""

from typing import Any

import click

from poolwise.cli.output import show
from poolwise.cli.parameters.described import command
from poolwise.cli.parameters.options import alpha_option, format_option, seed_option
from poolwise.cli.parameters.registry import Registry
from poolwise.cli.parameters.scored_input import score_tables, scored_input

__all__ = ["discrimination"]


@command(short_help="Count the pairs of RUNS that are significantly different.")
@scored_input
@click.option(
    "--test",
    type=Registry("findings.comparison.significance:TESTS", leave_out=("pooled-t", "welch-t")),
    default="t",
    show_default=True,
    help="Test the per-topic differences for significance by this test.",
)
@alpha_option
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Take this number of resamples in a randomized test.",
)
@seed_option
@format_option
def discrimination(
    *, test: str, alpha: float, resamples: int, seed: int, form: str | None, **given: Any
) -> None:
    """Count the pairs of RUNS that each measure finds significantly different.

    The power is the share of all pairs with p below alpha, uncorrected. Each measure is compared
    with the first; a pair that both find significant in opposite directions counts as a false
    positive.
    """
    from poolwise import workflows

    found = workflows.study_discrimination(
        score_tables(given), test=test, alpha=alpha, resamples=resamples, rng=seed
    )
    show([found], form)
