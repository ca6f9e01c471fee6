"""Naive bounds, which need only the pool."""

import numpy as np

from poolwise.evidence.grades import Block
from poolwise.measures.bounds.ranges import Bounds
from poolwise.measures.measure import Measure

__all__ = ["fill_from_pool", "naive_bounds"]


def naive_bounds(measure: Measure, block: Block, *, level: float = 0.0) -> Bounds:
    """Return the score, and the score once unjudged documents took what the pool has left.

    The ideal stays that of the pool, so that runs can be compared; a true grading can lie outside
    (B23 §3.3, table 1).
    """
    lower = measure.score_block(block)
    filled = fill_from_pool(measure.cut(block), level=level)
    return Bounds(lower, measure.score_block(filled))


def fill_from_pool(block: Block, *, level: float = 0.0) -> Block:
    """Give each unjudged document, from the top down, the highest grade left in the pool.

    Left is what the pool holds outside the ranking. Once no grade above 0, or of at least
    ``level``, is left, documents stay unjudged.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[None, 1, None, None]], judged=[1, 1, 2]).blocks
    >>> fill_from_pool(block).codes.tolist()
    [[[2, 1, 1, -2]]]
    """
    nth = np.cumsum(block.ungraded, axis=2, dtype=np.int32)
    codes = block.codes.copy()
    available = np.zeros(block.shape, np.int64)
    for code in range(len(block.scale) - 1, -1, -1):
        if block.scale[code] <= 0 or block.scale[code] < level:
            break
        taken = available
        retrieved = (block.codes == code).sum(axis=2)
        available = taken + np.maximum(block.pool[:, code] - retrieved, 0)
        here = block.ungraded & (nth > taken[:, :, None]) & (nth <= available[:, :, None])
        codes[here] = code
    return Block(codes=codes, scale=block.scale, pool=block.pool)
