"""``poolwise estimate``: scores by several treatments of unjudged documents, side by side."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    adaptive_option,
    format_option,
    groups_option,
    input_options,
    measure_option,
    per_topic_option,
    plot_option,
    pool_depth_option,
    pooled_option,
    reading,
    seed_option,
    topics_option,
    treatments_option,
    universe_options,
)
from poolwise.cli._output import below, draw, progress, show_tables
from poolwise.cli._parameter_types import command, several_names

__all__ = ["estimate"]


@command(short_help="Estimate scores of RUNS that have unjudged documents.")
@input_options
@measure_option
@treatments_option
@pool_depth_option
@pooled_option
@groups_option
@click.option(
    "--common",
    multiple=True,
    metavar="TOPIC",
    help="Topics on which all runs were judged, for bias-topics. The option may be repeated, "
    "and topics may be separated by commas. [default: for each run, the topics on which it is "
    "judged to the depth of the pool]",
    callback=several_names,
)
@adaptive_option
@topics_option
@universe_options
@per_topic_option
@seed_option
@plot_option
@format_option
def estimate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    treatments: tuple[str, ...] | str,
    pool_depth: int | None,
    pooled: tuple[str, ...],
    groups: str | None,
    common: tuple[str, ...],
    adaptive: bool,
    topics: str,
    per_topic: bool,
    seed: int,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS that have unjudged documents, by one treatment of these documents or several.

    Each run and treatment gets a row with the mean score, and with a range where the treatment
    gives one. With --treatment all, a note names the treatments that the measure does not allow,
    and why.
    """
    from poolwise import workflows
    from poolwise.results._columns import stack_columns

    with progress("estimating") as report:
        found = workflows.estimate(
            qrels,
            runs,
            measures,
            treatments=treatments,
            topics=topics,
            depth=pool_depth,
            pooled=pooled or None,
            groups=groups,
            common=common or None,
            adaptive=adaptive,
            rng=seed,
            progress=report,
            reading=reading(options),
            **options,
        )
    tables = [table for one in found for table in below(one.tables(), one.sentences())]
    columns = stack_columns([one.columns(per_topic=per_topic) for one in found])
    refusals = [note for one in found for note in one.refusals()]
    show_tables(tables, columns, form, provenance=found.provenance, remarks=refusals)
    draw(found.parts[0], plot)
