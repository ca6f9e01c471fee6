"""Results as named columns, and the formats they leave in."""

import csv
import io
import json
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from poolwise.errors import MissingExtraError
from poolwise.printout.native_rows import native_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Backend",
    "Columns",
    "RowParts",
    "Rows",
    "pack",
    "row_of",
    "stack_columns",
    "to_csv",
    "to_frame",
    "to_json",
]

Backend = Literal["pandas", "polars", "pyarrow"]

Columns = dict[str, list[Any]]
"""Column name to values; all columns are of the same length."""
Rows = Mapping[str, Sequence[Any]]
"""The same for what is on its way out, where numbers may be packed (:func:`pack`)."""


@dataclass(frozen=True)
class RowParts:
    """Rows that are made some at a time, in their order, whenever they are gone through.

    Examples
    --------
    >>> rows = RowParts(lambda: [{"run": ["a"]}, {"run": ["b"]}])
    >>> rows.whole()
    {'run': ['a', 'b']}
    """

    make: Callable[[], Iterable[Rows]]

    def __iter__(self) -> Iterator[Rows]:
        return iter(self.make())

    def whole(self) -> Columns:
        """Return all rows together."""
        return stack_columns(list(self))


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
"""How a text begins that a spreadsheet computes, or hands to a program."""


def pack(cells: "list[Any] | NDArray[Any]") -> Sequence[Any]:
    """Return numbers as they lie in memory, which is all that writing them needs; else a list.

    Examples
    --------
    >>> import numpy as np
    >>> pack(np.array([0.25, 1])), pack(np.array([True])), pack(["a"])
    (array('d', [0.25, 1.0]), array('q', [1]), ['a'])
    """
    if isinstance(cells, list):
        return cells
    kind = "d" if cells.dtype.kind == "f" else "q"
    return array(kind, cells.astype(kind, copy=False).tobytes())


def row_of(record: Any) -> Columns:
    """Return the attributes of a result as one row, its provenance left out.

    What is no number and no text, such as a measure, goes by its name.

    Examples
    --------
    >>> from poolwise.findings import trial_design
    >>> row_of(trial_design(0.15, delta=0.033, trial_topics=40))["trial_topics"]
    [40]
    """
    names = [field.name for field in fields(record) if field.name != "provenance"]
    return {name: [_plain(getattr(record, name))] for name in names}


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


def stack_columns(parts: Sequence[Rows]) -> Columns:
    """Put tables with the same columns one below the other.

    Parameters
    ----------
    parts : sequence of dict
        Tables as named columns; the first of them says which columns there are.

    Returns
    -------
    dict from str to list
        The same columns, with the rows of all parts in the order given.

    Examples
    --------
    >>> stack_columns([{"run": ["a"], "p": [0.5]}, {"run": ["b"], "p": [0.1]}])
    {'run': ['a', 'b'], 'p': [0.5, 0.1]}
    """
    return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}


def to_csv(columns: Rows, *, separator: str = ",", safe: bool = False, header: bool = True) -> str:
    r"""Return delimited text, as a rule with a header; an undefined value is an empty field.

    A spreadsheet takes a text such as ``=1+1`` for a formula; ``safe`` puts an apostrophe before
    it, which makes it a text there, and another name to every other program.

    Parameters
    ----------
    columns : mapping from str to sequence
        Named columns of one length.
    separator : str
        What stands between two fields: a comma, or a tab.
    safe : bool
        Make texts that a spreadsheet would take for formulas plain texts.
    header : bool
        Whether the first line names the columns.

    Returns
    -------
    str
        One line per row, each ended by a line feed.

    Examples
    --------
    >>> to_csv({"run": ["a", "b"], "value": [0.25, float("nan")]}, separator="\t")
    'run\tvalue\na\t0.25\nb\t\n'
    >>> to_csv({"run": ["=1+1", "b"], "value": [-0.25, 1]}, safe=True)
    "run,value\n'=1+1,-0.25\nb,1\n"
    """
    shown = [_no_formulas(cells) if safe else cells for cells in columns.values()]
    heading = _csv_rows([list(columns)], separator) if header else ""
    rows = native_rows(shown, separator)
    if rows is None:
        rows = _csv_rows(zip(*map(_no_undefined, shown), strict=True), separator)
    return heading + rows


def _csv_rows(rows: Iterable[Iterable[Any]], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _no_formulas(cells: Sequence[Any]) -> Sequence[Any]:
    """Keep a spreadsheet from computing a text."""
    if isinstance(cells, array):
        return cells
    return [f"'{c}" if isinstance(c, str) and c.startswith(_FORMULA) else c for c in cells]


def _no_undefined(cells: Sequence[Any]) -> list[Any]:
    """Put an empty text for NaN, the one value that is not equal to itself."""
    return ["" if cell != cell else cell for cell in cells]  # noqa: PLR0124 -- as said


def to_json(columns: Columns) -> str:
    """Return a JSON array with one object per row; an undefined value is null.

    Parameters
    ----------
    columns : dict from str to list
        Named columns of one length.

    Returns
    -------
    str
        The array, on one line.

    Examples
    --------
    >>> to_json({"run": ["a"], "value": [float("nan")]})
    '[{"run": "a", "value": null}]'
    """
    rows = [
        {n: None if _is_undefined(c) else c for n, c in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]
    return json.dumps(rows, ensure_ascii=False)


def to_frame(columns: Mapping[str, Any], *, backend: Backend | None = None) -> Any:
    """Return the columns as a frame of pandas, polars or pyarrow; of the first that is installed.

    Parameters
    ----------
    columns : mapping from str to sequence
        Named columns of one length.
    backend : {"pandas", "polars", "pyarrow"}, optional
        Which library makes the frame; by default the first that is installed.

    Returns
    -------
    DataFrame or Table
        A frame of that library, with one row per row of the columns.

    Examples
    --------
    >>> to_frame({"run": ["a"]}, backend="polars").shape
    (1, 1)
    """
    import narwhals as nw  # noqa: PLC0415 -- late: only frames need it

    try:
        return nw.from_dict(dict(columns), backend=backend or _installed()).to_native()
    except ImportError as error:
        raise MissingExtraError(backend or "pandas, polars or pyarrow", "frames") from error


def _installed() -> Backend:
    """Return the first library of frames that is installed."""
    from importlib.util import find_spec  # noqa: PLC0415 -- late: as above

    for backend in get_args(Backend):
        if find_spec(backend) is not None:
            return cast("Backend", backend)
    raise ImportError


def _is_undefined(cell: object) -> bool:
    return isinstance(cell, float) and math.isnan(cell)
