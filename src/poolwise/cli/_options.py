"""The arguments and options that commands share."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from poolwise.cli._delivery import (
    FORMATS,
    OutputPath,
    checks_files,
    force_option,
    hash_ahead,
    options_of_files,
    output_to_option,
    provenance_option,
    quiet_option,
)
from poolwise.cli._option_forms import (
    choice_option,
    file_option,
    names_option,
    number_option,
    several_files_option,
    switch,
)
from poolwise.cli._output import draw, progress, show
from poolwise.cli._parameter_types import (
    MEASURES,
    ListedRegistry,
    Registry,
    RegistryOrFile,
    argument,
    grade_list,
    split_names,
)
from poolwise.provenance._provenance import DEFAULT_SEED

if TYPE_CHECKING:
    from poolwise.collection._reading import Reading
    from poolwise.results._finding import Finding
    from poolwise.scores._score_table import ScoreTable

__all__ = [
    "DEFAULT_MEASURES",
    "DEFAULT_TREATMENTS",
    "TREATMENTS",
    "adaptive_option",
    "alpha_option",
    "baselines_option",
    "beside_options",
    "by_slice_option",
    "card_option",
    "checklist_option",
    "cluster_option",
    "correction_option",
    "documents_option",
    "draws_option",
    "format_option",
    "grades_option",
    "groups_option",
    "has_score_files",
    "input_options",
    "is_given",
    "kinds_option",
    "label_reading_options",
    "labelled_options",
    "labels_options",
    "labels_or_slices_options",
    "lines_options",
    "machine_labels_options",
    "measure_option",
    "measures_option",
    "of_one_machine",
    "output_option",
    "per_topic_option",
    "plot_option",
    "pool_depth_option",
    "pooled_option",
    "power_option",
    "qrels_argument",
    "queries_option",
    "ranks_option",
    "read_score_files",
    "reading",
    "reading_options",
    "require_beside",
    "require_slices_or_clusters",
    "resamples_option",
    "residual_option",
    "rows_option",
    "runs_argument",
    "same_model_option",
    "score_tables",
    "scored_input",
    "scores_options",
    "seed_option",
    "shows",
    "shows_and_draws",
    "significance_option",
    "stack",
    "studied_option",
    "texts_options",
    "ties_option",
    "topics_option",
    "treatments_option",
    "universe_options",
    "workers_option",
]

# Said again here: to import them from the workflows would load these for every --help.
DEFAULT_MEASURES = ("nDCG@10", "P@10", "RBP(p=0.8)")
DEFAULT_TREATMENTS = (
    *("model", "nonrelevant", "condensed"),
    *("model(target='all')", "bootstrap", "exact"),
)
# A study leaves runs out whose own documents are known: there is one target.
STUDIED = ("model", "nonrelevant", "condensed", "bootstrap", "exact")

TREATMENTS = ListedRegistry("scores.treatments._estimates:TREATMENTS")

F = TypeVar("F", bound=Callable[..., Any])


def stack(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Apply decorators so that their options are listed in the order given."""

    def decorate(function: F) -> F:
        # click lists the option first that was applied last.
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def measures_option(
    first: str,
    default: Sequence[str] = (),
    *,
    then: str = ".",
    shown: str = "",
    kind: Any = MEASURES,
) -> Callable[[F], F]:
    """Return the option -m, which may be repeated.

    ``first`` and ``then`` stand around what is said of all of them; ``shown`` is the default where
    the command does not set it.
    """
    repeated = "The option may be repeated, and names may be separated by commas"
    return click.option(
        "-m",
        "--measure",
        "measures",
        type=kind,
        multiple=True,
        metavar="MEASURE",
        help=f"{first} {repeated}{then} [default: {shown or ', '.join(default)}]",
        callback=lambda _ctx, _param, value: split_names(value) or tuple(default),
    )


measure_option = measures_option(
    "Score by this measure, such as nDCG@10 or RBP(p=0.95).", DEFAULT_MEASURES
)

# What commands that print numbers take. The last is no option: it checks the others.
format_option = stack(
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        help="Format of the output. [default: table on a terminal, tsv in a pipe]",
    ),
    *options_of_files,
    checks_files,
)


