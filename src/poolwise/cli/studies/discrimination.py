"""``poolwise study discrimination``: which pairs of runs a measure finds different."""

from typing import Any

from poolwise.cli.output import show
from poolwise.cli.parameters.described import command
from poolwise.cli.parameters.options import (
    alpha_option,
    format_option,
    resamples_option,
    seed_option,
    significance_option,
)
from poolwise.cli.parameters.scored_input import score_tables, scored_input

__all__ = ["discrimination"]


@command(short_help="Count the pairs of RUNS that are significantly different.")
@scored_input
@significance_option(leave_out=("pooled-t", "welch-t"))
@alpha_option
@resamples_option
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
