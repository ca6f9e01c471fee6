"""``poolwise standardize``: scores measured from what reference runs achieve on each topic."""

from typing import Any

import click

from poolwise.cli.output import (
    below,
    has_room_for_gauges,
    is_for_people,
    show_tables,
    warn,
)
from poolwise.cli.parameters.options import format_option, per_topic_option
from poolwise.cli.parameters.registry import Registry
from poolwise.cli.parameters.scored_input import score_tables, scored_input

__all__ = ["standardize"]

_CHOSEN = ("references", "factors", "save", "smoothing", "mapping")


@click.command(short_help="Put scores as distances from reference runs.")
@scored_input
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME",
    help="Take the factors from this run. The option may be repeated. [default: all runs]",
)
@click.option(
    "--factors",
    type=click.Path(),
    metavar="FILE",
    help="Take the factors from a file that --save wrote, or from published ones (NAME.mn.csv).",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the factors that are used to this file.",
)
@click.option(
    "--smoothing",
    type=Registry("scores.standardization.factors:SMOOTHINGS"),
    default="none",
    show_default=True,
    help="What is done against outliers where reference runs are few or alike.",
)
@click.option(
    "--mapping",
    type=Registry("scores.standardization.factors:MAPPINGS"),
    default="none",
    show_default=True,
    help="Map to the range from 0 to 1 by this distribution function.",
)
@per_topic_option
@format_option
def standardize(*, per_topic: bool, form: str | None, **given: Any) -> None:
    """Put scores as distances from the mean of reference runs, in their standard deviations.

    A topic then weighs the same whether it is hard or easy, and scores on different topics can be
    set side by side. The measure AP becomes sAP.
    """
    from poolwise import workflows

    plain = score_tables(given, bounds="exact")
    found = workflows.standardize_tables(plain, **{name: given[name] for name in _CHOSEN})
    gauge = is_for_people(form) and has_room_for_gauges()
    leaderboards = zip(found.tables(gauge=gauge), found.values(), strict=True)
    tables = [t for table, scores in leaderboards for t in below([table], scores.sentences())]
    if per_topic:
        tables += [scores.topic_table() for scores in found.values()]
    show_tables(tables, found.columns(per_topic=per_topic), form)
    warn(found.provenance.lines())
