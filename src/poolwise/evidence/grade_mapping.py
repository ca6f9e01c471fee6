"""The same documents under other grades."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.grade_codes import BEYOND, POOLED, UNJUDGED, code_type
from poolwise.evidence.grades import Block, Grades

__all__ = ["map_grades"]


def map_grades(grades: Grades, of: Callable[[Floats], Floats]) -> Grades:
    """Return the same lists with another value for each grade; grades that become equal merge.

    Parameters
    ----------
    grades : Grades
        Lists of graded documents.
    of : callable
        Takes the scale, an array of the grades in ascending order, and returns their new values.

    Returns
    -------
    Grades
        The lists with the new scale; unjudged documents stay unjudged.

    Examples
    --------
    >>> grades = Grades.from_grades([[2, 0, None]], judged=[2, 1, 0])
    >>> swapped = map_grades(grades, lambda scale: np.where(scale == 1, 5.0, scale))
    >>> swapped.scale.tolist(), swapped.pool.tolist(), swapped.blocks[0].codes.tolist()
    ([0.0, 2.0, 5.0], [[1, 1, 1]], [[[1, 0, -2]]])
    """
    values = of(grades.scale)
    if np.array_equal(values, grades.scale):
        return grades
    scale, codes = np.unique(values, return_inverse=True)
    return grades.with_blocks(
        _mapped(block, scale, codes.astype(np.int64)) for block in grades.blocks
    )


def _mapped(block: Block, scale: Floats, codes: Integers) -> Block:
    # Negative codes index from the end, in this order.
    table = np.array([*codes, BEYOND, UNJUDGED, POOLED], code_type(scale))
    merged = codes[:, None] == np.arange(len(scale))
    return replace(block, codes=table[block.codes], scale=scale, pool=block.pool @ merged)
