"""``poolwise compare``: who is better, how sure over topics, and how sure over judgments."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import format_option
from poolwise.cli.output import emit, progress, warn
from poolwise.cli.scored_input import read_sources, scored_input

if TYPE_CHECKING:
    from poolwise import Comparisons, Evidence, ScoreTable, Table

__all__ = ["compare"]


@click.command()
@scored_input
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="NAME",
    help="Compare every other run with this one, not all pairs; may be repeated.",
)
@click.option(
    "--test",
    type=click.Choice(
        (
            "t",
            "wilcoxon",
            "sign",
            "randomization",
            "bootstrap",
            "studentized",
            "pooled-t",
            "welch-t",
        )
    ),
    default="t",
    show_default=True,
    help="The significance test on the differences of two runs over topics.",
)
@click.option(
    "--correction",
    type=click.Choice(("holm", "bonferroni", "bh", "tukey", "none")),
    default="holm",
    show_default=True,
    help="How p values are corrected for their number, measure by measure.",
)
@click.option(
    "--alternative",
    type=click.Choice(("two-sided", "greater", "less")),
    default="two-sided",
    show_default=True,
    help="What is claimed of a run against the one after it, or against the baseline.",
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="The significance level."
)
@click.option(
    "--draws",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="How many assignments of grades to the unjudged documents are drawn; 0 draws none.",
)
@click.option(
    "--prior",
    type=click.Choice(("pool", "run", "pool+run", "multiplicity")),
    default="pool+run",
    show_default=True,
    help="The prior of the drawn grades.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="How many resamples a randomized test takes.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The seed of everything drawn at random.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many pairs the table shows.",
)
@click.option("--details", is_flag=True, help="Print all columns in tsv, csv and json.")
@format_option
def compare(
    *,
    top: int,
    details: bool,
    form: str | None,
    seed: int,
    **given: Any,
) -> None:
    """Compare RUNS in pairs, or with a baseline.

    For each pair: the difference, its interval over topics, the p value corrected for the number
    of pairs, the effect size, the range that the unjudged documents leave to the difference,
    whether they could reverse the order, and how often drawn grades leave a significant difference
    significant. A table shows the pairs of the best runs; tsv, csv and json hold all pairs.

    All pairs of 129 runs take ten seconds for a measure of the top ten, and two minutes for one
    of the top thousand.
    """
    import poolwise as pw

    names = ("baselines", "test", "correction", "alternative", "alpha", "draws", "prior")
    options = {name: given[name] for name in (*names, "resamples")}
    sources = read_sources(given)
    with progress("comparing") as report:
        found = [_compared(source, measure, options, seed, report) for source, measure in sources]
    tables = [_with_sentences(result, top) for result in found]
    columns = [result.columns() if details else result.main_columns() for result in found]
    emit(tables, pw.stack_columns(columns), form)
    warn(sources[0][0].provenance.lines())
    if form not in (None, "table"):
        warn([f"{result.measure}: {reason}" for result in found for reason in result.reasons()])


def _compared(
    source: "Evidence | ScoreTable",
    measure: str | None,
    options: dict[str, Any],
    seed: int,
    report: Callable[[int, int], None] | None,
) -> "Comparisons":
    """Compare by evidence, or by scores, of which the judgments are not known."""
    import poolwise as pw

    if not isinstance(source, pw.ScoreTable):
        return pw.compare_evidence(source, measure or "", rng=seed, progress=report, **options)
    about_judgments = ("draws", "prior")
    wanted = {name: value for name, value in options.items() if name not in about_judgments}
    return pw.compare_scores(source, rng=seed, **wanted)


def _with_sentences(found: "Comparisons", top: int) -> "Table":
    (table,) = found.tables(most=top)
    return replace(table, notes=(*table.notes, *found.sentences()))
