"""The native kernels (``native/kernels.cpp``) as ctypes sees them."""

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence._evidence import DocumentBlock
from poolwise.evidence._grades import Block
from poolwise.evidence._pairs import Pairs
from poolwise.measures._ranges import Bounds
from poolwise.native_loading import load_library

__all__ = ["NativeLists", "NativePairs", "Normalization", "QForm", "library"]

_CELLS = 1 << 16
"""Lists, or pairs of them, × ranks that are not worth a second thread."""

_POINTER, _COUNT, _NUMBER, _THREADS = (
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_double,
    ctypes.c_int,
)


_PAIRS = (_POINTER, _POINTER)
"""Lists, and pairs of them."""


class _Lists(ctypes.Structure):
    """Lists, systems × topics × ranks; see ``native/pair_lists.hpp``."""

    _fields_ = (
        *((name, _COUNT) for name in ("systems", "topics", "depth")),
        *((name, _POINTER) for name in ("documents", "document_counts", "states")),
    )


class _Pairs(ctypes.Structure):
    """Pairs of systems."""

    _fields_ = (("count", _COUNT), ("left", _POINTER), ("right", _POINTER))


class _Codes(ctypes.Structure):
    """Grade codes, systems × topics × ranks; see ``native/list_bounds.hpp``."""

    _fields_ = (
        *((name, _COUNT) for name in ("systems", "topics", "depth")),
        ("codes", _POINTER),
        ("width", _COUNT),
    )


class _Normalization(ctypes.Structure):
    """A measure over its ideal; see ``native/ratio_range.hpp``."""

    _fields_ = (
        ("levels", _COUNT),
        *((name, _POINTER) for name in ("gains", "judged", "table", "weights")),
        ("limit", _NUMBER),
    )


class _QForm(ctypes.Structure):
    """Q-measure; see ``native/q_bounds.hpp``."""

    _fields_ = (
        ("gains", _POINTER),
        *((name, _NUMBER) for name in ("lowest", "highest", "beta", "cap", "tolerance")),
        *((name, _POINTER) for name in ("judged", "below", "ideal")),
    )


class _Range(ctypes.Structure):
    """The arrays to fill, pairs × topics or systems × topics."""

    _fields_ = (("lower", _POINTER), ("upper", _POINTER))


@cache
def library() -> ctypes.CDLL | None:
    """Return the library, loaded once; None where it could not be built or loaded."""
    if (loaded := load_library(__file__, "kernels")) is None:
        return None
    for name, arguments in (
        ("first_relevant", (*_PAIRS, _POINTER)),
        ("average_precision", (*_PAIRS, _POINTER, _POINTER, _NUMBER)),
        ("precision_limits", (*_PAIRS, _POINTER, _POINTER, _NUMBER)),
        ("precision_sum", _PAIRS),
        ("stopping", (*_PAIRS, _POINTER, _NUMBER)),
        ("shared_worth", (*_PAIRS, _POINTER)),
        ("normalized_pairs", (*_PAIRS, _POINTER, _POINTER, _POINTER)),
        ("open_weight", (_POINTER, _POINTER)),
        ("normalized_lists", (_POINTER, _POINTER, _POINTER, _POINTER)),
        ("precision_lists", (_POINTER, _COUNT, _POINTER, _POINTER, _NUMBER)),
        ("r_precision_lists", (_POINTER, _COUNT, _POINTER, _POINTER, _NUMBER)),
        ("q_lists", (_POINTER, _POINTER)),
    ):
        function = getattr(loaded, f"poolwise_{name}")
        function.restype = ctypes.c_bool
        function.argtypes = (*arguments, _POINTER, _THREADS)
    return loaded


@dataclass(frozen=True, eq=False)
class Normalization:
    """A measure over its ideal, laid out for the kernels: see ``NormalizedForm``."""

    levels: Floats
    judged: Integers
    table: Floats
    weights: Floats
    limit: float

    def structure(self) -> ctypes.Structure:
        """Return what the kernels read, as long as this lives."""
        arrays = (self.levels, self.judged, self.table, self.weights)
        return _Normalization(len(self.levels), *map(_address, arrays), self.limit)


