"""``poolwise next``: which documents to judge next."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._delivery import OutputPath
from poolwise.cli._option_forms import choice_option, number_option, switch
from poolwise.cli._options import (
    format_option,
    input_options,
    ranks_option,
    reading,
    seed_option,
    texts_options,
    universe_options,
)
from poolwise.cli._output import show_documents, show_file
from poolwise.cli._parameter_types import MEASURES, RegistryOrFile, command

__all__ = ["next_documents"]


@command(name="next", short_help="List the documents to judge next.")
@input_options
@click.option(
    "--goal",
    default="relevant",
    show_default=True,
    metavar="GOAL",
    help="Judge to find relevant documents (relevant), to keep the order of all runs (order), to "
    "narrow the mean residual (residual), to make residuals even (even), to find the best run "
    "(leaders), to settle the order of two runs (pair:A,B) or of one run and all others (run:A), "
    "to settle which K runs are the best (top:K), or to judge all runs on N topics drawn at random "
    "(common:N), from which scores on the others are adjusted.",
)
@number_option(
    "--budget", least=1, default=100, text="Plan for this number of documents, all topics together."
)
@number_option(
    "--batch",
    least=1,
    text="List this number of documents now; the list is made anew once they have grades. "
    "[default: the whole budget]",
)
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    metavar="MEASURE",
    help="Judge for this measure: its cut-off, its weights by rank, and the order of runs by it. "
    "[default: nDCG@10; RBP(p=0.8) for leaders, RBP(p=0.95) for residual and even]",
)
@choice_option(
    "--order",
    "--method",
    "method",
    registry="judging._next:METHODS",
    text="Choose documents in this order. [default: blend for relevant, thompson for order, "
    "rbp-residual, rbp-even and rbp-leaders for the goals of these names, mtc for pair, run, top, "
    "and leaders by a measure whose ranks have no weights, depth for common]",
)
@number_option(
    "--depth",
    least=1,
    text="Look at this number of ranks of each run. [default: the measure's cut-off where one is "
    "given and for goals about an order and common, or 100]",
)
@number_option(
    "--rel",
    "--level",
    "rel",
    text="Count documents of at least this grade as relevant. [default: the measure's level, or 1]",
)
@universe_options
@click.option(
    "--topics",
    type=RegistryOrFile("evidence._meeting:TOPIC_RULES"),
    help="List documents of the judged topics (judged), of those for which every run has results "
    "(common), or of the topics that a file lists, one in each line. [default: all topics of the "
    "runs, judged or not]",
)
@click.option(
    "--save",
    type=OutputPath(),
    metavar="FILE",
    help="Write the common topics of the goal common:N to this file, which estimate --common "
    "reads: run, topic, depth and seed.",
)
@ranks_option
@switch("--judged-topics", text="Do the same as with --topics judged.")
@texts_options
@seed_option
@format_option
def next_documents(
    qrels: str,
    runs: tuple[str, ...],
    *,
    goal: str,
    save: Path | None,
    ranks: bool,
    form: str | None,
    **options: Any,
) -> None:
    """List the documents to judge next, in order, each with its reason.

    The list is made from RUNS and the judgments so far alone: judge some documents of it, add
    their grades to QRELS, and ask again. QRELS may be an empty file where nothing is judged yet.
    The notes say what the budget will buy, and when nothing more need be judged for the goal. A
    file is a sheet for assessors, with a column for the grades: merge takes it back, done or
    half-done.
    """
    from poolwise import workflows

    how, seed = reading(options), options.pop("seed")
    listed = workflows.next(qrels, runs, goal, rng=seed, reading=how, **options)
    if save:
        show_file(save, workflows.common_topics_file(listed))
    show_documents(listed, form, ranks=ranks)
