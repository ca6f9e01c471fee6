"""``poolwise study pooling-bias``: how far scores of runs outside the pool are off."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    input_options,
    plot_option,
    reading,
    seed_option,
    workers_option,
)
from poolwise.cli._output import draw, progress, show
from poolwise.cli._parameter_types import MEASURES, command, whole_numbers

__all__ = ["pooling_bias"]


def _if_given(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    return None if value is None else whole_numbers(ctx, param, value)


@command(name="pooling-bias", short_help="Show how far scores of runs outside the pool are off.")
@input_options
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    default="tRBP(p=0.8)@10",
    show_default=True,
    metavar="MEASURE",
    help="Score by this measure.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Pool this number of ranks of each run.",
)
@click.option(
    "--widths",
    callback=_if_given,
    help="Pool these numbers of runs. [default: 2,4,10,20,40, as far as there are so many]",
)
@click.option(
    "--common",
    callback=_if_given,
    help="Judge the run on these numbers of common topics. [default: 10,20,40,100, as far as "
    "there are more]",
)
@click.option(
    "--pools",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Draw this number of pools of each width.",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Draw common topics this number of times for each pool.",
)
@click.option(
    "--test",
    "tested",
    metavar="RUN",
    multiple=True,
    help="Test this run with every pool, and pool the others. The option may be repeated. "
    "[default: another run is drawn with each pool]",
)
@seed_option
@workers_option
@plot_option
@format_option
def pooling_bias(
    qrels: str,
    runs: tuple[str, ...],
    *,
    measure: str,
    tested: tuple[str, ...],
    seed: int,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show how far the score of a run is off that is not in the pool, raw and adjusted.

    Pools of some of RUNS are drawn at random, and a run outside them is scored by their judgments,
    with unjudged documents taken as not relevant, and left out. Its score is then adjusted by what
    the pooled runs lose when they are left out, and by what the run itself gains on common topics,
    for which it is judged, too. QRELS are taken to be complete.
    """
    from poolwise import workflows

    how = reading(options)
    with progress("pools") as report:
        found = workflows.study_pooling_bias(
            qrels,
            runs,
            measure,
            tested=tested or None,
            rng=seed,
            progress=report,
            reading=how,
            **options,
        )
    show([found], form)
    draw(found, plot)
