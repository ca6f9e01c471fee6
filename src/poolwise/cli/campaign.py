"""``poolwise campaign``: people judge what is worth judging, in a collection that grows."""

from typing import Any

import click

from poolwise.cli._option_forms import names_option, number_option, switch
from poolwise.cli._options import (
    format_option,
    measures_option,
    ranks_option,
    reading,
    reading_options,
    runs_argument,
    shows,
)
from poolwise.cli._output import emit, progress, show_documents
from poolwise.cli._parameter_types import (
    MEASURES,
    InOrder,
    argument,
    command,
)
from poolwise.cli.campaign_serve import serve

__all__ = ["campaign"]

_folder_argument = argument(
    "folder", metavar="CAMPAIGN", type=click.Path(), help_text="Folder of the campaign."
)


@click.group(cls=InOrder, short_help="Let people judge, in a collection that grows.")
def campaign() -> None:
    """Let people judge the documents that matter for a goal, in a collection that grows.

    A campaign is a folder: settings, topics, runs, documents, and a journal of every judgment ever
    made, which is never changed. Runs, topics and documents can be added at any time; the status
    says with each score how far it can be trusted, and whether to judge, to adjust, or to add
    topics.
    """


def _open(folder: str) -> Any:
    from poolwise import workflows

    return workflows.campaign(folder)


@command(short_help="Make a new campaign.")
@_folder_argument
@click.option("--name", default="", help="Name of the campaign. [default: that of the folder]")
@measures_option("Score runs by this measure; decisions go by the first.", shown="nDCG@10, SDCG@10")
@click.option(
    "--goal",
    default="order",
    show_default=True,
    metavar="GOAL",
    help="Judge for this goal, as in poolwise next: relevant, order, top:K, pair:A,B and others.",
)
@click.option(
    "--grades",
    default="0,1,2,3",
    show_default=True,
    metavar="LIST",
    help="Use this scale; labels and sentences for each grade can be edited afterwards.",
)
@number_option(
    "--depth",
    least=1,
    default=10,
    text="Judge documents in this number of first ranks of each run.",
)
@number_option("--batch", least=1, default=100, text="Choose this number of documents at a time.")
@shows
def init(folder: str, *, measures: tuple[str, ...], grades: str, **options: Any) -> Any:
    """Make CAMPAIGN, a new folder, with settings and guidelines that can be edited.

    campaign.toml has all settings: the scale, who judges how much, which share is drawn at random,
    trap and practice documents. guidelines.md is what assessors read.
    """
    from poolwise import workflows

    settings: dict[str, Any] = {"measures": measures} if measures else {}
    scale = tuple(_number(grade) for grade in grades.split(","))
    made = workflows.Campaign.make(folder, grades=scale, **settings, **options)
    return made.contents()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise click.BadParameter(f"grades are numbers; got {text!r}. Hint: 0,1,2,3.") from error


