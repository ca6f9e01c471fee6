"""Which documents of two runs to make relevant, so that one run gains most on the other.

Let two runs share c unjudged documents, a column each by their rank in the first run and a row
each by their rank in the second. Where a document stands higher in the first run and lower in the
second than another, moving relevance to it from the other never lowers the difference. So a best
set is a *staircase*: a path goes right, past the columns, and up, past the rows, and a document is
relevant if its column is passed before its row. With i columns and h rows passed, and m relevant
documents among those that are in both (the box), the second run has met m of them and the first
m + i − |box|: all that a next step needs to know. There are at most c³/3 such states.
"""

from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.measures.bounds.exact_bounds import running

__all__ = ["Walk", "edges_of", "precision_walk", "staircase", "stopping_walk"]


class Walk(NamedTuple):
    """What a run collects along its list, in segments between the shared documents.

    With M of the shared documents relevant above it, a segment adds reach(M) × slope + base, and
    so does a shared document that is relevant: reach(M) = M for sums of precisions, and the chance
    to get past M documents for ERR. All arrays begin with an axis of pairs.
    """

    slope: Floats
    """Of each segment, c + 1."""
    base: Floats
    own_slope: Floats
    """Of each shared document, c."""
    own_base: Floats

    def end(self, reach: Floats) -> Floats:
        """Return what the last segment adds, for reaches … × numbers."""
        return _line(self.slope[:, -1:], reach, self.base[:, -1:])


def precision_walk(fixed: Booleans, shared: Integers) -> Walk:
    """Return the sum of precisions, where some ranks are relevant whatever becomes of the rest.

    Parameters
    ----------
    fixed : bool array, pairs × ranks
        The ranks that are relevant.
    shared : int array, pairs × c
        The ranks of the shared documents, ascending, from 0.
    """
    weight = 1 / np.arange(1, fixed.shape[1] + 1)
    above = running(fixed)
    found = np.take_along_axis(above, shared, axis=1)
    slope, base = running(fixed * weight), running(fixed * above[:, 1:] * weight)
    own = weight[shared]
    return Walk(_segments(slope, shared), _segments(base, shared), own, (found + 1) * own)


def stopping_walk(stops: Floats, shared: Integers, *, full: float) -> Walk:
    """Return the expected reciprocal rank of the stop, given the chances to stop at known ranks.

    ``full`` is the chance to stop at a shared document that is relevant.
    """
    weight = 1 / np.arange(1, stops.shape[1] + 1)
    reach = np.cumprod(np.append(np.ones((len(stops), 1)), 1 - stops, axis=1), axis=1)
    slope = _segments(running(reach[:, :-1] * stops * weight), shared)
    own = np.take_along_axis(reach, shared, axis=1) * full * weight[shared]
    return Walk(slope, np.zeros_like(slope), own, np.zeros_like(own))


def edges_of(shared: Integers, depth: int) -> Integers:
    """Return where the segments begin, and where the last one ends."""
    pairs = len(shared)
    return np.hstack([np.zeros((pairs, 1), np.int64), shared, np.full((pairs, 1), depth)])


def _segments(sums: Floats, shared: Integers) -> Floats:
    """Cut running sums at the shared documents, which add nothing to them."""
    edges = edges_of(shared, sums.shape[1] - 1)
    return np.diff(np.take_along_axis(sums, edges, axis=1), axis=1)


def staircase(one: Walk, other: Walk, row: Integers, reach: Floats) -> tuple[Floats, Floats]:
    """Return the largest difference on the way to every state of the upper and the right edge.

    Parameters
    ----------
    one, other : Walk
        The run that is to gain, and the other.
    row : int array, pairs × c
        The row of the document in each column.
    reach : float array, c + 1
        What a segment's slope is multiplied by, for each number of relevant documents above.

    Returns
    -------
    upper, right : float arrays, pairs × (c + 1) × (c + 1)
        With all rows passed, by columns passed and m; with all columns passed, by rows passed and
        m. States that no path reaches have −∞.
    """
    pairs, count = row.shape
    column, box = np.argsort(row, axis=1), _boxes(row)
    best = np.full((pairs, count + 1, count + 1), -np.inf)
    best[:, 0, 0] = 0.0
    right = np.empty_like(best)
    for h in range(count + 1):
        if h:
            best = _up(best, other, h - 1, column[:, h - 1], reach)
        for i in range(count):
            met = np.minimum(np.arange(count + 1) + (i - box[:, i, h, None]), count)
            step = _step(one, i, row[:, i] >= h, reach[met])
            best[:, i + 1] = np.maximum(best[:, i + 1], best[:, i] + step)
        right[:, h] = best[:, count]
    return best, right


def _boxes(row: Integers) -> Integers:
    """Return how many documents are in the first i columns and the first h rows, … × i × h."""
    pairs, count = row.shape
    box = np.zeros((pairs, count + 1, count + 1), np.int64)
    box[:, 1:, 1:] = row[:, :, None] == np.arange(count)
    return box.cumsum(axis=1).cumsum(axis=2)


def _up(best: Floats, other: Walk, h: int, column: Integers, reach: Floats) -> Floats:
    """Pass one row: its document is relevant if its column is passed, and counts in the box."""
    inside = column[:, None] < np.arange(best.shape[1])
    without = best - _step(other, h, np.zeros_like(column, np.bool_), reach)[:, None]
    within = best - _step(other, h, np.ones_like(column, np.bool_), reach)[:, None]
    more = np.full_like(best, -np.inf)
    more[:, :, 1:] = within[:, :, :-1]
    return np.where(inside[:, :, None], more, without)


def _step(walk: Walk, at: int, relevant: Booleans, reach: Floats) -> Floats:
    """Return what a segment and the shared document after it add, pairs × numbers."""
    slope = walk.slope[:, at] + relevant * walk.own_slope[:, at]
    base = walk.base[:, at] + relevant * walk.own_base[:, at]
    return _line(slope[:, None], reach, base[:, None])


def _line(slope: Floats, reach: Floats, base: Floats) -> Floats:
    return slope * reach + base
