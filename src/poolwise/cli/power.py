"""``poolwise power``: how many topics show how large a difference."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._option_forms import file_option, number_option, switch
from poolwise.cli._options import (
    alpha_option,
    format_option,
    is_given,
    plot_option,
    score_tables,
    scored_input,
)
from poolwise.cli._output import draw, is_for_people, show
from poolwise.cli._parameter_types import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.results._finding import Finding
    from poolwise.scores._score_table import ScoreTable

__all__ = ["power"]


@command(short_help="Plan an experiment: topics, difference, or power.")
@scored_input
@file_option(
    "--against",
    metavar="LEDGER",
    text="Judge by the runs of this ledger, in place of QRELS and RUNS.",
)
@click.option(
    "--collection",
    default="",
    metavar="NAME",
    help="Use this collection of the ledger. [default: the only one]",
)
@number_option("--delta", text="Assume this true difference between mean scores.")
@number_option("--sigma", text="Assume this standard deviation of the per-topic differences.")
@number_option("--topic-count", "size", text="Plan for this number of topics.")
@number_option(
    "--power",
    "chance",
    text="Ask for this probability of finding the difference significant. [default: 0.8]",
)
@alpha_option
@switch("--one-sided", text="Plan a test for one direction only.")
@switch("--details", text="Show all numbers by name, too.")
@plot_option
@format_option
def power(
    *,
    delta: float | None,
    sigma: float | None,
    size: float | None,
    details: bool,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Plan an experiment with a paired t test: its topics, detectable difference, or power.

    From all but one of --delta, --sigma, --topic-count and --power the last one is computed. With
    QRELS and RUNS, --scores or --against LEDGER, the differences between these systems say what
    their topics can detect, and how many topics would be needed, also for the --delta that you
    hope for.
    """
    numbers: dict[str, Any] = {"delta": delta, "sigma": sigma, "topics": size}
    plans = _plan(numbers, options)
    # The sentences say what the keys mean; a page or a program gets both.
    show(plans, form, keys=details or not is_for_people(form))
    draw(plans[0], plot)


def _plan(numbers: dict[str, Any], options: dict[str, Any]) -> "Sequence[Finding]":
    from poolwise import workflows

    alternative = "one-sided" if options["one_sided"] else "two-sided"
    how: dict[str, Any] = {
        "power": options["chance"],
        "alpha": options["alpha"],
        "alternative": alternative,
    }
    tables = _past_scores(options)
    if not tables:
        return [workflows.plan_from_numbers(**numbers, **how)]
    if numbers["sigma"] is not None or numbers["topics"] is not None:
        raise click.UsageError(
            "files and ledgers have a sigma and topics of their own. Hint: leave out --sigma and "
            "--topic-count, or the files"
        )
    return workflows.plan_from_scores(tables, **how, delta=numbers["delta"])


def _past_scores(options: dict[str, Any]) -> "Sequence[ScoreTable]":
    """Return the scores of past runs, of files or a ledger; none where there are but numbers."""
    from poolwise import workflows

    has_files = bool(options["qrels"] or options["scores"])
    if not options["against"]:
        return score_tables(options) if has_files else ()
    if has_files:
        raise click.UsageError("give --against LEDGER, or files, not both")
    named = options["measures"] if is_given("measures") else ()
    return workflows.ledger(options["against"]).tables(options["collection"], named)
