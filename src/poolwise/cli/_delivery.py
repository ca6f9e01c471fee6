"""Where results go, in which form, and with what record of how they were made."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeVar, cast

import click

from poolwise.cli._parameter_types import RegistryOrFile
from poolwise.errors import OptionError, OutputError

if TYPE_CHECKING:
    from rich.console import Console

    from poolwise.provenance._files import Content
    from poolwise.provenance._hashing import BackgroundHasher, LaneHasher
    from poolwise.provenance._provenance import Provenance
    from poolwise.results._columns import Columns, RowParts, Rows
    from poolwise.results._records import Record
    from poolwise.results._replays import Again
    from poolwise.results._tables import Table
    from poolwise.words import Askable

__all__ = [
    "FORMATS",
    "FOR_PROGRAMS",
    "HOLDS_RECORD",
    "MARKED_UP",
    "Delivery",
    "OutputPath",
    "Result",
    "checks_files",
    "current_delivery",
    "deliver_file",
    "deliver_files",
    "deliver_provenance",
    "for_standard_error",
    "force_option",
    "form_of_file",
    "hash_ahead",
    "is_trec",
    "keep",
    "made_by",
    "options_of_files",
    "output_to_option",
    "provenance_option",
    "quiet_option",
    "replaying",
    "require_replaceable",
    "save_argv",
    "width_of",
]


def width_of(stream: TextIO | None) -> int | None:
    """Return the characters of a line where a stream is a terminal; None where it is none."""
    if stream is None or not stream.isatty():
        return None
    # What a user sets goes before what the terminal says, as in other programs.
    columns = os.environ.get("COLUMNS", "")
    try:
        return int(columns) if columns.isdigit() else os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return None


def for_standard_error(text: str) -> str:
    """Return text whose long lines are broken between words, if standard error is a terminal."""
    from textwrap import fill

    width = width_of(sys.stderr)
    if not width:
        return text
    return "\n".join(
        line
        if len(line) <= width
        else fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


FORMATS = ("table", "tsv", "csv", "json", "md", "latex", "html")
"""What --format takes."""
FOR_PROGRAMS = ("tsv", "csv", "json", "parquet")
"""Formats of the columns; the others show tables."""
HOLDS_RECORD = ("json", "md", "latex", "html", "parquet")
"""Formats with a place for what produced the numbers."""
MARKED_UP = ("md", "latex", "html")
"""Formats of text for people, from which no program reads numbers back."""
_BY_ENDING = {
    ".txt": "tsv",
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".md": "md",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".parquet": "parquet",
}
_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_PICTURES = (".pdf", ".png", ".svg")
_OF_OTHERS = (".doc", ".docx", ".odt", ".ods", ".xls", ".xlsx", ".yaml", ".yml")
"""Endings that promise what tab-separated values are not."""
# rich supposes 80 columns where it finds no terminal, and would cut the cells.
_NOT_A_TERMINAL = 10_000
"""Columns of output that is no terminal, which is never cut to 80."""


def form_of_file(path: Path, form: str | None) -> str:
    """Return the format of a file, by what was said, or by its ending; tsv where neither says it.

    Examples
    --------
    >>> form_of_file(Path("scores.tex"), None), form_of_file(Path("scores"), "json")
    ('latex', 'json')
    """
    ending = path.suffix.lower()
    if ending in _COMPRESSED:
        raise OptionError(
            f"{path}: tables are not compressed. Hint: leave out {ending}, or write Parquet."
        )
    if ending in _PICTURES + _OF_OTHERS:
        remedy = "draw it with --plot" if ending in _PICTURES else "write .tsv, .md or .html"
        raise OptionError(f"{path}: no format of a result ends in {ending}. Hint: {remedy}.")
    if ending == ".parquet" and form is not None:
        raise OptionError(
            f"{path}: a file with this ending is Parquet; got the format {form!r}. Hint: leave out "
            "--format, or choose another ending."
        )
    return form or _BY_ENDING.get(ending, "tsv")


def is_trec(path: Path) -> bool:
    """Tell whether a file of documents or judgments is one of TREC's, by its ending.

    Examples
    --------
    >>> is_trec(Path("pool.txt.gz")), is_trec(Path("pool.qrels")), is_trec(Path("pool.tsv"))
    (True, True, False)
    """
    plain = path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path
    ending = plain.suffix.lower()
    return ending == ".txt" or ending not in (*_BY_ENDING, *_PICTURES, *_OF_OTHERS)


@dataclass(frozen=True)
class Result:
    """Tables for people and columns for programs, and the format that is wanted."""

    tables: "Sequence[Table]"
    rows: "Columns | RowParts"
    form: str
    safe_csv: bool = False
    claims: "Sequence[Askable]" = ()

    @property
    def columns(self) -> "Columns":
        """All rows together."""
        return self.rows if isinstance(self.rows, dict) else self.rows.whole()

    @property
    def parts(self) -> "Iterable[Rows]":
        """The rows, in parts if they are made so."""
        return [self.rows] if isinstance(self.rows, dict) else self.rows

    def digest(self) -> str:
        """Return a hash of the numbers."""
        from poolwise.results._records import digest, parts_digest

        # The hash of the numbers is that of plain tab-separated text, which is made once.
        if self.form == "tsv" and not self.safe_csv:
            return digest(*self._delimited)
        return parts_digest(self.parts)

    def content(self, record: "Record") -> "Content":
        """Return what a file is to hold."""
        if self.form == "parquet":
            from poolwise.results._parquet import parquet_content

            return parquet_content(self.rows, record)
        if self.form in ("tsv", "csv"):
            return self._write_parts
        return self.text(record).encode("utf-8", "surrogateescape")

    def text(self, record: "Record", *, ascii_only: bool = False) -> str:
        """Return the text of a file or of standard output."""
        if self.form == "json":
            return self._json(record, ascii_only=ascii_only)
        if self.form in ("tsv", "csv"):
            return b"".join(self._delimited).decode("utf-8", "surrogateescape")
        return self._as_table() if self.form == "table" else self._marked_up(record)

    @cached_property
    def _delimited(self) -> list[bytes]:
        """The lines of a file as they are written, in parts: millions of rows are there once."""
        from poolwise.results._columns import to_delimited

        separator = "\t" if self.form == "tsv" else ","
        return [
            to_delimited(part, separator, safe=self.safe_csv, header=i == 0).encode(
                "utf-8", "surrogateescape"
            )
            for i, part in enumerate(self.parts)
        ]

    def _write_parts(self, file: "IO[bytes]") -> None:
        file.writelines(self._delimited)

    def print(self) -> None:
        """Print tables to standard output, with colours where it is a terminal."""
        from rich.console import Console

        width = None if sys.stdout.isatty() else _NOT_A_TERMINAL
        self._print_to(Console(width=width, highlight=False))

    def _json(self, record: "Record", *, ascii_only: bool) -> str:
        import json

        from poolwise.results._columns import to_json
        from poolwise.results._records import SCHEMA, json_text

        # Part after part: an object for each of millions of rows would take most of the memory.
        rows = f"[{', '.join(filter(None, (to_json(part)[1:-1] for part in self.parts)))}]"
        said = json.dumps([note for table in self.tables for note in table.notes])
        # The record early: whoever asks whether a file is ours reads its beginning alone.
        text = (
            f'{{"schema": "{SCHEMA}", "provenance": {json.dumps(record)},\n"rows": {rows},\n'
            f'"sentences": {said}{self._claims()}}}\n'
        )
        return json_text(text, ascii_only=ascii_only)

    def _claims(self) -> str:
        """Return what is claimed, and of what, as further members of an object of JSON."""
        return f",\n{self.claimed()[1:-1]}" if self.claims else ""

    def claimed(self) -> str:
        """Return what is claimed as JSON; nothing where nothing is."""
        if not self.claims:
            return ""
        from poolwise.words import claims_text

        return claims_text(self.claims)

    def _as_table(self) -> str:
        from io import StringIO

        from rich.console import Console

        page = StringIO()
        self._print_to(Console(file=page, width=_NOT_A_TERMINAL, highlight=False))
        return page.getvalue()

    def _marked_up(self, record: "Record") -> str:
        from poolwise.results._layout import render
        from poolwise.results._records import comment

        name = "markdown" if self.form == "md" else self.form
        tables = "\n\n".join(render(table, name) for table in self.tables)
        # A record that lies beside the file is not in it.
        return f"{comment(record, self.form)}\n\n{tables}\n" if record else f"{tables}\n"

    def _print_to(self, console: "Console") -> None:
        from rich.markup import escape

        from poolwise.results._layout import fitted, folded
        from poolwise.words import visible

        answers = {table.answer for table in self.tables}
        for part in (part for table in self.tables for part in folded(table, console.width)):
            table = fitted(part, console.width)
            if table.answer:
                console.print(f"{escape(visible(table.answer))}\n")
            # What the answer says is said once; where it is why there are no rows, that is all.
            if table.answer and not table.rows:
                table = replace(table, columns=(), title="")
            if table.title and table.answer not in ("", table.title):
                console.print(f"[bold]{escape(visible(table.title))}[/bold]\n")
            if table.columns:
                console.print(_rich_table(table, console.width))
                console.print()
            notes = [note for note in table.notes if note not in answers]
            for note in notes:
                console.print(f"[dim]{escape(visible(note))}[/dim]")
            if notes:
                console.print()


def _rich_table(table: "Table", room: int) -> Any:
    from textwrap import fill

    import rich.box
    from rich.markup import escape
    from rich.table import Table as RichTable

    from poolwise.results._layout import GAP, widths
    from poolwise.words import visible

    view = RichTable(
        box=rich.box.SIMPLE_HEAD,
        padding=(0, GAP - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        show_header=table.has_titles,
    )
    sizes = widths(table, room)
    # Marked numbers are set to the right by spaces of ours: rich would take theirs off.
    marked = [table.is_number(c) and table.is_marked(c) for c in range(len(sizes))]
    for c, (column, width) in enumerate(zip(table.columns, sizes, strict=True)):
        # Titles may be broken into lines, numbers and names may not.
        title = visible(column.title)
        title = title.rjust(width - table.mark_width(c)) if marked[c] else title
        view.add_column(
            escape(title if len(title) <= width else fill(title, width)),
            justify="right" if table.is_number(c) and not marked[c] else "left",
            width=width,
            overflow="fold",
        )
    for texts, bold in zip(table.marked(), table.bold(), strict=True):
        set_right = (
            text.rjust(width) if is_marked else text
            for text, width, is_marked in zip(texts, sizes, marked, strict=True)
        )
        cells = (
            f"[bold]{escape(t)}[/bold]" if b else escape(t)
            for t, b in zip(set_right, bold, strict=True)
        )
        view.add_row(*cells)
    return view


F = TypeVar("F", bound=Callable[..., Any])

_DELIVERY = "poolwise.delivery"
_WORDS = "poolwise.words"
_STANDARD_OUTPUT = Path("-")
_NO_NUMBER = ("form", "workers", "stream")
"""Options that say how numbers are shown or shared out, and change none."""


class OutputPath(click.Path):
    """A file, or a folder, that a command writes; every other path of a command is read."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(dir_okay=folder, file_okay=not folder, path_type=Path)


