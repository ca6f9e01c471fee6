"""``poolwise demo``: a simulated collection, evaluated."""

from pathlib import Path

import click

from poolwise.cli.output import below, has_room_for_gauges, show_tables
from poolwise.cli.parameters.described import command
from poolwise.errors import MissingExtraError

__all__ = ["demo"]


@command(short_help="Make a small collection, evaluate it, write its report.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default="poolwise-demo",
    show_default=True,
    help="Write the qrels, the run files and the report into this folder.",
)
@click.option(
    "--seed", type=int, default=8, show_default=True, help="Simulate the collection from this seed."
)
def demo(output: Path, seed: int) -> None:
    """Make a small collection, evaluate it, and say what to try next.

    The collection is simulated, so that its complete judgments are known: some systems took part
    in the pool, and some came later and return documents that nobody judged.
    """
    from poolwise import workflows

    made = workflows.write_demo(output, rng=seed)
    found = workflows.evaluate(made.judgments, made.runs, ["nDCG@10"])
    tables = found.tables(gauge=has_room_for_gauges())
    show_tables(below(tables, found.sentences()), found.columns(per_topic=False), "table")
    click.echo(f"Files: {output}")
    try:
        from poolwise import views

        page = views.html_page(
            workflows.report(made.judgments, made.runs, groups=made.groups), title="Demo"
        )
        (output / "report.html").write_text(page, "utf-8")
        click.echo(f"Report: {output / 'report.html'}")
    except MissingExtraError as error:
        click.echo(f"No report: {error}")
    click.echo(f"Try: poolwise evaluate {output / 'qrels.txt'} {output / 'runs'} -m AP")
