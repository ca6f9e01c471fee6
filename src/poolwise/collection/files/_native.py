"""The native library (``native/scanner.cpp``) as ctypes sees it, and ids looked up with it."""

import ctypes
import weakref
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Integers
from poolwise.collection._identifiers import IdTable, positions
from poolwise.native_loading import load_library

__all__ = [
    "JudgedMarks",
    "MarkTable",
    "NativeProblem",
    "NativeReport",
    "Options",
    "Sizes",
    "Tables",
    "is_native",
    "library",
    "made",
    "match_rows",
    "match_rows_in_python",
    "required_library",
]


def is_native() -> bool:
    """Say whether the native library reads, or its twin in Python."""
    return library() is not None


class Options(ctypes.Structure):
    """How lines are read; the numbers follow the enumerations of ``native/options.hpp``."""

    _fields_ = tuple(
        (name, ctypes.c_int32)
        for name in ("judgments", "layout", "ties", "duplicates", "skip_malformed")
    )


class NativeProblem(ctypes.Structure):
    """What stopped the reading of an input."""

    _fields_ = (
        ("code", ctypes.c_int32),
        ("length", ctypes.c_int32),
        ("line", ctypes.c_int64),
        ("other", ctypes.c_int64),
        ("text", ctypes.c_char * 200),
    )


class NativeReport(ctypes.Structure):
    """What was met in one input."""

    _fields_ = (
        ("problem", NativeProblem),
        ("skipped", ctypes.c_int64),
        ("first_skipped", ctypes.c_int64),
        ("repeated", ctypes.c_int64),
        ("first_repeated", ctypes.c_int64),
        ("tag", ctypes.c_void_p),
        ("tag_length", ctypes.c_int64),
        ("guessed", ctypes.c_int32),
    )


class Sizes(ctypes.Structure):
    """How large the arrays have to be."""

    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in ("topics", "topic_bytes", "documents", "document_bytes", "entries")
    )


class Tables(ctypes.Structure):
    """The arrays to fill."""

    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in (
            "topic_data",
            "topic_offsets",
            "document_starts",
            "byte_starts",
            "list_starts",
            "document_data",
            "document_offsets",
            "rankings",
            "tied",
            "values",
        )
    )


class MarkTable(ctypes.Structure):
    """The array of marks to fill."""

    _fields_ = (
        ("rows", ctypes.c_void_p),
        ("row_count", ctypes.c_int64),
        ("depth", ctypes.c_int64),
        ("marks", ctypes.c_void_p),
    )


@cache
def library() -> ctypes.CDLL | None:
    """Return the library, loaded once, with the types of its functions declared; None without."""
    if (loaded := load_library(__file__, "scanner")) is None:
        return None
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    for name, result, arguments in (
        ("reader_new", pointer, (ctypes.c_int,)),
        ("reader_free", None, (pointer,)),
        ("stop", None, (pointer,)),
        ("judged_new", pointer, (pointer, pointer, count) + (pointer,) * 4 + (ctypes.c_int,) * 2),
        ("judged_free", None, (pointer,)),
        ("input_new", pointer, (pointer, pointer, pointer)),
        ("input_free", None, (pointer,)),
        ("input_feed", ctypes.c_int, (pointer, pointer, count)),
        # Not on Windows.
        ("read_files", None, (pointer,) * 5 + (count, ctypes.c_int, pointer)),
        ("input_finish", ctypes.c_int, (pointer,)),
        ("input_report", None, (pointer, pointer)),
        ("seal", ctypes.c_int, (pointer, pointer, count, pointer)),
        ("lay_out", ctypes.c_int, (pointer, pointer)),
        ("emit", ctypes.c_int, (pointer, pointer, count, pointer, ctypes.c_int)),
        ("emit_marks", None, (pointer, pointer, pointer)),
        ("emit_best_ranks", None, (pointer,) * 3 + (count, pointer, ctypes.c_int)),
        ("match", None, (pointer,) * 3 + (count,) + (pointer,) * 5),
    ):
        function = getattr(loaded, f"poolwise_{name}", None)
        if function is not None:
            function.restype, function.argtypes = result, arguments
    return loaded


def made(pointer: int | None) -> int:
    """Return what a native function made, or raise where it had no memory to make it."""
    if not pointer:
        raise MemoryError
    return pointer


def required_library() -> ctypes.CDLL:
    """Return the library for what is not begun without it."""
    if (loaded := library()) is None:
        raise RuntimeError(
            "the native library was asked for and is not there. This is a fault of poolwise: "
            "please report it."
        )
    return loaded


class JudgedMarks:
    """A mark for each judged document, to be found by the ids of its topic and its own.

    Parameters
    ----------
    topics
        The judged topics.
    documents, starts
        Their documents, those of topic ``t`` from row ``starts[t]``.
    marks
        The mark of each row.
    other
        The mark of a document that has no row.
    counts_unknown
        Whether the documents of all runs that have no row are counted, by their best ranks.
    """

    def __init__(
        self,
        topics: Sequence[str],
        documents: IdTable,
        starts: Integers,
        marks: NDArray[np.int8],
        *,
        other: int,
        counts_unknown: bool = True,
    ) -> None:
        self.topics = tuple(topics)
        ids = IdTable.from_strings(topics)
        columns = [
            _column(ids.data, np.uint8),
            _column(ids.offsets, np.int64),
            _column(documents.data, np.uint8),
            _column(documents.offsets, np.int64),
            _column(starts, np.int64),
            _column(marks, np.int8),
        ]
        at = [column.ctypes.data for column in columns]
        native = required_library()
        self.counts_unknown = counts_unknown
        self.pointer = made(
            native.poolwise_judged_new(*at[:2], len(topics), *at[2:], other, counts_unknown)
        )
        weakref.finalize(self, native.poolwise_judged_free, self.pointer)


def match_rows(
    documents: IdTable,
    starts: Integers,
    pairs: NDArray[np.integer],
    others: IdTable,
    other_starts: Integers,
) -> NDArray[np.int32]:
    """Return, for each row of a table of ids, the row of the same id in another, −1 for none.

    Both tables are sorted by id within a topic; ``pairs`` gives the other table's topic for each
    topic, −1 for none.
    """
    if (native := library()) is None:
        return match_rows_in_python(documents, starts, pairs, others, other_starts)
    rows = np.empty(len(documents), np.int32)
    columns = [
        _column(documents.data, np.uint8),
        _column(documents.offsets, np.int64),
        _column(starts, np.int64),
        _column(pairs, np.int64),
        _column(others.data, np.uint8),
        _column(others.offsets, np.int64),
        _column(other_starts, np.int64),
    ]
    at = [column.ctypes.data for column in columns]
    native.poolwise_match(*at[:3], len(pairs), *at[3:], rows.ctypes.data)
    return rows


def match_rows_in_python(
    documents: IdTable,
    starts: Integers,
    pairs: NDArray[np.integer],
    others: IdTable,
    other_starts: Integers,
) -> NDArray[np.int32]:
    """Return the same without the native library."""
    rows = np.full(len(documents), -1, np.int32)
    ids, other_ids = list(documents), list(others)
    for topic, pair in enumerate(pairs.tolist()):
        if pair >= 0:
            first, other = slice(*starts[topic : topic + 2]), slice(*other_starts[pair : pair + 2])
            places = positions(ids[first], other_ids[other])
            rows[first] = np.where(places < 0, -1, places + other.start)
    return rows


def _column(array: NDArray[np.integer], dtype: type[np.integer]) -> NDArray[np.integer]:
    return np.ascontiguousarray(array, dtype)
