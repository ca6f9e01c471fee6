"""``poolwise demo``: a simulated collection, evaluated."""

from pathlib import Path

import click

from poolwise.cli.output import emit, has_room_for_gauges
from poolwise.errors import MissingExtraError

__all__ = ["demo"]


@click.command(short_help="Make a small collection, evaluate it, write its report.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default="poolwise-demo",
    show_default=True,
    help="Folder for the qrels and the run files.",
)
@click.option("--seed", type=int, default=8, show_default=True)
def demo(output: Path, seed: int) -> None:
    """Make a small collection, evaluate it, and say what to try next.

    The collection is simulated, so that its complete judgments are known: some systems took part
    in the pool, and some came later and return documents that nobody judged.
    """
    import poolwise as pw

    made = pw.simulate(systems=12, topics=50, depth=200, rng=seed)
    qrels = output / "qrels.txt"
    (output / "runs").mkdir(parents=True, exist_ok=True)
    pw.write_judgments(made.judgments, qrels)
    for system in made.runs.systems:
        pw.write_run(made.runs, system, output / "runs" / f"{system}.run")
    result = pw.evaluate(made.judgments, made.runs, ["nDCG@10", "Judged@10"])
    table = result["nDCG@10"].leaderboard(beside=[result["Judged@10"]], gauge=has_room_for_gauges())
    emit([table], pw.tidy([result["nDCG@10"]], per_topic=False), "table")
    click.echo(f"Files: {output}")
    try:
        page = pw.html_report(made.judgments, made.runs, groups=made.groups, title="Demo")
        (output / "report.html").write_text(page, "utf-8")
        click.echo(f"Report: {output / 'report.html'}")
    except MissingExtraError as error:
        click.echo(f"No report: {error}")
    click.echo(f"Try: poolwise evaluate {qrels} {output / 'runs'} -m AP")
