"""What subcommands about scores take: runs and judgments, or scores that someone else computed."""

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from poolwise.cli.options import measure_option, reading, reading_options, stack, topics_option
from poolwise.cli.output import progress

if TYPE_CHECKING:
    from poolwise import Evidence, ScoreTable

__all__ = ["has_scores", "read_sources", "read_tables", "scored_input"]

scored_input = stack(
    click.argument("qrels", type=click.Path(), required=False),
    click.argument("runs", type=click.Path(), nargs=-1),
    click.option(
        "--scores",
        type=click.Path(),
        multiple=True,
        metavar="FILE",
        help="Per-topic scores in place of QRELS and RUNS: a CSV file, one row per topic and one "
        "column per system; may be repeated. -m then says what they are.",
    ),
    click.option(
        "--rows",
        type=click.Choice(("topics", "systems")),
        default="topics",
        show_default=True,
        help="What a row of the scores is.",
    ),
    measure_option,
    topics_option,
    reading_options,
)


def has_scores(given: dict[str, Any]) -> bool:
    """Tell whether score files were given; refuse both kinds of input, or half of one."""
    files = bool(given["scores"])
    if files and given["qrels"]:
        raise click.UsageError("give QRELS and RUNS, or --scores, not both")
    if not files and not given["runs"]:
        raise click.UsageError("give QRELS and at least one of RUNS, or --scores FILE")
    return files


def read_tables(given: dict[str, Any], *, bounds: str = "none") -> "list[ScoreTable]":
    """Return a score table for each measure, or for each file of scores."""
    import poolwise as pw

    if has_scores(given):
        return _read_matrices(given)
    with progress("scoring") as report:
        result = pw.evaluate(
            given["qrels"],
            given["runs"],
            given["measures"],
            topics=given["topics"],
            bounds=bounds,
            progress=report,
            **reading(given),
        )
    return [result[name] for name in given["measures"]]


def read_sources(given: dict[str, Any]) -> "list[tuple[Evidence | ScoreTable, str | None]]":
    """Return evidence with each measure, or each file of scores, which has its own measure."""
    import poolwise as pw

    if has_scores(given):
        return [(table, None) for table in _read_matrices(given)]
    with progress("reading"):
        runs = pw.read_runs(*given["runs"], **reading(given))
        evidence = pw.align(pw.read_judgments(given["qrels"]), runs, topics=given["topics"])
    return [(evidence, measure) for measure in given["measures"]]


def _read_matrices(given: dict[str, Any]) -> "list[ScoreTable]":
    import poolwise as pw

    source = click.get_current_context().get_parameter_source("measures")
    named = () if source is ParameterSource.DEFAULT else given["measures"]
    if len(named) not in (0, 1, len(given["scores"])):
        raise click.UsageError(f"{len(named)} measures for {len(given['scores'])} files of scores")
    names = (
        named * len(given["scores"]) if len(named) == 1 else named or [""] * len(given["scores"])
    )
    return [
        pw.read_score_matrix(path, measure=name, rows=given["rows"])
        for path, name in zip(given["scores"], names, strict=True)
    ]
