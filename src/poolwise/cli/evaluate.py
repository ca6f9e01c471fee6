"""``poolwise evaluate``: scores, each with its two uncertainties."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import (
    format_option,
    input_options,
    measure_option,
    reading,
    topics_option,
)
from poolwise.cli.output import emit, has_room_for_gauges, progress, warn

if TYPE_CHECKING:
    from poolwise import Evaluation, Evidence, PersistenceMatch, ScoreTable

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
@click.option(
    "--residual",
    type=click.Choice(("matched",)),
    help="Add a third uncertainty: the residual of the RBP that orders the runs most like the "
    "measure (at least two runs are needed).",
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
    residual: str | None,
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
    wanted = [*measures, JUDGED]
    evidence = _align(qrels, runs, **how) if unjudged or residual else None
    with progress("scoring") as report:
        if evidence is None:
            result = pw.evaluate(qrels, runs, wanted, bounds=bounds, progress=report, **how)
        elif unjudged:
            result = _estimate(evidence, measures, unjudged)
        else:
            result = pw.score_all(evidence, wanted, bounds=bounds)
    scores = [result[name] for name in measures]
    matches, residuals = _matched(evidence if residual else None, measures)
    gauge = form in (None, "table") and has_room_for_gauges()
    tables = [
        pw.leaderboard(table, result[JUDGED], residual=beside, gauge=gauge)
        for table, beside in zip_longest(scores, residuals)
    ]
    if per_topic:
        tables += [pw.topic_scores(table) for table in scores]
    columns = pw.tidy(scores, per_topic=per_topic)
    emit(tables, pw.matched_columns(columns, matches, residuals) if residual else columns, form)
    warn([*map(str, matches), *scores[0].provenance.lines()])


def _align(qrels: str, runs: tuple[str, ...], *, topics: str, **how: Any) -> "Evidence":
    """Read everything at once, for what looks at all runs together."""
    import poolwise as pw

    return pw.align(pw.read_judgments(qrels), pw.read_runs(*runs, **how), topics=topics)


def _estimate(evidence: "Evidence", measures: tuple[str, ...], method: str) -> "Evaluation":
    import poolwise as pw

    tables = [pw.estimate(evidence, measure, method=method) for measure in measures]
    return pw.Evaluation((*tables, pw.score(evidence, JUDGED)))


def _matched(
    evidence: "Evidence | None", measures: tuple[str, ...]
) -> "tuple[list[PersistenceMatch], list[ScoreTable]]":
    """Match RBP with each measure, and return its residuals; nothing without evidence."""
    import poolwise as pw

    if evidence is None:
        return [], []
    found = [pw.match_persistence(evidence, measure) for measure in measures]
    return found, [pw.matched_residual(evidence, match) for match in found]