@dataclass(frozen=True, eq=False)
class QForm:
    """Q-measure, laid out for the kernels: see ``QLists``."""

    gains: Floats
    levels: Floats
    beta: float
    cap: float
    tolerance: float
    judged: Integers
    below: Floats
    ideal: Floats

    def structure(self) -> ctypes.Structure:
        """Return what the kernels read, as long as this lives."""
        arrays = map(_address, (self.judged, self.below, self.ideal))
        numbers = self.levels[0], self.levels[-1], self.beta, self.cap, self.tolerance
        return _QForm(_address(self.gains), *numbers, *arrays)


Argument = NDArray[Any] | Normalization | QForm | float


@dataclass(frozen=True, eq=False)
class NativeLists:
    """The lists of a block, laid out for the kernels."""

    kernels: ctypes.CDLL
    block: Block

    def ranges(self, kernel: str, *arguments: Argument) -> Bounds:
        """Return what a kernel finds, systems × topics."""
        limits = Bounds(np.empty(self.block.shape), np.empty(self.block.shape))
        self._run(kernel, arguments, _Range(*map(_address, limits)))
        return limits

    def open_weight(self, weights: Floats) -> Floats:
        """Return the total weight of the ranks without a grade."""
        sums = np.empty(self.block.shape)
        self._run("open_weight", (weights,), sums)
        return sums

    def _run(
        self, kernel: str, arguments: Sequence[Argument], out: ctypes.Structure | Floats
    ) -> None:
        codes = np.ascontiguousarray(self.block.codes)
        lists = _Codes(*codes.shape, _address(codes), codes.itemsize)
        _call(self.kernels, kernel, (ctypes.byref(lists),), arguments, out, work=codes.size)


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

    def ranges(self, kernel: str, *arguments: Argument) -> Bounds:
        """Return what a kernel finds, pairs × topics."""
        limits = Bounds(np.empty(self._shape), np.empty(self._shape))
        self._run(kernel, arguments, _Range(*map(_address, limits)))
        return limits

    def shared_worth(self, worth: Floats) -> Floats:
        """Return the sum over shared documents of their worth where they stand lower.

        ``worth`` begins with that of no rank.
        """
        sums = np.empty(self._shape)
        self._run("shared_worth", (worth,), sums)
        return sums

    def _run(
        self, kernel: str, arguments: Sequence[Argument], out: ctypes.Structure | Floats
    ) -> None:
        addresses = list(map(_address, self._arrays))
        lists = _Lists(*self.seen.shape, self.seen.depth, *addresses[:3])
        pairs = _Pairs(len(self.pairs), *addresses[3:])
        given = ctypes.byref(lists), ctypes.byref(pairs)
        work = len(self.pairs) * self.seen.shape[1] * self.seen.depth
        _call(self.kernels, kernel, given, arguments, out, work=work)


def _call(
    kernels: ctypes.CDLL,
    kernel: str,
    lists: tuple[object, ...],
    arguments: Sequence[Argument],
    out: ctypes.Structure | Floats,
    *,
    work: int,
) -> None:
    """Run a kernel, on several threads if there is work for them."""
    # The structures have to live until the kernel is done.
    structures = [
        a.structure() if isinstance(a, Normalization | QForm) else a for a in (*arguments, out)
    ]
    threads = (os.cpu_count() or 1) if work > _CELLS else 1
    function = getattr(kernels, f"poolwise_{kernel}")
    if not function(*lists, *map(_passed, structures), threads):
        raise MemoryError


def _passed(argument: NDArray[Any] | ctypes.Structure | float) -> object:
    """Return a number as it is, and the address of anything larger."""
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return _address(argument) if isinstance(argument, np.ndarray) else argument


def _address(array: NDArray[Any]) -> int:
    """Return where an array's numbers begin; they must lie one after another."""
    if not array.flags.c_contiguous:
        raise RuntimeError(
            "a kernel was given an array with gaps. This is a fault of poolwise: please report it."
        )
    return array.ctypes.data
