"""``poolwise agree``: how far labels by people and machines agree, and what follows."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._option_forms import file_option, number_option, several_files_option
from poolwise.cli._options import (
    alpha_option,
    format_option,
    labels_options,
    per_topic_option,
    plot_option,
    reading,
    reading_options,
    same_model_option,
    seed_option,
)
from poolwise.cli._output import draw, show_tables, told
from poolwise.cli._parameter_types import (
    MEASURES,
    argument,
    command,
    grade_map,
    names_by_judge,
)

__all__ = ["agree"]


@command(short_help="Measure how far LABELS agree, and what that means for runs.")
@argument(
    "labels",
    type=click.Path(),
    nargs=-1,
    required=True,
    help_text="File with labels by people or machines: TREC qrels, CSV, JSONL, umbrela's JSONL, "
    "OpenSearch's or Quepid's ratings, plain or compressed.",
)
@file_option(
    "--against",
    metavar="QRELS",
    text="Judgments by people that the labels are compared with. [default: all sets are compared "
    "with each other]",
)
@several_files_option(
    "--runs",
    metavar="RUNS",
    text="Runs, as a file, a folder or a glob: compare what labels and judgments make of them. The "
    "option may be repeated.",
)
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    default="nDCG@10",
    show_default=True,
    help="Score the runs by this measure.",
)
@labels_options
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="SET:0=0,1=0,2=1",
    callback=grade_map,
    help="Translate the grades of a set that has another scale into these. The option may be "
    "repeated.",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME=SETS",
    callback=names_by_judge,
    help="Name a judge and its sets of labels, by prompt or version, as in llama=llama3-* for one: "
    "the output then says how far these are apart. The option may be repeated.",
)
@same_model_option
@alpha_option
@number_option(
    "--resamples",
    least=0,
    default=1000,
    text="Number of times that topics are resampled for the order of runs.",
)
@reading_options
@per_topic_option
@seed_option
@plot_option
@format_option
def agree(
    labels: tuple[str, ...],
    *,
    runs: tuple[str, ...],
    per_topic: bool,
    seed: int,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Measure how far LABELS agree, with intervals over topics, and what they change about runs.

    A table has Cohen's kappa of each set with the judgments, or of all sets with each other, and
    Krippendorff's alpha of people. With runs, further ones show how many significant differences
    are kept, lost, reversed and gained by a machine's labels, and which runs it favours.
    """
    from poolwise import workflows

    how = reading(options)
    agreement = workflows.agree(*labels, runs=runs or None, rng=seed, reading=how, **options)
    columns = agreement.columns(per_topic=per_topic)
    further = (agreement.topic_table(),) if per_topic else ()
    tables = told(agreement, (*agreement.tables(), *further))
    show_tables(tables, columns, form, provenance=agreement.provenance)
    draw(agreement, plot)
