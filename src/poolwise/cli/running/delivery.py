"""Where the results of a command go: standard output or files, with what produced them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from poolwise.cli.parameters.registry import RegistryOrFile
from poolwise.errors import OutputError

if TYPE_CHECKING:
    from poolwise.provenance._files import Content
    from poolwise.provenance._hashing import HashingAhead
    from poolwise.provenance._provenance import Provenance
    from poolwise.results._columns import Columns
    from poolwise.results._records import Record

__all__ = [
    "Delivery",
    "OutputPath",
    "Replayed",
    "checks_files",
    "current_delivery",
    "deliver_file",
    "deliver_files",
    "deliver_provenance",
    "force_option",
    "hash_ahead",
    "keep",
    "made_by",
    "options_of_files",
    "output_to_option",
    "provenance_option",
    "quiet_option",
    "remember_words",
    "replaying",
    "require_replaceable",
]

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
class Replayed:
    """What a command would have written: how it was made, and the rows."""

    record: "Record"
    columns: "Columns"


@dataclass
class Delivery:
    """What a user said about files and notes, and what a replay keeps in place of writing them."""

    output: Path | None = None
    provenance: Path | None = None
    force: bool = False
    safe_csv: bool = False
    quiet: bool = False
    is_replay: bool = False
    hashing: "HashingAhead | None" = None
    replayed: list[Replayed] = field(default_factory=list)

    @property
    def is_silent(self) -> bool:
        """Whether nobody wants to read notes, or to see progress."""
        return self.quiet or self.is_replay


def current_delivery() -> Delivery:
    """Return where the results of the running command go."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Delivery()
    found: Delivery = context.meta.setdefault(_DELIVERY, Delivery())
    return found


def remember_words(context: click.Context, words: Iterable[str]) -> None:
    """Keep what was typed after ``poolwise``, so that it can be run again."""
    context.meta[_WORDS] = tuple(words)


def replaying(context: click.Context) -> Delivery:
    """Let a command that is about to run keep its results and write nothing."""
    context.meta[_DELIVERY] = Delivery(is_replay=True)
    return context.meta[_DELIVERY]


def _told(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that keeps the value of an option in the delivery."""

    def keep(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        if value != _STANDARD_OUTPUT:
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
    "tex, html, txt or parquet. Where the format has no place for it, the provenance goes to "
    "FILE.provenance.json.",
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
    help="Write what produced the numbers to this file; `poolwise replay` makes them again.",
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
options_of_files = (output_option, provenance_option, force_option, safe_csv_option, quiet_option)


def hash_ahead(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Begin to hash the runs as soon as they are named, where a file will tell their hashes.

    Modules take about as long to load as the runs take to be hashed.
    """
    with context.scope(cleanup=False):
        delivery = current_delivery()
        if (delivery.output or delivery.provenance) and not delivery.is_replay:
            from poolwise import workflows
            from poolwise.provenance._hashing import HashingAhead

            delivery.hashing = HashingAhead.of(workflows.stored_files(value))
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
    from poolwise.provenance._files import file_ids

    delivery = current_delivery()
    given = [*_paths(context, written=True), delivery.output, delivery.provenance]
    outputs = [Path(path) for path in given if path is not None]
    inputs = file_ids(_input_files(context)) if outputs else {}
    for path in outputs:
        _refuse_input(path, inputs)
        require_replaceable(path)
        if sum(path.absolute() == other.absolute() for other in outputs) > 1:
            raise OutputError(str(path), "two results go to this file", remedy="name two files")


def _refuse_input(path: Path, inputs: Mapping[Any, str]) -> None:
    """Raise where a file to write, or its sidecar, is one that is read."""
    from poolwise.provenance._files import file_ids, is_stream
    from poolwise.results._records import sidecar_of

    if is_stream(path):
        return
    for one in (path, sidecar_of(path)):
        for same in file_ids([one]).keys() & inputs.keys():
            raise OutputError(
                str(one),
                f"an output must not be an input, and this is {inputs[same]}",
                remedy="write to another file",
            )


def require_replaceable(path: Path, *, sidecar: Path | None = None) -> None:
    """Raise where a file cannot be written, or holds what poolwise did not write."""
    from poolwise.provenance._files import require_writable
    from poolwise.results._records import is_written_by_poolwise

    require_writable(path)
    if current_delivery().force or not path.is_file():
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
    if ahead is not None:
        ahead.tell(provenance.sources)
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
        if is_one and name not in _NO_NUMBER and not _is_path(parameter.type, context.params[name]):
            # The first long spelling is the one in force; others are older or shorter.
            typed = next((o for o in parameter.opts if o.startswith("--")), parameter.opts[0])
            yield typed.lstrip("-"), context.params[name]


def deliver_file(
    path: Path, content: "Content", record: "Record", *, holds_record: bool = False
) -> None:
    """Write a file, and its provenance beside it where it does not hold it."""
    from poolwise.provenance._files import is_stream, write_file
    from poolwise.results._records import sidecar_of

    # What writes itself piece by piece has no hash yet, and holds its record.
    if holds_record or is_stream(path) or not isinstance(content, bytes):
        if not current_delivery().is_replay:
            write_file(path, content)
    else:
        deliver_files({path: content}, record, sidecar=sidecar_of(path))


def deliver_files(
    contents: Mapping[Path, bytes], record: "Record", *, sidecar: Path | None
) -> None:
    """Write files with one provenance for all of them, the provenance first; a replay does not."""
    from poolwise.provenance._files import write_file
    from poolwise.results._records import sidecar_bytes

    if current_delivery().is_replay:
        return
    if sidecar is not None:
        write_file(sidecar, sidecar_bytes(record, contents, at=sidecar))
    for path, content in contents.items():
        write_file(path, content)


def keep(record: "Record", columns: "Columns | None" = None) -> None:
    """Keep a result for the replay that asked for it, if one did."""
    delivery = current_delivery()
    if delivery.is_replay:
        delivery.replayed.append(Replayed(record, columns or {}))


def deliver_provenance(record: "Record") -> None:
    """Write what produced the numbers to the file that --provenance names, if it names one."""
    path = current_delivery().provenance
    if path is not None:
        deliver_files({}, record, sidecar=path)
