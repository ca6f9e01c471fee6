"""``poolwise estimate``: scores by several treatments of unjudged documents, side by side."""

from typing import Any

import click

from poolwise.cli.output import below, progress, show_tables, warn
from poolwise.cli.parameters.options import (
    format_option,
    input_options,
    measure_option,
    method_option,
    per_topic_option,
    plot_option,
    pool_depth_option,
    reading,
    seed_option,
    topics_option,
)

__all__ = ["estimate"]


@click.command(short_help="Estimate scores of RUNS that have unjudged documents.")
@input_options
@measure_option
@method_option
@pool_depth_option
@topics_option
@per_topic_option
@seed_option
@plot_option
@format_option
def estimate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    methods: tuple[str, ...],
    pool_depth: int | None,
    topics: str,
    per_topic: bool,
    seed: int,
    plot: str | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS that have unjudged documents, by one treatment of these or several.

    For each run and method: the mean, and the range where the method gives one. With --method all
    every treatment that the measure allows is shown, and the others are named with the reason.
    """
    from poolwise import workflows
    from poolwise.printout.columns import stack_columns

    with progress("estimating") as report:
        found = workflows.estimate_by_measures(
            qrels,
            runs,
            measures,
            treatments="all" if "all" in methods else methods,
            topics=topics,
            depth=pool_depth,
            rng=seed,
            progress=report,
            **reading(options),
        )
    tables = [table for one in found for table in below(one.tables(), one.sentences())]
    show_tables(tables, stack_columns([one.columns(per_topic=per_topic) for one in found]), form)
    refusals = [note for one in found for note in one.refusals()]
    warn([*found[0].provenance.lines(), *refusals])
    if plot:
        from poolwise import views

        views.save_plot(found[0], plot)
