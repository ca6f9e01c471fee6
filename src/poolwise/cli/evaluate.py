"""``poolwise evaluate``: scores, each with its two uncertainties."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._checklist import Block, checklist_block
from poolwise.cli._options import (
    TREATMENTS,
    card_option,
    checklist_option,
    format_option,
    input_options,
    measure_option,
    plot_option,
    reading,
    residual_option,
    scores_options,
    topics_option,
    universe_options,
)
from poolwise.cli._output import draw, progress, show_scores
from poolwise.cli._parameter_types import Registry, command
from poolwise.cli._witness import end_of, show_witness

__all__ = ["evaluate"]


@command()
@input_options
@measure_option
@topics_option
@universe_options
@scores_options
@click.option(
    "--bounds",
    type=Registry("scores._scoring:BOUNDS"),
    default="exact",
    show_default=True,
    help="Range that the unjudged documents leave: over every grade they could have "
    "(exact), with the ideal ranking of the pool kept (naive), or no range (none).",
)
@click.option(
    "--treatment",
    "--unjudged",  # what it was called before
    "treatment",
    type=TREATMENTS,
    metavar="TREATMENT",
    help="Treat unjudged documents in this way, such as condensed or bootstrap(prior='run'); "
    "`poolwise estimate` compares the treatments. [default: they are not relevant, and --bounds "
    "says how far they could move the score]",
)
@card_option
@residual_option
@checklist_option
@click.option(
    "--average",
    "averages",
    type=Registry("scores._score_table:AVERAGES"),
    multiple=True,
    help="Add this average of the scores over topics beside the mean, with the range that the "
    "unjudged documents leave it in. The option may be repeated.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read the runs by blocks of topics, so that memory does not grow with the files, or read "
    "them whole; the numbers are the same. [default: by blocks from 1 GB on, where the lines of "
    "each topic stand together]",
)
@click.option(
    "--witness",
    metavar="RUN:END",
    help="Write judgments (-o FILE) under which the mean of this run is at the low or the high end "
    "of its range, such as bm25:low: whoever doubts the range scores them with another tool. "
    "This needs one measure.",
)
@plot_option
@format_option
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    details: bool,
    explain: bool,
    witness: str | None,
    checklist: bool,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS against QRELS.

    Each run gets a row with its mean by each measure, marked where judging its unjudged documents
    could move it further than another choice of topics plausibly would. With one measure, or
    --details, the row has the 95% confidence interval of the mean over topics, the range that
    judging would leave it in, and the share of its documents that are judged down to the depth of
    the measure.
    """
    from poolwise import workflows

    how = reading(options)
    if witness is not None:
        given = {"qrels": qrels, "runs": runs, "measures": measures, **options}
        show_witness(given, form, reading=how, **end_of(witness))
        return
    with progress("scoring") as report:
        found = workflows.evaluate(qrels, runs, measures, **options, progress=report, reading=how)
    asked = {"qrels": qrels, "runs": runs, "measures": measures, **options}
    block = checklist_block(asked, reading=how) if checklist else Block()
    how_much = {"per_topic": per_topic, "details": details, "explain": explain}
    show_scores(found, form, **how_much, further=block.tables, remarks=block.remarks)
    draw(found.scores[0], plot)
