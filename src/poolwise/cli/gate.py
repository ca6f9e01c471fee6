"""``poolwise gate``: whether a release may take the place of the last one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from poolwise.cli._delivery import OutputPath, current_delivery
from poolwise.cli._option_forms import choice_option, file_option, number_option, switch
from poolwise.cli._options import (
    format_option,
    labelled_options,
    machine_labels_options,
    measures_option,
    qrels_argument,
    reading,
    reading_options,
    universe_options,
)
from poolwise.cli._output import (
    is_for_people,
    show_file,
    show_junit,
    show_tables,
    told,
    warn,
)
from poolwise.cli._parameter_types import argument, command
from poolwise.cli._program import ExitCode
from poolwise.errors import InputError
from poolwise.words import visible

if TYPE_CHECKING:
    from poolwise.findings.gating._gate import Gate

__all__ = ["config_option", "gate"]

F = TypeVar("F", bound=Callable[..., Any])

_FILES = ("poolwise.toml", "pyproject.toml")
_TYPED = ("force", "quiet")
"""Options that a file must not set, beside the names of files to write."""


def config_option(section: str) -> Callable[[F], F]:
    """Return the option that names a file with defaults for the others.

    ``[SECTION]`` of poolwise.toml, or ``[tool.poolwise.SECTION]`` of pyproject.toml or any other
    file, has the names of the options in long form.
    """

    def load(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        from poolwise.workflows._named_files import require_path

        path = _found(section) if value is None else value
        if path is not None:
            require_path(path)
            table = _table(path, section)
            # As defaults of click: what is typed goes before them, and both are checked alike.
            context.default_map = dict(_defaults(context.command, parameter, path, table))
        return path

    return click.option(
        "--config",
        type=click.Path(),
        metavar="FILE",
        is_eager=True,
        callback=load,
        help=f"File with defaults of these options: [{section}] of poolwise.toml, or "
        f"[tool.poolwise.{section}] of pyproject.toml. [default: one of the two in this folder]",
    )


def _found(section: str) -> str | None:
    """Return the file of this folder that has the section, if one has."""
    return next((n for n in _FILES if Path(n).is_file() and _table(n, section)), None)


def _table(path: str, section: str) -> dict[str, Any]:
    """Return the options of a section."""
    import tomllib

    try:
        content: Any = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(path, "the file must be readable", remedy="check the path") from error
    except (ValueError, RecursionError) as error:
        rule = f"the file must be TOML: {error}"
        raise InputError(path, rule, remedy="correct the line") from error
    ours: Any = content
    for name in ("tool", "poolwise"):
        ours = ours.get(name) if isinstance(ours, dict) else None
    inner = ours.get(section) if isinstance(ours, dict) else None
    # Other tools share pyproject.toml: only poolwise.toml has the section by its short name.
    is_short = Path(path).name == _FILES[0]
    table = inner or (content.get(section) if is_short else None)
    named = list(ours) if isinstance(ours, dict) else []
    for name in named + [name for name in content if is_short and name != "tool"]:
        if name != section:
            rule = "nothing but the options of a command may be set, below its name"
            raise InputError(path, rule, value=name, remedy=f"write options below [{section}]")
    if table is not None and not isinstance(table, dict):
        raise InputError(path, f"[{section}] must be a table", remedy="write option = value below")
    return table or {}


def _defaults(
    command: click.Command, config: click.Parameter, path: str, table: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Go through the options of the file, by the names that click has for them."""
    by_name = {
        name.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option) and option is not config
        for name in option.opts
        if name.startswith("--")
    }
    for name, value in table.items():
        if name not in by_name:
            rule = "an option must be one of the command"
            raise InputError(path, rule, value=name, remedy=f"use one of {', '.join(by_name)}")
        # Whoever changes a file of the folder must not be able to write elsewhere, or in silence.
        if isinstance(by_name[name].type, OutputPath) or name in _TYPED:
            rule = (
                f"{name} must not be set by a file: what is written is up to who runs the command"
            )
            raise InputError(path, rule, remedy=f"remove it, and type --{name}")
        if "\0" in str(value):
            raise InputError(path, f"{name} must not hold NUL", remedy="correct the line")
        yield (
            str(by_name[name].name),
            _checked(by_name[name], _as_typed(by_name[name], value), path),
        )


