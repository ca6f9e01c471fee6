"""``poolwise compare``: who is better, how sure over topics, and how sure over judgments."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._options import (
    adaptive_option,
    alpha_option,
    baselines_option,
    correction_option,
    format_option,
    groups_option,
    has_score_files,
    plot_option,
    pool_depth_option,
    pooled_option,
    read_score_files,
    reading,
    resamples_option,
    scored_input,
    seed_option,
    significance_option,
    universe_options,
)
from poolwise.cli._output import below, draw, is_for_people, progress, show_tables
from poolwise.cli._parameter_types import Registry, command

if TYPE_CHECKING:
    from poolwise.findings.comparison._comparisons import Comparisons
    from poolwise.scores._by_measure import ByMeasure

__all__ = ["compare"]

_OF_SCORES = ("mean", "test", "correction", "alternative", "alpha", "interval", "resamples")
_OF_JUDGMENTS = ("draws", "prior", "universe", "universe_depth", "grades", "groups", "adaptive")


@command()
@scored_input
@universe_options
@baselines_option
@click.option(
    "--mean",
    type=Registry("scores._scoring:MEANS"),
    default="arithmetic",
    show_default=True,
    help="Compare means of the scores over topics, or geometric means, by the logarithms of the "
    "scores: a ratio then counts as much on a hard topic as on an easy one.",
)
@significance_option()
@correction_option
@click.option(
    "--alternative",
    type=Registry("findings.comparison._resampling:SIDES"),
    default="two-sided",
    show_default=True,
    help="Test whether the first run of a pair, or the run beside the baseline, differs from the "
    "other, scores more (greater), or scores less (less).",
)
@alpha_option
@click.option(
    "--interval",
    type=Registry("findings.comparison._intervals:INTERVALS"),
    help="Interval of each difference. [default: the one that belongs to the test]",
)
@click.option(
    "--draws",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="Number of draws of grades for the unjudged documents; 0 draws none.",
)
@click.option(
    "--prior",
    type=Registry("findings.comparison._over_judgments:DRAW_SOURCES"),
    default="model",
    show_default=True,
    help="Draw grades with the probabilities of a relevance model, with those seen in the pool, in "
    "the run's own judged documents, in both, or by the number of runs that retrieve a document.",
)
@pool_depth_option
@pooled_option
@groups_option
@adaptive_option
@resamples_option
@seed_option
@click.option(
    "--top",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Largest number of pairs in a table: those of the best runs.",
)
@click.option(
    "--details",
    is_flag=True,
    help="Print all columns in tsv, csv and json, not only the main ones.",
)
@plot_option
@format_option
def compare(
    *,
    top: int,
    details: bool,
    plot: Path | None,
    form: str | None,
    **given: Any,
) -> None:
    """Compare RUNS in pairs, or with a baseline.

    Each pair gets a row with the difference of the means, its confidence interval over topics, the
    p value corrected for the number of pairs, the effect size, the range in which judging the
    unjudged documents would leave the difference, whether that could reverse the order, and how
    often a significant difference is still significant in plausible draws of the judgments. The
    range says what is possible, the draws what is plausible. For a new run beside a pooled
    one the table also has a plausible range, calibrated on groups that are left out of the pool in
    turn; --pool-depth, --pooled and --groups say how the pool was made. A table shows the pairs of
    the best runs; tsv, csv and json hold all pairs.

    All pairs of 129 runs take ten seconds for a measure of the top ten, and two minutes for one
    of the top thousand.
    """
    from poolwise.results._columns import stack_columns

    found = _compare(given)
    tables = [table for one in found for table in below(one.tables(most=top), one.sentences())]
    columns = [one.columns() if details else one.main_columns() for one in found]
    reasons = [f"{one.measure}: {reason}" for one in found for reason in one.reasons()]
    remarks = () if is_for_people(form) else reasons  # tables say them below
    origin = found.provenance
    show_tables(tables, stack_columns(columns), form, provenance=origin, remarks=remarks)
    draw(found.parts[0], plot)


def _compare(given: dict[str, Any]) -> "ByMeasure[Comparisons]":
    from poolwise import workflows

    options = {name: given[name] for name in _OF_SCORES}
    options |= {"baseline": given["baseline"], "rng": given["seed"]}
    if has_score_files(given):
        return workflows.compare_tables(read_score_files(given), **options)
    # Scores of others say nothing about judgments, so that these options come only now.
    options |= {name: given[name] for name in _OF_JUDGMENTS}
    options |= {"depth": given["pool_depth"], "pooled": given["pooled"] or None}
    with progress("comparing") as report:
        return workflows.compare(
            given["qrels"],
            given["runs"],
            given["measures"],
            topics=given["topics"],
            progress=report,
            **options,
            reading=reading(given),
        )
