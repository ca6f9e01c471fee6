"""``poolwise trec_eval``: what ``trec_eval`` prints, byte for byte."""

from typing import Any

import click

__all__ = ["trec_eval"]


@click.command(name="trec_eval", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", type=click.Path())
@click.argument("run", type=click.Path())
@click.option("-q", "per_topic", is_flag=True, help="Print every topic, too.")
@click.option("-n", "no_summary", is_flag=True, help="Print no summary.")
@click.option("-m", "measures", multiple=True, metavar="MEASURE", help="As P.5,10 or all_trec.")
@click.option("-c", "complete", is_flag=True, help="Average over all judged topics.")
@click.option("-l", "level", type=float, default=1, show_default=True, help="Relevant from here.")
@click.option("-J", "judged_only", is_flag=True, help="Leave unjudged documents out.")
@click.option("-M", "depth", type=click.IntRange(1), help="Look at so many documents a topic.")
@click.option("-N", "collection_size", type=int, default=0, help="Documents in the collection.")
@click.option("-Z", "zscores", type=click.Path(), help="Print distances from these references.")
@click.option(
    "--like",
    type=click.Choice(("9", "10")),
    default="10",
    show_default=True,
    help="The version to print as; 10 without its bugs.",
)
def trec_eval(
    qrels: str,
    run: str,
    *,
    no_summary: bool,
    measures: tuple[str, ...],
    zscores: str | None,
    like: str,
    **options: Any,
) -> None:
    """Print for one RUN exactly what trec_eval prints.

    Compressed files work, and errors name the line. Where trec_eval 10 is wrong (rbp, rbp_resid,
    a run that lacks topics) the right values are printed; trec_eval 9 compares scores in single
    precision, and so does --like 9.
    """
    import poolwise as pw

    runs = pw.read_runs(run, ties="trec_eval9" if like == "9" else "trec_eval", names="tag")
    evidence = pw.align(pw.read_judgments(qrels), runs)
    wanted = pw.TrecEvalOptions(
        measures=measures or ("official",),
        summary=not no_summary,
        like=like,
        zscores=pw.read_zscores(zscores) if zscores else None,
        **options,
    )
    for line in pw.trec_eval_lines(evidence, wanted):
        click.echo(line)