def shows(function: Callable[..., "Finding"]) -> Callable[..., None]:
    """Let a command show the finding that it returns, in the format that is asked for."""

    @format_option
    @wraps(function)
    def command(*arguments: Any, form: str | None, **options: Any) -> None:
        show([function(*arguments, **options)], form)

    return command


# trec_eval has no option in long form, so that these leave all of its own free.
lines_options = stack(output_to_option, provenance_option, force_option, checks_files)


def _treatments_option(default: tuple[str, ...]) -> Callable[[F], F]:
    """Return the option that names treatments of unjudged documents."""
    return click.option(
        "--treatment",
        "--method",  # what it was called before
        "treatments",
        type=TREATMENTS,
        multiple=True,
        metavar="TREATMENT",
        help="Treat unjudged documents in this way, such as condensed or bootstrap(prior='run'); "
        "the word all takes every treatment that the measure allows. The option may be repeated, "
        f"and names may be separated by commas. [default: {', '.join(default)}]",
        callback=lambda _ctx, _param, value: _treatments(split_names(value), default),
    )


treatments_option = _treatments_option(DEFAULT_TREATMENTS)
studied_option = _treatments_option(STUDIED)

pool_depth_option = click.option(
    "--pool-depth",
    type=int,
    help="Number of ranks of each run that were pooled, for the treatments that need it. "
    "[default: inferred from the judgments, as the output says; else the cut-off of "
    "the measure]",
)

pooled_option = names_option(
    "--pooled",
    metavar="RUN",
    default="the runs of which 95% is judged to the depth of the pool",
    text="Runs that formed the pool.",
)

ranks_option = switch(
    "--ranks",
    text="Put ranks, runs and reasons into files, too. Without it a file is a sheet for assessors: "
    "topic, document and an empty grade, by id; JSON and the screen have everything.",
)
seed_option = number_option(
    "--seed",
    least=0,
    default=DEFAULT_SEED,
    text="Seed of whatever is random; the same seed gives the same numbers.",
)

alpha_option = number_option(
    "--alpha", default=0.05, text="Call differences with a p value below this level significant."
)

draws_option = number_option(
    "--draws",
    least=0,
    default=200,
    text="Number of draws of grades for the unjudged documents; 0 draws none.",
)

power_option = number_option(
    "--power", default=0.8, text="Ask for this probability of finding the difference significant."
)

correction_option = choice_option(
    "--correction",
    registry="findings.comparison._significance:CORRECTIONS",
    default="holm",
    text="Correct p values for the number of pairs in this way, for each measure by itself.",
)


def significance_option(*, leave_out: Sequence[str] = ()) -> Callable[[F], F]:
    """Return the option that names a significance test, of those that a command can use."""
    return click.option(
        "--test",
        type=Registry("findings.comparison._significance:TESTS", leave_out=leave_out),
        default="t",
        show_default=True,
        help="Test the per-topic differences for significance by this test.",
    )


baselines_option = click.option(
    "--baseline",
    multiple=True,
    metavar="NAME",
    help="Compare every other run with this one, in place of all pairs. The option may be "
    "repeated.",
)

resamples_option = number_option(
    "--resamples", least=1, default=10_000, text="Number of resamples in a randomized test."
)

workers_option = click.option(
    "--workers",
    type=int,
    default=1,
    show_default=True,
    help="Share the work among this number of processes; -1 takes all cores. The numbers are the "
    "same with any number.",
)

groups_option = file_option(
    "--groups",
    text="File that says which group submitted each run: each line has a run and its group. "
    "The word names puts runs whose names begin with the same letters into one group.",
)

kinds_option = file_option(
    "--kinds",
    text="File that says of which kind each run is, such as automatic or manual: each line has a "
    "run and its kind.",
)

card_option = file_option(
    "--card",
    text="Use the card of the collection in this file (`poolwise card make`), in place of the runs "
    "that made its pool: a new run then gets what it would get beside all of them.",
)

