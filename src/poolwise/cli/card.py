"""``poolwise card``: what a collection's original runs tell of a new one, without these runs."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._option_forms import choice_option, names_option, switch
from poolwise.cli._options import (
    adaptive_option,
    grades_option,
    groups_option,
    input_options,
    kinds_option,
    measures_option,
    output_option,
    pool_depth_option,
    pooled_option,
    reading,
    seed_option,
    shows,
    topics_option,
)
from poolwise.cli._output import emit, progress, show_file
from poolwise.cli._parameter_types import (
    InOrder,
    argument,
    command,
)

__all__ = ["card"]


@click.group(cls=InOrder, short_help="Make and show the card of a collection.")
def card() -> None:
    """Make and show the card of a collection.

    A card has what is needed of the runs that made a pool to judge a new one, without these runs:
    who makes a collection can publish it where participants' runs cannot be published. With --card
    FILE, `estimate`, `compare`, `standardize` and `report` give one new run what it would get
    beside all original runs.
    """


@command(short_help="Make the card of a collection from QRELS and its original RUNS.")
@input_options
@measures_option(
    "Prepare the card for this measure.",
    shown="nDCG@10, P@10, RBP(p=0.8), nDCG@20, P@20, RR@10, R@100, AP, RBP(p=0.95)",
)
@groups_option
@kinds_option
@pool_depth_option
@pooled_option
@adaptive_option
@topics_option
@grades_option
@names_option(
    "--reference",
    "references",
    default="all runs",
    text="Run to take the standardization factors from.",
)
@click.option(
    "--ddof",
    type=click.IntRange(0, 1),
    default=0,
    show_default=True,
    help="Divide the variance by the number of reference runs (0), or by one less (1), as "
    "published factors do.",
)
@choice_option(
    "--smoothing",
    registry="scores._standardization:SMOOTHINGS",
    default="none",
    text="Smoothing of the scores that are standardized by this card.",
)
@switch(
    "--factors-only",
    text="Leave out documents and grades, of a collection whose judgments are private. The card "
    "then serves for standardized scores and places alone.",
)
@seed_option
@output_option("Write the card to this file.")
def make(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    output: Path,
    pool_depth: int | None,
    seed: int,
    **options: Any,
) -> None:
    """Make the card of a collection from QRELS and its original RUNS.

    The card has sums over groups for each document of the first 100 ranks, the errors that the
    relevance model makes on pooled runs that are left out, standardization factors, and how the
    scores of the original runs are distributed. It has no ranking of any run.
    """
    from poolwise import workflows

    how = reading(options)
    with progress("making the card"):
        new_card = workflows.make_card(
            qrels,
            runs,
            measures or workflows.CARD_MEASURES,
            depth=pool_depth,
            rng=seed,
            reading=how,
            **options,
        )
    content = workflows.card_bytes(new_card)
    show_file(output, content)
    said = "\n".join(new_card.sentences())
    emit(f"Card: {output} ({len(content) / 1e6:.1f} MB)\n{said}\n")


@command("show", short_help="Show what a card has.")
@argument("file", metavar="FILE", type=click.Path(), help_text="File of a card.")
@shows
def show_card(file: str) -> Any:
    """Show what a card has: its measures, the scores of the original runs, and the pool."""
    from poolwise import workflows

    return workflows.read_card(file)


card.add_command(make, "make")
card.add_command(show_card, "show")
