"""A block a few lists at a time, for formulas that need many arrays of its size."""

from collections.abc import Callable, Iterator

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._topics import cut_topics
from poolwise.evidence.grades import Block
from poolwise.measures.bounds.ranges import Bounds

__all__ = ["Counts", "bound_in_parts"]

Counts = float | Floats
"""Of documents: the same for every list, or systems × topics; perhaps infinite."""

CELLS = 1 << 16
"""Lists × ranks to work on at a time: arrays of so many numbers stay in the processor's cache."""


def bound_in_parts(
    formula: Callable[[Block, Counts], Bounds], block: Block, outside: Counts = 0
) -> Bounds:
    """Return ``formula(block, outside)``, worked out for a few lists at a time.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, None], [0]]).blocks
    >>> bound_in_parts(lambda part, more: Bounds(part.lengths, part.lengths + more), block, 1)
    Bounds(lower=array([[2], [1]]), upper=array([[3], [2]]))
    """
    if block.codes.size <= CELLS:
        return formula(block, outside)
    counts, bounds = np.broadcast_to(outside, block.shape), np.empty((2, *block.shape))
    for lists in _parts(block):
        part = Block(codes=block.codes[lists], scale=block.scale, pool=block.pool[lists[1]])
        bounds[:, *lists] = formula(part, counts[lists])
    return Bounds(*bounds)


def _parts(block: Block) -> Iterator[tuple[slice, slice]]:
    """Go through systems and topics, as many topics at a time as have room."""
    for topics in cut_topics(np.full(block.shape[1], block.depth), 1, cells=CELLS):
        step = max(1, CELLS // ((topics.stop - topics.start) * block.depth))
        for first in range(0, block.shape[0], step):
            yield slice(first, first + step), topics
