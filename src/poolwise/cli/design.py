"""``poolwise design``: how many topics to judge, how deep, and in which steps."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from poolwise.cli._option_forms import choice_option, number_option, switch
from poolwise.cli._options import (
    alpha_option,
    format_option,
    plot_option,
    power_option,
    reading,
    score_tables,
    scored_input,
    seed_option,
)
from poolwise.cli._output import draw, show, show_tables, told
from poolwise.cli._parameter_types import command, whole_numbers

if TYPE_CHECKING:
    from poolwise.findings.planning._experiment import ExperimentDesign
    from poolwise.findings.planning._trials import TopicPlanStep

__all__ = ["design"]


@command(short_help="Plan how many topics to judge, how deep, and when to stop.")
@scored_input
@number_option(
    "--delta",
    text="Plan to detect this difference between mean scores. Where no measure is named it is one "
    "in AP, and is carried over to the depth of the plan by past pairs. [default: the median "
    "difference between a second-quartile baseline and better runs]",
)
@number_option(
    "--sigma",
    text="Assume this standard deviation of the per-topic differences, in place of past runs.",
)
@number_option(
    "--judged",
    least=0,
    text="Number of topics that are judged already, of an experiment whose --sigma this is.",
)
@switch(
    "--under-way",
    text="Treat the two RUNS as an experiment under way, and show how many more topics it needs.",
)
@power_option
@alpha_option
@number_option("--start", least=2, default=10, text="Judge this number of topics at least.")
@click.option(
    "--depths",
    default="2,5,10,20,50,100",
    show_default=True,
    callback=whole_numbers,
    help="Compare judging RUNS to these depths, where no measure is named: AP is used.",
)
@click.option(
    "--budgets",
    default="500,1000,2000,5000,10000,20000",
    show_default=True,
    callback=whole_numbers,
    help="Compare the depths for these numbers of judgments.",
)
@click.option(
    "--topic-cost",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Count each topic's start as this number of judgments.",
)
@number_option(
    "--simulations",
    least=1,
    default=2000,
    text="Simulate this number of experiments of each design.",
)
@choice_option(
    "--show",
    "shown",
    registry="findings.planning._experiment:DESIGN_ROWS",
    default="designs",
    text="Show rows for designs or for depths in tsv, csv and json; tables have both.",
)
@seed_option
@plot_option
@format_option
def design(*, shown: str, plot: Path | None, form: str | None, **options: Any) -> None:
    """Plan how many topics to judge, how deep, and in which steps.

    Past runs, or --delta and --sigma, say how much per-topic differences vary. Six designs are
    simulated: two that fix the number of topics beforehand, one with a trial, one that adds topics
    one by one, the hybrid of both that is recommended, and one that peeks at significance, which
    is not. With QRELS and RUNS and no measure named, depths of judging are compared as well.

    Once topics are judged, --under-way with the two runs, or --judged with --sigma, says whether
    the power is reached, or how many topics to judge next.
    """
    if options["under_way"] or options["judged"] is not None:
        show([_step(options)], form)
        return
    planned = _design(options)
    tables = told(planned)
    show_tables(tables, planned.columns(rows=shown), form, provenance=planned.provenance)
    draw(planned, plot)


def _step(options: dict[str, Any]) -> "TopicPlanStep":
    from poolwise import workflows

    if options["delta"] is None:
        raise click.UsageError("give --delta, the difference that the experiment is to detect")
    how = {name: options[name] for name in ("delta", "power", "alpha")}
    if options["under_way"]:
        return workflows.design_step(score_tables(options)[0], **how)
    if options["sigma"] is None:
        raise click.UsageError("give --sigma with --judged, or --under-way with two RUNS")
    return workflows.topic_plan_step(options["sigma"], judged=options["judged"], **how)


def _design(options: dict[str, Any]) -> "ExperimentDesign":
    from poolwise import workflows

    how = {name: options[name] for name in ("delta", "power", "alpha", "start", "simulations")}
    how["rng"] = options["seed"]
    if not (options["qrels"] or options["scores"]):
        if options["delta"] is None or options["sigma"] is None:
            raise click.UsageError("give QRELS and RUNS, or --scores, or --delta and --sigma")
        return workflows.design_from_numbers(sigma=options["sigma"], **how)
    if options["sigma"] is not None:
        raise click.UsageError("give files, or --sigma, not both")
    if options["scores"] or _has_measure():
        return workflows.design_from_scores(score_tables(options)[0], **how)
    more = {name: options[name] for name in ("depths", "budgets", "topic_cost", "topics")}
    return workflows.design_from_runs(
        options["qrels"], options["runs"], reading=reading(options), **more, **how
    )


def _has_measure() -> bool:
    # The default of -m is no wish: without one the plan is for AP, at the depth that costs least.
    source = click.get_current_context().get_parameter_source("measures")
    return source is not ParameterSource.DEFAULT
