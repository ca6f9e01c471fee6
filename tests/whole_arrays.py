"""Grades as one array, and back: for small collections, whose blocks need not be told apart."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poolwise import Evidence, Grades
from poolwise.evidence._grades import BEYOND, Block, beside

__all__ = ["codes_of", "documents_of", "grades_of", "only_block", "with_pool"]


def only_block(grades: Grades) -> Block:
    """Return the block of grades that have one."""
    (block,) = grades.blocks
    return block


def codes_of(grades: Grades) -> NDArray[np.integer]:
    """Return the codes of all topics, systems × topics × ranks."""
    return beside([block.codes for block in grades.blocks], grades.depth, BEYOND, axis=1)


def documents_of(evidence: Evidence) -> NDArray[np.int32]:
    """Return the documents of all topics, systems × topics × ranks."""
    return beside([block.documents for block in evidence.blocks], evidence.depth, -1, axis=1)


def grades_of(like: Grades, codes: NDArray[np.integer], pool: NDArray[np.integer]) -> Grades:
    """Return grades with these codes, on as many topics, and the scale of others."""
    return Grades(
        systems=tuple(f"run{s + 1}" for s in range(codes.shape[0])),
        topics=tuple(str(t) for t in range(codes.shape[1])),
        blocks=(Block(codes=codes, scale=like.scale, pool=pool),),
    )


def with_pool(evidence: Evidence, pool: NDArray[np.integer]) -> Evidence:
    """Return the same evidence of one block with another pool."""
    return evidence.with_blocks([replace(only_block(evidence), pool=pool)])
