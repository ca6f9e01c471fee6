"""Rows of delimited text by the native library (``native/rows.cpp``), ten times as fast as csv."""

import ctypes
import math
from array import array
from collections.abc import Sequence
from functools import cache
from types import NoneType
from typing import Any, NamedTuple

from poolwise.native_loading import load_library

__all__ = ["library", "native_rows"]

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
    if loaded is None or len(columns) < 2 or len(set(map(len, columns))) > 1:
        return None
    prepared: list[_Cells] = []
    for cells in columns:
        if (found := _prepared(cells, separator)) is None:
            return None
        prepared.append(found)
    return _written(loaded, prepared, len(columns[0]), separator)


def _prepared(cells: Sequence[Any], separator: str) -> _Cells | None:
    if isinstance(cells, array):
        return _Cells(_PACKED[cells.typecode], cells, _NUMBER * len(cells))
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
    needs_quotes = any(one in text for one in (separator, '"', "\r"))
    if needs_quotes or text.count("\n") != len(cells):
        return None
    memory = text.encode("utf-8", "surrogatepass")
    return _Cells(_TEXTS, memory, len(memory))


def _integers(cells: Sequence[int]) -> _Cells | None:
    try:
        return _Cells(_INTEGERS, array("q", cells), _NUMBER * len(cells))
    except OverflowError:
        return None


def _written(loaded: ctypes.CDLL, columns: Sequence[_Cells], rows: int, separator: str) -> str:
    given = (_Column * len(columns))(*map(_native, columns))
    out = ctypes.create_string_buffer(sum(column.room for column in columns))
    size = loaded.poolwise_write_rows(given, len(columns), rows, separator.encode(), out)
    return str(memoryview(out)[:size], "utf-8", "surrogatepass")


def _native(column: _Cells) -> _Column:
    if isinstance(column.memory, bytes):
        start = ctypes.cast(ctypes.c_char_p(column.memory), ctypes.c_void_p).value
        return _Column(column.kind, start, len(column.memory))
    return _Column(column.kind, column.memory.buffer_info()[0], 0)
