"""The native library: its layouts, looking up ids, and the scanner of lines."""

import ctypes
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._identifiers import IdTable, cut_topics, decode, positions
from poolwise.collection.files._sources import FilePart, Problem, Report
from poolwise.errors import InputError
from poolwise.native_loading import load_library
from poolwise.results._progress import has_listener, report_progress

__all__ = [
    "JudgedMarks",
    "MarkBlock",
    "MarkTable",
    "Marks",
    "NativeProblem",
    "NativeReport",
    "Options",
    "Scanned",
    "Scanner",
    "Sizes",
    "Tables",
    "TopicChoice",
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
        ("longer", ctypes.c_int64),
        ("first_longer", ctypes.c_int64),
        ("renamed", ctypes.c_int64),
        ("first_renamed", ctypes.c_int64),
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


_FINE, _OUT_OF_MEMORY, _TOPIC_IN_TWO_PARTS = 0, 11, 13
_FILES_OPEN = 64
"""How many files are open at the same time."""


@dataclass(frozen=True, eq=False)
class Scanned:
    """Everything read, as arrays: see ``Runs`` and ``Judgments`` for their meaning."""

    topics: tuple[str, ...]
    document_starts: Integers
    documents: IdTable
    list_starts: Integers
    rankings: NDArray[np.int32]
    tied: Booleans
    values: Floats


class MarkBlock(NamedTuple):
    """The marks of all runs on consecutive topics."""

    marks: NDArray[np.int8]
    """The mark of each document, runs × topics × ranks."""
    best_ranks: NDArray[np.unsignedinteger] | None
    """How many documents without a grade have each rank as their best, topics × ranks."""


@dataclass(frozen=True, eq=False)
class Marks:
    """What was read, as a mark for each rank.

    Attributes
    ----------
    topics : tuple of str
        Ids of the topics that any run answers.
    lengths : int64 array, runs × topics
        How many documents each list has.
    wanted : tuple of str
        Ids of the topics that are laid out.
    blocks : tuple of MarkBlock
        The marks of the topics wanted, a few topics in each block.
    """

    topics: tuple[str, ...]
    lengths: Integers
    wanted: tuple[str, ...]
    blocks: tuple[MarkBlock, ...]


TopicChoice = Callable[[tuple[str, ...], Integers], tuple[str, ...]]
"""Which topics to lay out, given those that any run answers, and the lengths of the lists."""


class _Memory:
    """A reader, its inputs, and the judgments that mark them.

    It is freed with the last reference to it. Whatever calls natively holds one, since an
    interruption may end the wait for a thread before the thread has ended.
    """

    def __init__(
        self, options: Sequence[Options], judged: JudgedMarks | None, *, lone: bool
    ) -> None:
        self._native, self._judged = required_library(), judged
        self.reader: int | None = None
        self.inputs = (ctypes.c_void_p * len(options))()
        self.reader = made(self._native.poolwise_reader_new(lone))
        for i, chosen in enumerate(options):
            self.inputs[i] = made(
                self._native.poolwise_input_new(
                    self.reader, ctypes.byref(chosen), judged and judged.pointer
                )
            )

    def __del__(self) -> None:
        for pointer in self.inputs:
            self._native.poolwise_input_free(pointer)
        self._native.poolwise_reader_free(self.reader)


class Scanner:
    """Several inputs that share their ids, read by as many threads as call :meth:`read`.

    Parameters
    ----------
    options
        How the lines of each input are read; all are runs, or all are judgments.
    one_run
        The inputs are parts of one run, each with topics of its own.
    judged
        Keep nothing of the documents but the marks that these judgments give them.
    """

    def __init__(
        self,
        options: Sequence[Options],
        *,
        one_run: bool = False,
        judged: JudgedMarks | None = None,
    ) -> None:
        self._native = required_library()
        self._judgments = any(chosen.judgments for chosen in options)
        lone = one_run or len(options) == 1
        self._runs = 1 if lone else len(options)
        self._sizes = Sizes()
        self._stopped = False
        self._counts_unknown = judged is not None and judged.counts_unknown
        self._memory = _Memory(options, judged, lone=lone)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del self._memory

    def read(self, i: int, blocks: Iterable[memoryview]) -> Report:
        """Read one input to its end, or to its first problem."""
        memory = self._memory
        pointer, feed = memory.inputs[i], self._native.poolwise_input_feed
        for block in blocks:
            view = np.frombuffer(block, np.uint8)
            if self._stopped or feed(pointer, view.ctypes.data, len(view)) != _FINE:
                break
        else:
            self._native.poolwise_input_finish(pointer)
        return self._report(pointer)

    def read_files(self, parts: Sequence[FilePart], *, workers: int) -> list[Report]:
        """Read all inputs from plain files, without Python between them."""
        step = min(_FILES_OPEN, 4 * workers) if has_listener() else _FILES_OPEN
        for first in range(0, len(parts), step):
            report_progress("files read", first, len(parts))
            self._read_open(first, parts[first : first + step], workers)
        report_progress("files read", len(parts), len(parts))
        return [self._report(pointer) for pointer in self._memory.inputs]

    def _read_open(self, first: int, parts: Sequence[FilePart], workers: int) -> None:
        starts = np.array([part.start for part in parts], np.int64)
        stops = np.array([part.stop for part in parts], np.int64)
        codes, inputs = np.empty(len(parts), np.int32), self._memory.inputs
        with ExitStack() as stack:
            files = [stack.enter_context(Path(part.path).open("rb")) for part in parts]
            numbers = np.array([file.fileno() for file in files], np.int32)
            self._call(
                self._native.poolwise_read_files,
                self._memory.reader,
                ctypes.byref(inputs, first * ctypes.sizeof(ctypes.c_void_p)),
                *(array.ctypes.data for array in (numbers, starts, stops)),
                len(parts),
                workers,
                codes.ctypes.data,
                holding=(numbers, starts, stops, codes),
            )
        for i in np.flatnonzero(codes < 0).tolist():
            raise InputError(
                parts[i].path,
                "the file must be readable to the end it had when reading began",
                remedy="wait until it is written, and read it again",
            )

    def _call(
        self, function: Callable[..., int | None], *arguments: Any, holding: object
    ) -> int | None:
        """Call a native function that takes long, so that an interruption ends it.

        Python handles signals in the main thread, and not before a native call there returns. What
        the call works on, ``holding`` included, stays as long as the call goes on.
        """
        results, turn, done = list[int | None](), threading.Lock(), threading.Event()
        held = [self._memory, holding]

        def call() -> None:
            try:
                if turn.acquire(blocking=False):
                    results.append(function(*arguments))
            finally:
                held.clear()
                done.set()

        try:
            threading.Thread(target=call, daemon=True).start()
            done.wait()
        except BaseException:
            self.stop()
            # A thread that has not begun does not begin any more, and nobody waits for it.
            if not turn.acquire(blocking=False):
                done.wait()
            raise
        return results[0]

    def stop(self) -> None:
        """End the reading as soon as may be: what was read so far is of no use."""
        self._stopped = True
        self._native.poolwise_stop(self._memory.reader)

    def _report(self, pointer: int | None) -> Report:
        raw = NativeReport()
        self._native.poolwise_input_report(pointer, ctypes.byref(raw))
        problem = raw.problem
        if problem.code == _OUT_OF_MEMORY:
            raise MemoryError
        text = ctypes.string_at(
            ctypes.addressof(problem) + NativeProblem.text.offset, problem.length
        )
        return Report(
            Problem(problem.code, problem.line, problem.other, decode(text))
            if problem.code != _FINE
            else None,
            decode(ctypes.string_at(raw.tag, raw.tag_length)),
            raw.skipped,
            raw.first_skipped,
            raw.repeated,
            raw.first_repeated,
            raw.guessed,
            raw.longer,
            raw.first_longer,
            raw.renamed,
            raw.first_renamed,
        )

    def seal(self) -> bool:
        """End the reading, once every input is finished. False where parts share a topic."""
        code = self._native.poolwise_seal(
            self._memory.reader,
            self._memory.inputs,
            len(self._memory.inputs),
            ctypes.byref(self._sizes),
        )
        if code == _TOPIC_IN_TWO_PARTS:
            return False
        _check(code)
        return True

    def tables(self, *, workers: int) -> Scanned:
        """Lay out what was read and sealed. Call once."""
        arrays = self._lists() | _documents(self._sizes, judgments=self._judgments)
        tables = self._lay_out(arrays)
        memory, emit = self._memory, self._native.poolwise_emit
        arguments = memory.reader, memory.inputs, len(memory.inputs), tables, workers
        _check(self._call(emit, *arguments, holding=arrays))
        return _scanned(arrays)

    def marks(self, choose: TopicChoice, *, beyond: int) -> Marks:
        """Lay out the marks of the topics chosen, sealed, with ``beyond`` past a list's end."""
        arrays = self._lists()
        self._lay_out(arrays)
        topic_ids = tuple(IdTable(arrays["topic_data"], arrays["topic_offsets"]))
        lengths = np.diff(arrays["list_starts"]).reshape(self._runs, len(topic_ids))
        wanted = choose(topic_ids, lengths)
        rows = positions(topic_ids, wanted).astype(np.int64)
        longest = np.zeros(len(wanted), np.int64)
        longest[rows[rows >= 0]] = lengths[:, rows >= 0].max(axis=0, initial=0)
        blocks = [
            self._mark_block(rows, topics, int(longest[topics].max(initial=0)), beyond)
            for topics in cut_topics(longest, self._runs)
        ]
        return Marks(topic_ids, lengths, wanted, tuple(blocks))

    def _mark_block(self, rows: Integers, topics: slice, depth: int, beyond: int) -> MarkBlock:
        """Lay out some of the topics; ``rows`` gives each topic read its place, or −1."""
        inside = (rows >= topics.start) & (rows < topics.stop)
        here = np.where(inside, rows - topics.start, -1)
        count = topics.stop - topics.start
        marks = np.full((self._runs, count, depth), beyond, np.int8)
        table = MarkTable(here.ctypes.data, count, depth, marks.ctypes.data)
        self._native.poolwise_emit_marks(
            self._memory.reader, self._memory.inputs, ctypes.byref(table)
        )
        counted = self._best_ranks(here, (count, depth)) if self._counts_unknown else None
        return MarkBlock(marks, counted)

    def _best_ranks(self, rows: Integers, shape: tuple[int, int]) -> NDArray[np.unsignedinteger]:
        counts = np.zeros(shape, np.min_scalar_type(self._runs))
        self._native.poolwise_emit_best_ranks(
            self._memory.reader,
            self._memory.inputs,
            rows.ctypes.data,
            shape[1],
            counts.ctypes.data,
            counts.itemsize,
        )
        return counts

    def _lists(self) -> dict[str, NDArray[Any]]:
        sizes = self._sizes
        return {
            "topic_data": np.empty(sizes.topic_bytes, np.uint8),
            "topic_offsets": np.empty(sizes.topics + 1, np.int64),
            "document_starts": np.empty(sizes.topics + 1, np.int64),
            "byte_starts": np.empty(sizes.topics + 1, np.int64),
            "list_starts": np.empty(self._runs * sizes.topics + 1, np.int64),
            "document_offsets": np.empty(sizes.documents + 1, np.int64),
        }

    def _lay_out(self, arrays: dict[str, NDArray[Any]]) -> Any:
        tables = ctypes.byref(Tables(**{name: a.ctypes.data for name, a in arrays.items()}))
        _check(self._native.poolwise_lay_out(self._memory.reader, tables))
        return tables


def _documents(sizes: Sizes, *, judgments: bool) -> dict[str, NDArray[Any]]:
    documents = {"document_data": np.empty(sizes.document_bytes, np.uint8)}
    if judgments:
        return documents | {"values": np.empty(sizes.documents, np.float64)}
    return documents | {
        "rankings": np.empty(sizes.entries, np.int32),
        "tied": np.empty(sizes.entries, np.bool_),
    }


def _scanned(arrays: dict[str, NDArray[Any]]) -> Scanned:
    return Scanned(
        topics=tuple(IdTable(arrays["topic_data"], arrays["topic_offsets"])),
        document_starts=arrays["document_starts"],
        documents=IdTable(arrays["document_data"], arrays["document_offsets"]),
        list_starts=arrays["list_starts"],
        rankings=arrays.get("rankings", np.empty(0, np.int32)),
        tied=arrays.get("tied", np.empty(0, np.bool_)),
        values=arrays.get("values", np.empty(0, np.float64)),
    )


def _check(code: int | None) -> None:
    if code != _FINE:
        raise MemoryError
