"""The native kernels of exact bounds, and lists handed to them or to their twins."""

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.evidence._ungraded import weight_of
from poolwise.measures._measure import first_code
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds import _exact, _q
from poolwise.measures.bounds._exact import Counts, NormalizedForm, finite_counts, gain_levels
from poolwise.native_loading import load_library

__all__ = [
    "NativeLists",
    "NativePairs",
    "Normalization",
    "QForm",
    "average_precision_bounds",
    "library",
    "normalization",
    "normalized_bounds",
    "open_weight",
    "q_bounds",
    "r_precision_bounds",
]

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
        inputs = ctypes.byref(lists), ctypes.byref(pairs)
        work = len(self.pairs) * self.seen.shape[1] * self.seen.depth
        _call(self.kernels, kernel, inputs, arguments, out, work=work)


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


def open_weight(block: Block, weights: Floats) -> Floats:
    """Return the total weight of the ranks without a grade, given the weight of each rank."""
    if (kernels := library()) is None:
        return weight_of(block.ungraded, weights)
    return NativeLists(kernels, block).open_weight(np.ascontiguousarray(weights, np.float64))


def average_precision_bounds(
    block: Block, *, level: float, cap: float = np.inf, unlisted: Counts = 0
) -> Bounds:
    """Return the exact range of AP or aAP."""
    if (kernels := library()) is None:
        return _exact.average_precision_bounds(block, level=level, cap=cap, unlisted=unlisted)
    return NativeLists(kernels, block).ranges(
        "precision_lists",
        first_code(block, level),
        block.relevant(level),
        _for_lists(unlisted, block),
        float(cap),
    )


def r_precision_bounds(
    block: Block, *, level: float, multiple: float = 1.0, unlisted: Counts = 0
) -> Bounds:
    """Return the exact range of R-Prec."""
    if (kernels := library()) is None:
        return _exact.r_precision_bounds(block, level=level, multiple=multiple, unlisted=unlisted)
    return NativeLists(kernels, block).ranges(
        "r_precision_lists",
        first_code(block, level),
        block.relevant(level),
        _for_lists(unlisted, block),
        float(multiple),
    )


def normalized_bounds(block: Block, form: NormalizedForm, *, unlisted: Counts = 0) -> Bounds:
    """Return the exact range of nDCG in all its forms, R, nRBP and nP."""
    if (kernels := library()) is None:
        return _exact.normalized_bounds(block, form, unlisted=unlisted)
    others = _for_lists(unlisted, block)
    added = block.ungraded_counts + finite_counts(others)
    return NativeLists(kernels, block).ranges(
        "normalized_lists",
        normalization(form, block, added=int(added.max(initial=0))),
        np.ascontiguousarray(form.gains, np.float64),
        others,
    )


def q_bounds(
    block: Block, *, gains: Floats, beta: float, cutoff: int | None = None, unlisted: Counts = 0
) -> Bounds:
    """Return bounds of Q@k: exact for binary gains, else valid."""
    if (kernels := library()) is None:
        return _q.q_bounds(block, gains=gains, beta=beta, cutoff=cutoff, unlisted=unlisted)
    levels = gain_levels(gains)
    form = QForm(
        gains=np.ascontiguousarray(gains, np.float64),
        levels=levels,
        beta=float(beta),
        cap=np.inf if cutoff is None else float(cutoff),
        tolerance=_q.search_tolerance(levels),
        judged=np.ascontiguousarray(block.pool[:, gains > 0].sum(axis=1), np.int64),
        below=_q.unlisted_counts(unlisted, block, cutoff).astype(np.float64),
        ideal=_q.running_ideal(block.pool, gains, block.depth),
    )
    limits = NativeLists(kernels, block).ranges("q_lists", form)
    return _q.within_limits(limits, block, gains=gains, cutoff=cutoff, unlisted=unlisted)


def _for_lists(counts: Counts, block: Block) -> Floats:
    """Return counts per system and topic, one after another."""
    return np.ascontiguousarray(np.broadcast_to(counts, block.shape), np.float64)


def normalization(form: NormalizedForm, block: Block, *, added: int) -> Normalization:
    """Lay out a measure's form, with room for so many more relevant documents.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None, 2]]).blocks
    >>> form = NormalizedForm(block.scale, 2.0, np.ones, np.ones)
    >>> laid_out = normalization(form, block, added=1)
    >>> laid_out.levels.tolist(), laid_out.judged.tolist(), laid_out.table.tolist()
    ([1.0, 2.0], [[2, 1]], [0.0, 1.0, 2.0, 3.0])
    """
    ideal = form.ideal(block.pool, added=added)
    return Normalization(
        levels=np.ascontiguousarray(ideal.levels, np.float64),
        judged=np.ascontiguousarray(ideal.judged, np.int64),
        table=np.ascontiguousarray(ideal.table, np.float64),
        weights=np.ascontiguousarray(form.weights(block.depth), np.float64),
        limit=form.full_gain * form.total,
    )
