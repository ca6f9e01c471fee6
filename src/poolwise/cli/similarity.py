"""``poolwise similarity``: how alike runs are, whatever is relevant."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._option_forms import choice_option, number_option
from poolwise.cli._options import (
    format_option,
    per_topic_option,
    plot_option,
    reading,
    reading_options,
    runs_argument,
)
from poolwise.cli._output import below, draw, is_for_people, progress, show_tables, told
from poolwise.cli._parameter_types import command
from poolwise.cli._program import ExitCode

__all__ = ["similarity"]


@command(short_help="Compare the rankings of RUNS by rank-biased overlap.")
@runs_argument()
@number_option(
    "--p",
    default=0.9,
    text="Compute RBO with this persistence; at 0.9 the first ten ranks carry 86% of the weight.",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC",
    help="Topic to compare, in place of all. The option may be repeated.",
)
@per_topic_option
@click.option("--depth", type=int, help="Compare only this number of first ranks.")
@choice_option(
    "--tied",
    registry="findings.similarity._rbo:TIE_VARIANTS",
    default="broken",
    text="Treat tied documents as ranked in their order (broken), as sharing one rank (w), or "
    "as being in an unknown order (a, and b, by which a list agrees fully with itself).",
)
@number_option(
    "--alike", default=0.95, text="Call two runs near-duplicates if their RBO is at least this."
)
@number_option(
    "--cluster",
    default=0.5,
    text="Join runs into clusters as long as their mean RBO is at least this.",
)
@click.option(
    "--fail-under",
    type=float,
    metavar="RBO",
    help="Compare an old run with a new one, list the topics that moved most, and end with the "
    "exit code 1 if their mean RBO over topics is below this.",
)
@reading_options
@plot_option
@format_option
def similarity(
    runs: tuple[str, ...],
    *,
    per_topic: bool,
    alike: float,
    cluster: float,
    fail_under: float | None,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> int:
    """Compare the rankings of RUNS by rank-biased overlap (RBO), without judgments.

    A table lists the runs in clusters of similar ones, with the run that each is most similar to,
    and the pairs that are near-duplicates. In tsv, csv and json each pair has a row: its
    extrapolated RBO, and the smallest and largest value that RBO could have below the end of the
    lists, over the topics for which both runs have results.
    """
    from poolwise import workflows

    how = reading(options)
    if fail_under is not None:
        if plot is not None:
            raise click.UsageError("--plot draws all pairs. Hint: leave out --fail-under.")
        return _check(runs, fail_under, form, options | {"reading": how})
    overlaps: Any
    with progress("comparing") as report:
        if per_topic:
            overlaps = workflows.similarity_by_topic(runs, **options, progress=report, reading=how)
        else:
            overlaps = workflows.similarity(runs, **options, reading=how)
    limits = {"alike": alike, "cluster": cluster}
    said = overlaps.sentences(**limits)
    tables = below(overlaps.tables(**limits), said, answer=said[0])
    show_tables(tables, overlaps.columns(), form, provenance=overlaps.provenance)
    draw(overlaps, plot)
    return ExitCode.DONE


def _check(
    runs: tuple[str, ...], fail_under: float, form: str | None, options: dict[str, Any]
) -> int:
    """Print how far rankings moved, and return the exit code."""
    from poolwise import workflows

    change = workflows.check_similarity(runs, fail_under, **options)
    said = change.sentences()
    remarks = () if is_for_people(form) else said  # tables say them below
    tables = told(change)
    show_tables(tables, change.columns(), form, provenance=change.provenance, remarks=remarks)
    return ExitCode.DONE if change.passed else ExitCode.NO