def _checked(option: click.Option, value: Any, path: str) -> Any:
    """Return a value that the option can read: what is wrong with it is said of the file."""
    try:
        for item in value if option.multiple else [value]:
            option.type.convert(item, option, None)
    except click.BadParameter as error:
        rule = f"{option.opts[-1].removeprefix('--')} must be one that the option takes: "
        reason = error.message.rstrip(".")
        raise InputError(path, rule + reason, remedy="correct the line") from error
    return value


def _said(context: click.Context, path: str) -> Iterator[str]:
    """Say which options a file has set, and to what."""
    words = [
        f"{option.opts[-1].removeprefix('--')} {_in_words(_read(context, str(option.name)))}"
        for option in context.command.params
        if context.get_parameter_source(str(option.name)) is ParameterSource.DEFAULT_MAP
    ]
    if words:
        yield f"set by {path}: {', '.join(words)}"


def _read(context: click.Context, name: str) -> Any:
    """Return the value of an option, also of one that goes past the command's arguments."""
    return context.params.get(name, (context.default_map or {}).get(name))


def _in_words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _as_typed(option: click.Option, value: Any) -> Any:
    """Return a value as if it had been typed: lists repeat an option, or have commas."""
    several = [str(item) for item in value] if isinstance(value, list) else None
    if option.multiple:
        return several if several is not None else [str(value)]
    if several is not None:
        return ",".join(several)
    # As text, so that the type of the option reads it, and says what is wrong with it.
    return value if isinstance(value, bool) else str(value)


_DEFAULT_MEASURE = "nDCG@10"
_ABOUT_FILES = ("universe", "universe_depth", "grades", "no_results")
_RULES = (
    *("margin", "alpha", "strict", "max_topic_loss", "min_judged", "undecided"),
    *("anchor", "looks"),
)


@command(short_help="Decide whether CANDIDATE may replace a baseline.")
@qrels_argument()
@argument(
    "candidate",
    type=click.Path(),
    required=False,
    help_text="Candidate run: a file in any format of runs; only --freeze goes without one.",
)
@file_option(
    "--baseline",
    required=True,
    text="Compare the candidate with this run, or with a baseline that --freeze wrote.",
)
@measures_option(
    "Score by this measure.",
    (_DEFAULT_MEASURE,),
    then=": the candidate passes if it does so by all of them, and fails if it does so by any.",
)
@click.option(
    "--margin",
    type=float,
    multiple=True,
    default=(0.01,),
    show_default=True,
    help="Allow a mean loss of this size. The option may be repeated, once for each measure.",
)
@number_option(
    "--alpha",
    default=0.05,
    text="Allow at most this probability that a candidate that is worse by the margin "
    "passes, or that one that is not fails.",
)
@switch("--strict", text="Pass only if no grades of the unjudged documents could undo it.")
@click.option(
    "--max-topic-loss",
    type=float,
    metavar="LOSS",
    help="Refuse a candidate that loses more than this on any topic.",
)
@click.option(
    "--min-judged",
    type=float,
    metavar="SHARE",
    help="Pass only if at least this share of the candidate's documents is judged, down to the "
    "cut-off of the measure, or in the first ten ranks.",
)
@choice_option(
    "--undecided",
    registry="findings.gating._measure_gate:UNDECIDED",
    text="Treat an undecided gate as a pass or as a failure. [default: it has an exit code of its "
    "own, 2]",
)
@file_option(
    "--no-results",
    text="Score 0 where a run has no results for the topics that this file lists, one in each "
    "line; any other missing topic is an error.",
)
@file_option(
    "--anchor",
    text="Compare the candidate with this run, too, by the same margin: the oldest release that "
    "counts. Small losses of many releases add up.",
)
@number_option(
    "--looks",
    least=1,
    default=1,
    text="Number of releases that were gated on these topics since --anchor, this one included: "
    "the limits against it hold for all of them.",
)
@click.option(
    "--freeze",
    type=OutputPath(),
    metavar="FILE",
    help="Write the baseline to this file, with its rankings as deep as the measures look, so that "
    "new judgments score it anew.",
)
@click.option(
    "--junit",
    type=OutputPath(),
    metavar="FILE",
    help="File for the result as JUnit XML, with a test case for each measure.",
)
@switch(
    "--github", text="Print the verdict as an annotation of GitHub Actions on standard error, too."
)
@machine_labels_options
@config_option("gate")
@universe_options
@reading_options
@format_option
def gate(
    qrels: str,
    candidate: str | None,
    *,
    baseline: str,
    measures: tuple[str, ...],
    freeze: Path | None,
    junit: Path | None,
    github: bool,
    config: str | None,
    form: str | None,
    **typed: Any,
) -> int:
    """Decide whether CANDIDATE may replace a baseline: pass, fail or undecided.

    The candidate passes if it is not worse than the baseline by more than the margin, with 95%
    confidence over topics, and fails if it is; in between the gate is undecided, and says how many
    topics, and which judgments, would decide. A missing topic, an empty run, a run of other topics
    or a frozen baseline that was changed is an error, never a pass.

    With --labels, QRELS has labels by people on some topics or on a sample of documents, and the
    labels of a machine fill the rest: the difference and its limits account for both.

    The exit code is 0 for a pass, 1 for a failure, 2 if undecided, and 3 for wrong input.
    """
    if config is not None:
        warn([*_said(click.get_current_context(), config)])
    files = {name: typed[name] for name in _ABOUT_FILES} | {"reading": reading(typed)}
    files["no_results"] = files["no_results"] or ()
    code: int = ExitCode.DONE
    if candidate is not None:
        options = {name: typed[name] for name in _RULES} | files
        options |= labelled_options(typed, ("assume_random",))
        options |= {"baseline": baseline, "labels": typed["labels"] or None}
        code = _gate((qrels, candidate, measures), options, form, junit=junit, github=github)
    elif freeze is None:
        raise click.UsageError("Missing argument 'CANDIDATE'. Hint: name a run to gate.")
    if freeze is not None:
        _freeze(freeze, qrels, baseline, measures, files)
    return code


