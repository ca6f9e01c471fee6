"""``poolwise study persistence``: which RBP orders runs as another measure does."""

from typing import Any

import click

from poolwise.cli.options import (
    format_option,
    input_options,
    measure_option,
    reading,
    topics_option,
    workers_option,
)
from poolwise.cli.output import emit, progress

__all__ = ["persistence"]

_BY = ("tau", "tau_b", "tau_ap_b", "spearman", "footrule", "pearson", "rbo")


@click.command(short_help="Find the RBP that orders RUNS as a measure does.")
@input_options
@measure_option
@topics_option
@click.option(
    "--by",
    type=click.Choice(_BY),
    default="tau_b",
    show_default=True,
    help="How orders of runs are compared; rbo is rank-biased overlap with p = 0.9.",
)
@click.option(
    "--gain",
    type=click.Choice(("binary", "linear", "exponential")),
    default="binary",
    show_default=True,
    help="Gain of RBP.",
)
@click.option(
    "--rows",
    type=click.Choice(("measures", "topics", "persistences")),
    default="measures",
    show_default=True,
    help="What to print: the match of each measure, of each topic, or every persistence tried.",
)
@workers_option
@format_option
def persistence(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    topics: str,
    by: str,
    gain: str,
    rows: str,
    workers: int,
    form: str | None,
    **options: Any,
) -> None:
    """Find the persistence p, of 0.500 to 0.999, whose RBP orders RUNS as each measure does.

    With it come the documents a reader of RBP would look at, and the residual: the share of the
    weight that unjudged documents hold, which measures such as AP and nDCG cannot tell by
    themselves. Then the same topic by topic, and whether p rises with the number of relevant
    documents R.
    """
    import poolwise as pw

    how: dict[str, Any] = {"by": by, "gain": gain}
    loaded = pw.read_runs(*runs, **reading(options))
    evidence = pw.align(pw.read_judgments(qrels), loaded, topics=topics)
    matches = [pw.match_persistence(evidence, measure, **how) for measure in measures]
    if rows == "persistences":
        columns = pw.stack_columns([match.columns() for match in matches])
        return emit([pw.table_of(columns)], columns, form)
    with progress("topics") as report:
        each = [
            pw.match_persistence_by_topic(
                evidence, measure, **how, workers=workers, progress=report
            )
            for measure in measures
        ]
    if rows == "topics":
        columns = pw.stack_columns([one.columns() for one in each])
        return emit([pw.table_of(columns)], columns, form)
    overall = pw.stack_columns([match.summary() for match in matches])
    by_topic = pw.stack_columns([one.summary() for one in each])
    return emit(pw.persistence_tables(matches, each), overall | by_topic, form)
