"""Ids of one table looked up in another, by the native library where there is one."""

import weakref
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Integers
from poolwise.collection.files.native_library import library, made, required_library
from poolwise.collection.identifiers import IdTable, positions

__all__ = ["JudgedMarks", "match_rows", "match_rows_in_python"]


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
            found = positions(ids[first], other_ids[other])
            rows[first] = np.where(found < 0, -1, found + other.start)
    return rows


def _column(array: NDArray[np.integer], dtype: type[np.integer]) -> NDArray[np.integer]:
    return np.ascontiguousarray(array, dtype)
