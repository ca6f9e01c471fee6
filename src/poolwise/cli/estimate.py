"""``poolwise estimate``: scores by several treatments of unjudged documents, side by side."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._option_forms import file_option, number_option
from poolwise.cli._options import (
    adaptive_option,
    card_option,
    format_option,
    groups_option,
    is_given,
    labelled_options,
    machine_labels_options,
    measure_option,
    per_topic_option,
    plot_option,
    pool_depth_option,
    pooled_option,
    qrels_argument,
    reading,
    reading_options,
    runs_argument,
    same_model_option,
    seed_option,
    topics_option,
    treatments_option,
    universe_options,
)
from poolwise.cli._output import (
    draw,
    joined_columns,
    progress,
    show_tables,
    shows_tables,
    told,
)
from poolwise.cli._parameter_types import command, several_names

__all__ = ["estimate"]

_OF_SAMPLES = ("assume_random", "same_model", "width", "human", "machine")
"""Options of estimates from people's labels that are a sample."""


@command(short_help="Estimate scores of RUNS that have unjudged documents.")
@qrels_argument(required=False)
@runs_argument(required=False)
@reading_options
@measure_option
@treatments_option
@pool_depth_option
@pooled_option
@groups_option
@card_option
@click.option(
    "--common",
    multiple=True,
    metavar="TOPIC|FILE",
    help="Topics, drawn at random, on which the runs were judged for their own sake, for "
    "bias-topics: the record that next --goal common:N --save wrote, or the topics with commas "
    "between them. The option may be repeated.",
    callback=several_names,
)
@adaptive_option
@topics_option
@universe_options
@machine_labels_options
@same_model_option
@number_option(
    "--width", text="Half-width to reach: the output says how many topics people must judge for it."
)
@file_option(
    "--human",
    text="File with per-topic scores by people on some topics, with --machine, in place of QRELS "
    "and RUNS.",
)
@file_option(
    "--machine", text="File with per-topic scores by a machine on all topics, with --human."
)
@per_topic_option
@seed_option
@plot_option
@format_option
def estimate(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    treatments: tuple[str, ...] | str,
    pool_depth: int | None,
    pooled: tuple[str, ...],
    groups: str | None,
    card: str | None,
    common: tuple[str, ...],
    adaptive: bool,
    topics: str,
    per_topic: bool,
    seed: int,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS that have unjudged documents, by one treatment of these documents or several.

    Each run and treatment gets a row with the mean score, and with a range where the treatment
    gives one. With --treatment all, a note names the treatments that the measure does not allow,
    and why.

    With --labels, QRELS has labels by people on some topics or on a sample of documents, and the
    labels of a machine fill the rest: the estimates have intervals that account for both. With
    --labels and --treatment model, QRELS has the judgments of a pool, and the machine's grade is a
    feature of the relevance model; with --treatment bootstrap its labels inform the priors.
    With --human and --machine two files of scores per topic take the place of QRELS and RUNS.
    """
    from poolwise import workflows
    from poolwise.results._columns import stack_columns

    named = measures if is_given("measures") else None
    if options["human"] or options["machine"]:
        _estimate_scores(named or (), options, form)
        return
    if not qrels or not runs:
        raise click.UsageError("give QRELS and at least one of RUNS, or --human and --machine")
    if options["labels"] and not is_given("treatments"):
        _estimate_labels(qrels, runs, named, options, form)
        return
    _refuse_of_samples(options)
    labels = options.pop("labels") or None
    with progress("estimating") as report:
        estimates = workflows.estimate(
            qrels,
            runs,
            measures,
            treatments=treatments,
            topics=topics,
            depth=pool_depth,
            pooled=pooled or None,
            groups=groups,
            card=card,
            common=common or None,
            labels=labels,
            adaptive=adaptive,
            rng=seed,
            progress=report,
            reading=reading(options),
            **options,
        )
    tables = [table for part in estimates for table in told(part)]
    columns = stack_columns([part.columns(per_topic=per_topic) for part in estimates])
    # The tables say below what is left out.
    refusals = [] if shows_tables(form) else [n for part in estimates for n in part.refusals()]
    show_tables(tables, columns, form, provenance=estimates.provenance, remarks=refusals)
    draw(estimates.parts[0], plot)


def _refuse_of_samples(options: dict[str, Any]) -> None:
    """Take options out that say nothing to treatments of unjudged documents; if given, refuse."""
    for name in _OF_SAMPLES:
        if options.pop(name):
            raise click.UsageError(
                f"--{name.replace('_', '-')} goes with --labels, and without --treatment: it is "
                "about labels by people that are a sample"
            )


def _estimate_labels(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...] | None,
    options: dict[str, Any],
    form: str | None,
) -> None:
    """Print estimates that rest on people's labels on a part, and a machine's on all."""
    from poolwise import workflows

    chosen = labelled_options(options, ("assume_random", "same_model", "width", "grades"))
    estimates = workflows.estimate_with_labels(
        qrels, runs, measures, labels=options["labels"], reading=reading(options), **chosen
    )
    tables = [table for part in estimates for table in told(part)]
    # Measures may have different columns beside their estimates.
    columns = joined_columns([part.columns() for part in estimates])
    show_tables(tables, columns, form, provenance=estimates.provenance)


def _estimate_scores(measures: tuple[str, ...], options: dict[str, Any], form: str | None) -> None:
    """Print estimates from two files of scores."""
    from poolwise import workflows

    human, machine = options["human"], options["machine"]
    if not human or not machine:
        raise click.UsageError("--human and --machine go together: one file of scores for each")
    estimates = workflows.estimate_from_scores(
        human,
        machine,
        measures,
        assume_random=options["assume_random"],
        width=options["width"],
    )
    tables = told(estimates)
    show_tables(tables, estimates.columns(), form, provenance=estimates.provenance)
