"""``poolwise evaluate``: scores, each with its two uncertainties."""

from typing import Any

import click

from poolwise.cli.options import (
    format_option,
    input_options,
    measure_option,
    reading,
    topics_option,
)
from poolwise.cli.output import emit, progress, warn

__all__ = ["evaluate"]

JUDGED = "Judged@10"


@click.command()
@input_options
@measure_option
@topics_option
@click.option("--per-topic", is_flag=True, help="One row per topic as well.")
@click.option(
    "--bounds",
    type=click.Choice(("exact", "naive", "none")),
    default="exact",
    show_default=True,
    help="The range that the unjudged documents leave: over every grading of them, or naive.",
)
@format_option
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    topics: str,
    per_topic: bool,
    bounds: str,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS against QRELS.

    For each run: the mean, its 95% interval over topics, the range that the unjudged documents
    leave, and the share of its top ten that was judged. RUNS are files, folders or globs; - reads
    standard input.
    """
    import poolwise as pw

    with progress("scoring") as report:
        result = pw.evaluate(
            qrels,
            runs,
            [*measures, JUDGED],
            topics=topics,
            bounds=bounds,
            progress=report,
            **reading(options),
        )
    scores = [result[name] for name in measures]
    on_terminal = form in (None, "table")
    tables = [pw.leaderboard(table, result[JUDGED], gauge=on_terminal) for table in scores]
    if per_topic:
        tables += [pw.topic_scores(table) for table in scores]
    emit(tables, pw.tidy(scores, per_topic=per_topic), form)
    warn(scores[0].provenance.lines())