adaptive_option = switch(
    "--adaptive",
    text="Declare that each judgment decided what was judged next, as with the lists of `poolwise "
    "next`. Ranges by the relevance model are then not calibrated.",
)

per_topic_option = switch("--per-topic", text="Show the scores of every topic, too.")

# How much of some scores is shown.
scores_options = stack(
    switch(
        "--details",
        text="Show a table for each measure, with intervals and ranges, as for a single one.",
    ),
    switch("--explain", text="Explain below the tables what the numbers mean."),
    per_topic_option,
)

residual_option = click.option(
    "--residual",
    metavar="P|matched",
    help="Add the residual of RBP with this persistence, such as 0.98; or of the RBP whose order "
    "of the runs is most like that of the measure (matched), where there are 16 runs or more.",
)

checklist_option = switch(
    "--checklist",
    text="List what papers ask to be reported with every score: depth and lengths of lists, the "
    "share judged with the worst topic, the residual at 0.98, the range, p values and pool.",
)

queries_option = file_option(
    "--queries",
    text="File with what topics ask, to be shown beside them: TREC topics, JSONL, or lines "
    "with an id, a tab and a query.",
)

documents_option = file_option(
    "--documents",
    text="File with what documents say, to be shown beside them: JSONL with an id and a text "
    "in each object, Parquet, or lines with an id, a tab and a text; a folder of such files, "
    "or of one file for each document; or irds: before the id of a dataset.",
)

texts_options = stack(queries_option, documents_option)

plot_option = click.option(
    "--plot",
    type=OutputPath(),
    metavar="FILE",
    help="Draw the result into this file, whose name ends in .pdf, .svg or .png.",
)


def shows_and_draws(function: Callable[..., "Finding"]) -> Callable[..., None]:
    """Let a command show the finding that it returns, and draw it where a file is named."""

    @plot_option
    @format_option
    @wraps(function)
    def command(*arguments: Any, form: str | None, plot: Path | None, **options: Any) -> None:
        finding = function(*arguments, **options)
        show([finding], form)
        draw(finding, plot)

    return command


def output_option(help_text: str, *, default: str | None = None) -> Callable[[F], F]:
    """Return the options that name the file to write, and say what it may replace."""
    # A default of None would be a value for click 8.3 and later, and nothing would be missing.
    asked = {"required": True} if default is None else {"default": default, "show_default": True}
    named = click.option("-o", "--output", type=OutputPath(), help=help_text, **asked)
    return stack(named, force_option, quiet_option, checks_files)


ties_option = choice_option(
    "--ties",
    registry="collection._runs:TIE_RULES",
    default="trec_eval",
    text="Order documents with equal scores by this rule: by descending document id "
    "(trec_eval), the same with scores in single precision (trec_eval9), by the submitted rank "
    "(rank), or by ascending document id (docid).",
)

reading_options = stack(
    ties_option,
    choice_option(
        "--duplicates",
        registry="collection.files._inputs:DUPLICATES",
        default="error",
        text="Keep this line where a topic lists a document twice, or refuse the file (error); "
        "best is the line with the highest score or grade.",
    ),
    switch(
        "--lenient",
        text="Skip and count the lines that cannot be read, in place of refusing the file.",
    ),
    click.option(
        "--negative",
        type=Registry("collection.files._readers:NEGATIVE", leave_out=["zero"]),
        default="keep",
        show_default=True,
        help="Treat a negative grade as that of a document that was pooled, or in the universe of "
        "a sample, and not judged (keep), or as 0.",
    ),
    number_option(
        "--max-ratio",
        default=1000,
        text="Refuse a compressed file that unfolds to more than this many times its size.",
    ),
    switch(
        "--trust",
        text="Accept grades by a machine, as a column with its model shows, as judgments. "
        "Every result then says so.",
    ),
)


def qrels_argument(*, required: bool = True) -> Callable[[F], F]:
    """Return the argument that names the file of judgments."""
    return argument(
        "qrels",
        type=click.Path(),
        required=required,
        help_text="Relevance judgments, in one file: TREC qrels, three columns with "
        "topic, document and grade, sampled judgments (five columns with a stratum, or prels), "
        "CSV, JSON, JSONL or Parquet, plain or compressed; - reads standard input, and irds: "
        "before an id reads a dataset of ir_datasets.",
    )


