"""Tables of results, with bars for intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self

from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Backend, to_frame
from poolwise.words import decimal, p_text, visible

__all__ = ["Cell", "Column", "IntervalBar", "Table", "chosen_table", "record_of", "table_of"]


class IntervalBar(NamedTuple):
    """Numbers to draw beside the rows of a table: ``●`` a mean, and lines for its uncertainties.

    Attributes
    ----------
    mean : tuple of float
        One number per row.
    intervals : tuple of tuples
        The sign that an uncertainty is drawn with, such as ``━``, and its lower and upper ends, one
        number per row; later ones are drawn over earlier ones.

    Examples
    --------
    >>> bar = IntervalBar((0.3,), (("─", (0.21,), (0.38,)), ("━", (0.3,), (0.52,))))
    >>> bar.title(30)
    '0.21                      0.52'
    >>> bar.texts(30)
    ['────────●━━━━━━━━━━━━━━━━━━━━━']
    """

    mean: tuple[float, ...]
    intervals: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]

    def ends(self) -> tuple[float, float]:
        """Return both ends of the axis; it ends at 0 and 1 where nothing is known."""
        columns = (self.mean, *(end for _, *ends in self.intervals for end in ends))
        numbers = [value for column in columns for value in column if not math.isnan(value)]
        return (min(numbers), max(numbers)) if numbers else (0.0, 1.0)

    def title(self, width: int) -> str:
        """Return the ends of the axis, as far apart as it is wide."""
        low, high = self.ends()
        left = decimal(low, digits=2)
        return f"{left}{decimal(high, digits=2):>{width - len(left)}}"

    def texts(self, width: int) -> list[str]:
        """Return the line of each row."""
        return [self._text(row, width) for row in range(len(self.mean))]

    def _text(self, row: int, width: int) -> str:
        low, high = self.ends()

        def place(value: float) -> int:
            # All values may be the same, and the axis has no length.
            return round((value - low) / ((high - low) or 1.0) * (width - 1))

        cells = [" "] * width
        # The mean comes last, so that no interval hides it.
        for mark, starts, stops in (*self.intervals, ("●", self.mean, self.mean)):
            if not math.isnan(starts[row]):
                first, last = place(starts[row]), place(stops[row])
                cells[first : last + 1] = mark * (last + 1 - first)
        return "".join(cells)


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
    is_p : bool
        Whether the numbers are p values, which are never written as 0.

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
    is_p: bool = False

    def write(self, cell: Cell) -> str:
        """Return the text of a cell; an undefined number is a dash.

        Examples
        --------
        >>> Column("AP", digits=3).write(0.25), Column("AP", digits=1, percent=True).write(0.25)
        ('0.250', '25.0')
        >>> Column("difference", digits=2).write(-0.25)  # the minus that ranges have
        '−0.25'
        >>> Column("AP", digits=3).write(float("nan")), Column("p", is_p=True).write(1e-9)
        ('–', '<0.0001')
        """
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "–"
        if self.is_p and not isinstance(cell, str):
            return p_text(cell)
        if isinstance(cell, str) or self.digits is None:
            return visible(str(cell))
        return decimal(cell * 100 if self.percent else cell, digits=self.digits)


_P_VALUES = (
    *("pvalue", "p_adjusted", "p_corrected"),
    *("p_over_topics", "p_over_systems", "p_unrelated", "p_d_rank"),
)
"""What columns of p values are called; one called p may hold persistences."""


@dataclass(frozen=True)
class Table:
    """Columns and rows, with a title above and notes below.

    ``marks`` holds text set behind a cell as a superscript (significance letters, daggers), by
    row and column. ``bars`` is what a terminal draws beside the rows, if it has room.

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
    bars : IntervalBar or None
        The axis with the uncertainties of each row.
    is_float : bool
        Whether LaTeX sets it in a ``table``, with the title as its caption.
    label : str
        What LaTeX refers to it by.
    folds : bool
        Whether columns that a window has no room for go below the others, and are not hidden.
    answer : str or None
        What a terminal shows above the title, such as the first of the notes. Where it is empty the
        rows are the answer, and nothing stands above them, nor the title.

    Examples
    --------
    >>> from poolwise import render
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
    bars: IntervalBar | None = None
    is_float: bool = False
    label: str = ""
    folds: bool = False
    answer: str | None = None

    @classmethod
    def by_column(
        cls,
        columns: Mapping[Column, Sequence[Cell]],
        *,
        order: Iterable[int] | None = None,
        title: str = "",
        notes: tuple[str, ...] = (),
        bars: IntervalBar | None = None,
    ) -> Self:
        """Return a table of columns with their cells, whose rows may stand in another order.

        Examples
        --------
        >>> columns = {Column("run"): ["bm25", "ql"], Column("AP", 2): [0.2, 0.25]}
        >>> Table.by_column(columns, order=[1, 0]).texts()
        [['ql', '0.25'], ['bm25', '0.20']]
        """
        rows = tuple(zip(*columns.values(), strict=True))
        ordered = rows if order is None else tuple(rows[i] for i in order)
        return cls(tuple(columns), ordered, title=title, notes=notes, bars=bars)

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
            longest = self.mark_width(c)
            for r, row in enumerate(texts):
                row[c] = row[c].rjust(widest) + self.mark(r, c).ljust(longest)
        return texts

    def mark_width(self, column: int) -> int:
        """Return the characters of the longest mark of a column."""
        return max((len(row[column]) for row in self.marks), default=0)

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
        >>> from poolwise import render
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
            # Bars have a text for every row, and an axis over all of them.
            bars=None,
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


@recorded
def table_of(
    columns: Mapping[str, Sequence[Any]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
    digits: int = 4,
    p_values: Sequence[str] = _P_VALUES,
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
    p_values : sequence of str
        The columns that hold p values.

    Returns
    -------
    Table
        A table that :func:`~poolwise.render` writes in any of its formats.

    Examples
    --------
    >>> from poolwise import render
    >>> print(render(table_of({"run": ["a", "b"], "p": [0.5, 0.25], "n": [3, 10]}, digits=2)))
    run     p   n
    a    0.50   3
    b    0.25  10
    """
    kinds = [any(isinstance(cell, float) for cell in cells) for cells in columns.values()]
    return Table(
        columns=tuple(
            Column(name.replace("_", " "), digits if fraction else None, is_p=name in p_values)
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
    >>> from poolwise import render
    >>> columns = {"run": ["a", "b"], "p": [0.5, 0.25], "n": [3, 10]}
    >>> print(render(chosen_table(columns, {"run": Column("run"), "p": Column("p value", 1)})))
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
    >>> from poolwise import render
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
