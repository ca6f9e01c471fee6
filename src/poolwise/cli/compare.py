"""``poolwise compare``: who is better, how sure over topics, and how sure over judgments."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._checklist import Block, checklist_block
from poolwise.cli._delivery import OutputPath
from poolwise.cli._option_forms import choice_option, number_option, switch
from poolwise.cli._options import (
    adaptive_option,
    alpha_option,
    baselines_option,
    beside_options,
    card_option,
    checklist_option,
    cluster_option,
    correction_option,
    draws_option,
    format_option,
    groups_option,
    has_score_files,
    is_given,
    labelled_options,
    labels_or_slices_options,
    plot_option,
    pool_depth_option,
    pooled_option,
    read_score_files,
    reading,
    require_beside,
    require_slices_or_clusters,
    resamples_option,
    residual_option,
    scored_input,
    seed_option,
    significance_option,
    texts_options,
    universe_options,
)
from poolwise.cli._output import (
    below,
    draw,
    is_for_people,
    joined_columns,
    progress,
    show,
    show_page,
    show_tables,
    told,
)
from poolwise.cli._parameter_types import command, several_names
from poolwise.cli._witness import show_witness

if TYPE_CHECKING:
    from poolwise.collection._reading import Reading
    from poolwise.findings.comparison._comparisons import Comparisons
    from poolwise.results._tables import Table
    from poolwise.scores._scoring import ByMeasure

__all__ = ["compare"]

_OF_SCORES = ("mean", "test", "correction", "alternative", "alpha", "interval", "resamples")
_OF_JUDGMENTS = (
    *("draws", "prior", "universe", "universe_depth", "grades", "groups", "card", "adaptive"),
)


@command()
@scored_input
@universe_options
@labels_or_slices_options
@cluster_option
@beside_options
@baselines_option
@choice_option(
    "--mean",
    registry="scores._scoring:MEANS",
    default="arithmetic",
    text="Compare means of the scores over topics, or geometric means, by the logarithms of the "
    "scores: a ratio then counts as much on a hard topic as on an easy one.",
)
@significance_option()
@correction_option
@choice_option(
    "--alternative",
    registry="findings.comparison._resampling:SIDES",
    default="two-sided",
    text="Test whether the first run of a pair, or the run beside the baseline, differs from the "
    "other, scores more (greater), or scores less (less).",
)
@alpha_option
@choice_option(
    "--interval",
    registry="findings.comparison._significance:INTERVALS",
    text="Interval of each difference. [default: the one that belongs to the test]",
)
@draws_option
@choice_option(
    "--prior",
    registry="findings.comparison._over_judgments:DRAW_SOURCES",
    default="model",
    text="Draw grades with the probabilities of a relevance model, with those seen in the pool, in "
    "the run's own judged documents, in both, or by the number of runs that retrieve a document.",
)
@pool_depth_option
@pooled_option
@groups_option
@card_option
@adaptive_option
@resamples_option
@seed_option
@number_option(
    "--top", least=1, default=20, text="Largest number of pairs in a table: those of the best runs."
)
@switch(
    "--details",
    text="Print a table and sentences for each measure, and all columns in tsv, csv and json.",
)
@switch(
    "--witness",
    text="Write judgments (-o FILE) under which the order of two runs is reversed, or as near to "
    "it as unjudged documents can bring it, for any tool to score. This needs one measure.",
)
@click.option(
    "--pair",
    multiple=True,
    metavar="NAMES",
    callback=several_names,
    help="Names of the two runs, separated by a comma, for --html or --witness. [default: the two "
    "runs, if there are two]",
)
@click.option(
    "--html",
    type=OutputPath(),
    metavar="FILE",
    help="File for a page on two runs: the verdict, wins and losses by topic, both rankings side "
    "by side, what is unjudged and what to judge.",
)
@texts_options
@residual_option
@checklist_option
@plot_option
@format_option
def compare(
    *,
    witness: bool,
    pair: tuple[str, ...],
    html: Path | None,
    top: int,
    details: bool,
    plot: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Compare RUNS in pairs, or with a baseline.

    Each pair gets a row with the difference of the means, its confidence interval over topics, the
    p value corrected for the number of pairs, the effect size, the range in which judging the
    unjudged documents would leave the difference, whether that could reverse the order, and how
    often a significant difference is still significant in plausible draws of the judgments. The
    range says what is possible, the draws what is plausible. For a new run beside a pooled
    one the table also has a plausible range, calibrated on groups that are left out of the pool in
    turn; --pool-depth, --pooled and --groups say how the pool was made. A table shows the pairs of
    the best runs; tsv, csv and json hold all pairs.

    With --labels, QRELS has labels by people on some topics or on a sample of documents, and the
    labels of a machine fill the rest: each difference has intervals that account for both.

    With --beside, each pair gets its difference in latency, cost or whatever was measured, too, and
    which run is certainly better in what.

    With --html, two runs get a page of their own, which --queries and --documents fill with what
    topics ask and documents say.

    All pairs of 129 runs take ten seconds for a measure of the top ten, and two minutes for one
    of the top thousand.
    """
    from poolwise.results._columns import stack_columns

    _check_page(options, html, witness=witness)
    require_beside(options["beside"], options["more"])
    if options["beside"]:
        _compare_beside(options, form)
        return
    if options["labels"]:
        _compare_labels(options, form)
        return
    _refuse_of_labels()
    if options["by"] or options["clusters"]:
        _compare_parts(options, form)
        return
    if witness or (pair and html is None):
        _show_reversed(options, pair, form)
        return
    files = reading(dict(options))  # reading takes its options away
    comparisons = _compare(options)
    tables = _tables(comparisons, top=top, details=details)
    block = _checklist(options, comparisons, files)
    tables += block.tables
    columns = [part.columns() if details else part.main_columns() for part in comparisons]
    reasons = [f"{part.measure}: {reason}" for part in comparisons for reason in part.reasons()]
    # Tables say them below.
    remarks = () if is_for_people(form) else (*reasons, *block.remarks)
    origin = comparisons.provenance
    claims = [claim for part in comparisons for claim in part.claimed()]
    rows = stack_columns(columns)
    show_tables(tables, rows, form, provenance=origin, remarks=remarks, claims=claims)
    draw(comparisons.parts[0], plot)
    if html is not None:
        _write_page(html, options, pair, comparisons, files)


