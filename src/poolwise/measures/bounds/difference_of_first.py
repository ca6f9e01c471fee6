"""How far unjudged documents can move a difference that rests on the first relevant rank."""

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.ranges import Bounds
from poolwise.measures.bounds.shared_documents import PairBatch, topic_lists
from poolwise.measures.relevant_ranks import first_code

__all__ = ["first_relevant_difference"]


def first_relevant_difference(
    seen: DocumentBlock, pairs: Pairs, *, level: float, worth: Floats
) -> Bounds:
    """Return the exact range of a difference of RR or Success.

    Either no unjudged document is relevant, or just one of those that the first run has above its
    first known relevant one: more of them can only help the second run.

    Parameters
    ----------
    seen : DocumentBlock
        The lists down to the cut-off.
    pairs : Pairs
        The systems to subtract.
    level : float
        The lowest grade that is relevant.
    worth : float array, ranks
        The score with the first relevant document at each rank, not rising; 0 without one.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["u", "x"]}, "b": {"1": ["v", "u", "x"]}})
    >>> (block,) = align(Judgments.from_dict({"1": {"x": 1}}), runs).blocks
    >>> pairs = Pairs(np.array([0]), np.array([1]))
    >>> low, high = first_relevant_difference(block, pairs, level=1, worth=1 / np.arange(1, 4))
    >>> low.round(3).item(), high.round(3).item()
    (-0.5, 0.5)
    """
    known = seen.codes >= first_code(seen, level)
    none = np.ones((*seen.shape, 1), np.bool_)
    first = np.append(known, none, axis=2).argmax(axis=2)
    worth = np.append(worth, 0.0)
    found = Bounds(*np.empty((2, len(pairs), seen.shape[1])))
    for topic in topic_lists(seen):
        for batch in topic.batches(pairs):
            found.upper[batch.cells] = _largest(batch, first[:, topic.index], worth)
            found.lower[batch.cells] = 0.0 - _largest(batch.swapped(), first[:, topic.index], worth)
    return found


def _largest(batch: PairBatch, first: Integers, worth: Floats) -> Floats:
    """Return the largest difference, first − second run of each pair."""
    mine, theirs = first[batch.first][:, None], worth[first[batch.second]][:, None]
    above = batch.mine & (np.arange(batch.topic.depth) < mine)
    # With the higher of two ranks goes the higher worth.
    gain = worth[:-1] - np.maximum(theirs, worth[batch.their_ranks])
    best = np.where(above, gain, -np.inf).max(axis=1, initial=-np.inf)
    return np.maximum(best, (worth[mine] - theirs)[:, 0])
