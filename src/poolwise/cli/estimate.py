"""``poolwise estimate``: scores by several treatments of unjudged documents, side by side."""

from typing import Any

import click

from poolwise.cli.options import (
    format_option,
    input_options,
    measure_option,
    method_option,
    pool_depth_option,
    reading,
    seed_option,
    topics_option,
)
from poolwise.cli.output import emit, is_for_programs, progress, warn

__all__ = ["estimate"]


@click.command(short_help="Estimate scores of RUNS that have unjudged documents.")
@input_options
@measure_option
@method_option
@pool_depth_option
@topics_option
@click.option("--per-topic", is_flag=True, help="One row per topic as well (not in tables).")
@seed_option
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
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS that have unjudged documents, by one treatment of these or several.

    For each run and method: the mean, and the range where the method gives one. With --method all
    every treatment that the measure allows is shown, and the others are named with the reason.
    """
    import poolwise as pw

    chosen = "all" if "all" in methods else methods
    judgments = pw.read_judgments(qrels)
    evidence = pw.align(judgments, pw.read_runs(*runs, **reading(options)), topics=topics)
    found = []
    with progress("estimating") as report:
        for measure in measures:
            found.append(
                pw.estimate_all(evidence, measure, methods=chosen, depth=pool_depth, rng=seed)
            )
            if report:
                report(len(found), len(measures))
    parts = [part.columns(per_topic=per_topic) for part in found]
    columns = {name: [cell for part in parts for cell in part[name]] for name in parts[0]}
    emit([pw.estimate_table(part) for part in found], columns, form)
    if is_for_programs(form):
        warn([note for part in found for note in pw.refusal_notes(part.refused)])
    warn(evidence.provenance.lines())
