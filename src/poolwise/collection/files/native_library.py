"""The native library (``native/scanner.cpp``) as ctypes sees it: its structures and functions."""

import ctypes
from functools import cache

from poolwise.native_loading import load_library

__all__ = [
    "MarkTable",
    "NativeProblem",
    "NativeReport",
    "Options",
    "Sizes",
    "Tables",
    "is_native",
    "library",
    "made",
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