def runs_argument(*, required: bool = True) -> Callable[[F], F]:
    """Return the argument that names the files of runs."""
    return argument(
        "runs",
        type=click.Path(),
        nargs=-1,
        required=required,
        is_eager=True,  # before what takes long to load
        callback=hash_ahead,
        help_text="Runs, as files, folders or globs: TREC runs, three columns with "
        "topic, document and rank or score, CSV, JSON, JSONL or Parquet, plain or compressed; - "
        "reads standard input.",
    )


input_options = stack(qrels_argument(), runs_argument(), reading_options)

topics_option = click.option(
    "--topics",
    type=RegistryOrFile("evidence._meeting:TOPIC_RULES"),
    default="judged",
    show_default=True,
    help="Score all judged topics, where a run without results for a topic scores 0 (judged), "
    "only the judged topics for which every run has results (common), or only the topics that a "
    "file lists, one in each line. The grades of all judgments make the scale.",
)

grades_option = click.option(
    "--grades",
    metavar="LIST",
    default="",
    callback=grade_list,
    help="Declare the grades that a document can have, such as 0,1,2,3. [default: 0 and the "
    "positive grades of the qrels]",
)

universe_options = stack(
    choice_option(
        "--universe",
        registry="evidence._ungraded:UNIVERSES",
        default="runs",
        text="Unjudged documents over whose grades the range goes: those of all runs given "
        "(runs), of the run or the two runs compared (run), or any document of the corpus.",
    ),
    click.option(
        "--universe-depth",
        metavar="RANKS",
        help="Count the unjudged documents down to this rank of the lists, or all of them (all). "
        "[default: the measure's cut-off, or all]",
    ),
    grades_option,
)

label_reading_options = stack(
    click.option(
        "--scale",
        metavar="LIST",
        default="",
        callback=grade_list,
        help="Accept these grades of labels, such as 0,1,2,3; any other counts as missing. "
        "[default: those that occur]",
    ),
    file_option(
        "--topic-texts",
        "texts",
        text="File with the text of each topic's query, for labels that have texts and no ids.",
    ),
    file_option(
        "--passages",
        text="File with the text of each document, for labels that have texts and no ids.",
    ),
)

labels_options = stack(
    names_option(
        "--people",
        default="sets that name an assessor and no model",
        text="Name of a set of labels that is by a person; a star stands for any letters.",
    ),
    label_reading_options,
)

_of_machine = several_files_option(
    "--labels",
    metavar="LABELS",
    text="File with labels by a machine on all documents, beside judgments by people on some "
    "topics, or on a sample of documents. The option may be repeated.",
)
_BY_LABELS = "Name of the set of labels, where the files hold several"
_BY_SLICE = (
    "Slices of the topics to show by themselves, with their macro mean: a column of --queries, "
    "such as language, or a file with a topic and its slice in each line."
)
cluster_option = file_option(
    "--cluster",
    "clusters",
    text="File with a topic and its cluster in each line, such as the variants of one query: a "
    "cluster counts once, and intervals and tests are over clusters.",
)
beside_options = stack(
    file_option(
        "--beside",
        text="File with what else was measured of each run, such as latency or cost, to be shown "
        "beside its scores with the Pareto front: CSV, lines with tabs, or JSONL, with a column "
        "run, columns of numbers, and a column topic where they are of topics.",
    ),
    names_option(
        "--more",
        text="Assume that more is better in this column of --beside.",
        metavar="COLUMN",
        default="those called rates, such as qps",
    ),
)
_by_labels = click.option("--by", metavar="NAME", help=f"{_BY_LABELS}.")
by_slice_option = click.option("--by", metavar="COLUMN", help=_BY_SLICE)

of_one_machine = stack(_of_machine, _by_labels, label_reading_options)

_assume_random = switch(
    "--assume-random",
    text="Assume that the topics that people judged, or documents without chances, were drawn "
    "at random; without this they get no interval. The result says what was assumed.",
)

