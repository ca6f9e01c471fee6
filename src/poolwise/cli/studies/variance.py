"""``poolwise study variance``, ``anova`` and ``dispersion``: what makes scores vary."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._options import (
    format_option,
    has_score_files,
    reading,
    score_tables,
    scored_input,
    seed_option,
)
from poolwise.cli._output import progress, show
from poolwise.cli._parameter_types import command, whole_numbers_if_any

if TYPE_CHECKING:
    from poolwise.results._finding import Finding

__all__ = ["anova", "dispersion", "variance"]


@command(short_help="Show how much scores vary by system, by topic and by both.")
@scored_input
@format_option
def variance(*, form: str | None, **given: Any) -> None:
    """Show how much of the variance of scores is due to systems, to topics and to both together.

    The components say how far a score on one topic, a difference of two scores, and a mean over
    topics tell systems apart.
    """
    from poolwise import workflows

    show([workflows.study_variance(score_tables(given))], form)


@command(short_help="Test what scores vary by: systems, topics, pool depth.")
@scored_input
@click.option(
    "--pool-depths",
    metavar="LIST",
    callback=whole_numbers_if_any,
    help="Score RUNS on pools of these depths, three or more, such as 5,10,20,50, and take the "
    "depth as a covariate.",
)
@format_option
def anova(*, pool_depths: tuple[int, ...], form: str | None, **given: Any) -> None:
    """Analyse the variance of the scores of RUNS by system and topic (ANOVA).

    Each source has its sum of squares, F and p value; what is left over is the residual. With
    --pool-depths, the depth of the pool is a covariate, with all interactions (ANCOVA).
    """
    from poolwise import workflows

    if not pool_depths:
        show([workflows.study_anova(score_tables(given))], form)
        return
    if has_score_files(given):
        raise click.UsageError("pools need QRELS and RUNS, not --scores")
    show([_covariance(pool_depths, given)], form)


def _covariance(pool_depths: tuple[int, ...], given: dict[str, Any]) -> "Finding":
    from poolwise import workflows

    files = (given["qrels"], given["runs"], given["measures"])
    how = {"topics": given["topics"], "reading": reading(given)}
    with progress("pools") as report:
        return workflows.study_ancova(*files, pool_depths=pool_depths, progress=report, **how)


@command(short_help="Test whether per-topic differences vary alike for all pairs.")
@scored_input
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=999,
    show_default=True,
    help="Draw virtual pairs of systems this number of times.",
)
@seed_option
@format_option
def dispersion(*, resamples: int, seed: int, form: str | None, **given: Any) -> None:
    """Test whether all pairs of RUNS could share one deviation of per-topic differences.

    If they do not, a number of topics that suffices for one pair need not suffice for another.
    """
    from poolwise import workflows

    tables = score_tables(given)
    show([workflows.study_dispersion(tables, resamples=resamples, rng=seed)], form)
