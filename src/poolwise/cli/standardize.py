"""``poolwise standardize``: scores measured from what reference runs achieve on each topic."""

from typing import TYPE_CHECKING, Any

import click

from poolwise.cli.options import format_option
from poolwise.cli.output import emit, warn
from poolwise.cli.scored_input import read_tables, scored_input

if TYPE_CHECKING:
    from poolwise import ScoreTable, StandardizationFactors

__all__ = ["standardize"]


@click.command(short_help="Put scores as distances from reference runs.")
@scored_input
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME",
    help="A run that the factors come from; may be repeated. [default: all runs]",
)
@click.option(
    "--factors",
    type=click.Path(),
    metavar="FILE",
    help="Factors to use: a file that --save wrote, or published ones (NAME.mn.csv).",
)
@click.option(
    "--save", type=click.Path(dir_okay=False), metavar="FILE", help="Write the factors used here."
)
@click.option(
    "--smoothing",
    type=click.Choice(("none", "extremes", "self", "background")),
    default="none",
    show_default=True,
    help="Against outliers where reference runs are few or alike.",
)
@click.option(
    "--mapping",
    type=click.Choice(("none", "normal", "t1")),
    default="none",
    show_default=True,
    help="Map to the range from 0 to 1 by this distribution function.",
)
@click.option("--per-topic", is_flag=True, help="One row per topic as well.")
@format_option
def standardize(
    *,
    references: tuple[str, ...],
    factors: str | None,
    save: str | None,
    smoothing: str,
    mapping: str,
    per_topic: bool,
    form: str | None,
    **given: Any,
) -> None:
    """Put scores as distances from the mean of reference runs, in their standard deviations.

    A topic then weighs the same whether it is hard or easy, and scores on different topics can be
    set side by side. The measure AP becomes sAP.
    """
    import poolwise as pw

    if factors and references:
        raise click.UsageError("factors come from --factors or from --reference, not from both")
    plain = read_tables(given, bounds="exact")
    if (factors or save) and len(plain) > 1:
        raise click.UsageError(f"a file of factors is for one measure; got {len(plain)}")
    used = [_factors(table, references, factors) for table in plain]
    if save:
        pw.save_factors(used[0], save)
    tables = [
        pw.standardize(table, by, smoothing=smoothing, mapping=mapping)
        for table, by in zip(plain, used, strict=True)
    ]
    views = [table.leaderboard(gauge=form in (None, "table")) for table in tables]
    if per_topic:
        views += [table.topic_table() for table in tables]
    emit(views, pw.tidy(tables, per_topic=per_topic), form)
    warn(tables[0].provenance.lines())


def _factors(
    table: "ScoreTable", references: tuple[str, ...], path: str | None
) -> "StandardizationFactors":
    import poolwise as pw

    if path:
        return pw.load_factors(path, measure=table.measure)
    chosen = table.select(systems=references) if references else table
    return pw.StandardizationFactors.from_table(chosen)
