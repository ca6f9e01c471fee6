"""``poolwise trec_eval``: what ``trec_eval`` prints, byte for byte."""

from typing import Any

import click

from poolwise.cli._option_forms import choice_option, number_option, switch
from poolwise.cli._options import lines_options
from poolwise.cli._output import show_lines
from poolwise.cli._parameter_types import TREC_EVAL_MEASURES, Registry, argument, command

__all__ = ["trec_eval"]


@command(name="trec_eval")
@argument("qrels", type=click.Path(), help_text="Relevance judgments, in a file of qrels.")
@argument("run", type=click.Path(), help_text="Run to score, in one file.")
@switch("-q", "per_topic", text="Show the scores of every topic, too.")
@switch("-n", "no_summary", text="Leave out the totals over topics.")
@click.option(
    "-m",
    "measures",
    type=TREC_EVAL_MEASURES,
    multiple=True,
    metavar="MEASURE",
    help="Measure to print, such as P.5,10, or several, such as all_trec.",
)
@switch(
    "-c", "complete", text="Average over all judged topics, where a topic without results scores 0."
)
@click.option(
    "-l",
    "rel",
    type=click.FloatRange(0),
    default=1,
    show_default=True,
    help="Count documents of this grade or a higher one as relevant.",
)
@switch("-J", "judged_only", text="Leave unjudged documents out before scoring.")
@number_option("-M", "depth", least=0, text="Evaluate only this number of documents of each topic.")
@click.option(
    "-N",
    "collection_size",
    type=int,
    default=0,
    help="Number of documents in the collection, for the measure utility.",
)
@click.option(
    "-Z",
    "references",
    type=click.Path(),
    help="Standardize scores by the means and standard deviations in this file.",
)
@click.option(
    "-R",
    "judgment_format",
    type=Registry("workflows._trec_eval:JUDGMENT_FORMATS"),
    default="qrels",
    expose_value=False,
    help="Format of the judgments.",
)
@click.option(
    "-T",
    "run_format",
    type=Registry("workflows._trec_eval:RUN_FORMATS"),
    default="trec_results",
    expose_value=False,
    help="Format of the run, as trec_eval calls it.",
)
@choice_option(
    "--like",
    registry="workflows._trec_eval:LIKE",
    default="10",
    text="Print as this version of trec_eval does; 10 is printed without its bugs.",
)
@lines_options
def trec_eval(
    qrels: str, run: str, *, no_summary: bool, measures: tuple[str, ...], **options: Any
) -> None:
    """Print for one RUN exactly what trec_eval prints.

    Compressed files work, and errors name the line. Where trec_eval 10 is wrong (rbp, rbp_resid,
    a run that lacks topics) the right values are printed; trec_eval 9 compares scores in single
    precision, and so does --like 9.
    """
    from poolwise import views, workflows

    wanted = {"measures": measures or ("official",), "summary": not no_summary, **options}
    scores = workflows.trec_eval(qrels, run, **wanted)
    show_lines(views.trec_eval_lines(scores), scores)