def _freeze(
    path: Path, qrels: str, baseline: str, measures: tuple[str, ...], files: dict[str, Any]
) -> None:
    from poolwise import workflows

    # By such a name it would be read as something else.
    if path.suffix.lower() in (".json", ".jsonl", ".csv", ".parquet"):
        raise click.UsageError(
            f"--freeze {path}: a frozen baseline is a TREC run with a first line of its own. Hint: "
            f"name it {path.stem}.frozen."
        )
    show_file(path, workflows.freeze_baseline(qrels, baseline, measures, **files))
    if not current_delivery().is_silent:
        click.echo(f"Froze {baseline} in {path}.", err=True)


def _gate(
    runs: tuple[Any, ...],
    options: dict[str, Any],
    form: str | None,
    *,
    junit: Path | None,
    github: bool,
) -> int:
    """Gate, print, write, and return the exit code."""
    from poolwise import workflows

    options["undecided"] = options["undecided"] or ""
    gated = workflows.gate(*runs, **options)
    tables = told(gated)
    _announce(gated, form, github=github)
    rest = () if is_for_people(form) else gated.sentences()[1:]  # tables say them below
    origin, claims = gated.provenance, gated.claims()
    show_tables(tables, gated.columns(), form, provenance=origin, remarks=rest, claims=claims)
    show_junit(junit, gated)
    # Undecided is no fail: a pipeline can tell the two apart by the code.
    codes = {"pass": ExitCode.DONE, "fail": ExitCode.NO, "undecided": ExitCode.UNDECIDED}
    return codes[gated.outcome]


def _announce(gated: "Gate", form: str | None, *, github: bool) -> None:
    """Print the verdict in one line, where no table says it, and as annotations for GitHub."""
    from poolwise import views

    delivery = current_delivery()
    if delivery.is_replay:
        return
    is_told = delivery.quiet or (is_for_people(form) and delivery.output is None)
    lines = [] if is_told else [gated.line]
    for line in [*lines, *(views.github_annotations(gated) if github else ())]:
        click.echo(visible(line), err=True)
