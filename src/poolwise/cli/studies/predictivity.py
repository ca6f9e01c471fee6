"""``poolwise study predictivity``: whether the order of systems holds on other topics."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import format_option, seed_option, workers_option
from poolwise.cli.output import emit_finding, progress
from poolwise.cli.scored_input import read_tables, scored_input

if TYPE_CHECKING:
    from poolwise import ScoreTable

__all__ = ["predictivity", "swaps"]

_top_option = click.option(
    "--top",
    type=float,
    default=1.0,
    show_default=True,
    help="Leave out systems that are not in this share of the best under any measure.",
)


@click.command(short_help="Say how well measures predict the order of RUNS.")
@scored_input
@_top_option
@click.option(
    "--partitions",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="How many times the topics are split into halves.",
)
@click.option(
    "--by",
    type=click.Choice(("tau", "tau_b")),
    default="tau_b",
    show_default=True,
    help="How two orders are compared: Kendall's tau over all pairs, or over those not tied.",
)
@seed_option
@workers_option
@format_option
def predictivity(
    *,
    top: float,
    partitions: int,
    by: str,
    seed: int,
    workers: int,
    form: str | None,
    **given: Any,
) -> None:
    """Say how well each measure predicts the order of RUNS, by itself and by the others.

    Topics are split into halves at random, over and over; the number is the mean Kendall's tau
    between the order by one measure on one half and by another on the other half.
    """
    import poolwise as pw

    tables = _top(read_tables(given), top)
    with progress("partitions") as report:
        found = pw.studies.predictivity(
            tables, rng=seed, partitions=partitions, method=by, workers=workers, progress=report
        )
    emit_finding(found, form)


@click.command(short_help="Say how often two RUNS change places.")
@scored_input
@_top_option
@click.option("--size", type=int, help="Number of topics in each set. [default: half of all]")
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="How many pairs of topic sets are drawn.",
)
@click.option(
    "--width",
    type=float,
    default=0.01,
    show_default=True,
    help="Width of the bins of differences that are counted together.",
)
@click.option(
    "--sets",
    type=click.Choice(("disjoint", "independent")),
    default="disjoint",
    show_default=True,
    help="Split the topics into two sets, or draw each set anew with replacement.",
)
@click.option("--alpha", type=float, help="Count only differences significant at this level.")
@seed_option
@workers_option
@format_option
def swaps(
    *,
    top: float,
    size: int | None,
    draws: int,
    width: float,
    sets: str,
    alpha: float | None,
    seed: int,
    workers: int,
    form: str | None,
    **given: Any,
) -> None:
    """Say how often two RUNS change places on other topics, by how far apart they are.

    Pairs are binned by their difference on one set of topics; a swap is the opposite order on
    another set.
    """
    import poolwise as pw

    found = []
    for table in _top(read_tables(given), top):
        with progress(str(table.measure)) as report:
            one = pw.studies.swap_rates(
                table,
                rng=seed,
                size=size,
                draws=draws,
                width=width,
                sets=sets,
                alpha=alpha,
                workers=workers,
                progress=report,
            )
        found.append(one)
    emit_finding(pw.studies.ByMeasure.of(found), form)


def _top(tables: "list[ScoreTable]", share: float) -> "list[ScoreTable]":
    import poolwise as pw

    kept = pw.studies.top_systems(tables, share=share)
    return [table.select(kept) for table in tables]
