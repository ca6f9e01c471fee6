"""``poolwise study gain-models`` and ``convergence``: gain by rank, and what it predicts."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    input_options,
    plot_option,
    pooled_option,
    reading,
    topics_option,
)
from poolwise.cli._output import draw, show
from poolwise.cli._parameter_types import Registry, command, whole_numbers

__all__ = ["convergence", "gain_models"]


@command(name="gain-models", short_help="Say which curve of gain by rank fits best.")
@input_options
@topics_option
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Use the ranks down to this one to fit the models. [default: topic by topic, down to "
    "where half of the runs are judged without a gap]",
)
@click.option(
    "--topic",
    metavar="TOPIC",
    help="Draw the curves of this topic. [default: the one with the most gain]",
)
@click.option(
    "--gain",
    type=Registry("measures._gains:GAINS"),
    default="binary",
    show_default=True,
    help="Turn grades into gains in this way.",
)
@plot_option
@format_option
def gain_models(
    qrels: str, runs: tuple[str, ...], *, plot: Path | None, form: str | None, **options: Any
) -> None:
    """Say which model of gain by rank fits the judgments best, by the error of its fit.

    Every model is fitted to each topic. Paired t tests over topics compare the errors with those
    of the hybrid, which takes the best of the others on each topic. --plot draws the curves of
    one topic beside its gains.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_gain_models(qrels, runs, reading=how, **options)
    show([found], form)
    draw(found, plot)


@command(short_help="Show how the bounds of a score converge with depth.")
@input_options
@click.option("--run", required=True, metavar="RUN", help="Show the bounds of this run.")
@click.option("--topic", required=True, metavar="TOPIC", help="Show the bounds on this topic.")
@click.option(
    "--pool-depths",
    default="10,100",
    show_default=True,
    callback=whole_numbers,
    help="Take the judgments of pools of these depths, one after another.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Evaluate down to this rank.",
)
@click.option(
    "--p",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Score by RBP with this persistence.",
)
@pooled_option
@plot_option
@format_option
def convergence(
    qrels: str,
    runs: tuple[str, ...],
    *,
    pooled: tuple[str, ...],
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show how the bounds of RBP of a run on a topic converge with evaluation depth, by pool.

    The range of a shallow pool stays wide; models of gain by rank predict from that pool where the
    score will be, and the range of the deepest pool says how far off they are.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_convergence(qrels, runs, pooled=pooled or None, reading=how, **options)
    show([found], form)
    draw(found, plot)
