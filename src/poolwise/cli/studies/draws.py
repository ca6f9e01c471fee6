"""``poolwise study draws``: which scores unjudged documents could give one run on one topic."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import format_option, input_options, plot_option, reading, seed_option
from poolwise.cli._output import draw, show
from poolwise.cli._parameter_types import MEASURES, Registry, command

__all__ = ["draws"]


@command(short_help="Show the scores that a run could have on a topic.")
@input_options
@click.option("--run", required=True, metavar="RUN", help="Show the scores of this run.")
@click.option("--topic", required=True, metavar="TOPIC", help="Show the scores on this topic.")
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    default="nDCG@10",
    show_default=True,
    metavar="MEASURE",
    help="Score by this measure.",
)
@click.option(
    "--prior",
    type=Registry("evidence.unknowns._priors:PRIORS"),
    default="pool+run",
    show_default=True,
    help="Take the probabilities of grades from this prior.",
)
@click.option(
    "--draws",
    "count",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Draw grades this number of times.",
)
@seed_option
@plot_option
@format_option
def draws(
    qrels: str,
    runs: tuple[str, ...],
    *,
    measure: str,
    count: int,
    seed: int,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show how often each score comes out for one of RUNS on one topic.

    Its unjudged documents draw grades many times, and each draw gives a score.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_draws(
        qrels, runs, measure, draws=count, rng=seed, reading=how, **options
    )
    show([found], form)
    draw(found, plot)
