"""Results as named columns, and the formats they leave in."""

import ctypes
import io
import json
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args

from poolwise.errors import MissingExtraError
from poolwise.native_loading import load_library
from poolwise.provenance._recorded import recorded

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Backend",
    "Columns",
    "RowParts",
    "Rows",
    "columns_of",
    "library",
    "native_rows",
    "pack",
    "row_of",
    "stack_columns",
    "to_csv",
    "to_delimited",
    "to_frame",
    "to_json",
]

_NUMBER = 25
"""Bytes that a number takes at most, with what stands behind it."""
# The numbers follow the enumeration of native/rows.cpp.
_TEXTS, _FLOATS, _INTEGERS = range(3)
_PACKED = {"d": _FLOATS, "q": _INTEGERS}
"""What the numbers of an array are, by its type code."""


class _Column(ctypes.Structure):
    """A column as the library takes it."""

    _fields_ = (("kind", ctypes.c_int32), ("cells", ctypes.c_void_p), ("size", ctypes.c_int64))


class _Cells(NamedTuple):
    """A column in memory, and how many bytes its rows take at most."""

    kind: int
    memory: Any
    room: int


@cache
def library() -> ctypes.CDLL | None:
    """Return the library, loaded once; None where there is none, or where it cannot write."""
    loaded = load_library(__file__, "rows")
    if loaded is None or not loaded.poolwise_writes_rows():
        return None
    write, pointer, count = loaded.poolwise_write_rows, ctypes.c_void_p, ctypes.c_int64
    write.restype, write.argtypes = count, (pointer, count, count, ctypes.c_char, pointer)
    return loaded


def native_rows(columns: Sequence[Sequence[Any]], separator: str) -> str | None:
    r"""Return rows as :mod:`csv` writes them, NaN and None as empty fields; None where csv has to.

    That is so without the library, where a text needs quotes, for a single column, whose empty
    texts would need them, for columns of several lengths, which are refused, and for columns that
    hold more than texts, floats or whole numbers.

    Examples
    --------
    >>> native_rows([["a", "b"], [0.25, float("nan")]], "\t") in ("a\t0.25\nb\t\n", None)
    True
    >>> native_rows([["a\tb"], [1]], "\t")
    """
    loaded = library()
    # csv puts quotes around an empty field that is alone in its row.
    if loaded is None or len(columns) < 2 or len(set(map(len, columns))) > 1:
        return None
    prepared: list[_Cells] = []
    for cells in columns:
        if (packed := _prepared(cells, separator)) is None:
            return None
        prepared.append(packed)
    return _written(loaded, prepared, len(columns[0]), separator)


def _prepared(cells: Sequence[Any], separator: str) -> _Cells | None:
    if isinstance(cells, array):
        return _Cells(_PACKED[cells.typecode], cells, _NUMBER * len(cells))
    # By type, not by isinstance: True is an int, too, and is written as a word.
    kinds = set(map(type, cells))
    if NoneType in kinds and kinds <= {float, NoneType}:
        # What is not known is an empty field, as NaN is.
        cells, kinds = [math.nan if cell is None else cell for cell in cells], {float}
    if kinds == {float}:
        return _Cells(_FLOATS, array("d", cells), _NUMBER * len(cells))
    if kinds == {str}:
        return _texts(cells, separator)
    return _integers(cells) if kinds == {int} else None


def _texts(cells: Sequence[str], separator: str) -> _Cells | None:
    """Return texts one after another; None where one of them needs quotes."""
    text = "\n".join(cells) + "\n"
    needs_quotes = any(sign in text for sign in (separator, '"', "\r"))
    # A line that ends within a text needs quotes as well.
    if needs_quotes or text.count("\n") != len(cells):
        return None
    # Bytes of ids that are no UTF-8 stand in texts as surrogates.
    memory = text.encode("utf-8", "surrogatepass")
    return _Cells(_TEXTS, memory, len(memory))


def _integers(cells: Sequence[int]) -> _Cells | None:
    try:
        return _Cells(_INTEGERS, array("q", cells), _NUMBER * len(cells))
    except OverflowError:
        return None


def _written(loaded: ctypes.CDLL, columns: Sequence[_Cells], rows: int, separator: str) -> str:
    # The library reads from the memory of the columns, which live until it is done.
    native_columns = (_Column * len(columns))(*map(_native, columns))
    out = ctypes.create_string_buffer(sum(column.room for column in columns))
    size = loaded.poolwise_write_rows(native_columns, len(columns), rows, separator.encode(), out)
    return str(memoryview(out)[:size], "utf-8", "surrogatepass")


def _native(column: _Cells) -> _Column:
    if isinstance(column.memory, bytes):
        start = ctypes.cast(ctypes.c_char_p(column.memory), ctypes.c_void_p).value
        return _Column(column.kind, start, len(column.memory))
    return _Column(column.kind, column.memory.buffer_info()[0], 0)


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


def columns_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    """Return rows as columns of these names; without rows they are empty.

    Examples
    --------
    >>> columns_of(("run", "p"), [("a", 0.5), ("b", 0.1)])
    {'run': ['a', 'b'], 'p': [0.5, 0.1]}
    """
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


@recorded
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


@recorded
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
    return to_delimited(columns, separator, safe=safe, header=header)


def to_delimited(columns: Rows, separator: str, *, safe: bool = False, header: bool = True) -> str:
    """Return what :func:`to_csv` does, whose arguments are not looked at: one part of many."""
    shown = [_no_formulas(cells) if safe else cells for cells in columns.values()]
    heading = _heading(list(columns), separator) if header else ""
    rows = native_rows(shown, separator)
    if rows is None:
        rows = _csv_rows(zip(*map(_no_undefined, shown), strict=True), separator)
    return heading + rows


def _heading(names: Sequence[str], separator: str) -> str:
    return native_rows([[name] for name in names], separator) or _csv_rows([names], separator)


def _csv_rows(rows: Iterable[Iterable[Any]], separator: str) -> str:
    import csv  # noqa: PLC0415, late: the native library writes most rows

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


@recorded
def to_json(columns: Rows) -> str:
    """Return a JSON array with one object per row; an undefined value is null.

    Parameters
    ----------
    columns : mapping from str to sequence
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


@recorded
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
