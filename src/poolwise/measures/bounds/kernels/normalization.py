"""A measure over its ideal, as the native kernels read it."""

import numpy as np

from poolwise.evidence.grades import Block
from poolwise.measures.bounds.exact_bounds import NormalizedForm
from poolwise.measures.bounds.kernels.native_kernels import Normalization

__all__ = ["normalization"]


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
