"""``poolwise report``: one page to look at."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._option_forms import several_files_option
from poolwise.cli._options import (
    beside_options,
    card_option,
    groups_option,
    input_options,
    labels_options,
    measure_option,
    output_option,
    reading,
    require_beside,
    residual_option,
    same_model_option,
    seed_option,
    texts_options,
    topics_option,
    universe_options,
)
from poolwise.cli._output import emit, progress, show_page
from poolwise.cli._parameter_types import command

__all__ = ["report"]


@command()
@input_options
@measure_option
@topics_option
@universe_options
@output_option("Write the page to this file.", default="report.html")
@click.option("--baseline", metavar="NAME", help="Compare all other runs with this one as well.")
@groups_option
@card_option
@residual_option
@texts_options
@several_files_option(
    "--labels",
    metavar="LABELS",
    text="File with labels by machines on judged documents: the page says how far they agree with "
    "QRELS and what they would change. The option may be repeated.",
)
@labels_options
@same_model_option
@beside_options
@click.option("--title", default="", help="Put this title on the page.")
@seed_option
def report(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    output: Path,
    title: str,
    seed: int,
    residual: str | None,
    **options: Any,
) -> None:
    """Write one self-contained page about RUNS judged by QRELS.

    The page says who is ahead and whether the judgments support it, which differences are
    significant, which topics decide, how treatments of unjudged documents compare, how similar the
    runs are, and whether there are enough topics; with --labels also whether labels by machines
    may stand in for the judgments, and with --beside what a run costs. It opens from disk,
    without a network.
    """
    from poolwise import views, workflows

    require_beside(options["beside"], options["more"])
    views.require_vega()  # Missing, it should be missed before the work is done.
    how = reading(options)
    options |= {} if residual is None else {"residual": residual}
    with progress("report") as done:
        overview = workflows.report(
            qrels,
            runs,
            measures,
            labels=options.pop("labels") or None,
            rng=seed,
            progress=done,
            reading=how,
            **options,
        )
        show_page(output, overview, title=title)
    emit(f"Report: {output}\n")
