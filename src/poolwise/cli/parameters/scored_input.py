"""What subcommands about scores take: runs and judgments, or scores that someone else computed."""

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from poolwise.cli.output import progress
from poolwise.cli.parameters.options import (
    measure_option,
    qrels_argument,
    reading,
    reading_options,
    runs_argument,
    stack,
    topics_option,
)
from poolwise.cli.parameters.registry import Registry

if TYPE_CHECKING:
    from poolwise.scores.score_table import ScoreTable

__all__ = ["has_score_files", "read_score_files", "score_tables", "scored_input"]

scored_input = stack(
    qrels_argument(required=False),
    runs_argument(required=False),
    click.option(
        "--scores",
        type=click.Path(),
        multiple=True,
        metavar="FILE",
        help="Take per-topic scores from this file, in place of QRELS and RUNS: CSV with one row "
        "per topic and one column per system, or the output of trec_eval -q, ir_measures -q or "
        "evaluate --per-topic. The option may be repeated, and -m then names the measure of each "
        "CSV file, or the measures to take from output of others.",
    ),
    click.option(
        "--rows",
        type=Registry("scores.score_matrix:ROWS"),
        default="topics",
        show_default=True,
        help="Read each row of the file of scores as a topic, or as a system.",
    ),
    measure_option,
    topics_option,
    reading_options,
)


def has_score_files(given: dict[str, Any]) -> bool:
    """Tell whether score files were given; refuse both kinds of input, or half of one."""
    files = bool(given["scores"])
    if files and given["qrels"]:
        raise click.UsageError(
            "give QRELS and RUNS, or --scores, not both; with several files of scores, write "
            "--scores before each"
        )
    if not files and not given["runs"]:
        raise click.UsageError("give QRELS and at least one of RUNS, or --scores FILE")
    return files


def score_tables(given: dict[str, Any], *, bounds: str = "none") -> "tuple[ScoreTable, ...]":
    """Return a score table for each measure, or for each file of scores."""
    from poolwise import workflows

    if has_score_files(given):
        return read_score_files(given)
    with progress("scoring") as report:
        return workflows.score_runs(
            given["qrels"],
            given["runs"],
            given["measures"],
            topics=given["topics"],
            bounds=bounds,
            progress=report,
            reading=reading(given),
        )


def read_score_files(given: dict[str, Any]) -> "tuple[ScoreTable, ...]":
    """Read the files of scores; measures that were not asked for name nothing."""
    from poolwise import workflows

    source = click.get_current_context().get_parameter_source("measures")
    named = () if source is ParameterSource.DEFAULT else given["measures"]
    how = {"rows": given["rows"], "topics": given["topics"]}
    return workflows.read_score_files(given["scores"], named, **how)
