"""What two runs have in common, weighed or counted."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.kernels.native_kernels import NativePairs, library
from poolwise.measures.bounds.shared_documents import topic_lists

__all__ = ["shared_worth", "shared_worth_in_numpy"]


def shared_worth(seen: DocumentBlock, pairs: Pairs, worth: Floats) -> Floats:
    """Return the sum of what shared unjudged documents are worth where they stand lower.

    ``worth`` is by rank and never rises; with 1 everywhere, shared documents are counted. By the
    native kernel, or its twin in numpy where there is none.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["u", "x"]}, "b": {"1": ["v", "u"]}})
    >>> (block,) = align(Judgments.from_dict({"1": {"x": 1}}), runs).blocks
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> shared_worth(block, pair, np.array([0.5, 0.25])).tolist()
    [[0.25]]
    """
    if (kernels := library()) is None:
        return shared_worth_in_numpy(seen, pairs, worth)
    known = np.zeros(seen.codes.shape, np.bool_)
    return NativePairs(kernels, seen, pairs, known).shared_worth(np.append(0.0, worth))


def shared_worth_in_numpy(seen: DocumentBlock, pairs: Pairs, worth: Floats) -> Floats:
    """Return the same without the kernel."""
    sums = np.zeros((len(pairs), seen.shape[1]))
    for topic in topic_lists(seen):
        for batch in topic.batches(pairs):
            sums[batch.cells] = batch.shared(np.append(worth, 0.0))
    return sums
