"""What arguments and options hold, and how they describe themselves."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import cleandoc
from itertools import pairwise
from textwrap import fill
from typing import Any

import click
from click.shell_completion import CompletionItem

from poolwise.cli._help import ELSEWHERE, EXAMPLES, LINES, by_heading, names_of_options

__all__ = [
    "ANY_MEASURES",
    "DIVERSITY_MEASURES",
    "MEASURES",
    "TREC_EVAL_MEASURES",
    "DescribedArgument",
    "DescribedCommand",
    "ListedRegistry",
    "MeasureNames",
    "Registry",
    "RegistryOrFile",
    "ShortHelp",
    "argument",
    "command",
    "grade_list",
    "grade_map",
    "names_by_judge",
    "several_names",
    "shares",
    "split_names",
    "whole_numbers",
    "whole_numbers_if_any",
]


class Registry(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """One of the names in a registry.

    Parameters
    ----------
    place
        Module and name of the registry: ``"collection._runs:TIE_RULES"``.
    also
        Further choices of the command.
    leave_out
        Names that the command has no use for.

    Examples
    --------
    >>> Registry("evidence._meeting:TOPIC_RULES").choices
    ('judged', 'common')
    """

    name = "choice"

    def __init__(
        self, place: str, *, also: Sequence[str] = (), leave_out: Sequence[str] = ()
    ) -> None:
        self.place, self._also, self._leave_out = place, tuple(also), tuple(leave_out)

    @property
    def choices(self) -> tuple[str, ...]:
        """The names that are accepted, in the order of the registry."""
        names = [getattr(entry, "name", entry) for entry in self.entries]
        return (*(n for n in names if n not in self._leave_out), *self._also)

    @property
    def entries(self) -> Any:
        """The registry itself."""
        # Loaded when its names are asked for, since a registry brings the code of its entries
        # along.
        module, _, name = self.place.partition(":")
        return getattr(import_module(f"poolwise.{module}"), name)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Show the choices as click shows its own."""
        del param, ctx
        return f"[{'|'.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name if it is one of the choices."""
        if value not in self.choices:
            self.fail(f"{value!r} is not one of {', '.join(self.choices)}.", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the choices that begin as typed."""
        del ctx, param
        return [CompletionItem(name) for name in self.choices if name.startswith(incomplete)]


class ListedRegistry(Registry):
    """Names of a registry, each perhaps with options in parentheses, listed below the options.

    The entries have a name and a summary. What is typed is read by the workflow, which knows the
    options.

    Examples
    --------
    >>> ListedRegistry("scores.treatments._estimates:TREATMENTS").summaries()["condensed"]
    'unjudged documents are dropped from the list'
    """

    def summaries(self) -> dict[str, str]:
        """Return what each entry does, by its name."""
        return {entry.name: entry.summary for entry in self.entries}

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Leave the metavar to the option: the names are many."""
        del ctx
        return str(param.metavar or param.name)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return what was typed."""
        del param, ctx
        return str(value)


class RegistryOrFile(click.Path):
    """One of the names in a registry, or a file to read.

    Examples
    --------
    >>> kind = RegistryOrFile("evidence._meeting:TOPIC_RULES")
    >>> kind.is_file("common"), kind.is_file("topics.txt")
    (False, True)
    """

    def __init__(self, place: str) -> None:
        super().__init__()
        self.names = Registry(place)

    def is_file(self, value: str | None) -> bool:
        """Tell whether a value is no name of the registry, which is loaded for a value alone."""
        return value is None or value not in self.names.choices

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Show the names as click shows choices, and that a file may stand in their place."""
        return f"{self.names.get_metavar(param, ctx)[:-1]}|FILE]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin as typed, and files; bash forgets what comes before these."""
        files = super().shell_complete(ctx, param, incomplete)
        return [*files, *self.names.shell_complete(ctx, param, incomplete)]


class DescribedArgument(click.Argument):
    """An argument that has a help of its own, which click's have from version 8.5 on only."""

    def __init__(self, *names: Any, help_text: str, **options: Any) -> None:
        super().__init__(*names, **options)
        self.help_text = help_text


class ShortHelp(click.Command):
    """A command that takes -h as well as --help, whoever asks for its help, and shows examples.

    click reads the names off the first context that a command has, and keeps them.
    """

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the names of the option that shows the help."""
        del ctx
        taken = {name for parameter in self.params for name in parameter.opts}
        return [name for name in ("-h", "--help") if name not in taken]

    def examples(self, path: str) -> tuple[str, ...]:
        """Return what people type for this command, which is called so after ``poolwise``."""
        return EXAMPLES.get(path or str(self.name), ())

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, examples, and then what else there is to say."""
        self.write_about(ctx, formatter)

    def write_about(
        self, ctx: click.Context, formatter: click.HelpFormatter, *, brief: bool = False
    ) -> None:
        """Write what the command does, and examples; if not in brief, all that its help says."""
        first, _, rest = cleandoc(self.help or "").partition("\n\n")
        _write_indented(formatter, first)
        if typed := self.examples(" ".join(_path(ctx))):
            with formatter.section("Examples"):
                # As they are: a line that is broken cannot be copied.
                formatter.write("".join(f"  poolwise {words}\n" for words in typed))
        _write_indented(formatter, "" if brief else rest)


class InOrder(ShortHelp, click.Group):
    """A group of commands, in the order in which they are met."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands as they were made."""
        del ctx
        return list(self.commands)


def _write_indented(formatter: click.HelpFormatter, text: str) -> None:
    if text:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)


