"""``poolwise evaluate``: scores, each with its two uncertainties."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from poolwise.cli._checklist import Block, checklist_block
from poolwise.cli._option_forms import choice_option, switch
from poolwise.cli._options import (
    TREATMENTS,
    beside_options,
    by_slice_option,
    card_option,
    checklist_option,
    cluster_option,
    format_option,
    input_options,
    is_given,
    measure_option,
    plot_option,
    queries_option,
    reading,
    require_beside,
    require_slices_or_clusters,
    residual_option,
    scores_options,
    topics_option,
    universe_options,
)
from poolwise.cli._output import draw, progress, show, show_scores
from poolwise.cli._parameter_types import Registry, RegistryOrFile, command
from poolwise.cli._witness import end_of, show_witness

__all__ = ["evaluate"]

_WITH_SLICES = ("topics", "bounds", "universe", "universe_depth", "grades")
_WITHOUT_SLICES = {
    "per_topic": "--per-topic",
    "treatment": "--treatment",
    "residual": "--residual",
    "checklist": "--checklist",
    "averages": "--average",
    "stream": "--stream",
    "plot": "--plot",
    "card": "--card",
    "details": "--details",
    "explain": "--explain",
}
"""What says nothing of slices."""


@command()
@input_options
@measure_option
@topics_option
@universe_options
@scores_options
@choice_option(
    "--bounds",
    registry="scores._scoring:BOUNDS",
    default="exact",
    text="Range that the unjudged documents leave: over every grade they could have "
    "(exact), with the ideal ranking of the pool kept (naive), or no range (none).",
)
@click.option(
    "--treatment",
    "--unjudged",  # what it was called before
    "treatment",
    type=TREATMENTS,
    metavar="TREATMENT",
    help="Treat unjudged documents in this way, such as condensed or bootstrap(prior='run'); "
    "`poolwise estimate` compares the treatments. [default: they are not relevant, and --bounds "
    "says how far they could move the score]",
)
@card_option
@residual_option
@checklist_option
@click.option(
    "--average",
    "averages",
    type=Registry("scores._score_table:AVERAGES"),
    multiple=True,
    help="Add this average of the scores over topics beside the mean, with the range that the "
    "unjudged documents leave it in. The option may be repeated.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read the runs by blocks of topics, so that memory does not grow with the files, or read "
    "them whole; the numbers are the same. [default: by blocks from 1 GB on, where the lines of "
    "each topic stand together]",
)
@click.option(
    "--witness",
    metavar="RUN:END",
    help="Write judgments (-o FILE) under which the mean of this run is at the low or the high end "
    "of its range, such as bm25:low: whoever doubts the range scores them with another tool. "
    "This needs one measure.",
)
@click.option(
    "--empty",
    type=RegistryOrFile("findings._no_answer:EMPTY"),
    help="Count topics that have no answer: those that a file lists, one in each line, or those of "
    "QRELS in which nothing is relevant (judged). A run that returns nothing there scores 1.",
)
@switch(
    "--ceiling",
    text="Print the best mean that a perfect ranker could reach on these judgments beside each "
    "mean, and what a run would score with its own documents in the best order.",
)
@by_slice_option
@queries_option
@cluster_option
@beside_options
@plot_option
@format_option
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    details: bool,
    explain: bool,
    witness: str | None,
    by: str | None,
    queries: str | None,
    clusters: str | None,
    empty: str | None,
    ceiling: bool,
    beside: str | None,
    more: tuple[str, ...],
    checklist: bool,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Score RUNS against QRELS.

    Each run gets a row with its mean by each measure, marked where judging its unjudged documents
    could move it further than another choice of topics plausibly would. With one measure, or
    --details, the row has the 95% confidence interval of the mean over topics, the range that
    judging would leave it in, and the share of its documents that are judged down to the depth of
    the measure.

    With --by, each slice of the topics, such as a language, gets a row, with an interval that holds
    for all slices together, and so does the macro mean, in which slices weigh the same. With
    --cluster, the topics of one cluster, such as variants of a query, count as one. With --empty,
    runs are right to return nothing on topics without an answer, and both rates of error are shown.
    With --beside, latency or cost stands beside each score, and the front of the runs that no other
    beats in both.
    """
    from poolwise import workflows

    how = reading(options)
    require_beside(beside, more)
    if witness is not None:
        typed = {"qrels": qrels, "runs": runs, "measures": measures, **options}
        show_witness(typed, form, reading=how, **end_of(witness))
        return
    if beside is not None:
        typed = {"by": by, "queries": queries, "clusters": clusters, **options}
        _show_beside(
            qrels, runs, measures, form, plot, beside=beside, more=more, reading=how, **typed
        )
        return
    if ceiling:
        _show_ceilings(qrels, runs, measures, form, reading=how, **options)
        return
    if empty is not None:
        _show_no_answer(qrels, runs, measures, form, empty=empty, reading=how, **options)
        return
    if by is not None or queries is not None or clusters is not None:
        kept = {name: options[name] for name in _WITH_SLICES} | {"reading": how}
        inputs = qrels, runs, measures
        _show_parts(*inputs, form, by=by, queries=queries, clusters=clusters, **kept)
        return
    with progress("scoring") as report:
        evaluation = workflows.evaluate(
            qrels, runs, measures, **options, progress=report, reading=how
        )
    asked = {"qrels": qrels, "runs": runs, "measures": measures, **options}
    block = checklist_block(asked, reading=how) if checklist else Block()
    how_much = {"per_topic": per_topic, "details": details, "explain": explain}
    show_scores(evaluation, form, **how_much, further=block.tables, remarks=block.remarks)
    draw(evaluation.scores[0], plot)


