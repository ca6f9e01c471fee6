"""``poolwise evaluate``: scores, each with its two uncertainties."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import (
    format_option,
    input_options,
    measure_option,
    reading,
    topics_option,
)
from poolwise.cli.output import emit, progress, warn

if TYPE_CHECKING:
    from poolwise import Evaluation

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
@click.option(
    "--unjudged",
    metavar="METHOD",
    help="Estimate scores by a treatment of unjudged documents: condensed, bounds, "
    "bootstrap(prior='run') and others, as `poolwise estimate` has them. "
    "[default: they are not relevant, and --bounds says how far they could move the score]",
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
    unjudged: str | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS against QRELS.

    For each run: the mean, its 95% interval over topics, the range that the unjudged documents
    leave, and the share of its top ten that was judged. RUNS are files, folders or globs; - reads
    standard input.
    """
    import poolwise as pw

    how = {"topics": topics, **reading(options)}
    with progress("scoring") as report:
        if unjudged:
            result = _estimate(qrels, runs, measures, unjudged, **how)
        else:
            wanted = [*measures, JUDGED]
            result = pw.evaluate(qrels, runs, wanted, bounds=bounds, progress=report, **how)
    scores = [result[name] for name in measures]
    on_terminal = form in (None, "table")
    tables = [pw.leaderboard(table, result[JUDGED], gauge=on_terminal) for table in scores]
    if per_topic:
        tables += [pw.topic_scores(table) for table in scores]
    emit(tables, pw.tidy(scores, per_topic=per_topic), form)
    warn(scores[0].provenance.lines())


def _estimate(
    qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], method: str, **how: Any
) -> "Evaluation":
    """Score by a treatment, for which all runs must be there at once."""
    import poolwise as pw

    topics = how.pop("topics")
    evidence = pw.align(pw.read_runs(*runs, **how), pw.read_judgments(qrels), topics=topics)
    tables = [pw.estimate(evidence, measure, method=method) for measure in measures]
    return pw.Evaluation((*tables, pw.score(evidence, JUDGED)))
