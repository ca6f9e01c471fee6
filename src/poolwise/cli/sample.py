"""``poolwise sample``: a sample of documents to judge, and its judgments."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._option_forms import file_option, number_option
from poolwise.cli._options import (
    is_given,
    labelled_options,
    of_one_machine,
    output_option,
    reading,
    reading_options,
    runs_argument,
    seed_option,
)
from poolwise.cli._output import emit, show_file
from poolwise.cli._parameter_types import MEASURES, command

if TYPE_CHECKING:
    from poolwise.collection._reading import Reading
    from poolwise.judging._sampling import DrawnSample

__all__ = ["sample"]


@command(short_help="Draw a sample of documents to judge.")
@runs_argument(required=False)
@reading_options
@click.option(
    "--design",
    metavar="DESIGN",
    default="depths:10=1,30=0.4,100=0.1",
    show_default=True,
    help="Draw by this design: strata by the best rank that a run gives a document, each with the "
    "share that is drawn (depths:10=1,30=0.4,100=0.1), or about 100 documents of each topic with "
    "chances in proportion to their summed RBP weights (rbp:100, or rbp:100,p=0.95,depth=100). "
    "With --labels the chances go by weight and machine grade; the word flat ignores the grades.",
)
@of_one_machine
@number_option(
    "--budget",
    least=1,
    text="Number of documents to draw, of all topics together, with --labels or --for-agreement.",
)
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    default="P@10",
    show_default=True,
    help="Measure that will be estimated, with --labels.",
)
@file_option(
    "--judged",
    metavar="QRELS",
    text="Judgments that are there already: with --labels, draw from the documents that they lack.",
)
@file_option(
    "--for-agreement",
    metavar="QRELS",
    text="Judgments whose documents are drawn from, for a second person, in place of RUNS.",
)
@file_option(
    "--grades-from",
    metavar="QRELS",
    text="Read the grades of the documents drawn from these judgments, and write sampled "
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

    With --labels and --budget, documents are drawn for people where a machine has labelled all, and
    `poolwise estimate` and `poolwise compare` use both. With --for-agreement, judged documents are
    drawn for a second person.
    """
    from poolwise import workflows
    from poolwise.words import have

    how = reading(options)
    drawn = _drawn(runs, design, seed, options, how)
    said = " ".join(drawn.sentences())
    if grades_from is None:
        show_file(output, workflows.to_judge_bytes(drawn))
        emit(f"{output}: {said}\n")
        return
    judgments, ungraded = workflows.sampled_judgments(drawn, grades_from, reading=how)
    plain = workflows.qrels_bytes(judgments, "")
    show_file(output, workflows.qrels_bytes(judgments, output), plain)
    left = f" {ungraded:,} of these {have(ungraded)} no grade in {grades_from}."
    emit(f"{output}: {said}{left if ungraded else ''}\n")


def _drawn(
    runs: tuple[str, ...], design: str, seed: int, options: dict[str, Any], how: "Reading"
) -> "DrawnSample":
    """Draw by the design that was asked for, with machine labels, or for agreement."""
    from poolwise import workflows

    budget = options["budget"]
    if (options["labels"] or options["for_agreement"]) and budget is None:
        raise click.UsageError("say how many documents to draw: --budget 200, for example")
    if options["for_agreement"]:
        return workflows.agreement_sample(options["for_agreement"], budget, rng=seed, reading=how)
    if not runs:
        raise click.UsageError("give at least one of RUNS")
    if not options["labels"]:
        return workflows.sample(runs, design, rng=seed, reading=how)
    if is_given("design") and design != "flat":
        raise click.UsageError("with --labels the design is that of the labels, or flat")
    return workflows.labelled_sample(
        runs,
        budget,
        labels=options["labels"],
        measure=options["measure"],
        judged=options["judged"],
        flat=design == "flat",
        rng=seed,
        reading=how,
        **labelled_options(options, ()),
    )
