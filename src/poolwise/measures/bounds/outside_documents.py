"""How many unjudged documents two runs have between them, and how many are in neither."""

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.pairs import Pairs
from poolwise.evidence.unknowns.universe import Universe
from poolwise.measures.bounds.kernels.shared_worth import shared_worth

__all__ = ["outside_pairs", "union_counts"]


def union_counts(block: DocumentBlock, pairs: Pairs) -> Integers:
    """Return how many unjudged documents either run of a pair retrieved, pairs × topics."""
    if ("union", pairs) not in block.memo:
        block.memo["union", pairs] = _count_union(block, pairs)
    return block.memo["union", pairs]


def _count_union(block: DocumentBlock, pairs: Pairs) -> Integers:
    own = block.ungraded_counts
    shared = shared_worth(block, pairs, np.ones(block.depth)).astype(np.int64)
    return own[pairs.left] + own[pairs.right] - shared


def outside_pairs(
    block: DocumentBlock, pairs: Pairs, universe: Universe, cutoff: int | None
) -> Floats:
    """Return how many documents of the universe neither run of a pair has in its first ranks.

    Parameters
    ----------
    block : DocumentBlock
        Whole lists.
    pairs : Pairs
        The systems to subtract.
    universe : Universe
        Which documents are unknown; of kind ``run``, those of the two runs.
    cutoff : int, optional
        The ranks that a measure looks at.

    Returns
    -------
    float array, pairs × topics
        Infinite for a corpus.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> (block,) = Evidence.from_grades([[None, None], [1, None], [None]]).blocks
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> outside_pairs(block, pair, Universe(), cutoff=None).tolist()
    [[1.0]]
    >>> outside_pairs(block, pair, Universe("run", depth=2), cutoff=1).tolist()
    [[2.0]]
    """
    if universe.kind == "corpus":
        return np.full((len(pairs), block.shape[1]), np.inf)
    known, reached = (
        block if depth is None else block.truncate(depth)
        for depth in (cutoff, universe.reach(cutoff))
    )
    if universe.kind == "run":
        return (union_counts(reached, pairs) - union_counts(known, pairs)).astype(np.float64)
    everyone = reached.best_ranks.sum(axis=1, dtype=np.float64)
    return everyone - union_counts(known, pairs)