@dataclass
class Delivery:
    """What a user said about files and notes, and what a replay keeps in place of writing them."""

    output: Path | None = None
    provenance: Path | None = None
    force: bool = False
    safe_csv: bool = False
    quiet: bool = False
    verbose: bool = False
    is_replay: bool = False
    hashing: "BackgroundHasher | LaneHasher | None" = None
    replayed: "list[Again]" = field(default_factory=list)

    @property
    def is_silent(self) -> bool:
        """Whether nobody wants to read notes, or to see progress."""
        return self.quiet or self.is_replay


def current_delivery() -> Delivery:
    """Return where the results of the running command go."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Delivery()
    delivery: Delivery = context.meta.setdefault(_DELIVERY, Delivery())
    return delivery


def save_argv(context: click.Context, words: Iterable[str]) -> None:
    """Keep what was typed after ``poolwise``, so that it can be run again."""
    context.meta[_WORDS] = tuple(words)


def replaying(context: click.Context) -> Delivery:
    """Let a command that is about to run keep its results and write nothing."""
    context.meta[_DELIVERY] = Delivery(is_replay=True)
    return context.meta[_DELIVERY]


def _told(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that keeps the value of an option in the delivery."""

    def keep(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        # -o - is standard output: no file is written, as if the option were not there.
        if value != _STANDARD_OUTPUT:
            # Options are read before the context of the command is the current one.
            with context.scope(cleanup=False):
                setattr(current_delivery(), name, value)
        return value

    return keep


def _output(*names: str, help_text: str) -> Callable[[Any], Any]:
    return click.option(
        *names,
        "--output",
        type=OutputPath(),
        metavar="FILE",
        expose_value=False,
        is_eager=True,  # before the inputs, whose hashes a file needs
        callback=_told("output"),
        help=help_text,
    )


output_option = _output(
    "-o",
    help_text="Write the result to this file, in the format of its ending: tsv, csv, json, md, "
    "tex, html or parquet; tsv by any other. Where the format has no place for it, the provenance "
    "goes to FILE.provenance.json.",
)
output_to_option = _output(
    help_text="Write the lines to this file, and the provenance to FILE.provenance.json."
)
provenance_option = click.option(
    "--provenance",
    type=OutputPath(),
    metavar="FILE",
    expose_value=False,
    is_eager=True,  # as above
    callback=_told("provenance"),
    help="File for the record of how the numbers were made; `poolwise replay` makes them again.",
)
force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_told("force"),
    help="Replace files that poolwise did not write.",
)
safe_csv_option = click.option(
    "--safe-csv",
    is_flag=True,
    expose_value=False,
    callback=_told("safe_csv"),
    help="Put an apostrophe before texts in tsv and csv that a spreadsheet would compute.",
)
quiet_option = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_told("quiet"),
    help="Print no notes and no progress: only errors go to standard error.",
)
verbose_option = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    callback=_told("verbose"),
    help="Name in the notes all that made the numbers: inputs with hashes, rules, every option.",
)
options_of_files = (
    *(output_option, provenance_option, force_option, safe_csv_option),
    *(quiet_option, verbose_option),
)


