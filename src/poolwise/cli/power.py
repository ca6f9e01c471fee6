"""``poolwise power``: how many topics show how large a difference."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._options import (
    alpha_option,
    format_option,
    plot_option,
    score_tables,
    scored_input,
)
from poolwise.cli._output import draw, show
from poolwise.cli._parameter_types import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.results._finding import Finding

__all__ = ["power"]


@command(short_help="Plan an experiment: topics, difference, or power.")
@scored_input
@click.option("--delta", type=float, help="Assume this true difference between mean scores.")
@click.option(
    "--sigma",
    type=float,
    help="Assume this standard deviation of the per-topic differences.",
)
@click.option("--topic-count", "size", type=float, help="Plan for this number of topics.")
@click.option(
    "--power",
    "chance",
    type=float,
    help="Ask for this probability of finding the difference significant. [default: 0.8]",
)
@alpha_option
@click.option("--one-sided", is_flag=True, help="Plan a test for one direction only.")
@plot_option
@format_option
def power(
    *,
    delta: float | None,
    sigma: float | None,
    size: float | None,
    plot: Path | None,
    form: str | None,
    **given: Any,
) -> None:
    """Plan an experiment with a paired t test: its topics, detectable difference, or power.

    Give all but one of --delta, --sigma, --topic-count and --power, and the last one is worked
    out. Or give QRELS and RUNS, or --scores, and the differences between these systems say what
    their topics can detect, and how many topics would be needed.
    """
    numbers: dict[str, Any] = {"delta": delta, "sigma": sigma, "topics": size}
    found = _plan(numbers, given)
    show(found, form)
    draw(found[0], plot)


def _plan(numbers: dict[str, Any], given: dict[str, Any]) -> "Sequence[Finding]":
    from poolwise import workflows

    alternative = "one-sided" if given["one_sided"] else "two-sided"
    how: dict[str, Any] = {
        "power": given["chance"],
        "alpha": given["alpha"],
        "alternative": alternative,
    }
    if not (given["qrels"] or given["scores"]):
        return [workflows.plan_from_numbers(**numbers, **how)]
    if any(value is not None for value in numbers.values()):
        raise click.UsageError("give files, or numbers, not both")
    return workflows.plan_from_scores(score_tables(given), **how)
