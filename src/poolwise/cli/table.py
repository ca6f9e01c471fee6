"""``poolwise table``: the table of results of a paper, with significance marked."""

from typing import Any

import click

from poolwise.cli._options import (
    alpha_option,
    correction_option,
    format_option,
    has_score_files,
    resamples_option,
    score_tables,
    scored_input,
    seed_option,
    significance_option,
)
from poolwise.cli._output import show_tables
from poolwise.cli._parameter_types import Registry, command

__all__ = ["table"]

_OF_TESTS = ("baseline", "marks", "test", "correction", "alpha", "resamples")


@command(short_help="Make the table of results of a paper, for LaTeX, Markdown or HTML.")
@scored_input
@click.option("--baseline", metavar="NAME", help="Compare every other run with this one.")
@click.option(
    "--marks",
    type=Registry("findings._pair_verdicts:MARKS"),
    help="Show significance by the letters of the runs that a run is better than, by daggers for "
    "runs that are better or worse than the baseline, or not at all. [default: daggers with "
    "--baseline, letters without]",
)
@significance_option()
@correction_option
@alpha_option
@click.option(
    "--uncertainty",
    type=Registry("findings._pair_verdicts:UNCERTAINTIES"),
    default="none",
    show_default=True,
    help="Put the confidence interval over topics beside each mean, the range that the unjudged "
    "documents leave it in, or both.",
)
@click.option(
    "--digits",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Decimals of the scores.",
)
@click.option("--percent", is_flag=True, help="Show scores in percent.")
@resamples_option
@seed_option
@format_option
def table(*, uncertainty: str, digits: int, percent: bool, form: str | None, **given: Any) -> None:
    """Make the table of results of a paper: RUNS by measures, the best in bold.

    Marks behind the means say which differences are significant, with p values corrected for the
    number of pairs, as by `poolwise compare`. Use --format latex, md or html: LaTeX needs the
    package booktabs, and HTML is a plain table. The rows are in the order of RUNS.
    """
    from poolwise import views, workflows

    if uncertainty in ("judgments", "both") and has_score_files(given):
        raise click.UsageError("the range over judgments needs QRELS and RUNS, not --scores")
    how = {name: given[name] for name in _OF_TESTS}
    scores = score_tables(given, bounds="exact")
    found = workflows.table(scores, **how, rng=given["seed"])
    page = views.paper_table(found, digits=digits, percent=percent, uncertainty=uncertainty)
    show_tables([page], found.columns(), form, provenance=found.provenance)
