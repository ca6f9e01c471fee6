"""``poolwise study agreement``, ``time`` and ``degradation``: how alike rankings are."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli._options import (
    format_option,
    plot_option,
    reading,
    reading_options,
    runs_argument,
    seed_option,
    workers_option,
)
from poolwise.cli._output import draw, progress, show
from poolwise.cli._parameter_types import Registry, command

__all__ = ["agreement", "degradation", "time"]

_p_option = click.option(
    "--p",
    type=float,
    default=0.9,
    show_default=True,
    help="Compute RBO with this persistence.",
)


@command(short_help="Show how alike two RUNS are to each depth.")
@runs_argument()
@click.option("--a", required=True, metavar="RUN", help="Compare this run with the other one.")
@click.option(
    "--b",
    metavar="RUN",
    help="Compare the first run with this one, depth by depth. [default: all others, by "
    "persistence]",
)
@click.option(
    "--also",
    type=Registry("findings.similarity._top_k:TOP_K"),
    multiple=True,
    help="Show this similarity of the first ranks of two runs, too. The option may be repeated.",
)
@_p_option
@reading_options
@plot_option
@format_option
def agreement(
    runs: tuple[str, ...],
    *,
    a: str,
    b: str | None,
    also: tuple[str, ...],
    p: float,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show how alike two RUNS are to each depth, or one run and all others by persistence.

    For two runs each depth has the share of ranks in common, average overlap, Kendall's tau of the
    first ranks, and rank-biased overlap with its bounds. With --a alone, RBO with every other run
    is shown at several persistences: the higher, the deeper.
    """
    from poolwise import workflows

    how = reading(options)
    found: Any
    if b is None:
        found = workflows.study_persistence_of_overlap(runs, a, reading=how)
    else:
        found = workflows.study_agreement(runs, a, b, p=p, also=also, reading=how)
    show([found], form)
    draw(found, plot)


@command(short_help="Show how far dated RUNS change over time.")
@runs_argument()
@click.option(
    "--dates",
    type=click.Path(),
    metavar="FILE",
    help="Read from this file the system and date of each run: each line has a run, its system and "
    "a date. [default: read off names such as google.2008-12-05]",
)
@click.option(
    "--ends",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Compare this number of first dates with as many of the last.",
)
@_p_option
@reading_options
@plot_option
@format_option
def time(
    runs: tuple[str, ...],
    *,
    dates: str | None,
    ends: int,
    p: float,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Show how far the rankings of systems change from one date to the next, and in all.

    Each system needs a run per date. Systems are compared with themselves on the date before, and
    with each other on the same date, by rank-biased overlap.
    """
    from poolwise import workflows

    found = workflows.study_time(runs, dates=dates, ends=ends, p=p, reading=reading(options))
    show([found], form)
    draw(found, plot)


@command(short_help="Show which similarity of rankings follows AP.")
@click.option(
    "--relevant",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Make this number of documents relevant.",
)
@click.option(
    "--length",
    type=click.IntRange(2),
    default=100,
    show_default=True,
    help="Make rankings of this number of documents.",
)
@click.option(
    "--swaps",
    type=click.IntRange(1),
    default=25,
    show_default=True,
    help="Make each ranking worse by this number of swaps.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Repeat all of it this number of times.",
)
@seed_option
@workers_option
@plot_option
@format_option
def degradation(*, seed: int, plot: Path | None, form: str | None, **options: Any) -> None:
    """Show which similarity of rankings follows AP as an ideal ranking is made worse.

    Relevant documents are swapped with others at random. After each swap, the AP of the ranking is
    set beside its similarity to the ideal one: Kendall's distance, RBO and average overlap.
    """
    from poolwise import workflows

    with progress("rankings") as report:
        found = workflows.study_degradation(rng=seed, progress=report, **options)
    show([found], form)
    draw(found, plot)
