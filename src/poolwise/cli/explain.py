"""``poolwise explain`` and ``poolwise measures``: what a measure is, and which there are."""

import click

from poolwise.cli.output import show_tables
from poolwise.cli.parameters.options import format_option

__all__ = ["explain", "measures"]


@click.command()
@click.argument("measure")
def explain(measure: str) -> None:
    """Say what MEASURE is, with every parameter in force.

    Covers its definition, what it does with unjudged documents, its source and its other names.
    """
    from poolwise import workflows

    click.echo(workflows.explain(measure))


@click.command()
@format_option
def measures(form: str | None) -> None:
    """List all measures, with an example of each name."""
    from poolwise import workflows

    found = workflows.list_measures()
    show_tables(found.tables(), found.columns(), form)
