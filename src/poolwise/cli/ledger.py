"""``poolwise ledger``: results over time, in a folder of small files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from poolwise.cli._delivery import OutputPath, current_delivery, force_option
from poolwise.cli._option_forms import (
    choice_option,
    file_option,
    names_option,
    number_option,
    several_files_option,
    switch,
)
from poolwise.cli._options import (
    alpha_option,
    baselines_option,
    correction_option,
    format_option,
    grades_option,
    measures_option,
    qrels_argument,
    reading,
    reading_options,
    rows_option,
    runs_argument,
    seed_option,
    shows,
    shows_and_draws,
    stack,
)
from poolwise.cli._output import emit, progress, show
from poolwise.cli._parameter_types import (
    MEASURES,
    InOrder,
    argument,
    command,
)
from poolwise.cli._program import ExitCode
from poolwise.errors import OutputError

__all__ = ["ledger"]

F = TypeVar("F", bound=Callable[..., Any])

_ledger_argument = argument(
    "folder",
    metavar="LEDGER",
    type=click.Path(),
    help_text="Folder of the ledger, with one small file for each result.",
)
_collection_option = click.option(
    "--collection",
    default="",
    metavar="NAME",
    help="Use the results of this collection. [default: the only one that fits]",
)
_version_option = click.option(
    "--version",
    default="",
    metavar="HASH",
    help="Choose the scores of these judgments, by the first digits of their hash. [default: the "
    "newest]",
)
_measure_option = click.option(
    "-m",
    "--measure",
    default="",
    type=MEASURES,
    metavar="MEASURE",
    help="Use the scores by this measure. [default: the first that the results have]",
)
_files_option = several_files_option(
    "--files",
    metavar="DIR",
    text="Look for runs and judgments in this folder, too. The option may be repeated.",
)
_which = stack(_measure_option, _collection_option, _version_option)


@click.group(cls=InOrder, short_help="Keep results over time, and rank them.")
def ledger() -> None:
    """Keep results over time: add them to a folder, rank them, and put a run in context.

    A ledger is a folder of small files, one for each run, collection and version of the judgments,
    to be kept under git. Scores of different judgments are never mixed, ranks are intervals, and
    every file has the hash of what it says.
    """


def _open(folder: str, *, make: bool = False) -> Any:
    from poolwise import workflows

    return workflows.ledger(folder, make=make)


_about_runs = stack(
    click.option(
        "--name",
        default="",
        metavar="NAME",
        help="Name of the run, where one is added. [default: that in its file]",
    ),
    click.option("--year", type=int, help="Year in which the runs were made."),
    switch("--original", text="Mark runs that took part when the collection was made."),
    click.option(
        "--baseline",
        default="",
        metavar="RUN",
        help="Name the run that these are said to improve on.",
    ),
    click.option("--paper", default="", help="Publication that the runs are in."),
    file_option(
        "--metadata",
        text="Read what is known of each run from this table: a column run, and others such as "
        "year, type (automatic or manual) and group. Headers of ir_metadata are read without it.",
    ),
    click.option(
        "--by",
        default="",
        metavar="NAME",
        help="Name of the person who adds this. [default: your login name]",
    ),
    click.option("--date", default="", help="Day of adding, as 2026-11-18. [default: today]"),
)

_SCORED = ("year", "original", "baseline", "paper", "metadata", "by", "date")
_OF_MEANS = ("original", "metadata", "by", "date")


@command(short_help="Add results: from runs, from scores, or from published means.")
@_ledger_argument
@qrels_argument(required=False)
@runs_argument(required=False)
@several_files_option(
    "--scores",
    text="Add the per-topic scores of this file, in place of QRELS and RUNS. The option may be "
    "repeated, once for each measure.",
)
@rows_option
@click.option(
    "--first-topic",
    type=int,
    metavar="NUMBER",
    help="Number the topics of a file of scores that does not name them, beginning with this one.",
)
@file_option(
    "--means",
    text="Add the published means of this table, with the columns run, measure and mean. They are "
    "never tested.",
)
@click.option(
    "--collection",
    default="",
    metavar="NAME",
    help="Name the collection that the results are of. [default: as the table of means says]",
)
@measures_option(
    "Score by this measure.",
    shown="nDCG@10, P@10, RBP(p=0.8), or what files of scores say",
)
@choice_option(
    "--missing",
    registry="workflows._ledger:MISSING",
    default="error",
    text="Refuse a run without documents for a judged topic (error), or score 0 there (zero).",
)
@_about_runs
@grades_option
@reading_options
@shows
def add(folder: str, **options: Any) -> Any:
    """Add a result for each of RUNS, scored by QRELS, to LEDGER, which is made if need be.

    With QRELS alone, the runs of earlier judgments that are still at hand are scored by the new
    ones; old results stay, and say of which judgments they are. Scores that others computed come
    by --scores, published means by --means. Whatever does not fit what is there, such as another
    tie rule or another version of a measure, is refused.
    """
    results = _open(folder, make=True)
    return _added(results, options)


def _added(results: Any, options: dict[str, Any]) -> Any:
    from poolwise.cli._options import DEFAULT_MEASURES

    sources = [bool(options["qrels"]), bool(options["scores"]), bool(options["means"])]
    if sum(sources) != 1:
        raise click.UsageError("give QRELS and RUNS, or --scores FILE, or --means FILE")
    if options["means"]:
        settings = {name: options[name] for name in _OF_MEANS}
        return results.add_means(options["means"], collection=options["collection"], **settings)
    if not options["collection"]:
        raise click.UsageError("Missing option '--collection'. Hint: name the collection.")
    settings = {name: options[name] for name in ("collection", *_SCORED)}
    if options["scores"]:
        how = {name: options[name] for name in ("rows", "first_topic")}
        return results.add_scores(options["scores"], options["measures"], **how, **settings)
    settings |= {option: options[option] for option in ("name", "missing", "grades")}
    measures = options["measures"] or DEFAULT_MEASURES
    return results.add(
        options["qrels"], options["runs"], measures, reading=reading(options), **settings
    )


@command("list", short_help="List what a ledger holds.")
@_ledger_argument
@_collection_option
@shows
def list_results(folder: str, *, collection: str) -> Any:
    """List what LEDGER holds: collections, versions, and how many results of which kind."""
    return _open(folder).list(collection=collection)


@command(short_help="Rank the runs of a collection, with intervals.")
@_ledger_argument
@_which
@alpha_option
@number_option(
    "--resamples", least=1, default=1000, text="Number of sign patterns, and of samples of topics."
)
@seed_option
@shows_and_draws
def rank(folder: str, *, seed: int, **options: Any) -> Any:
    """Rank the runs of a collection of LEDGER, and show which are not separable from each.

    The rank interval goes from 1 + the runs that are separably better to all runs less those that
    are separably worse, by paired differences over topics, corrected for all comparisons of the run
    (max-T). Beside it are the ranks under resampled topics, which are no confidence interval.
    """
    return _open(folder).rank(rng=seed, **options)


@command(short_help="Put a run, and its baseline, in context.")
@_ledger_argument
@argument(
    "run",
    metavar="RUN",
    help_text="Name of a run that the ledger has, or a run file, which is not added.",
)
@click.option(
    "--baseline",
    default="",
    metavar="NAME",
    help="Name the run that it improves on. [default: the one in its result]",
)
@_which
@_files_option
@alpha_option
@shows
def context(folder: str, run: str, **options: Any) -> Any:
    """Put RUN, and the baseline it is said to improve on, in the context of its collection.

    Its percentile among the original runs, their quartiles, the best original and best automatic
    run, and its gain over these with both uncertainties: over topics, and over the unjudged
    documents. A baseline below the median of the original runs is called weak.
    """
    return _open(folder).context(run, **options)


@command(short_help="Compare runs of a ledger in pairs.")
@_ledger_argument
@argument("runs", metavar="RUNS", nargs=-1, required=False,
          help_text="Names of runs that the ledger has; all by default.")  # fmt: skip
@baselines_option
@_which
@correction_option
@_files_option
@alpha_option
@shows_and_draws
def compare(folder: str, runs: tuple[str, ...], **options: Any) -> Any:
    """Compare RUNS of a collection of LEDGER in pairs, or with a baseline.

    The range over judgments is exact where both rankings are at hand, and else as wide as the
    stored ranges leave it.
    """
    return _open(folder).compare(runs, **options)


@command(short_help="Show scores over the years.")
@_ledger_argument
@click.option(
    "-m",
    "--measure",
    default="AP",
    show_default=True,
    type=MEASURES,
    metavar="MEASURE",
    help="Use the scores by this measure.",
)
@names_option(
    "--collection", "collections", default="all with such scores", text="Show this collection."
)
@click.option(
    "--reference",
    default="",
    metavar="NAME",
    help="Standardize all scores by the runs of this collection, on the topics that it shares.",
)
@several_files_option(
    "--card",
    "cards",
    text="Standardize by the card of a collection (`poolwise card make`), whose reference runs are "
    "the same for all. The option may be repeated, once for each collection.",
)
@choice_option(
    "--smoothing",
    registry="scores._standardization:SMOOTHINGS",
    default="extremes",
    text="Guard standardized scores against outliers in this way.",
)
@choice_option(
    "--mapping",
    registry="scores._standardization:MAPPINGS",
    default="normal",
    text="Map standardized scores to the range from 0 to 1 in this way.",
)
@switch(
    "--gains", text="Show published improvements on one collection, with their baselines, by year."
)
@shows_and_draws
def trend(
    folder: str,
    *,
    collections: tuple[str, ...],
    gains: bool,
    **options: Any,
) -> Any:
    """Show what the runs of each collection of LEDGER score, over the years.

    With --reference, scores of different topics can be compared: all are standardized by the same
    runs. Without it the plain means are shown. With --gains and one collection, published
    improvements stand beside their baselines, and beside the best original run, the third quartile
    and the median.
    """
    results = _open(folder)
    if gains:
        return results.published_gains(*collections[:1], measure=options["measure"])
    return results.trend(collections=collections, **options)


@command(short_help="Check all files, and score again what is at hand.")
@_ledger_argument
@_files_option
@switch("--hashes-only", text="Check the hashes alone, and score nothing again.")
@format_option
def check(folder: str, *, files: tuple[str, ...], hashes_only: bool, form: str | None) -> int:
    """Check every file of LEDGER against its hash, and score again what is at hand.

    The exit code is 0 if all is as it was written, 1 if something is not, and 3 for wrong input.
    """
    checked = _open(folder).check(files=files, recompute=not hashes_only)
    show([checked], form)
    return ExitCode.DONE if checked.passed else ExitCode.NO


@command(short_help="Mark a result as no longer valid.")
@_ledger_argument
@argument("run", metavar="RUN", help_text="Name of a run that the ledger has.")
@click.option("--reason", required=True, help="Reason, which is kept with the result.")
@_collection_option
@_version_option
@click.option("--by", default="", metavar="NAME", help="Name of the person who retracts it.")
@click.option("--date", default="", help="Day of the retraction, as 2026-11-18.")
@shows
def retract(folder: str, run: str, **options: Any) -> Any:
    """Mark the result of RUN as one that does not count any more; it is kept, with the reason."""
    return _open(folder).retract(run, **options)


@command(short_help="Write a small static site.")
@_ledger_argument
@click.option(
    "-o",
    "--output",
    type=OutputPath(folder=True),
    required=True,
    metavar="DIR",
    help="Write the site into this folder.",
)
@click.option("--title", default="", help="Put this title on its pages.")
@click.option(
    "--reference",
    default="",
    metavar="NAME",
    help="Show a trend that is standardized by the runs of this collection.",
)
@force_option
def site(folder: str, *, output: Path, title: str, reference: str) -> None:
    """Write a small static site about LEDGER: pages of collections and runs, and a trend.

    It opens from disk and from any static host, and asks for nothing elsewhere. Every number links
    to its file and to the command that checks it.
    """
    from poolwise import views

    _require_site_or_nothing(output)
    with progress("site") as done:
        overview = _open(folder).overview(reference=reference, progress=done)
        count = views.write_ledger_site(overview, output, title=title)
    emit(f"Site: {output / 'index.html'} ({count:,} pages)\n")


def _require_site_or_nothing(folder: Path) -> None:
    """Refuse a folder with files of somebody else, unless --force says that they may go."""
    front = folder / "index.html"
    holds_site = front.is_file() and b"poolwise ledger site" in front.read_bytes()
    # What a command left that was ended while it wrote is nothing of anybody's.
    files = folder.iterdir() if folder.is_dir() else ()
    is_empty = all(path.name.startswith(".poolwise-") for path in files)
    if not (holds_site or is_empty or current_delivery().force):
        raise OutputError(
            str(folder),
            "the folder must be empty, or hold the site of a ledger",
            remedy="name another folder, or use --force to replace its files",
        )


for _one in (add, list_results, rank, context, compare, trend, check, retract, site):
    ledger.add_command(_one)