def _tables(comparisons: "ByMeasure[Comparisons]", *, top: int, details: bool) -> "list[Table]":
    """Return one table for a pair by several measures, or with details one for each measure."""
    if comparisons.is_matrix and not details:
        return below(
            comparisons.tables(),
            (*comparisons.sentences()[1:], "More with --details."),
            answer=comparisons.answer(),
        )
    tables = below([], comparisons.headline()) if comparisons.headline() else []
    return tables + [t for part in comparisons for t in told(part, part.tables(most=top))]


def _check_page(options: dict[str, Any], html: Path | None, *, witness: bool) -> None:
    """Raise where a page is asked for that cannot be made, or texts for no page."""
    is_column = options["by"] and not options["labels"]
    if html is None and (options["documents"] or (options["queries"] and not is_column)):
        raise click.UsageError("--queries and --documents go on a page: add --html FILE")
    if html is not None and (options["scores"] or options["labels"] or witness):
        raise click.UsageError("--html is about runs and judgments, without --scores, --labels "
                               "and --witness")  # fmt: skip


_ABOUT_LABELS = {"scale": "scale", "texts": "topic-texts", "passages": "passages"}


def _refuse_of_labels() -> None:
    """Refuse what says how labels are read, where there are none."""
    if idle := [f"--{flag}" for name, flag in _ABOUT_LABELS.items() if is_given(name)]:
        raise click.UsageError(f"{', '.join(idle)} goes with --labels")


_OF_PARTS = (
    *("baseline", "topics", "test", "correction", "alternative", "alpha", "resamples"),
    *("universe", "universe_depth", "grades"),
)
"""What differences on slices, and over clusters, are asked with."""


def _compare_parts(options: dict[str, Any], form: str | None) -> None:
    """Print the differences on each slice of the topics, or over clusters of them."""
    from poolwise import workflows

    require_slices_or_clusters(options["by"], options["queries"], options["clusters"])
    if has_score_files(options):
        raise click.UsageError("--by and --cluster go with QRELS and RUNS, not with --scores")
    how = {name: options[name] for name in _OF_PARTS} | {"rng": options["seed"]}
    inputs = options["qrels"], options["runs"], options["measures"]
    parts: Any
    if options["clusters"]:
        how |= {"clusters": options["clusters"], "interval": options["interval"]}
        parts = workflows.compare_by_cluster(*inputs, **how, reading=reading(options))
    else:
        how |= {"by": options["by"], "queries": options["queries"]}
        parts = workflows.compare_by_slice(*inputs, **how, reading=reading(options))
    show(list(parts), form)


