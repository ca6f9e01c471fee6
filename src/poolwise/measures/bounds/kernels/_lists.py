"""Exact bounds of scores by native kernels; by their twins in numpy where there are none.

The twins say what is computed, and why it is right.
"""

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence._grades import Block
from poolwise.evidence._ungraded import weight_of
from poolwise.measures._gains import first_code
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds import _exact, _q
from poolwise.measures.bounds._exact import Counts, NormalizedForm, finite_counts, gain_levels
from poolwise.measures.bounds.kernels._native import NativeLists, Normalization, QForm, library

__all__ = [
    "average_precision_bounds",
    "normalization",
    "normalized_bounds",
    "open_weight",
    "q_bounds",
    "r_precision_bounds",
]


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