class _Common(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """A number of topics to draw, or the file of a record of them."""

    name = "common"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a number where there is one."""
        del param, ctx
        return int(value) if str(value).isdecimal() else value


@command("add-run", short_help="Add runs, whose documents will be judged.")
@_folder_argument
@runs_argument()
@click.option(
    "--common",
    type=_Common(),
    metavar="N|FILE",
    help="Judge each run for its own sake on this number of topics, or on those of the file that "
    "next --goal common:N --save wrote. [default: common_topics of campaign.toml]",
)
@reading_options
@shows
def add_run(folder: str, runs: tuple[str, ...], *, common: Any, **options: Any) -> Any:
    """Add RUNS to CAMPAIGN.

    A run that comes after judging has begun is judged for its own sake on some topics, drawn at
    random now and written down. Its scores on the others are adjusted by what is found on these.
    """
    return _open(folder).add_runs(runs, common=common, reading=reading(options))


@command("add-common", short_help="Draw more topics on which later runs are judged.")
@_folder_argument
@argument(
    "common",
    metavar="N|FILE",
    type=_Common(),
    help_text="Number of topics to draw for each run, or file that next --goal common:N --save "
    "wrote.",
)
@names_option(
    "--run",
    "runs",
    default="all that came after judging had begun",
    text="Add topics for this run.",
)
@shows
def add_common(folder: str, common: Any, *, runs: tuple[str, ...]) -> Any:
    """Add topics of CAMPAIGN on which later runs are judged for their own sake.

    status says when that is due: when the unjudged documents of a run leave more than the margin.
    """
    return _open(folder).add_common(common, runs=runs)


@command("add-topics", short_help="Add topics with their queries to a campaign.")
@_folder_argument
@argument(
    "source",
    metavar="FILE",
    type=click.Path(),
    help_text="File of topics: TREC's, JSONL, or lines with an id, a tab and a query.",
)
@shows
def add_topics(folder: str, source: str) -> Any:
    """Add the topics of FILE to CAMPAIGN: ids and queries, descriptions and narratives.

    A topic that is there already gets the new text.
    """
    return _open(folder).add_topics(source)


@command("add-documents", short_help="Add documents, which assessors will read.")
@_folder_argument
@argument(
    "source",
    metavar="SOURCE",
    help_text="File of documents (JSONL, Parquet), a folder of them, or irds:DATASET.",
)
@shows
def add_documents(folder: str, source: str) -> Any:
    """Add the documents of SOURCE to CAMPAIGN, to be found by id from then on.

    Plain lines are indexed where they lie and must stay there. All else is copied into the folder
    of the campaign as plain lines, since nothing can be found quickly within it. A document that
    is added again has the new text, and is judged again.
    """
    with progress("indexing documents"):
        return _open(folder).add_documents(source)


@command(short_help="Show the scores of the runs, and what to do next.")
@_folder_argument
@click.option(
    "-m",
    "--measure",
    type=MEASURES,
    metavar="MEASURE",
    help="Score runs by this measure. [default: the first of the campaign]",
)
@switch("--assessors", text="Show what each assessor has done instead.")
@shows
def status(folder: str, *, measure: str | None, assessors: bool) -> Any:
    """Show the scores of the runs of CAMPAIGN, how uncertain they are, and what to do next.

    For each run its plain score, what is possible whatever the unjudged documents are, the score
    adjusted by the common topics of a later run, and the estimate from the random share of the
    batches, with limits that hold however often one looks.
    """
    opened = _open(folder)
    return opened.assessors() if assessors else opened.status(measure)


@command("next", short_help="List the documents to judge next, for a sheet.")
@_folder_argument
@number_option(
    "--budget", least=1, default=100, text="List this number of documents, all topics together."
)
@ranks_option
@format_option
def next_documents(folder: str, *, budget: int, ranks: bool, form: str | None) -> None:
    """List the documents to judge next for CAMPAIGN, for people who judge in a sheet.

    Those of later runs on their common topics come first, then those for the goal. Bring their
    grades in by import. Nothing is reserved: who judges on the page may get the same.
    """
    show_documents(_open(folder).next(budget=budget), form, ranks=ranks)


@command(short_help="Write the judgments as their next version.")
@_folder_argument
@click.option(
    "--rule",
    default="adjudicated",
    show_default=True,
    metavar="RULE",
    help="Make one grade of several by this rule: adjudicated (an organiser's decision, or what "
    "all agree on), majority, latest, dawid-skene (the most probable one, given how each assessor "
    "errs) or assessor:NAME.",
)
@shows
def export(folder: str, *, rule: str) -> Any:
    """Write the judgments of CAMPAIGN into its folder exports, as the next version of them.

    Versions are a chain of hashes. Beside the qrels are all answers, with pseudonyms for the
    assessors. κ says how far the version differs from the one before.
    """
    return _open(folder).export(rule)


@command("import", short_help="Import judgments from a file.")
@_folder_argument
@argument(
    "source",
    metavar="FILE",
    type=click.Path(),
    help_text="File of judgments: qrels, or a sheet with topics, documents and grades.",
)
@click.option(
    "--assessor", required=True, metavar="NAME", help="Name of the person who gave the grades."
)
@reading_options
@shows
def import_judgments(folder: str, source: str, *, assessor: str, **options: Any) -> Any:
    """Import the judgments of FILE into the journal of CAMPAIGN, as those of one assessor.

    To import a file again is harmless; a grade that differs from an earlier one of the same
    assessor replaces it, and both stay in the journal.
    """
    how = {"assessor": assessor, "reading": reading(options)}
    return _open(folder).import_judgments(source, **how)


@command(short_help="Copy a campaign into one file.")
@_folder_argument
@argument("target", metavar="FILE", help_text="File to write, a ZIP archive.")
def backup(folder: str, target: str) -> None:
    """Write the settings, topics, runs, exports and the journal of CAMPAIGN into FILE.

    It can be made while people judge. Documents are not in it, and a file that exists is not
    replaced.
    """
    count = _open(folder).backup(target)
    emit(f"Backup: {target}, with {count:,} judgments.\n")


@command(short_help="Make a campaign with made-up data, to try things.")
@argument(
    "folder",
    metavar="CAMPAIGN",
    type=click.Path(),
    required=False,
    default="poolwise-campaign",
    help_text="Folder of the campaign; poolwise-campaign by default.",
)
@shows
def demo(folder: str) -> Any:
    """Make a campaign from the simulated collection of poolwise demo, with made-up texts.

    Nothing is judged yet. Two runs that came later lie in its folder later, to be added.
    """
    from poolwise import workflows

    return workflows.Campaign.demo(folder).contents()


for _command in (
    *(init, add_topics, add_documents, add_run, add_common, serve, status, next_documents),
    *(export, import_judgments, backup, demo),
):
    campaign.add_command(_command)