_OF_BESIDE = (
    *("beside", "more", "baseline", "topics", "alpha", "draws", "universe", "universe_depth"),
    "grades",
)
_WITHOUT_BESIDE = (
    *("labels", "by", "clusters", "scores", "html", "witness", "pair", "plot", "test"),
    *("correction", "alternative", "interval", "mean", "prior", "card", "groups", "pooled"),
    *("pool_depth", "adaptive", "residual", "checklist", "top", "details"),
)
"""What pairs by quality and another number are asked with, and what says nothing of these."""


def _compare_beside(options: dict[str, Any], form: str | None) -> None:
    """Print differences in quality and in what else was measured."""
    from poolwise import workflows

    names = {"clusters": "cluster"}
    others = [names.get(name, name) for name in _WITHOUT_BESIDE if is_given(name)]
    if others:
        refused = ", ".join(f"--{name.replace('_', '-')}" for name in others)
        raise click.UsageError(f"--beside goes without {refused}")
    has_score_files(options)
    how = {name: options[name] for name in _OF_BESIDE} | {"rng": options["seed"]}
    inputs = options["qrels"], options["runs"], options["measures"]
    with progress("comparing"):
        parts = workflows.compare_beside(*inputs, **how, reading=reading(options))
    show(list(parts), form)


def _write_page(
    path: Path,
    options: dict[str, Any],
    pair: tuple[str, ...],
    comparisons: "ByMeasure[Comparisons]",
    files: "Reading",
) -> None:
    """Put two runs side by side on a page."""
    from poolwise import workflows

    names = ("queries", "documents", "topics", "universe", "universe_depth", "grades")
    both = workflows.side_by_side(
        options["qrels"],
        options["runs"],
        options["measures"],
        pair=pair,
        compared=comparisons,
        rng=options["seed"],
        reading=files,
        **{name: options[name] for name in names},
    )
    show_page(path, both)


def _checklist(
    options: dict[str, Any], comparisons: "ByMeasure[Comparisons]", files: "Reading"
) -> Block:
    """Gather the checklist where it, or its residual, is asked for."""
    if not (options["checklist"] or options["residual"]):
        return Block()
    if has_score_files(options):
        raise click.UsageError("--checklist is about judgments, and scores have none")
    return checklist_block(options, reading=files, compared=comparisons)


def _show_reversed(options: dict[str, Any], pair: tuple[str, ...], form: str | None) -> None:
    """Write judgments that reverse the order of two runs."""
    if has_score_files(options):
        raise click.UsageError("--witness is about judgments, and scores have none")
    show_witness(options, form, reading=reading(options), pair=pair)


def _compare(typed: dict[str, Any]) -> "ByMeasure[Comparisons]":
    from poolwise import workflows

    options = {name: typed[name] for name in _OF_SCORES}
    options |= {"baseline": typed["baseline"], "rng": typed["seed"]}
    if has_score_files(typed):
        return workflows.compare_tables(read_score_files(typed), **options)
    # Scores of others say nothing about judgments, so that these options come only now.
    options |= {name: typed[name] for name in _OF_JUDGMENTS}
    options |= {"depth": typed["pool_depth"], "pooled": typed["pooled"] or None}
    with progress("comparing") as report:
        return workflows.compare(
            typed["qrels"],
            typed["runs"],
            typed["measures"],
            topics=typed["topics"],
            progress=report,
            **options,
            reading=reading(typed),
        )


def _compare_labels(options: dict[str, Any], form: str | None) -> None:
    """Print differences that rest on people's labels on a part, and a machine's on all."""
    from poolwise import workflows

    if has_score_files(options):
        raise click.UsageError("--labels goes with QRELS and RUNS, not with --scores")
    differences = workflows.compare_with_labels(
        options["qrels"],
        options["runs"],
        options["measures"] if is_given("measures") else None,
        labels=options["labels"],
        baseline=options["baseline"],
        reading=reading(options),
        **labelled_options(options, ("assume_random", "grades")),
    )
    tables = [table for part in differences for table in told(part)]
    columns = joined_columns([part.columns() for part in differences])
    show_tables(tables, columns, form, provenance=differences.provenance)
