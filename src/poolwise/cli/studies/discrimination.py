"""``poolwise study discrimination``: which pairs of runs a measure finds different."""

from typing import Any

import click

from poolwise.cli._options import (
    alpha_option,
    format_option,
    has_score_files,
    reading,
    resamples_option,
    score_tables,
    scored_input,
    seed_option,
    significance_option,
)
from poolwise.cli._output import show
from poolwise.cli._parameter_types import command, whole_numbers_if_any

__all__ = ["discrimination"]


@command(short_help="Count the pairs of RUNS that are significantly different.")
@scored_input
@significance_option(leave_out=("pooled-t", "welch-t"))
@click.option(
    "--pool-depths",
    default="",
    callback=whole_numbers_if_any,
    help="Test on pools of these depths, such as 5,10,50, and compare each with the deepest.",
)
@click.option(
    "--reference",
    type=click.Path(),
    metavar="QRELS",
    help="Compare with what these judgments of the same topics find.",
)
@alpha_option
@resamples_option
@seed_option
@format_option
def discrimination(
    *,
    pool_depths: tuple[int, ...],
    reference: str | None,
    test: str,
    alpha: float,
    resamples: int,
    seed: int,
    form: str | None,
    **given: Any,
) -> None:
    """Count the pairs of RUNS that each measure finds significantly different.

    The power is the share of all pairs with p below alpha, uncorrected. Each measure is compared
    with the first; a pair that both find significant in opposite directions counts as a false
    positive. With --pool-depths or --reference, each measure is compared with itself instead: on
    smaller pools with the deepest one, or with other judgments.
    """
    from poolwise import workflows

    how: dict[str, Any] = {"test": test, "alpha": alpha, "resamples": resamples, "rng": seed}
    found: Any
    if not pool_depths and reference is None:
        found = workflows.study_discrimination(score_tables(given), **how)
    elif has_score_files(given):
        raise click.UsageError("--pool-depths and --reference take QRELS and RUNS, not --scores")
    else:
        found = workflows.study_discrimination_of_pools(
            given["qrels"],
            given["runs"],
            given["measures"],
            pool_depths=pool_depths,
            reference=reference,
            reading=reading(given),
            **how,
        )
    show([found], form)