def _show_parts(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    *,
    by: str | None,
    queries: str | None,
    clusters: str | None,
    **options: Any,
) -> None:
    """Print the scores on each slice of the topics, or over clusters of them."""
    from poolwise import workflows

    require_slices_or_clusters(by, queries, clusters)
    _refuse_others("--cluster" if clusters else "--by")
    parts: Any
    if clusters is not None:
        inputs = qrels, runs, measures
        parts = workflows.evaluate_by_cluster(*inputs, clusters=clusters, **options)
    else:
        options |= {"by": by, "queries": queries}
        parts = workflows.evaluate_by_slice(qrels, runs, measures, **options)
    show(list(parts), form)


def _refuse_others(
    asked: str, more: Mapping[str, str] | None = None, *, allowed: Sequence[str] = ()
) -> None:
    """Refuse options that say nothing where topics are taken apart."""
    refused = _WITHOUT_SLICES | dict(more or {})
    if others := [n for option, n in refused.items() if is_given(option) and option not in allowed]:
        raise click.UsageError(f"{asked} goes without {', '.join(others)}")


_WITHOUT_EMPTY = {
    "by": "--by",
    "queries": "--queries",
    "clusters": "--cluster",
    "topics": "--topics",
}


def _show_no_answer(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    **options: Any,
) -> None:
    """Print scores that count topics without an answer, and both rates of error."""
    from poolwise import workflows

    _refuse_others("--empty", _WITHOUT_EMPTY)
    names = ("empty", "bounds", "universe", "universe_depth", "grades", "reading")
    kept = {name: options[name] for name in names}
    show(list(workflows.evaluate_no_answer(qrels, runs, measures, **kept)), form)


def _show_ceilings(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    **options: Any,
) -> None:
    """Print what anybody could score at best beside what runs score."""
    from poolwise import workflows

    others = {"by": "--by", "queries": "--queries", "clusters": "--cluster", "empty": "--empty"}
    _refuse_others("--ceiling", others)
    kept = {name: options[name] for name in ("topics", "grades", "reading")}
    show(list(workflows.ceilings(qrels, runs, measures, **kept)), form)


_WITHOUT_BESIDE = {"by": "--by", "queries": "--queries", "clusters": "--cluster"}
_WITHOUT_BESIDE |= {"empty": "--empty", "ceiling": "--ceiling"}
_WITH_BESIDE = ("beside", "more", "topics", "universe", "universe_depth", "grades", "reading")


def _show_beside(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    plot: Path | None,
    **options: Any,
) -> None:
    """Print what else was measured beside the scores, and draw the first front."""
    from poolwise import workflows

    _refuse_others("--beside", _WITHOUT_BESIDE, allowed=("plot",))
    kept = {name: options[name] for name in _WITH_BESIDE}
    with progress("comparing"):
        parts = workflows.evaluate_beside(qrels, runs, measures, **kept)
    show(list(parts), form)
    draw(parts.parts[0], plot)