def _path(ctx: click.Context) -> list[str]:
    """Return the names of the commands that were gone through, without the program's."""
    return [*_path(ctx.parent), str(ctx.command.name)] if ctx.parent else []


class DescribedCommand(ShortHelp):
    r"""A command whose help says what each argument is, and what is asked for most on one screen.

    ``--help-all`` says the rest, and lists what an option may name.

    Examples
    --------
    >>> from click.testing import CliRunner
    >>> @command()
    ... @argument("qrels", help_text="Read the judgments from this file.")
    ... def count(qrels):
    ...     pass
    >>> print(*CliRunner().invoke(count, ["--help"]).output.splitlines()[2:4], sep="\n")
    Arguments:
      QRELS  Read the judgments from this file.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse a path that is empty, as a variable of the shell is that nobody has set."""
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise self._as_it_is_here(error) from None
        for parameter in self.params:
            if isinstance(parameter.type, click.Path) and parameter.name in ctx.params:
                _require_paths(ctx.params[parameter.name])
        return rest

    def _as_it_is_here(self, error: click.NoSuchOption) -> click.NoSuchOption:
        """Return the error that says what an option of other programs is called here."""
        words = ELSEWHERE.get(error.option_name, "")
        names = {name for parameter in self.params for name in parameter.opts}
        if words.partition(" ")[0] not in names:
            return error
        said = f"No such option {error.option_name!r}. Did you mean {words!r}?"
        return click.NoSuchOption(error.option_name, said, ctx=error.ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, and the option that shows all of them."""
        return [*super().get_params(ctx), _HELP_ALL]

    def get_help(self, ctx: click.Context) -> str:
        """Return as much of the help as fits on a screen, the most wanted options first."""
        about_help = (self.get_help_option(ctx), _HELP_ALL)
        groups = by_heading(option for option in self._options(ctx) if option not in about_help)
        options = [option for group in groups for option in group.options]
        fewer = bisect_left(
            range(len(options) + 1),
            1,
            key=lambda less: self._screen(ctx, options, len(options) - less).count("\n") < LINES,
        )
        return self._screen(ctx, options, max(len(options) - fewer, 0))

    def get_whole_help(self, ctx: click.Context) -> str:
        """Return the help with all options, and what is in the registries that they list."""
        formatter = self._head(ctx, brief=False)
        for heading, options in by_heading(self._options(ctx)):
            _write_options(ctx, formatter, heading, options)
        for parameter in self.get_params(ctx):
            if isinstance(parameter.type, ListedRegistry):
                with formatter.section(f"{parameter.metavar}S".capitalize()):
                    formatter.write_dl([*parameter.type.summaries().items()])
        return formatter.getvalue().rstrip("\n")

    def _options(self, ctx: click.Context) -> list[click.Parameter]:
        return [
            option
            for option in self.get_params(ctx)
            if isinstance(option, click.Option) and not option.hidden
        ]

    def _head(self, ctx: click.Context, *, brief: bool) -> click.HelpFormatter:
        """Write what comes before the options."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self.write_about(ctx, formatter, brief=brief)
        described = [p for p in self.get_params(ctx) if isinstance(p, DescribedArgument)]
        if described:
            with formatter.section("Arguments"):
                formatter.write_dl([(p.human_readable_name, p.help_text) for p in described])
        return formatter

    def _screen(self, ctx: click.Context, options: list[click.Parameter], count: int) -> str:
        """Return the help with the first options described, and the others named."""
        formatter = self._head(ctx, brief=True)
        _write_options(ctx, formatter, "Options", options[:count])
        if rest := options[count:]:
            text = f"More, described by --help-all: {names_of_options(rest)}."
            # Names of options are not broken at their hyphens, as click would.
            formatter.write(f"\n{fill(text, formatter.width, break_on_hyphens=False)}\n")
        return formatter.getvalue().rstrip("\n")


def _write_options(
    ctx: click.Context, formatter: click.HelpFormatter, heading: str, options: list[click.Parameter]
) -> None:
    records = [record for option in options if (record := option.get_help_record(ctx))]
    if records:
        with formatter.section(heading):
            formatter.write_dl([_no_wider(formatter.width, *record) for record in records])


def _no_wider(width: int, names: str, text: str) -> tuple[str, str]:
    """Return what is said of an option, with its choices in the text if they are beyond a line.

    Examples
    --------
    >>> _no_wider(20, "--to [trec|csv|jsonl]", "Write this format.  [default: csv]")
    ('--to NAME', 'Write this format. NAME is one of trec, csv or jsonl. [default: csv]')
    """
    names = names.replace(" RANGE", "")  # click's word for a number with limits
    before, bracket, choices = names.rpartition(" [")
    if not bracket or len(names) + 2 <= width:
        return names, text
    *most, last = choices.rstrip("]").split("|")
    said, *rest = re.split(r"\s+(?=\[(?:default|required))", text, maxsplit=1)
    which = f"NAME is one of {', '.join(most)} or {last}."
    return f"{before} NAME", " ".join([said, which, *rest])


def _show_whole_help(ctx: click.Context, _param: click.Parameter, value: object) -> None:
    if value and not ctx.resilient_parsing:
        command = ctx.command
        click.echo(command.get_whole_help(ctx) if isinstance(command, DescribedCommand) else "")
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_whole_help,
    help="Show all options, and exit.",
)


