"""``poolwise similarity``: how alike runs are, whatever is relevant."""

from typing import Any

import click

from poolwise.cli.output import below, progress, show_tables
from poolwise.cli.parameters.options import (
    format_option,
    per_topic_option,
    plot_option,
    reading,
    reading_options,
)
from poolwise.cli.parameters.registry import Registry

__all__ = ["similarity"]


@click.command(short_help="Compare the rankings of RUNS by rank-biased overlap.")
@click.argument("runs", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--p",
    type=float,
    default=0.9,
    show_default=True,
    help="Persistence of RBO: at 0.9 the first ten ranks carry 86% of the weight.",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC",
    help="Compare this topic only. The option may be repeated.",
)
@per_topic_option
@click.option("--depth", type=int, help="Compare the first ranks only.")
@click.option(
    "--tied",
    type=Registry("findings.similarity.rank_agreement:TIE_VARIANTS"),
    default="broken",
    show_default=True,
    help="What tied documents mean to RBO: their order, one rank (w), or an unknown order (a, b).",
)
@click.option(
    "--alike",
    type=float,
    default=0.95,
    show_default=True,
    help="The RBO from which on two runs are near-duplicates.",
)
@click.option(
    "--cluster",
    type=float,
    default=0.5,
    show_default=True,
    help="The mean RBO down to which runs are joined to a cluster.",
)
@reading_options
@plot_option
@format_option
def similarity(
    runs: tuple[str, ...],
    *,
    per_topic: bool,
    alike: float,
    cluster: float,
    plot: str | None,
    form: str | None,
    **options: Any,
) -> None:
    """Compare the rankings of RUNS by rank-biased overlap (RBO), without judgments.

    Runs are listed in clusters of similar ones, with the run each is most like, and pairs that
    are near-duplicates. Programs get one row per pair: RBO as the lists suggest it goes on, and
    the smallest and largest value it can have, over the topics that both runs answer.
    """
    from poolwise import workflows

    how = reading(options)
    found: Any
    with progress("comparing") as report:
        if per_topic:
            found = workflows.similarity_by_topic(runs, **options, progress=report, **how)
        else:
            found = workflows.similarity(runs, **options, **how)
    limits = {"alike": alike, "cluster": cluster}
    show_tables(below(found.tables(**limits), found.sentences(**limits)), found.columns(), form)
    if plot:
        from poolwise import views

        views.save_plot(found, plot)
