"""``poolwise study``: one command for each study of the table, made from what its function says."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._options import (
    format_option,
    has_score_files,
    input_options,
    measure_option,
    plot_option,
    reading,
    reading_options,
    runs_argument,
    score_tables,
    scored_input,
    stack,
    topics_option,
)
from poolwise.cli._output import draw, progress, show, show_tables, told
from poolwise.cli._parameter_types import DescribedCommand, ShortHelp, command
from poolwise.cli._program import write_questions
from poolwise.cli.from_signature import option_of, typed_option
from poolwise.studies._table import QUESTIONS, STUDIES, Option, Study

if TYPE_CHECKING:
    from poolwise.results._finding import Finding
    from poolwise.workflows._studies import StudyInput

__all__ = ["StudyCommand", "study"]

_TOP = Option(
    help="Leave out systems that are not in this share of the best by any measure.", default=1.0
)
_INPUTS = ("qrels", "runs", "topics", "grades")
_DEEP = click.option(
    "--deep",
    type=click.IntRange(1),
    metavar="D",
    help="Use only runs whose first D documents are judged on every topic; U18 uses 50.",
)
"""What was typed that is about the input, beside measures and how files are read."""

_AT_THE_END = ("seed", "workers")
"""Options that come last, since they say nothing about the study itself."""


class StudyCommand(DescribedCommand):
    """The command of a study, which loads the function of the study when its options are needed.

    So the list of studies, and whatever completes their names, waits for none of them.
    """

    def __init__(self, entry: Study) -> None:
        super().__init__(entry.name, short_help=entry.summary)
        self.entry = entry
        # Deleted, since __getattr__ is asked only for what is not there.
        del self.params, self.help, self.callback

    def examples(self, path: str) -> tuple[str, ...]:
        """Return what people type for this study."""
        files = {"": "", "runs": " runs"}.get(self.entry.takes, " qrels.txt runs")
        return (f"{path}{files} {self.entry.example}".rstrip(),)

    def __getattr__(self, name: str) -> Any:
        if name not in ("params", "help", "callback"):
            raise AttributeError(name)
        made = _command(self.entry)
        self.params, self.help, self.callback = made.params, made.help, made.callback
        return self.__dict__[name]


def _command(entry: Study) -> click.Command:
    """Make the command of a study from its functions."""
    from poolwise.workflows._studies import help_of

    def run(**typed: Any) -> None:
        _run(entry, typed)

    options = stack(*_inputs(entry), *_options(entry), format_option)
    return command(entry.name, help=help_of(entry))(options(run))


def _inputs(entry: Study) -> Iterator[Callable[[Any], Any]]:
    """Yield the arguments and options that say what a study is about."""
    from poolwise.workflows._studies import takes_measures

    if entry.takes not in ("runs", ""):
        yield _DEEP
    if "table" in entry.takes:
        yield scored_input
    elif entry.takes == "runs":
        yield runs_argument()
        yield reading_options
    elif entry.takes:
        yield input_options
        if takes_measures(entry):
            yield measure_option
        if entry.takes == "evidence":
            yield topics_option


def _options(entry: Study) -> Iterator[Callable[[Any], Any]]:
    """Yield the options of a study, those that say nothing about it last."""
    from poolwise.workflows._studies import parameters_of

    if entry.best:
        yield typed_option("top", _TOP, float)
    parameters = parameters_of(entry)
    for name in sorted(parameters, key=_AT_THE_END.__contains__):
        own = entry.options.get(parameters[name].name, entry.options.get(name))
        yield option_of(name, parameters[name], own)
    if entry.view:
        yield typed_option(entry.view.name, entry.view.option, str)
    if entry.plots:
        yield plot_option


def _run(entry: Study, typed: dict[str, Any]) -> None:
    """Run a study with what was typed, show its findings, and draw the first."""
    from poolwise.workflows._studies import run_study

    plot, form = typed.pop("plot", None), typed.pop("form")
    shown = typed.pop(entry.view.name) if entry.view else None
    inputs = _given(entry, typed)
    with progress(entry.progress) as report:
        findings = run_study(entry, inputs, typed, progress=report)
    _show(entry, findings, shown, form)
    draw(findings[0], plot)


def _given(entry: Study, typed: dict[str, Any]) -> "StudyInput":
    """Take what a study is about out of what was typed; what is left are its options."""
    from poolwise.workflows._studies import StudyInput

    _, takes = entry.chosen(typed)
    # Some options choose another function, which may take other input.
    if "table" in entry.takes and "table" not in takes and has_score_files(typed):
        flags = ", ".join(
            f"--{name.replace('_', '-')}" for name in (entry.instead.when if entry.instead else ())
        )
        raise click.UsageError(f"{flags}: pools need QRELS and RUNS, not --scores")
    deep = typed.pop("deep", None)
    if deep is not None and "scores" in typed and has_score_files(typed):
        raise click.UsageError("--deep is about judgments, and scores have none")
    files = reading(dict(typed)) if "ties" in typed else None
    # First, since it takes how files are read out of what was typed.
    tables = score_tables(typed) if "table" in takes else ()
    if "ties" in typed:
        reading(typed)  # takes its options away
    how = {} if files is None else {"reading": files}
    about = {name: typed.pop(name) for name in _INPUTS if name in typed}
    measures = typed.pop("measures", ()) if entry.takes else ()
    return StudyInput(
        judgments=about.get("qrels"),
        runs=about.get("runs", ()),
        measures=() if tables else measures,
        tables=tables,
        topics=about.get("topics", "judged"),
        grades=about.get("grades", ()),
        deep=deep,
        **how,
    )


def _show(entry: Study, findings: "Sequence[Finding]", shown: str | None, form: str | None) -> None:
    """Print findings as the option of the study that is about showing them wants it."""
    from poolwise.results._columns import stack_columns

    view = entry.view
    if view is None or shown is None:
        show(findings, form)
        return
    views = [getattr(finding, view.method)(**{view.argument: shown}) for finding in findings]
    if view.method not in ("tables", "columns"):
        show(views, form)
        return
    is_of_tables = view.method == "tables"
    tables = views if is_of_tables else [finding.tables() for finding in findings]
    columns = [finding.columns() for finding in findings] if is_of_tables else views
    show_tables(
        [t for finding, of_it in zip(findings, tables, strict=True) for t in told(finding, of_it)],
        stack_columns(columns),
        form,
        provenance=findings[0].provenance,
    )


class _ByQuestion(ShortHelp, click.Group):
    """A group whose help lists the studies under the questions they answer."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section per question."""
        del ctx
        asked = {
            question: [entry.name for entry in STUDIES if entry.question == question]
            for question in QUESTIONS
        }
        write_questions(formatter, asked, self.commands)


@click.group(
    cls=_ByQuestion,
    commands=[StudyCommand(entry) for entry in STUDIES],
    short_help="Repeat an evaluation under changed conditions.",
)
def study() -> None:
    """Repeat an evaluation under changed conditions, and show what changes with them."""
