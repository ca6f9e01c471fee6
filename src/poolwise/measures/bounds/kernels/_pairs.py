"""Ranges of differences by native kernels; by their twins in numpy where there are none.

The twins say what is computed, and why it is right.
"""

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.measures._measure import first_code, weighted_sum
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds import _differences, _staircase
from poolwise.measures.bounds._exact import Counts, NormalizedForm, finite_counts
from poolwise.measures.bounds.kernels._native import NativePairs, library, normalization

__all__ = [
    "average_precision_difference",
    "first_relevant_difference",
    "normalized_difference",
    "precision_sum_difference",
    "precision_sums_over_relevant",
    "stopping_difference",
]


def first_relevant_difference(
    seen: DocumentBlock, pairs: Pairs, *, level: float, worth: Floats
) -> Bounds:
    """Return the exact range of a difference of RR or Success."""
    if (kernels := library()) is None:
        return _differences.first_relevant_difference(seen, pairs, level=level, worth=worth)
    native = NativePairs(kernels, seen, pairs, _known(seen, level))
    return native.ranges("first_relevant", np.append(0.0, worth))


def precision_sum_difference(seen: DocumentBlock, pairs: Pairs, *, level: float) -> Bounds:
    """Return the exact range of a difference of SP."""
    if (kernels := library()) is None:
        return _staircase.precision_sum_difference(seen, pairs, level=level)
    return NativePairs(kernels, seen, pairs, _known(seen, level)).ranges("precision_sum")


def stopping_difference(seen: DocumentBlock, pairs: Pairs, *, stops: Floats) -> Bounds:
    """Return the exact range of a difference of ERR."""
    if (kernels := library()) is None:
        return _staircase.stopping_difference(seen, pairs, stops=stops)
    chances = seen.lookup(stops)
    return NativePairs(kernels, seen, pairs, chances > 0).ranges(
        "stopping", chances, float(stops[-1])
    )


def precision_sums_over_relevant(
    seen: DocumentBlock, pairs: Pairs, *, level: float, unlisted: Floats, cap: float = np.inf
) -> Bounds:
    """Return the exact range of a difference of AP or aAP."""
    if (kernels := library()) is None:
        return _staircase.precision_sums_over_relevant(
            seen, pairs, level=level, unlisted=unlisted, cap=cap
        )
    native = NativePairs(kernels, seen, pairs, _known(seen, level))
    unlisted = np.ascontiguousarray(unlisted, np.float64)
    return native.ranges("average_precision", seen.relevant(level), unlisted, cap)


def normalized_difference(
    seen: DocumentBlock, form: NormalizedForm, pairs: Pairs, unlisted: Counts = 0
) -> Bounds:
    """Return the exact range of a difference of nDCG in all its forms, R, nRBP or nP."""
    if (kernels := library()) is None:
        return _differences.normalized_difference(seen, form, pairs, unlisted)
    gained = weighted_sum(seen, form.gains, form.weights(seen.depth))
    others = np.ascontiguousarray(
        np.broadcast_to(unlisted, (len(pairs), seen.shape[1])), np.float64
    )
    # No pair has more of them than its two runs together.
    own = seen.ungraded_counts.max(axis=0, initial=0)
    added = int((2 * own + finite_counts(others)).max(initial=0))
    return NativePairs(kernels, seen, pairs, np.zeros(seen.codes.shape, np.bool_)).ranges(
        "normalized_pairs",
        normalization(form, seen, added=added),
        np.ascontiguousarray(pairs.difference(gained)),
        others,
    )


def average_precision_difference(
    seen: DocumentBlock, pairs: Pairs, *, level: float, unlisted: Floats, cap: float = np.inf
) -> Bounds:
    """Return a valid range of a difference of AP or aAP."""
    if (kernels := library()) is None:
        return _differences.average_precision_difference(
            seen, pairs, level=level, unlisted=unlisted, cap=cap
        )
    native = NativePairs(kernels, seen, pairs, _known(seen, level))
    unlisted = np.ascontiguousarray(unlisted, np.float64)
    return native.ranges("precision_limits", seen.relevant(level), unlisted, cap)


def _known(seen: DocumentBlock, level: float) -> Booleans:
    """Return which cells are known to be relevant."""
    return seen.codes >= first_code(seen, level)
