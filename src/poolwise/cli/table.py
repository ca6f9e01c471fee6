"""``poolwise table``: the table of results of a paper, with significance marked."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._option_forms import choice_option, number_option, switch
from poolwise.cli._options import (
    alpha_option,
    correction_option,
    draws_option,
    format_option,
    has_score_files,
    read_score_files,
    reading,
    resamples_option,
    residual_option,
    scored_input,
    seed_option,
    significance_option,
    universe_options,
)
from poolwise.cli._output import is_for_people, show_tables
from poolwise.cli._parameter_types import command

if TYPE_CHECKING:
    from poolwise.findings._marked_results import MarkedResults

__all__ = ["table"]

_OF_TESTS = ("baseline", "marks", "test", "correction", "alpha", "resamples")
_OF_JUDGMENTS = ("topics", "draws", "universe", "universe_depth", "grades", "residual")
_OF_LAYOUT = ("digits", "percent", "uncertainty", "caption")


@command(short_help="Make the table of a paper, for LaTeX, Markdown or HTML.")
@scored_input
@universe_options
@click.option("--baseline", metavar="NAME", help="Compare every other run with this one.")
@choice_option(
    "--marks",
    registry="findings._marked_results:MARKS",
    text="Show significance by the letters of the runs that a run is better than, by daggers for "
    "runs that are better or worse than the baseline, or not at all. [default: daggers with "
    "--baseline, letters without]",
)
@significance_option()
@correction_option
@alpha_option
@choice_option(
    "--uncertainty",
    registry="findings._marked_results:UNCERTAINTIES",
    text="Put the range that the unjudged documents leave it in beside each mean, the confidence "
    "interval over topics, both, or nothing. [default: judgments, and none with --scores]",
)
@choice_option(
    "--sort",
    registry="views._paper_table:ROW_ORDERS",
    default="score",
    text="Order of the rows: by the mean of the first measure, by name, or as given.",
)
@number_option("--top", least=1, text="Keep this number of rows, the first ones.")
@click.option(
    "--rename",
    multiple=True,
    metavar="RUN=NAME",
    help="Call a run by another name in the table. The option may be repeated.",
)
@click.option(
    "--caption",
    default="",
    help="Begin the caption with this; the share of judged documents is added.",
)
@click.option(
    "--latex-label",
    default="",
    metavar="LABEL",
    help="Set this label, by which LaTeX refers to the table.",
)
@draws_option
@number_option("--digits", least=0, default=3, text="Decimals of the scores.")
@switch("--percent", text="Show scores in percent.")
@residual_option
@resamples_option
@seed_option
@format_option
def table(*, form: str | None, **options: Any) -> None:
    """Make the table of results of a paper: RUNS by measures, the best in bold.

    A mark behind a mean says that the run is better than another: the difference is significant,
    with p values corrected for the number of pairs, and judging does not undo it. A significant
    difference that judging could undo has its mark in brackets, with a footnote, as `poolwise
    compare` says of the pair. Use --format latex, md or html: LaTeX needs the package booktabs, and
    HTML is a plain table. The record beside a file (-o FILE) has the checklist of what to report
    with these scores.
    """
    from poolwise import views

    if options["uncertainty"] in ("judgments", "both") and has_score_files(options):
        raise click.UsageError("the range over judgments needs QRELS and RUNS, not --scores")
    marked = _found(options)
    rows = {"sort": options["sort"], "top": options["top"], "rename": _renamed(options["rename"])}
    looks = {name: options[name] for name in _OF_LAYOUT}
    page = views.paper_table(marked, **rows, **looks, label=options["latex_label"])
    # In a terminal the rows come first, unless somebody wants another line above them.
    if is_for_people(form) and not options["caption"]:
        page = replace(page, title="", notes=(page.title, *page.notes))
    origin, claims = marked.provenance, marked.claims()
    show_tables(
        [page],
        views.paper_columns(marked, **rows),
        form,
        provenance=origin,
        claims=claims,
        record_beside=True,
        beside={"checklist": marked.checklist()},
    )


def _found(options: dict[str, Any]) -> "MarkedResults":
    from poolwise import workflows

    how = {name: options[name] for name in _OF_TESTS} | {"rng": options["seed"]}
    if has_score_files(options):
        return workflows.table(read_score_files(options), **how)
    how |= {name: options[name] for name in _OF_JUDGMENTS}
    inputs = options["qrels"], options["runs"], options["measures"]
    return workflows.table(*inputs, **how, reading=reading(options))


def _renamed(renames: tuple[str, ...]) -> dict[str, str]:
    """Read what runs are to be called."""
    pairs = [text.partition("=") for text in renames]
    wrong = [text for text, (_, sign, _) in zip(renames, pairs, strict=True) if not sign]
    if wrong:
        raise click.UsageError(f"--rename takes RUN=NAME; got {wrong[0]!r}")
    return {run: name for run, _, name in pairs}
