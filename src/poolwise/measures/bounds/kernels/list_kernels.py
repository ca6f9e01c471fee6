"""Exact bounds of scores by native kernels; by their twins in numpy where there are none.

The twins say what is computed, and why it is right.
"""

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.completion import weight_of
from poolwise.evidence.grades import Block
from poolwise.measures.bounds import exact_bounds
from poolwise.measures.bounds import q_bounds as q_in_numpy
from poolwise.measures.bounds.cell_parts import Counts
from poolwise.measures.bounds.exact_bounds import NormalizedForm, finite_counts
from poolwise.measures.bounds.kernels.native_kernels import NativeLists, QForm, library
from poolwise.measures.bounds.kernels.normalization import normalization
from poolwise.measures.bounds.ranges import Bounds
from poolwise.measures.bounds.ratio_range import gain_levels
from poolwise.measures.relevant_ranks import first_code

__all__ = [
    "average_precision_bounds",
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
    block: Block, *, level: float, cap: float = np.inf, outside: Counts = 0
) -> Bounds:
    """Return the exact range of AP or aAP."""
    if (kernels := library()) is None:
        return exact_bounds.average_precision_bounds(block, level=level, cap=cap, outside=outside)
    return NativeLists(kernels, block).ranges(
        "precision_lists",
        first_code(block, level),
        block.relevant(level),
        _for_lists(outside, block),
        float(cap),
    )


def r_precision_bounds(
    block: Block, *, level: float, multiple: float = 1.0, outside: Counts = 0
) -> Bounds:
    """Return the exact range of R-Prec."""
    if (kernels := library()) is None:
        return exact_bounds.r_precision_bounds(
            block, level=level, multiple=multiple, outside=outside
        )
    return NativeLists(kernels, block).ranges(
        "r_precision_lists",
        first_code(block, level),
        block.relevant(level),
        _for_lists(outside, block),
        float(multiple),
    )


def normalized_bounds(block: Block, form: NormalizedForm, *, outside: Counts = 0) -> Bounds:
    """Return the exact range of nDCG in all its forms, R, nRBP and nP."""
    if (kernels := library()) is None:
        return exact_bounds.normalized_bounds(block, form, outside=outside)
    others = _for_lists(outside, block)
    added = block.ungraded_counts + finite_counts(others)
    return NativeLists(kernels, block).ranges(
        "normalized_lists",
        normalization(form, block, added=int(added.max(initial=0))),
        np.ascontiguousarray(form.gains, np.float64),
        others,
    )


def q_bounds(
    block: Block, *, gains: Floats, beta: float, cutoff: int | None = None, outside: Counts = 0
) -> Bounds:
    """Return bounds of Q@k: exact for binary gains, else valid."""
    if (kernels := library()) is None:
        return q_in_numpy.q_bounds(block, gains=gains, beta=beta, cutoff=cutoff, outside=outside)
    levels = gain_levels(gains)
    form = QForm(
        gains=np.ascontiguousarray(gains, np.float64),
        levels=levels,
        beta=float(beta),
        cap=np.inf if cutoff is None else float(cutoff),
        tolerance=q_in_numpy.search_tolerance(levels),
        judged=np.ascontiguousarray(block.pool[:, gains > 0].sum(axis=1), np.int64),
        below=q_in_numpy.outside_counts(outside, block, cutoff).astype(np.float64),
        ideal=q_in_numpy.running_ideal(block.pool, gains, block.depth),
    )
    found = NativeLists(kernels, block).ranges("q_lists", form)
    return q_in_numpy.within_limits(found, block, gains=gains, cutoff=cutoff, outside=outside)


def _for_lists(counts: Counts, block: Block) -> Floats:
    """Return counts per system and topic, one after another."""
    return np.ascontiguousarray(np.broadcast_to(counts, block.shape), np.float64)
