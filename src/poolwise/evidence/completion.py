"""Documents without a grade: how many there are, what they weigh, and lists without them."""

from typing import TypeVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers, rank_sums
from poolwise.evidence.grades import Block, Grades, join_topics

__all__ = [
    "condense",
    "count_ungraded",
    "judged_prefix",
    "judged_prefix_block",
    "judged_to_depth",
    "pool_gain",
    "weight_of",
]

AnyGrades = TypeVar("AnyGrades", bound=Grades)


def condense(grades: AnyGrades) -> AnyGrades:
    """Drop the documents without a grade and close up (Sakai's condensed lists; W10 §3.4.5).

    Parameters
    ----------
    grades : Grades or Evidence
        Lists in which some documents have no grade.

    Returns
    -------
    Grades or Evidence
        The same kind as given, with lists of judged documents alone.

    Examples
    --------
    >>> condense(Grades.from_grades([[None, 1, None, 0]])).blocks[0].codes.tolist()
    [[[1, 0, -3, -3]]]
    """
    return grades.with_blocks(block.condensed() for block in grades.blocks)


def count_ungraded(grades: Grades) -> Integers:
    """Return the number of documents without a grade in each list, systems × topics.

    Examples
    --------
    >>> count_ungraded(Grades.from_grades([[1, None, None], [0]])).tolist()
    [[2], [0]]
    """
    return join_topics(block.ungraded_counts for block in grades.blocks)


def pool_gain(grades: Grades, gains: Floats) -> Floats:
    """Return the mean gain of each topic's judged documents, 0 where none is judged.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, None]], judged=[1, 0, 0, 0])
    >>> pool_gain(grades, np.array([0.0, 1.0])).tolist()
    [0.25]
    """
    judged = grades.pool.sum(axis=1)
    return (grades.pool @ gains) / np.maximum(judged, 1)


def weight_of(marked: Booleans, weights: Floats) -> Floats:
    """Return the total weight of the marked cells of each list, systems × topics.

    Parameters
    ----------
    marked : bool array, systems × topics × ranks
    weights : float array, ranks or topics × ranks
        Of as many ranks, or more.

    Examples
    --------
    >>> (block,) = Grades.from_grades([[1, None, None]]).blocks
    >>> weight_of(block.ungraded, np.array([0.5, 0.25, 0.125])).tolist()
    [[0.375]]
    """
    seen = weights[..., : marked.shape[2]]
    return np.stack([rank_sums(lists * seen) for lists in marked])


def judged_prefix(grades: Grades) -> Integers:
    """Return down to which rank each list is judged without a gap, systems × topics.

    Examples
    --------
    >>> judged_prefix(Grades.from_grades([[1, 0, None, 1], [None]])).tolist()
    [[2], [0]]
    """
    return join_topics(judged_prefix_block(block) for block in grades.blocks)


def judged_prefix_block(block: Block) -> Integers:
    """Return down to which rank each list of a block is judged without a gap."""
    gap = np.full((*block.shape, block.depth + 1), True)
    np.less(block.codes, 0, out=gap[:, :, :-1])
    return gap.argmax(axis=2)


def judged_to_depth(grades: Grades, depth: int) -> Booleans:
    """Return which lists are judged without a gap down to a depth or their end, systems × topics.

    Examples
    --------
    >>> judged_to_depth(Grades.from_grades([[1, 0, None], [1]]), 2).tolist()
    [[True], [True]]
    """
    return judged_prefix(grades) >= np.minimum(grades.lengths, depth)
