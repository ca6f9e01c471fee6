"""The native kernels (``native/kernels.cpp``) as ctypes sees them."""

import ctypes
import os
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.ranges import Bounds

__all__ = ["NativePairs", "library"]

_CELLS = 1 << 16
"""Pairs × topics × ranks that are not worth a second thread."""

_POINTER, _COUNT, _NUMBER, _THREADS = (
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_double,
    ctypes.c_int,
)


class _Lists(ctypes.Structure):
    """Lists, systems × topics × ranks; see ``native/pair_lists.hpp``."""

    _fields_ = (
        *((name, _COUNT) for name in ("systems", "topics", "depth")),
        *((name, _POINTER) for name in ("documents", "document_counts", "states")),
    )


class _Pairs(ctypes.Structure):
    """Pairs of systems."""

    _fields_ = (("count", _COUNT), ("left", _POINTER), ("right", _POINTER))


class _Range(ctypes.Structure):
    """The arrays to fill, pairs × topics."""

    _fields_ = (("lower", _POINTER), ("upper", _POINTER))


@cache
def library() -> ctypes.CDLL | None:
    """Return the library, loaded once; None where it could not be built or loaded."""
    suffix = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    try:
        loaded = ctypes.CDLL(str(Path(__file__).with_name(f"_kernels.{suffix}")))
    except OSError:
        return None
    for name, arguments in (
        ("first_relevant", (_POINTER,)),
        ("average_precision", (_POINTER, _POINTER, _NUMBER)),
        ("precision_limits", (_POINTER, _POINTER, _NUMBER)),
        ("precision_sum", ()),
        ("stopping", (_POINTER, _NUMBER)),
        ("shared_worth", (_POINTER,)),
    ):
        function = getattr(loaded, f"poolwise_{name}")
        function.restype = ctypes.c_bool
        function.argtypes = (_POINTER, _POINTER, *arguments, _POINTER, _THREADS)
    return loaded


@dataclass(frozen=True, eq=False)
class NativePairs:
    """Pairs of runs, laid out for the kernels.

    Attributes
    ----------
    kernels : CDLL
        The library.
    seen : DocumentBlock
        The lists, cut off already.
    pairs : Pairs
        The systems to subtract.
    known : bool array, systems × topics × ranks
        Which cells are relevant.
    """

    kernels: ctypes.CDLL
    seen: DocumentBlock
    pairs: Pairs
    known: Booleans

    @cached_property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays that the kernels read, which must live as long as their addresses do."""
        return (
            np.ascontiguousarray(self.seen.documents, np.int32),
            np.diff(self.seen.document_starts).astype(np.int64),
            np.ascontiguousarray(self.known + 2 * self.seen.ungraded, np.uint8),
            np.ascontiguousarray(self.pairs.left, np.int64),
            np.ascontiguousarray(self.pairs.right, np.int64),
        )

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.pairs), self.seen.shape[1]

    def ranges(self, kernel: str, *arguments: NDArray[Any] | float) -> Bounds:
        """Return what a kernel finds, pairs × topics."""
        found = Bounds(np.empty(self._shape), np.empty(self._shape))
        self._call(kernel, arguments, ctypes.byref(_Range(*map(_address, found))))
        return found

    def shared_worth(self, worth: Floats) -> Floats:
        """Return the sum over shared documents of their worth where they stand lower.

        ``worth`` begins with that of no rank.
        """
        sums = np.empty(self._shape)
        self._call("shared_worth", (worth,), _address(sums))
        return sums

    def _call(self, kernel: str, arguments: tuple[NDArray[Any] | float, ...], out: object) -> None:
        addresses = list(map(_address, self._arrays))
        lists = _Lists(*self.seen.shape, self.seen.depth, *addresses[:3])
        pairs = _Pairs(len(self.pairs), *addresses[3:])
        given = [_address(a) if isinstance(a, np.ndarray) else a for a in arguments]
        function = getattr(self.kernels, f"poolwise_{kernel}")
        if not function(ctypes.byref(lists), ctypes.byref(pairs), *given, out, self._threads):
            raise MemoryError

    @property
    def _threads(self) -> int:
        work = len(self.pairs) * self.seen.shape[1] * self.seen.depth
        return (os.cpu_count() or 1) if work > _CELLS else 1


def _address(array: NDArray[Any]) -> int:
    """Return where an array's numbers begin; they must lie one after another."""
    if not array.flags.c_contiguous:
        raise RuntimeError(
            "a kernel was given an array with gaps. This is a fault of poolwise: please report it."
        )
    return array.ctypes.data
