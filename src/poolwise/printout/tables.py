"""Tables for people: terminal, Markdown, LaTeX, HTML, CSV."""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from poolwise.errors import require_choice
from poolwise.printout.columns import Backend, to_frame
from poolwise.printout.gauges import Gauge
from poolwise.printout.words import visible

__all__ = ["FORMATS", "Cell", "Column", "Table", "chosen_table", "record_of", "render", "table_of"]

Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """One column: its title, how its numbers are written, and which of them is best.

    Attributes
    ----------
    digits : int or None
        Decimals of a number; None prints it as it is.
    best : {"", "max", "min"}
        Which value of the column is set in bold.
    rank : int
        Where a table is too wide for a window, columns of the highest rank are hidden first.

    Examples
    --------
    >>> column = Column("AP", digits=3, best="max")
    >>> column.write(0.25), column.write(None)
    ('0.250', '–')
    """

    title: str
    digits: int | None = None
    best: Literal["", "max", "min"] = ""
    percent: bool = False
    rank: int = 0

    def write(self, cell: Cell) -> str:
        """Return the text of a cell; an undefined number is a dash.

        Examples
        --------
        >>> Column("AP", digits=3).write(0.25), Column("AP", digits=1, percent=True).write(0.25)
        ('0.250', '25.0')
        >>> Column("AP", digits=3).write(float("nan"))
        '–'
        """
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "–"
        if isinstance(cell, str) or self.digits is None:
            return visible(str(cell))
        return f"{cell * 100 if self.percent else cell:.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """Columns and rows, with a title above and notes below.

    ``marks`` holds text set behind a cell as a superscript (significance letters, daggers), by
    row and column. ``gauge`` is what a terminal draws beside the rows, if it has room.

    Attributes
    ----------
    columns : tuple of Column
        Titles, and how the cells below each are written.
    rows : tuple of tuples
        The cells, as many in each row as there are columns.
    title : str
        The line above; empty for none.
    notes : tuple of str
        The lines below.
    marks : tuple of tuples of str
        What is raised behind each cell; empty where nothing is.
    gauge : Gauge or None
        The axis with both uncertainties of each row.

    Examples
    --------
    >>> table = Table((Column("run"), Column("AP", digits=2)), (("bm25", 0.25),),
    ...               notes=("50 topics",))
    >>> table.texts()
    [['bm25', '0.25']]
    >>> print(render(table))
    run     AP
    bm25  0.25
    <BLANKLINE>
    50 topics
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    marks: tuple[tuple[str, ...], ...] = ()
    gauge: Gauge | None = None

    def texts(self) -> list[list[str]]:
        """Return every cell as text."""
        return [
            [column.write(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def marked(self) -> list[list[str]]:
        """Return every cell as text with what is raised behind it, so that numbers stay in line.

        Examples
        --------
        >>> Table((Column("AP", 0),), ((50,), (5,)), marks=(("ab",), ("",))).marked()
        [['50ab'], [' 5  ']]
        """
        texts = self.texts()
        for c in filter(self.is_marked, range(len(self.columns))):
            widest = max(len(row[c]) for row in texts)
            longest = max(len(row[c]) for row in self.marks)
            for r, row in enumerate(texts):
                row[c] = row[c].rjust(widest) + self.mark(r, c).ljust(longest)
        return texts

    def is_marked(self, column: int) -> bool:
        """Say whether something is raised in a column."""
        return any(row[column] for row in self.marks)

    def is_number(self, column: int) -> bool:
        """Say whether a column holds numbers, which are aligned to the right."""
        cells = [row[column] for row in self.rows]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    def bold(self) -> list[list[bool]]:
        """Mark the best cells of the columns that ask for it, ties included."""
        wanted = [self._best_text(c) for c in range(len(self.columns))]
        return [
            [text == best for text, best in zip(row, wanted, strict=True)] for row in self.texts()
        ]

    def _best_text(self, c: int) -> str | None:
        column = self.columns[c]
        numbers = [row[c] for row in self.rows if isinstance(row[c], int | float)]
        finite = [n for n in numbers if not math.isnan(n)]  # type: ignore[arg-type] # strings are out
        if not column.best or not finite:
            return None
        return column.write(max(finite) if column.best == "max" else min(finite))  # type: ignore[type-var] # as above

    def mark(self, row: int, column: int) -> str:
        """Return the superscript of a cell."""
        return self.marks[row][column] if self.marks else ""

    def rounded(self, digits: int, *, percent: bool = False) -> "Table":
        """Return the table with every number column written with so many decimals."""
        columns = tuple(
            c if c.digits is None else replace(c, digits=digits, percent=percent)
            for c in self.columns
        )
        return replace(self, columns=columns)

    def head(self, most: int) -> "Table":
        """Return the first rows, with a note that says how many there are.

        Examples
        --------
        >>> print(render(Table((Column("run"),), (("a",), ("b",), ("c",))).head(2)))
        run
        a
        b
        <BLANKLINE>
        The first 2 of 3 rows are shown.
        """
        if len(self.rows) <= most:
            return self
        shown = f"The first {most:,} of {len(self.rows):,} rows are shown."
        return replace(
            self,
            rows=self.rows[:most],
            marks=self.marks[:most],
            notes=(*self.notes, shown),
            gauge=None,
        )

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the cells as a frame of pandas, polars or pyarrow: the first that is installed.

        Numbers are as exact as they were computed. Columns without a title are numbered.

        Examples
        --------
        >>> Table((Column("run"), Column("AP", digits=1)), (("a", 0.25),)).to_frame()
          run    AP
        0   a  0.25
        """
        titles = [column.title or str(i) for i, column in enumerate(self.columns, start=1)]
        cells = {title: [row[i] for row in self.rows] for i, title in enumerate(titles)}
        return to_frame(cells, backend=backend)

    @property
    def has_titles(self) -> bool:
        """Whether any column has a title; a record has none."""
        return any(column.title for column in self.columns)


def table_of(
    columns: Mapping[str, Sequence[Cell]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
    digits: int = 4,
) -> Table:
    """Return named columns as a table; fractions get the decimals, whole numbers none.

    Parameters
    ----------
    columns : mapping from str to sequence
        The cells of each column under its title, all of one length.
    title : str
        The line above the table.
    notes : sequence of str
        The lines below it.
    digits : int
        Decimals of the columns that hold fractions.

    Returns
    -------
    Table
        A table that :func:`render` writes in any of its formats.

    Examples
    --------
    >>> print(render(table_of({"run": ["a", "b"], "p": [0.5, 0.25], "n": [3, 10]}, digits=2)))
    run     p   n
    a    0.50   3
    b    0.25  10
    """
    kinds = [any(isinstance(cell, float) for cell in cells) for cells in columns.values()]
    return Table(
        columns=tuple(
            Column(name.replace("_", " "), digits if fraction else None)
            for name, fraction in zip(columns, kinds, strict=True)
        ),
        rows=tuple(zip(*columns.values(), strict=True)),
        title=title,
        notes=tuple(notes),
    )


def chosen_table(
    columns: Mapping[str, Sequence[Cell]],
    shown: Mapping[str, Column],
    *,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """Return those of the named columns that are to be shown, each as it is to be written.

    Examples
    --------
    >>> found = {"run": ["a", "b"], "p": [0.5, 0.25], "n": [3, 10]}
    >>> print(render(chosen_table(found, {"run": Column("run"), "p": Column("p value", 1)})))
    run  p value
    a        0.5
    b        0.2
    """
    return Table(
        columns=tuple(shown.values()),
        rows=tuple(zip(*(columns[name] for name in shown), strict=True)),
        title=title,
        notes=tuple(notes),
    )


def record_of(columns: Mapping[str, Sequence[Cell]], *, title: str = "", digits: int = 4) -> Table:
    """Return columns of one row as lines of name and value.

    Examples
    --------
    >>> print(render(record_of({"mean_score": [0.25], "topics": [50]}, title="A record")))
    A record
    <BLANKLINE>
    mean score  0.2500
    topics      50
    """
    flat = table_of(columns, digits=digits)
    (cells,) = flat.texts()
    rows = zip((column.title for column in flat.columns), cells, strict=True)
    return Table((Column(""), Column("")), tuple(rows), title=title)


def render(table: Table, form: str = "text") -> str:
    r"""Return the table as text in one of ``FORMATS``.

    Parameters
    ----------
    table : Table
        What to write.
    form : str
        A key of ``FORMATS``, such as ``text``, ``markdown``, ``latex``, ``html`` or ``csv``.

    Returns
    -------
    str
        The text, in which the best value of a column stands out where the format can show it.

    Examples
    --------
    >>> table = Table((Column("run"), Column("AP", digits=3, best="max")),
    ...               (("bm25", 0.25), ("a_b", 0.3)))
    >>> print(render(table, "markdown"))
    | run  |        AP |
    |------|----------:|
    | bm25 |     0.250 |
    | a_b  | **0.300** |
    >>> print(render(table, "latex"))
    \begin{tabular}{lr}
    \toprule
    run & AP \\
    \midrule
    bm25 & 0.250 \\
    a\_b & \textbf{0.300} \\
    \bottomrule
    \end{tabular}
    """
    require_choice("form", form, FORMATS)
    return FORMATS[form](_shown(table))


def _shown(table: Table) -> Table:
    """Return the table with everything a terminal would obey, in titles and notes, as escapes."""
    return replace(
        table,
        columns=tuple(replace(column, title=visible(column.title)) for column in table.columns),
        title=visible(table.title),
        notes=tuple(map(visible, table.notes)),
    )


def _decorated(
    table: Table,
    escape: Callable[[str], str],
    embolden: Callable[[str], str],
    raise_up: Callable[[str], str],
) -> list[list[str]]:
    """Return the cells with bold and superscripts in the notation of a format."""
    bold = table.bold()
    return [
        [
            (embolden(escape(text)) if bold[r][c] else escape(text))
            + (raise_up(escape(table.mark(r, c))) if table.mark(r, c) else "")
            for c, text in enumerate(row)
        ]
        for r, row in enumerate(table.texts())
    ]


def _padded(cells: Sequence[Sequence[str]], right: Sequence[bool]) -> list[list[str]]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        [
            cell.rjust(w) if r else cell.ljust(w)
            for cell, w, r in zip(row, widths, right, strict=True)
        ]
        for row in cells
    ]


def _text(table: Table) -> str:
    titles = [c.title for c in table.columns]
    body = table.marked()
    right = [table.is_number(c) for c in range(len(titles))]
    lines = ["  ".join(row).rstrip() for row in _padded([titles, *body], right)]
    title = [table.title, ""] if table.title else []
    notes = ["", *table.notes] if table.notes else []
    return "\n".join([*title, *(lines if table.has_titles else lines[1:]), *notes])


_MARKDOWN_ESCAPES = {"<": "&lt;", "&": "&amp;", "|": "\\|", "[": "\\[", "`": "\\`"}
_MARKDOWN_SIGNS = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|[|[`]")
"""What would begin a tag, an entity, a cell, a link or an image, or code."""


def _markdown(table: Table) -> str:
    def escape(text: str) -> str:
        return _MARKDOWN_SIGNS.sub(lambda found: _MARKDOWN_ESCAPES[found[0]], text)

    titles = [escape(c.title) for c in table.columns]
    body = _decorated(table, escape, lambda s: f"**{s}**", lambda s: f"<sup>{s}</sup>")
    right = [table.is_number(c) for c in range(len(titles))]
    head, *rows = _padded([titles, *body], right)
    rule = ["-" * (len(h) + 1) + (":" if r else "-") for h, r in zip(head, right, strict=True)]
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    lines.insert(1, f"|{'|'.join(rule)}|")
    title = [f"**{escape(table.title)}**", ""] if table.title else []
    notes = ["", *(f"{escape(note)}  " for note in table.notes)] if table.notes else []
    return "\n".join([*title, *lines, *notes])


_LATEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "#$%&_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {
        "–": "--",
        "−": "$-$",
        "×": "$\\times$",
        "±": "$\\pm$",
        "†": "$\\dagger$",
        "‡": "$\\ddagger$",
    }
    | {"<": "$<$", ">": "$>$", "≤": "$\\leq$", "≥": "$\\geq$", "…": "\\dots{}"}
)


def _latex(table: Table) -> str:
    def escape(text: str) -> str:
        return text.translate(_LATEX_ESCAPES)

    body = _decorated(
        table, escape, lambda s: f"\\textbf{{{s}}}", lambda s: f"\\textsuperscript{{{s}}}"
    )
    layout = "".join("r" if table.is_number(c) else "l" for c in range(len(table.columns)))
    rows = [" & ".join(row) + r" \\" for row in body]
    head = " & ".join(escape(c.title) for c in table.columns) + r" \\"
    notes = [f"% {line}" for note in (table.title, *table.notes) for line in note.splitlines()]
    heading = [head, "\\midrule"] if table.has_titles else []
    lines = [f"\\begin{{tabular}}{{{layout}}}", "\\toprule", *heading, *rows]
    return "\n".join([*notes, *lines, "\\bottomrule", "\\end{tabular}"])


def _html(table: Table) -> str:
    from html import escape  # noqa: PLC0415, late: slow to import

    body = _decorated(table, escape, lambda s: f"<strong>{s}</strong>", lambda s: f"<sup>{s}</sup>")
    align = [' class="number"' if table.is_number(c) else "" for c in range(len(table.columns))]

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(f"<{tag}{a}>{t}</{tag}>" for t, a in zip(texts, align, strict=True))

    caption = f"<caption>{escape(table.title)}</caption>\n" if table.title else ""
    head = cells('th scope="col"', [escape(c.title) for c in table.columns])
    head = head.replace('</th scope="col">', "</th>")
    rows = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in body)
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in table.notes)
    head = f"<thead><tr>{head}</tr></thead>" if table.has_titles else ""
    return f"<table>\n{caption}{head}\n<tbody>\n{rows}\n</tbody>\n</table>\n{notes}"


def _csv(table: Table) -> str:
    """Return the cells as they are written, without bold; superscripts follow their number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([c.title for c in table.columns])
    writer.writerows(_decorated(table, str, str, str))
    return text.getvalue()


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
    "csv": _csv,
}