def hash_ahead(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Begin to hash the runs as soon as they are named, where a file will tell their hashes.

    Modules take about as long to load as the runs take to be hashed.
    """
    with context.scope(cleanup=False):
        delivery = current_delivery()
        # Without a file nobody asks for hashes.
        if (delivery.output or delivery.provenance) and not delivery.is_replay:
            from poolwise import workflows
            from poolwise.provenance._hashing import BackgroundHasher

            delivery.hashing = BackgroundHasher.of(workflows.stored_files(value))
    return value


def checks_files(command: F) -> F:
    """Refuse what must not be written before a command begins its work."""

    @wraps(command)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if not current_delivery().is_replay:
            _check_outputs(click.get_current_context())
        return command(*args, **kwargs)

    return cast("F", checked)


def _check_outputs(context: click.Context) -> None:
    from poolwise.provenance._files import file_ids, locked

    delivery = current_delivery()
    written = [*_paths(context, written=True), delivery.output, delivery.provenance]
    outputs = [Path(path) for path in written if path is not None]
    # By what the files are, not by their names: a link may lead to the same one.
    inputs = file_ids(_input_files(context)) if outputs else {}
    for path in outputs:
        _refuse_input(path, inputs)
        with locked([path]):  # or another command could put a file between two looks at it
            require_replaceable(path)
        # The later one would replace the earlier without a word.
        if sum(path.absolute() == other.absolute() for other in outputs) > 1:
            raise OutputError(str(path), "two results go to this file", remedy="name two files")


def _refuse_input(path: Path, inputs: Mapping[Any, str]) -> None:
    """Raise where a file to write, or its sidecar, is one that is read."""
    from poolwise.provenance._files import file_ids, is_stream
    from poolwise.results._record_files import sidecar_of

    if is_stream(path):
        return
    for output in (path, sidecar_of(path)):
        for same in file_ids([output]).keys() & inputs.keys():
            raise OutputError(
                str(output),
                f"an output must not be an input, and this is {inputs[same]}",
                remedy="write to another file",
            )


def require_replaceable(path: Path, *, sidecar: Path | None = None) -> None:
    """Raise where a file cannot be written, or holds what poolwise did not write."""
    from poolwise.provenance._files import is_stream, require_writable
    from poolwise.results._record_files import is_written_by_poolwise

    require_writable(path)
    if current_delivery().force or is_stream(path) or not path.is_file():
        return
    if not is_written_by_poolwise(path, sidecar=sidecar):
        raise OutputError(
            str(path),
            "the file exists, and is not as poolwise wrote it",
            remedy="name another file, or use --force to replace it",
        )


def _paths(context: click.Context, *, written: bool) -> Iterator[Any]:
    """Yield the paths that a command was given, those it writes or those it reads."""
    for parameter in context.command.params:
        kind, value = parameter.type, context.params.get(parameter.name or "")
        if _is_path(kind, value) and isinstance(kind, OutputPath) is written:
            yield from value if isinstance(value, tuple) else (value,)


def _is_path(kind: Any, value: Any) -> bool:
    """Tell whether the value of a parameter names a file, and not what stands in place of one."""
    return kind.is_file(value) if isinstance(kind, RegistryOrFile) else isinstance(kind, click.Path)


def _input_files(context: click.Context) -> list[str]:
    """Return every file that the paths of a command stand for; what is not there is told later."""
    from poolwise import workflows

    return workflows.existing_files(path for path in _paths(context, written=False) if path)


def made_by(provenance: "Provenance", numbers: str) -> "Record":
    """Return what made some numbers: the command, its inputs and every option in force."""
    from poolwise.provenance._hashing import hash_sources
    from poolwise.results._records import record_of

    context, ahead = click.get_current_context(), current_delivery().hashing
    # Hashes that were made beside the reading count only if the file has not changed since.
    if ahead is not None:
        ahead.assign(provenance.sources)
    hash_sources(provenance.sources)
    return record_of(
        provenance,
        numbers,
        command=context.meta.get(_WORDS, ()),
        files=_input_files(context),
        options=dict(_options(context)),
    )


def _options(context: click.Context) -> Iterator[tuple[str, Any]]:
    """Yield the options of a command by the names that a user types, defaults included."""
    for parameter in context.command.params:
        name = parameter.name or ""
        is_one = isinstance(parameter, click.Option) and name in context.params
        # Files are told among the inputs, with their hashes.
        if is_one and name not in _NO_NUMBER and not _is_path(parameter.type, context.params[name]):
            # The first long spelling is the one in force; others are older or shorter.
            typed = next((o for o in parameter.opts if o.startswith("--")), parameter.opts[0])
            yield typed.lstrip("-"), context.params[name]


def deliver_file(
    path: Path,
    content: "Content",
    record: "Record",
    *,
    holds_record: bool = False,
    with_provenance: bool = False,
) -> None:
    """Write a file, and its provenance beside it where it does not hold it.

    ``with_provenance`` writes the file that --provenance names, if it names one, along with it.
    """
    from poolwise.provenance._files import is_stream, write_file
    from poolwise.results._record_files import sidecar_of
    from poolwise.results._seals import sealed

    delivery = current_delivery()
    if delivery.is_replay:
        return
    sidecars = [delivery.provenance] if with_provenance and delivery.provenance else []
    if is_stream(path):
        write_file(path, content)
        deliver_files({}, record, sidecars=sidecars)
    else:
        if holds_record and isinstance(content, bytes):
            content = sealed(content)
        beside = [] if holds_record else [sidecar_of(path)]
        deliver_files({path: content}, record, sidecars=[*beside, *sidecars])


def deliver_files(
    contents: "Mapping[Path, Content]", record: "Record", *, sidecars: Sequence[Path]
) -> None:
    """Write files with one provenance for all of them, in one piece."""
    from functools import partial

    from poolwise.results._record_files import write_recorded

    # The first one vouches for the files; asked again now, when nobody else can write there.
    beside = sidecars[0] if sidecars else None
    check = partial(require_replaceable, sidecar=beside)
    write_recorded(contents, record, sidecars, check=check)


def keep(
    record: "Record", columns: "Columns | None" = None, text: str = "", claims: str = ""
) -> None:
    """Keep a result for the replay that asked for it, if one did."""
    from poolwise.results._replays import Again

    delivery = current_delivery()
    if delivery.is_replay:
        delivery.replayed.append(Again(record, columns or {}, text, claims))


def deliver_provenance(record: "Record") -> None:
    """Write what produced the numbers to the file that --provenance names, if it names one."""
    path = current_delivery().provenance
    if path is not None:
        deliver_files({}, record, sidecars=[path])