def _require_paths(paths: Any) -> None:
    from poolwise.workflows._named_files import require_path

    for path in paths if isinstance(paths, tuple) else (paths,):
        if isinstance(path, str):
            require_path(path)


argument = partial(click.argument, cls=DescribedArgument)
command = partial(click.command, cls=DescribedCommand)


_PARAMETERS = r"\(.*\)"


class MeasureNames(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """The name of a measure, or several with commas between them; whoever scores reads them.

    Parameters
    ----------
    places
        Modules and names of the catalogues whose names a shell offers.

    Examples
    --------
    >>> [item.value for item in MEASURES.shell_complete(None, None, "AP,ndcg@")]
    ['AP,nDCG@10', 'AP,nDCG@100']
    """

    name = "measure"

    def __init__(self, *places: str) -> None:
        self._catalogues = [Registry(place) for place in places]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return what was typed."""
        del param, ctx
        return str(value)

    def shell_complete(
        self, ctx: click.Context | None, param: click.Parameter | None, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin as the last one typed does, in whatever case.

        Names with parameters come once a parenthesis is typed: before that there are no quotes
        around the word, and a shell would take the parenthesis for its own.
        """
        del ctx, param
        before, comma, last = incomplete.rpartition(",")
        if last.count("(") < incomplete.count("("):  # the comma stands between parameters
            before, comma, last = "", "", incomplete
        return [
            CompletionItem(f"{before}{comma}{name}", help=meaning)
            for name, meaning in self._names(with_parameters="(" in last)
            if name.lower().startswith(last.lower())
        ]

    def _names(self, *, with_parameters: bool) -> Iterator[tuple[str, str]]:
        """Go through the names that are offered, each with what the measure is."""
        for catalogue in self._catalogues:
            if isinstance(catalogue.entries, Mapping):
                yield from ((name, "") for name in catalogue.entries)
                continue
            for entry in catalogue.entries:
                plain = (re.sub(_PARAMETERS, "", name) for name in entry.examples)
                for name in entry.examples if with_parameters else dict.fromkeys(plain):
                    yield name, _summary(entry.measure)


def _summary(measure: Any) -> str:
    """Return the first line of what a measure says of itself."""
    return str(type(measure).__doc__ or "").partition("\n")[0].replace("``", "")


_RETRIEVAL = ("measures._catalogue:CATALOGUE", "measures.sampled._catalogue:SAMPLED")
_DIVERSITY = "measures._diversity:DIVERSITY"
_TREC_EVAL = "workflows._trec_eval_measures"

MEASURES = MeasureNames(*_RETRIEVAL)
DIVERSITY_MEASURES = MeasureNames(_DIVERSITY)
ANY_MEASURES = MeasureNames(*_RETRIEVAL, _DIVERSITY)
TREC_EVAL_MEASURES = MeasureNames(f"{_TREC_EVAL}:NICKNAMES", f"{_TREC_EVAL}:FAMILIES")


def split_names(values: tuple[str, ...]) -> tuple[str, ...]:
    """Split at the commas that stand outside parentheses.

    Examples
    --------
    >>> split_names(("AP,RBP(p=0.8,rel=2)", "P@10"))
    ('AP', 'RBP(p=0.8,rel=2)', 'P@10')
    """
    # Commas also stand between parameters, as in RBP(p=0.8,gain=linear),AP.
    text, cuts, depth = ",".join(values), [-1], 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            cuts.append(place)
    names = (text[left + 1 : right].strip() for left, right in pairwise([*cuts, len(text)]))
    return tuple(filter(None, names))


def several_names(
    _ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Read names from an option that may be repeated."""
    return split_names(value)


def whole_numbers(_ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Read depths or other whole numbers, above 0, with commas between them."""
    try:
        numbers = tuple(int(number) for number in value.split(","))
    except ValueError:
        # What is no number is refused in the same words as a number below 1.
        numbers = (0,)
    if min(numbers) < 1:
        raise click.BadParameter(
            f"it takes whole numbers with commas between, all above 0; got {value!r}. Hint: write "
            "5,10,20.",
            param=param,
        )
    return numbers


def whole_numbers_if_any(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, ...]:
    """Read whole numbers as above, or none where the option is not given or empty."""
    return whole_numbers(ctx, param, value) if value else ()


def shares(_ctx: click.Context, param: click.Parameter, value: str) -> tuple[float, ...]:
    """Read shares or other numbers from 0 to 1, with commas between them."""
    try:
        numbers = tuple(float(number) for number in value.split(","))
    except ValueError:
        numbers = (-1.0,)
    if not all(0 <= number <= 1 for number in numbers):
        raise click.BadParameter(
            f"it takes numbers from 0 to 1 with commas between; got {value!r}. Hint: write "
            "0.5,0.8,0.95.",
            param=param,
        )
    return numbers


def grade_list(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[float, ...]:
    """Read the grades that a document can have, with commas between them; perhaps none."""
    try:
        return tuple(float(grade) for grade in value.split(",") if grade.strip())
    except ValueError:
        raise click.BadParameter(
            f"grades are numbers with commas between them; got {value!r}. Hint: write 0,1,2,3."
        ) from None


def grade_map(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> dict[str, dict[float, float]]:
    """Read maps of grades, each written SET:0=0,1=0,2=1."""
    maps: dict[str, dict[float, float]] = {}
    for value in values:
        name, colon, steps = value.rpartition(":")
        try:
            pairs = [step.split("=") for step in steps.split(",")]
            maps[name] = {float(old): float(new) for old, new in pairs}
        except ValueError:
            colon = ""
        if not colon:
            raise click.BadParameter(f"{value!r} is no map. Hint: write SET:0=0,1=0,2=1.")
    return maps


def names_by_judge(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Read judges and the sets of labels that are theirs, each written NAME=SETS."""
    by_judge = {}
    for value in values:
        name, sign, sets = value.partition("=")
        if not sign or not name or not sets:
            raise click.BadParameter(f"{value!r} names no sets. Hint: write llama=llama3-*.")
        by_judge[name] = sets
    return by_judge
