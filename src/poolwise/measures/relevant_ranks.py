"""Where the relevant documents stand: the few cells of a block that carry gain."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence.grades import Block

__all__ = ["Hits", "count_down_to", "first_code", "hits", "per_relevant", "weighted_sum"]


class Hits(NamedTuple):
    """The cells of chosen grades, list after list (a list is a system's ranking for a topic).

    Rankings hold few relevant documents, so sums over these cells cost far less than sums over
    all ranks.
    """

    lists: Integers
    """Which list: system × topics + topic."""
    ranks: Integers
    """The rank, from 1."""
    codes: NDArray[np.integer]
    """The grade code."""
    nth: Integers
    """How many hits the list has down to this one, itself included."""
    counts: Integers
    """Number of hits of each list."""
    shape: tuple[int, int]
    """Systems, topics."""

    @property
    def topics(self) -> Integers:
        """Index of the topic of each hit."""
        return self.lists % self.shape[1]

    def total(self, values: Floats) -> Floats:
        """Sum a value per hit over each list, as systems × topics."""
        sums = np.bincount(self.lists, values, minlength=self.shape[0] * self.shape[1])
        return np.asarray(sums.reshape(self.shape), np.float64)


def first_code(block: Block, level: float) -> int:
    """Return the lowest grade code that is relevant at this level."""
    return int(np.searchsorted(block.scale, level))


def hits(block: Block, code: int) -> Hits:
    """Return the cells of grade code ``code`` or higher.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, 0, None, 2], [2]]).blocks
    >>> found = hits(block, code=1)
    >>> found.lists.tolist(), found.ranks.tolist(), found.nth.tolist()
    ([0, 0, 1], [1, 4, 1], [1, 2, 1])
    """
    # Most measures want the same cells, and finding them is most of the work.
    if ("hits", code) not in block.memo:
        block.memo["hits", code] = _find(block, code)
    return block.memo["hits", code]


def _find(block: Block, code: int) -> Hits:
    systems, topics, depth = block.codes.shape
    marked = block.codes >= code
    counts = np.count_nonzero(marked, axis=2).reshape(-1).astype(np.int64)
    cells = np.flatnonzero(marked)
    lists = np.repeat(np.arange(systems * topics), counts)
    return Hits(
        lists=lists,
        ranks=cells - lists * depth + 1,
        codes=block.codes.reshape(-1)[cells],
        nth=np.arange(1, len(cells) + 1) - np.repeat(np.cumsum(counts) - counts, counts),
        counts=counts,
        shape=(systems, topics),
    )


def count_down_to(found: Hits, marked: Booleans) -> Integers:
    """Return how many marked cells each hit's list has above it and at it; hits are marked.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[0, 1, None, 0, 2]]).blocks
    >>> count_down_to(hits(block, 1), block.codes >= 0).tolist()
    [2, 4]
    """
    is_hit = np.zeros(marked.size, np.bool_)
    is_hit[found.lists * marked.shape[2] + found.ranks - 1] = True
    # Hits in the order of the marked cells: where they stand there is what is to be counted.
    place = np.flatnonzero(is_hit[np.flatnonzero(marked)])
    counts = np.count_nonzero(marked, axis=2).reshape(-1)
    return place + 1 - (counts.cumsum() - counts)[found.lists]


def weighted_sum(block: Block, gains: Floats, weights: Floats) -> Floats:
    """Return Σ gain × weight over the ranks of each list; gains rise with the grade code."""
    found = hits(block, int(np.searchsorted(gains, 0.0, side="right")))
    return found.total(gains[found.codes] * weights[found.ranks - 1])


def per_relevant(
    sums: NDArray[np.floating | np.integer], relevant: NDArray[np.floating | np.integer]
) -> Floats:
    """Divide by a number per topic; NaN where that is 0.

    Examples
    --------
    >>> per_relevant(np.array([[1.0, 0.0]]), np.array([2, 0])).tolist()
    [[0.5, nan]]
    """
    divisor = np.where(relevant > 0, relevant, np.nan)
    return np.asarray(sums / divisor)
