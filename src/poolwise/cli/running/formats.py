"""A result in each of the formats that commands give."""

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from poolwise.provenance._files import Content
    from poolwise.results._columns import Columns, RowParts, Rows
    from poolwise.results._records import Record
    from poolwise.results._tables import Table

__all__ = ["FORMATS", "FOR_PROGRAMS", "HOLDS_RECORD", "Result", "form_of_file"]

FORMATS = ("table", "tsv", "csv", "json", "md", "latex", "html")
"""What --format takes."""
FOR_PROGRAMS = ("tsv", "csv", "json", "parquet")
"""Formats of the columns; the others show tables."""
HOLDS_RECORD = ("json", "md", "latex", "html", "parquet")
"""Formats with a place for what produced the numbers."""
_BY_ENDING = {
    ".txt": "table",
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


@dataclass(frozen=True)
class Result:
    """Tables for people and columns for programs, and the format that is wanted."""

    tables: "Sequence[Table]"
    rows: "Columns | RowParts"
    form: str
    safe_csv: bool = False

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
            return digest(self._delimited_text.encode("utf-8", "surrogateescape"))
        return parts_digest(self.parts)

    def content(self, record: "Record") -> "Content":
        """Return what a file is to hold."""
        if self.form == "parquet":
            from poolwise.results._parquet import parquet_content

            return parquet_content(self.rows, record)
        return self.text(record).encode("utf-8", "surrogateescape")

    def text(self, record: "Record", *, ascii_only: bool = False) -> str:
        """Return the text of a file or of standard output."""
        if self.form == "json":
            return self._json(record, ascii_only=ascii_only)
        if self.form in ("tsv", "csv"):
            return self._delimited_text
        return self._as_table() if self.form == "table" else self._marked_up(record)

    @cached_property
    def _delimited_text(self) -> str:
        from poolwise.results._columns import to_csv

        separator = "\t" if self.form == "tsv" else ","
        return "".join(
            to_csv(part, separator=separator, safe=self.safe_csv, header=i == 0)
            for i, part in enumerate(self.parts)
        )

    def print(self) -> None:
        """Print tables to standard output, with colours where it is a terminal."""
        from rich.console import Console

        width = None if sys.stdout.isatty() else _NOT_A_TERMINAL
        self._print_to(Console(width=width, highlight=False))

    def _json(self, record: "Record", *, ascii_only: bool) -> str:
        import json

        from poolwise.results._columns import to_json
        from poolwise.results._records import json_text

        rows = json_text(to_json(self.columns), ascii_only=ascii_only)
        return f'{{"provenance": {json.dumps(record)},\n"rows": {rows}}}\n'

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
        return f"{comment(record, self.form)}\n\n{tables}\n"

    def _print_to(self, console: "Console") -> None:
        from rich.markup import escape

        from poolwise.results._layout import fitted
        from poolwise.words import visible

        for whole in self.tables:
            table = fitted(whole, console.width)
            if table.title:
                console.print(f"[bold]{escape(visible(table.title))}[/bold]\n")
            if table.columns:
                console.print(_rich_table(table, console.width))
                console.print()
            for note in table.notes:
                console.print(f"[dim]{escape(visible(note))}[/dim]")
            if table.notes:
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
    for c, (column, width) in enumerate(zip(table.columns, widths(table, room), strict=True)):
        # Titles may be broken into lines, numbers and names may not.
        title = visible(column.title)
        view.add_column(
            escape(title if len(title) <= width else fill(title, width)),
            # Marked cells are of one length, and rich takes spaces off what is set to the right.
            justify="right" if table.is_number(c) and not table.is_marked(c) else "left",
            width=width,
            overflow="fold",
        )
    for texts, bold in zip(table.marked(), table.bold(), strict=True):
        cells = (
            f"[bold]{escape(t)}[/bold]" if b else escape(t)
            for t, b in zip(texts, bold, strict=True)
        )
        view.add_row(*cells)
    return view
