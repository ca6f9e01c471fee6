"""``poolwise study persistence`` and ``uncertainty``: RBP by its persistence."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    input_options,
    measure_option,
    plot_option,
    reading,
    topics_option,
    workers_option,
)
from poolwise.cli._output import draw, progress, show
from poolwise.cli._parameter_types import Registry, command, shares

__all__ = ["persistence", "uncertainty"]

_gain_option = click.option(
    "--gain",
    type=Registry("measures._gains:GAINS"),
    default="binary",
    show_default=True,
    help="Turn grades into the gains of RBP in this way.",
)


@command(short_help="Find the RBP that orders RUNS as a measure does.")
@input_options
@measure_option
@topics_option
@click.option(
    "--by",
    type=Registry("studies.persistence.rbp_orders:MATCHES", leave_out=("tau_ap",)),
    default="tau_b",
    show_default=True,
    help="Compare orders of runs by this coefficient; rbo is rank-biased overlap with p = 0.9.",
)
@_gain_option
@click.option(
    "--rows",
    type=Registry("workflows.studies.choice_of_measure:PERSISTENCE_ROWS"),
    default="measures",
    show_default=True,
    help="Print the match of each measure, of each topic, or every persistence that was tried.",
)
@workers_option
@plot_option
@format_option
def persistence(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Find the persistence p, from 0.500 to 0.999, whose RBP orders RUNS as each measure does.

    With p come the number of documents that a user of RBP expects to look at, and the residual: the
    weight of the unjudged documents, which measures such as AP and nDCG do not have by themselves.
    The same is done for each topic, to see whether p rises with the number of relevant documents R.
    """
    from poolwise import workflows

    how = reading(options)
    with progress("topics") as report:
        found = workflows.study_persistence(
            qrels, runs, measures, progress=report, reading=how, **options
        )
    show([found], form)
    draw(found, plot)


@command(short_help="Show RBP and its residual by persistence.")
@input_options
@topics_option
@click.option(
    "--p",
    "persistences",
    default="0.5,0.8,0.9,0.95,0.98,0.99,0.995",
    show_default=True,
    callback=shares,
    help="Score by RBP with these persistences, with commas between them.",
)
@_gain_option
@plot_option
@format_option
def uncertainty(
    qrels: str, runs: tuple[str, ...], *, plot: Path | None, form: str | None, **options: Any
) -> None:
    """Show how large RBP and its residual are over all RUNS and topics, by persistence.

    The residual is the weight of the unjudged documents. The deeper a user looks, the larger it
    is, and the smaller is the score; --plot draws both.
    """
    from poolwise import workflows

    how = reading(options)
    found = workflows.study_uncertainty(qrels, runs, reading=how, **options)
    show([found], form)
    draw(found, plot)
