"""``poolwise power``: how many topics show how large a difference."""

from dataclasses import replace
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
@click.option(
    "--against",
    type=click.Path(),
    metavar="LEDGER",
    help="Judge by the runs of this ledger, in place of QRELS and RUNS.",
)
@click.option(
    "--collection",
    default="",
    metavar="NAME",
    help="Take this collection of the ledger. [default: the only one]",
)
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
    out. Or give QRELS and RUNS, or --scores, or --against LEDGER, and the differences between these
    systems say what their topics can detect, and how many topics would be needed, also for the
    --delta that you hope for.
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
    if given["against"]:
        return _against(numbers, given, how)
    if not (given["qrels"] or given["scores"]):
        return [workflows.plan_from_numbers(**numbers, **how)]
    if any(value is not None for value in numbers.values()):
        raise click.UsageError("give files, or numbers, not both")
    return workflows.plan_from_scores(score_tables(given), **how)


def _against(
    numbers: dict[str, Any], given: dict[str, Any], how: dict[str, Any]
) -> "Sequence[Finding]":
    """Plan by the runs of a ledger; a difference that is named is asked for as well."""
    from click.core import ParameterSource

    from poolwise import workflows

    if given["qrels"] or given["scores"] or numbers["sigma"] or numbers["topics"]:
        raise click.UsageError("give --against LEDGER, or files, or numbers, not several of them")
    source = click.get_current_context().get_parameter_source("measures")
    named = () if source is ParameterSource.DEFAULT else given["measures"]
    tables = workflows.ledger(given["against"]).tables(given["collection"], named)
    found = workflows.plan_from_scores(tables, **how)
    if numbers["delta"] is None:
        return found
    plans = [
        workflows.plan_from_numbers(delta=numbers["delta"], sigma=one.sigma_median, **how)
        for one in found
    ]
    # The deviation is that of the ledger's runs, and what it rests on goes with the plan.
    return [
        replace(plan, provenance=one.provenance.with_options(**dict(plan.provenance.options)))
        for plan, one in zip(plans, found, strict=True)
    ]
