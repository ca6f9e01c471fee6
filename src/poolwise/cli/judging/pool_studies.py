"""``poolwise study votes``, ``gains`` and ``verdict``: what judgments hold, and what they lack."""

from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    input_options,
    measure_option,
    pooled_option,
    reading,
    topics_option,
    universe_options,
)
from poolwise.cli._output import below, show, show_tables
from poolwise.cli._parameter_types import Registry, command, whole_numbers

__all__ = ["gains", "verdict", "votes"]

_rel_option = click.option(
    "--rel",
    type=float,
    default=1,
    show_default=True,
    help="Count documents from this grade on as relevant.",
)


@command(short_help="Show how often documents that many RUNS find are relevant.")
@input_options
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Count a document among the first ranks of a run, down to this one, as its vote.",
)
@pooled_option
@_rel_option
@click.option(
    "--bands",
    default="1,2,3,5,9,17,33",
    show_default=True,
    callback=whole_numbers,
    help="Start bands at these numbers of votes.",
)
@format_option
def votes(
    qrels: str, runs: tuple[str, ...], *, pooled: tuple[str, ...], form: str | None, **options: Any
) -> None:
    """Show how often judged documents are relevant, by the number of RUNS that retrieve them.

    Documents that one run alone found are relevant less often than those that many found; how much
    less says what leaving a run out of the pool costs.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_votes(qrels, runs, pooled=pooled or None, reading=how, **options)
    show([found], form)


@command(short_help="Fit curves of gain by rank to the judgments of each topic.")
@input_options
@topics_option
@click.option(
    "--model",
    type=Registry("evidence.unknowns._gain_models:GAIN_MODELS"),
    default="weibull",
    show_default=True,
    help="Use this curve; hybrid takes the best of the others topic by topic.",
)
@click.option(
    "--gain",
    type=Registry("measures._gains:GAINS"),
    default="binary",
    show_default=True,
    help="Turn grades into gains in this way.",
)
@_rel_option
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Say how many ranks of each run were pooled. [default: topic by topic, down to where half "
    "of the runs are judged without a gap]",
)
@format_option
def gains(qrels: str, runs: tuple[str, ...], *, form: str | None, **options: Any) -> None:
    """Fit a curve of expected gain by rank to the judged documents of each topic.

    Each topic has the parameters of its curve and the error of the fit. `poolwise estimate` gives
    unjudged documents the gain that such a curve expects at their rank.
    """
    from poolwise import workflows

    how = reading(options)
    show([workflows.study_gains(qrels, runs, reading=how, **options)], form)


@command(short_help="Say which judgments would settle the order of two RUNS.")
@input_options
@measure_option
@topics_option
@universe_options
@click.option(
    "--a",
    metavar="RUN",
    help="Compare this run with the other one. [default: the first of two RUNS]",
)
@click.option(
    "--b",
    metavar="RUN",
    help="Compare the first run with this one. [default: the second of two RUNS]",
)
@click.option(
    "--show",
    "shown",
    type=Registry("findings.comparison._verdict:VERDICT_ROWS"),
    default="pair",
    show_default=True,
    help="Show one row for the pair, or one for each unjudged document whose judgment moves the "
    "difference, the furthest first, in tsv, csv and json.",
)
@format_option
def verdict(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    shown: str,
    form: str | None,
    **options: Any,
) -> None:
    """Say whether unjudged documents could reverse the order of two RUNS, and what settles it.

    The range of the difference is over every grade that unjudged documents could have. Where it
    leaves the order open, the fewest documents are named whose judgments can settle it, for
    measures that add up gains, such as RBP, P and DCG.
    """
    from poolwise import workflows
    from poolwise.results._columns import stack_columns

    how = reading(options)
    judged, retrieved = workflows.as_collection(qrels, runs, reading=how)
    found = [workflows.study_verdict(judged, retrieved, measure, **options) for measure in measures]
    tables = [table for one in found for table in below(one.tables(), one.sentences())]
    columns = stack_columns([one.columns(rows=shown) for one in found])
    show_tables(tables, columns, form, provenance=found[0].provenance)
