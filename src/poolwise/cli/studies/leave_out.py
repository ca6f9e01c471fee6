"""``poolwise study leave-out``: how well treatments recover scores without judgments."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    groups_option,
    input_options,
    measure_option,
    plot_option,
    reading,
    seed_option,
    treatments_option,
    workers_option,
)
from poolwise.cli._output import draw, progress, show
from poolwise.cli._parameter_types import Registry, command

__all__ = ["leave_out"]

_OF_REDUCTION = ("depth", "groups", "rates", "depths", "widths", "repeats")


@command(name="leave-out", short_help="Take judgments away, estimate, compare with the truth.")
@input_options
@measure_option
@treatments_option
@click.option(
    "--depth",
    type=int,
    default=10,
    show_default=True,
    help="Pool this number of ranks of each run.",
)
@groups_option
@click.option(
    "--rate",
    "rates",
    type=float,
    multiple=True,
    help="Keep a random share of the judgments (thinning), such as 0.5. The option may be "
    "repeated.",
)
@click.option(
    "--pool-depth",
    "depths",
    type=int,
    multiple=True,
    help="Keep the judgments of a pool of this depth. The option may be repeated.",
)
@click.option(
    "--width",
    "widths",
    type=int,
    multiple=True,
    help="Keep the judgments of a pool of this number of runs, or groups, drawn at random. The "
    "option may be repeated.",
)
@click.option(
    "--repeats",
    type=int,
    default=10,
    show_default=True,
    help="Draw this number of times at random for each --rate and each --width.",
)
@click.option(
    "--cells",
    type=Registry("studies.estimates.left_out_runs:CELLS"),
    default="all",
    show_default=True,
    help="Compare all topics of a run (all), or those with an unjudged document (incomplete).",
)
@click.option(
    "--tests",
    type=Registry("studies.estimates.error_tests:ERRORS"),
    help="Print tests between the errors of the treatments instead: paired t tests over topics, "
    "with Bonferroni's correction. The errors are those of scores (rmse), or their distances from "
    "the range that the full judgments leave (epsilon).",
)
@seed_option
@workers_option
@plot_option
@format_option
def leave_out(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    treatments: tuple[str, ...] | str,
    cells: str,
    tests: str | None,
    seed: int,
    workers: int,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Take judgments away, estimate the scores of RUNS without them, compare with the truth.

    By default each run, or with --groups each group, is left out in turn: the documents that only
    it has in its first DEPTH ranks become unjudged. With --rate, judgments are dropped at random;
    with --pool-depth or --width, they come from pools of fewer ranks or fewer runs.

    Where groups are left out, the table also says how wide the range of a mean must be to hold for
    new groups, by each treatment, and how good the probabilities of the relevance model are, which
    --plot draws.
    """
    from poolwise import workflows

    how = reading(options)
    retrieved = how.runs(runs)
    reduction = workflows.choose_reduction(
        systems=retrieved.systems, **{name: options[name] for name in _OF_REDUCTION}
    )
    with progress("reduced judgments") as report:
        found = workflows.study_leave_out(
            qrels,
            retrieved,
            measures,
            reduction=reduction,
            treatments=treatments,
            cells=cells,
            rng=seed,
            workers=workers,
            progress=report,
            reading=how,
        )
    show([found.error_tests(tests) if tests else found], form)
    draw(found, plot)