machine_labels_options = stack(of_one_machine, _assume_random)
# One word of English for two things; which of them is meant, the other options say.
labels_or_slices_options = stack(
    _of_machine,
    click.option(
        "--by", metavar="COLUMN", help=f"{_BY_SLICE} With --labels, it is the n{_BY_LABELS[1:]}."
    ),
    label_reading_options,
    _assume_random,
)


same_model_option = names_option(
    "--same-model",
    metavar="RUN",
    text="Run that uses the model that gave the labels: its mean by these labels is not shown.",
)


def is_given(name: str) -> bool:
    """Tell whether somebody gave an option, and it has not its default."""
    return click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT


def require_beside(beside: str | None, more: Sequence[str]) -> None:
    """Refuse names of columns of no file."""
    if more and beside is None:
        raise click.UsageError("--more names columns of a file: add --beside FILE")


def require_slices_or_clusters(by: str | None, queries: str | None, clusters: str | None) -> None:
    """Refuse both, and topics whose column nobody names."""
    if clusters is not None and (by is not None or queries is not None):
        raise click.UsageError("--cluster goes without --by and --queries")
    if clusters is None and by is None:
        raise click.UsageError("--queries has the column that --by names: add --by COLUMN")


def labelled_options(options: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Take the options that go with machine labels out of a command's options."""
    return {name: options.pop(name) for name in ("by", "scale", "texts", "passages", *names)}


def _treatments(named: tuple[str, ...], default: tuple[str, ...]) -> tuple[str, ...] | str:
    """Return the treatments to take: those that were named, the default ones, or all."""
    return "all" if "all" in named else named or default


def reading(options: dict[str, Any]) -> "Reading":
    """Take the options that say how files are read out of a command's options."""
    from poolwise.workflows import Reading

    return Reading(
        ties=options.pop("ties"),
        duplicates=options.pop("duplicates"),
        malformed="skip" if options.pop("lenient") else "error",
        negative=options.pop("negative"),
        max_ratio=options.pop("max_ratio"),
        trust=options.pop("trust"),
    )


rows_option = choice_option(
    "--rows",
    registry="scores._score_matrix:ROWS",
    default="topics",
    text="What a row of the file of scores is: a topic, or a system.",
)

scored_input = stack(
    qrels_argument(required=False),
    runs_argument(required=False),
    several_files_option(
        "--scores",
        text="Use the per-topic scores of this file, in place of QRELS and RUNS: CSV with one row "
        "per topic and one column per system, or the output of trec_eval -q, ir_measures -q or "
        "evaluate --per-topic. The option may be repeated, and -m then names the measure of each "
        "CSV file, or the measures to take from output of others.",
    ),
    rows_option,
    measure_option,
    topics_option,
    reading_options,
)


def has_score_files(options: dict[str, Any]) -> bool:
    """Tell whether score files were given; refuse both kinds of input, or half of one."""
    files = bool(options["scores"])
    if files and options["qrels"]:
        raise click.UsageError(
            "give QRELS and RUNS, or --scores, not both; with several files of scores, write "
            "--scores before each"
        )
    if not files and not options["runs"]:
        raise click.UsageError("give QRELS and at least one of RUNS, or --scores FILE")
    return files


def score_tables(options: dict[str, Any], *, bounds: str = "none") -> "tuple[ScoreTable, ...]":
    """Return a score table for each measure, or for each file of scores."""
    from poolwise import workflows

    if has_score_files(options):
        return read_score_files(options)
    with progress("scoring") as report:
        return workflows.score_runs(
            options["qrels"],
            options["runs"],
            options["measures"],
            topics=options["topics"],
            bounds=bounds,
            progress=report,
            reading=reading(options),
        )


def read_score_files(options: dict[str, Any]) -> "tuple[ScoreTable, ...]":
    """Read the files of scores; measures that were not asked for name nothing."""
    from poolwise import workflows

    # The default measures are for runs; files of scores have measures of their own.
    named = options["measures"] if is_given("measures") else ()
    how = {"rows": options["rows"], "topics": options["topics"]}
    return workflows.read_score_files(options["scores"], named, **how)
