"""``poolwise study topics``, ``intensity``, ``distribution``: what scores look like."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._options import (
    format_option,
    plot_option,
    score_tables,
    scored_input,
    seed_option,
)
from poolwise.cli._output import draw, show
from poolwise.cli._parameter_types import Registry, command, several_names, whole_numbers_if_any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.results._finding import Finding

__all__ = ["distribution", "intensity", "references", "topics"]


@command(short_help="Show which topics order RUNS as the others do.")
@scored_input
@plot_option
@format_option
def topics(*, plot: Path | None, form: str | None, **given: Any) -> None:
    """Show for each topic how its scores correlate with those of all others together.

    The item–total correlation of a topic says how reliably it reflects the whole. Topics on which
    scores spread more weigh more in a mean; whether they also tell more is tested.
    """
    from poolwise import workflows

    found = [workflows.study_topics(table) for table in score_tables(given)]
    _deliver(found, plot, form)


@command(short_help="Show scores by shades, raw and standardized.")
@scored_input
@plot_option
@format_option
def intensity(*, plot: Path | None, form: str | None, **given: Any) -> None:
    """Show the scores of RUNS on topics by shades, raw and standardized side by side.

    Each of eleven shades has as many scores. Raw scores show easy topics as stripes; standardized
    ones show good runs. Use --plot to see them.
    """
    from poolwise import workflows

    found = [workflows.study_intensity(table) for table in score_tables(given)]
    _deliver(found, plot, form)


@command(short_help="Show how scores are distributed.")
@scored_input
@click.option(
    "--of",
    type=Registry("findings.distribution._densities:DENSITIES_OF"),
    default="scores",
    show_default=True,
    help="Draw the density of all scores, raw and standardized, or those of some systems or "
    "topics at percentiles by mean score.",
)
@click.option(
    "--run",
    "names",
    multiple=True,
    metavar="RUN",
    help="Draw the per-topic scores of this run instead. The option may be repeated, and names "
    "may be separated by commas.",
    callback=several_names,
)
@click.option(
    "--bandwidth",
    type=click.FloatRange(0, min_open=True),
    help="Give the kernels this standard deviation. [default: Silverman's rule]",
)
@click.option(
    "--bins",
    type=click.FloatRange(0, min_open=True),
    help="Count scores in bins of this width, in place of a density.",
)
@click.option(
    "--offset",
    type=float,
    default=0.0,
    show_default=True,
    help="Start a bin of the histogram at this score.",
)
@plot_option
@format_option
def distribution(
    *,
    of: str,
    names: tuple[str, ...],
    bandwidth: float | None,
    bins: float | None,
    offset: float,
    plot: Path | None,
    form: str | None,
    **given: Any,
) -> None:
    """Show how scores are distributed: kernel densities, or a histogram with --bins.

    Densities are reflected at the limits of the measure, so that scores near 0 keep their weight.
    """
    from poolwise import workflows

    found: list[Finding] = []
    for table in score_tables(given):
        if bins is None:
            found += [workflows.study_densities(table, of, runs=names, bandwidth=bandwidth)]
        else:
            found += [
                workflows.study_histogram(table, run, width=bins, offset=offset)
                for run in names or (None,)
            ]
    _deliver(found, plot, form)


@command(short_help="Say how many reference runs make standardized scores stable.")
@scored_input
@click.option(
    "--reference",
    "chosen",
    multiple=True,
    metavar="RUN",
    help="Take this run as a reference, and order the others. The option may be repeated, and "
    "names may be separated by commas. [default: all runs are both]",
    callback=several_names,
)
@click.option(
    "--sizes",
    default="",
    callback=whole_numbers_if_any,
    help="Draw these numbers of reference runs. [default: a row from 2 to 80, below their number]",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Draw this number of samples of each size.",
)
@seed_option
@plot_option
@format_option
def references(
    *,
    chosen: tuple[str, ...],
    sizes: tuple[int, ...],
    samples: int,
    seed: int,
    plot: Path | None,
    form: str | None,
    **given: Any,
) -> None:
    """Say how many reference runs give the same order by standardized scores as all of them do.

    Fewer of the reference runs are drawn at random, and the order of the runs is compared with the
    one that all reference runs give, by Kendall's tau.
    """
    from poolwise import workflows

    found = [
        workflows.study_references(table, references=chosen, sizes=sizes, samples=samples, rng=seed)
        for table in score_tables(given)
    ]
    _deliver(found, plot, form)


def _deliver(found: "Sequence[Finding]", plot: Path | None, form: str | None) -> None:
    """Print all findings, and draw the first."""
    show(found, form)
    draw(found[0], plot)
