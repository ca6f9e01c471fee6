"""``poolwise report``: one page to look at."""

from pathlib import Path
from typing import Any

import click

from poolwise.cli.options import input_options, measure_option, reading, topics_option
from poolwise.cli.output import progress

__all__ = ["report"]


@click.command()
@input_options
@measure_option
@topics_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default="report.html",
    show_default=True,
    help="The page to write.",
)
@click.option("--baseline", help="A run to compare all others with.")
@click.option("--groups", type=click.Path(), help="A file with a run and its group per line.")
@click.option("--title", default="", help="The title of the page.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the drawn grades.")
def report(
    qrels: str,
    runs: tuple[str, ...],
    *,
    measures: tuple[str, ...],
    topics: str,
    output: Path,
    baseline: str | None,
    groups: str | None,
    title: str,
    seed: int,
    **options: Any,
) -> None:
    """Write one self-contained page about RUNS judged by QRELS.

    Who is ahead, whether the judgments support it, which differences are real, which topics
    decide, how estimates compare, how alike the runs are, and whether there are topics enough.
    The page opens from disk, without a network.
    """
    import poolwise as pw

    with progress("report") as done:
        page = pw.html_report(
            pw.read_judgments(qrels),
            pw.read_runs(*runs, **reading(options)),
            measures,
            topics=topics,
            baseline=baseline,
            groups=pw.read_groups(groups) if groups else None,
            title=title,
            rng=seed,
            progress=done,
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page, encoding="utf-8")
    click.echo(f"Report: {output}")
