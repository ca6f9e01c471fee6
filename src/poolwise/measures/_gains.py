"""Gains by grade, discounts by rank, and the few cells of a block that carry gain."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import MeasureError
from poolwise.evidence._grades import Block

__all__ = [
    "DCG_FORMS",
    "GAINS",
    "Hits",
    "binary_gains",
    "count_down_to",
    "discounts",
    "exponential_gains",
    "exponential_shares",
    "find_hits",
    "first_code",
    "ideal_gains",
    "linear_gains",
    "per_relevant",
    "scaled_gains",
    "top_grade",
    "weighted_sum",
]

GAINS = {
    "binary": "1 from the relevance level up, else 0",
    "linear": "grade / highest grade",
    "exponential": "(2^grade − 1) / (2^highest − 1)",
}
DCG_FORMS = {
    "log2": "linear gain, discount 1/log2(i + 1)",
    "exp-log2": "exponential gain 2^grade − 1, discount 1/log2(i + 1)",
    "jk": "linear gain, discount 1 to rank b, 1/log_b(i) below",
    "exp-jk": "exponential gain 2^grade − 1, discount 1 to rank b, 1/log_b(i) below",
}

_HIGHEST_EXPONENT = 1000
"""2^1000, added up for a million documents, is still a number."""


def top_grade(scale: Floats) -> float:
    """Return the highest grade of the collection; 1 where nothing above 0 was ever given.

    Examples
    --------
    >>> top_grade(np.array([0.0, 1.0, 3.0])), top_grade(np.array([0.0]))
    (3.0, 1.0)
    """
    return float(scale[-1]) if len(scale) and scale[-1] > 0 else 1.0


def binary_gains(grades: Floats, rel: float) -> Floats:
    """Return 1 for each grade of at least ``rel``, else 0."""
    return (grades >= rel).astype(np.float64)


def linear_gains(grades: Floats) -> Floats:
    """Return the grades themselves."""
    return np.maximum(grades, 0.0)


def exponential_gains(grades: Floats) -> Floats:
    """Return 2^grade − 1; grades whose gains would be too large to add up are refused.

    Examples
    --------
    >>> exponential_gains(np.array([0.0, 1.0, 3.0])).tolist()
    [0.0, 1.0, 7.0]
    """
    if grades.max(initial=0) > _HIGHEST_EXPONENT:
        raise MeasureError(
            f"an exponential gain needs grades of at most {_HIGHEST_EXPONENT}; got "
            f"{grades.max():g}. Hint: use a linear gain, or grades on a smaller scale."
        )
    return np.exp2(np.maximum(grades, 0.0)) - 1


def exponential_shares(grades: Floats, top: float) -> Floats:
    """Return (2^grade − 1) / 2^top, which is at most 1 whatever the grades are.

    Examples
    --------
    >>> exponential_shares(np.array([0.0, 1.0, 2.0]), 2).tolist()
    [0.0, 0.25, 0.75]
    >>> exponential_shares(np.array([1.0, 4999.0, 5000.0]), 5000).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.exp2(np.maximum(grades, 0.0) - top) - np.exp2(-top)


def scaled_gains(scale: Floats, gain: str, rel: float) -> Floats:
    """Return the gain of each grade, from 0 to 1, where 1 is the collection's highest grade.

    Examples
    --------
    >>> scale = np.array([0.0, 1.0, 2.0])
    >>> [scaled_gains(scale, gain, 1).tolist() for gain in ("binary", "linear")]
    [[0.0, 1.0, 1.0], [0.0, 0.5, 1.0]]
    """
    if gain == "binary":
        return binary_gains(scale, rel)
    top = top_grade(scale)
    if gain == "linear":
        return linear_gains(scale) / top
    return exponential_shares(scale, top) / exponential_shares(np.array([top]), top)


def discounts(depth: int, dcg: str, base: float) -> Floats:
    """Return the DCG weight of each rank.

    Examples
    --------
    >>> discounts(4, "log2", 2).round(2).tolist(), discounts(4, "jk", 2).round(2).tolist()
    ([1.0, 0.63, 0.5, 0.43], [1.0, 1.0, 0.63, 0.5])
    """
    ranks = np.arange(1, depth + 1, dtype=np.float64)
    if dcg.endswith("log2"):
        return 1 / np.log2(ranks + 1)  # W10 eq. 3.9
    return np.log(base) / np.log(np.maximum(ranks, base))  # W10 eq. 3.8


def ideal_gains(pool: Integers, gains: Floats, depth: int) -> Floats:
    """Return the gain at each rank of the best ranking of the judged documents, per topic.

    Examples
    --------
    >>> ideal_gains(np.array([[5, 2, 1]]), np.array([0.0, 1.0, 3.0]), 4).tolist()
    [[3.0, 1.0, 1.0, 0.0]]
    """
    steps = np.diff(gains, prepend=0.0)
    at_least = pool[:, ::-1].cumsum(axis=1)[:, ::-1]
    ranks = np.arange(depth)
    ideal = np.zeros((len(pool), depth))
    for code in np.flatnonzero(steps).tolist():
        ideal += steps[code] * (ranks < at_least[:, code, None])
    return ideal


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


def find_hits(block: Block, code: int) -> Hits:
    """Return the cells of grade code ``code`` or higher.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[1, 0, None, 2], [2]]).blocks
    >>> found = find_hits(block, code=1)
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


def count_down_to(hits: Hits, marked: Booleans) -> Integers:
    """Return how many marked cells each hit's list has above it and at it; hits are marked.

    Examples
    --------
    >>> from poolwise import Grades
    >>> (block,) = Grades.from_grades([[0, 1, None, 0, 2]]).blocks
    >>> count_down_to(find_hits(block, 1), block.codes >= 0).tolist()
    [2, 4]
    """
    is_hit = np.zeros(marked.size, np.bool_)
    is_hit[hits.lists * marked.shape[2] + hits.ranks - 1] = True
    # Hits in the order of the marked cells: where they stand there is what is to be counted.
    place = np.flatnonzero(is_hit[np.flatnonzero(marked)])
    counts = np.count_nonzero(marked, axis=2).reshape(-1)
    return place + 1 - (counts.cumsum() - counts)[hits.lists]


def weighted_sum(block: Block, gains: Floats, weights: Floats) -> Floats:
    """Return Σ gain × weight over the ranks of each list; gains rise with the grade code."""
    hits = find_hits(block, int(np.searchsorted(gains, 0.0, side="right")))
    return hits.total(gains[hits.codes] * weights[hits.ranks - 1])


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
