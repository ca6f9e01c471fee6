"""``poolwise sample``: a sample of documents to judge, and its judgments."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    output_option,
    reading,
    reading_options,
    runs_argument,
    seed_option,
)
from poolwise.cli._output import emit, show_file
from poolwise.cli._parameter_types import command

__all__ = ["sample"]


@command(short_help="Draw a sample of documents to judge.")
@runs_argument()
@reading_options
@click.option(
    "--design",
    metavar="DESIGN",
    default="depths:10=1,30=0.4,100=0.1",
    show_default=True,
    help="Draw by this design: strata by the best rank that a run gives a document, each with the "
    "share that is drawn (depths:10=1,30=0.4,100=0.1), or about 100 documents of each topic with "
    "chances in proportion to their summed RBP weights (rbp:100, or rbp:100,p=0.95,depth=100).",
)
@click.option(
    "--grades-from",
    type=click.Path(),
    metavar="QRELS",
    help="Take the grades of the documents drawn from these judgments, and write sampled "
    "judgments. [default: write the documents that have to be judged]",
)
@seed_option
@output_option("Write the sample to this file; judgments whose name ends in .gz are compressed.")
def sample(
    runs: tuple[str, ...],
    *,
    design: str,
    grades_from: str | None,
    seed: int,
    output: Path,
    **options: Any,
) -> None:
    """Draw a sample of the documents of RUNS, each with a chance that is known.

    Without --grades-from, the file lists the documents to judge with topic, stratum and
    probability. Judge them, and run the same command again with --grades-from: the same seed draws
    the same documents, and the file then holds the sampled judgments. A design with strata gives
    five columns, where what was not drawn has the grade -1; any other gives prels.
    `poolwise evaluate` scores runs by them with xinfAP, infNDCG, iP@10, statAP or HT(P@10).
    """
    from poolwise import workflows
    from poolwise.words import counted

    how = reading(options)
    drawn = workflows.sample(runs, design, rng=seed, reading=how)
    said = " ".join(drawn.sentences())
    if grades_from is None:
        show_file(output, workflows.to_judge_bytes(drawn))
        emit(f"{output}: {said}\n")
        return
    judgments, ungraded = workflows.sampled_judgments(drawn, grades_from, reading=how)
    plain = workflows.qrels_bytes(judgments, "")
    show_file(output, workflows.qrels_bytes(judgments, output), plain)
    left = f" {counted(ungraded, 'document')} of these without a grade in {grades_from}."
    emit(f"{output}: {said}{left if ungraded else ''}\n")
