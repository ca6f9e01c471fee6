"""How every subcommand prints, shows progress, and fails."""

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import click

from poolwise.errors import PoolwiseError

if TYPE_CHECKING:
    from poolwise import Columns, Table

__all__ = [
    "FORMATS",
    "PoolwiseGroup",
    "Printable",
    "chosen_form",
    "emit",
    "emit_finding",
    "has_room_for_gauges",
    "is_for_programs",
    "progress",
    "warn",
]

FORMATS = ("table", "tsv", "csv", "json", "md", "latex", "html")


class Printable(Protocol):
    """What every finding gives to a command that prints it."""

    def columns(self) -> "Columns":
        """Return the numbers for programs."""

    def sentences(self) -> tuple[str, ...]:
        """Say what was found."""

    def tables(self) -> "tuple[Table, ...]":
        """Return the numbers for people."""


class PoolwiseGroup(click.Group):
    """A group that turns poolwise's errors into one clear line and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except PoolwiseError as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError:
            # The reader of our output (head, less) has seen enough.
            sys.stderr.close()
            return None


def emit(tables: "list[Table]", columns: "Columns", form: str | None) -> None:
    """Print tables for people or columns for programs.

    Without a wish, a terminal gets tables and a pipe gets tab-separated values.
    """
    import poolwise as pw

    form = chosen_form(form)
    if form == "table":
        _print_rich(tables)
    elif form == "json":
        click.echo(pw.to_json(columns))
    elif form in ("tsv", "csv"):
        click.echo(pw.to_csv(columns, separator="\t" if form == "tsv" else ","), nl=False)
    else:
        name = "markdown" if form == "md" else form
        click.echo("\n\n".join(pw.render(table, name) for table in tables))


def emit_finding(
    found: Printable, form: str | None, *, tables: "Sequence[Table] | None" = None
) -> None:
    """Print a finding: its tables and sentences for people, or its columns for programs.

    ``tables`` stand in for its own where a command was asked for other ones.
    """
    *others, last = found.tables() if tables is None else tables
    said = replace(last, notes=(*last.notes, *found.sentences()))
    emit([*others, said], found.columns(), form)


def chosen_form(form: str | None) -> str:
    """Return the wished format, or the one that fits where the output goes."""
    return form or ("table" if sys.stdout.isatty() else "tsv")


def is_for_programs(form: str | None) -> bool:
    """Tell whether the output is plain columns, which have no place for notes."""
    return chosen_form(form) in ("tsv", "csv", "json")


def has_room_for_gauges() -> bool:
    """Say whether both uncertainties can be drawn beside the numbers."""
    return not sys.stdout.isatty() or shutil.get_terminal_size().columns >= 118


def _print_rich(tables: "list[Table]") -> None:
    from rich.console import Console
    from rich.markup import escape

    # Output that is not a terminal is never cut to 80 columns.
    console = Console(width=None if sys.stdout.isatty() else 10_000, highlight=False)
    for table in tables:
        console.print(_rich_table(table))
        for note in table.notes:
            console.print(f"[dim]{escape(note)}[/dim]")
        console.print()


def _rich_table(table: "Table") -> Any:
    import rich.box
    from rich.markup import escape
    from rich.table import Table as RichTable

    view = RichTable(
        title=escape(table.title) or None,
        title_justify="left",
        title_style="bold",
        box=rich.box.SIMPLE_HEAD,
        pad_edge=False,
    )
    widths = [max(map(len, texts), default=0) for texts in zip(*table.texts(), strict=True)]
    for c, column in enumerate(table.columns):
        # Titles may be broken into lines, numbers and names may not.
        view.add_column(
            escape(column.title),
            justify="right" if table.is_number(c) else "left",
            min_width=min(widths[c], 24) if widths else None,
            overflow="fold",
        )
    for texts, bold in zip(table.texts(), table.bold(), strict=True):
        cells = (
            f"[bold]{escape(t)}[/bold]" if b else escape(t)
            for t, b in zip(texts, bold, strict=True)
        )
        view.add_row(*cells)
    return view


def warn(messages: "tuple[str, ...] | list[str]") -> None:
    """Print what a reader should know about the input to standard error."""
    for message in messages:
        click.secho(f"note: {message}", err=True, dim=True)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a callback ``(done, total)`` that draws a bar, or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
