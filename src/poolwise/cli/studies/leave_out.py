"""``poolwise study leave-out``: how well treatments recover scores without judgments."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import (
    format_option,
    groups_option,
    input_options,
    measure_option,
    method_option,
    reading,
    seed_option,
    workers_option,
)
from poolwise.cli.output import emit_finding, is_for_programs, progress, warn

if TYPE_CHECKING:
    from poolwise import studies

__all__ = ["leave_out"]


@click.command(
    name="leave-out", short_help="Take judgments away, estimate, compare with the truth."
)
@input_options
@measure_option
@method_option
@click.option("--depth", type=int, default=10, show_default=True, help="The depth of the pool.")
@groups_option
@click.option(
    "--rate",
    "rates",
    type=float,
    multiple=True,
    help="Keep a random share of the judgments, such as 0.5; may be repeated.",
)
@click.option(
    "--pool-depth",
    "depths",
    type=int,
    multiple=True,
    help="Keep the judgments of a pool of this depth; may be repeated.",
)
@click.option(
    "--width",
    "widths",
    type=int,
    multiple=True,
    help="Keep the judgments of a pool of so many runs, or groups, drawn at random; may be "
    "repeated.",
)
@click.option(
    "--repeats",
    type=int,
    default=10,
    show_default=True,
    help="How many times --rate and --width draw at random.",
)
@click.option(
    "--cells",
    type=click.Choice(("all", "incomplete")),
    default="all",
    show_default=True,
    help="Compare all topics of a run, or those with an unjudged document.",
)
@seed_option
@workers_option
@format_option
def leave_out(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    methods: tuple[str, ...],
    cells: str,
    seed: int,
    workers: int,
    form: str | None,
    **options: Any,
) -> None:
    """Take judgments away, estimate the scores of RUNS without them, compare with the truth.

    By default each run, or with --groups each group, is left out in turn: what only it has in its
    first DEPTH ranks becomes unjudged. With --rate, --pool-depth or --width judgments are thinned
    at random, or come from shallower or narrower pools.
    """
    import poolwise as pw

    judgments = pw.read_judgments(qrels)
    loaded = pw.read_runs(*runs, **reading(options))
    with progress("reduced judgments") as report:
        found = pw.studies.leave_out(
            judgments,
            loaded,
            measures,
            reduction=_reduction(**options),
            treatments="all" if "all" in methods else methods,
            cells=cells,
            rng=seed,
            workers=workers,
            progress=report,
        )
    emit_finding(found, form)
    if is_for_programs(form):
        reasons = [pw.refusal_notes(found.refused_for(measure)) for measure in found.measures]
        warn([note for notes in reasons for note in notes])


def _reduction(
    *,
    depth: int,
    groups: str | None,
    rates: tuple[float, ...],
    depths: tuple[int, ...],
    widths: tuple[int, ...],
    repeats: int,
) -> "studies.JudgmentReduction":
    """Return which judgments to take away."""
    import poolwise as pw

    if sum(map(bool, (rates, depths, widths))) > 1:
        raise click.UsageError("--rate, --pool-depth and --width exclude each other.")
    by_group = pw.read_groups(groups) if groups else None
    if rates:
        return pw.studies.Thinning(rates, repeats=repeats)
    if depths:
        return pw.studies.DepthPools(depths)
    if widths:
        return pw.studies.WidthSamples(widths, depth=depth, repeats=repeats, groups=by_group)
    return pw.studies.LeaveOut(depth, groups=by_group)
