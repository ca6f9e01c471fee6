"""How far the unjudged documents can move the difference between two runs, topic by topic.

Two runs of one collection share unjudged documents, and recall-based measures share R and the
ideal ranking. So the range of a difference is narrower than the difference of two ranges. Each
function here takes pairs of systems and returns bounds, pairs × topics, over every grading of the
documents that either run retrieved.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.grades import Block
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.exact_bounds import (
    NormalizedForm,
    quotient,
    r_precision_depth,
    running,
)
from poolwise.measures.bounds.ratio_range import ratio_bounds
from poolwise.measures.bounds.shared_documents import PairBatch, topic_lists
from poolwise.measures.measure import Bounds
from poolwise.measures.relevant_ranks import first_code

__all__ = [
    "normalized_difference",
    "r_precision_difference",
    "recalled_difference",
    "subtracted",
    "union_counts",
    "weighted_difference",
]

_PAIRS = 64
"""Pairs to lay out at a time."""


def union_counts(block: DocumentBlock, pairs: Pairs) -> Integers:
    """Return how many unjudged documents either run of a pair retrieved, pairs × topics."""
    own = block.ungraded_counts
    union = own[pairs.left] + own[pairs.right]
    for topic in topic_lists(block):
        for m in topic.batches(pairs):
            union[m.cells] -= ((m.their_ranks < topic.depth) & m.mine).sum(axis=1)
    return union


def subtracted(own: Bounds, pairs: Pairs) -> Bounds:
    """Return the ranges of two runs subtracted: valid where they know of each other's documents."""
    low, high = own
    return Bounds(low[pairs.left] - high[pairs.right], high[pairs.left] - low[pairs.right])


def weighted_difference(
    seen: DocumentBlock, weights: Floats, own: Bounds, pairs: Pairs, *, full_gain: float
) -> Bounds:
    """Return the exact range of a difference of weighted sums.

    A document adds (w_a − w_b) × gain, so it is worth full gain to the upper bound where w_a is
    the larger, and to the lower bound where w_b is. Summed up: each run's residual, less the
    weight min(w_a, w_b) of the documents that both retrieved, which moves both alike. Past the
    ends of the lists, where RBP goes on, the runs can have different documents, so those tails
    count in full, each for its own run.

    Parameters
    ----------
    seen
        The ranks that have weight.
    weights
        The weight of each rank.
    own
        The range of each run's own score.
    pairs
        The systems to subtract.
    full_gain
        The gain of the best document there can be.
    """
    worth = np.append(weights, 0.0)
    shared = np.zeros((len(pairs), seen.shape[1]))
    for topic in topic_lists(seen):
        for m in topic.batches(pairs):
            shared[m.cells] = m.shared(worth)
    shared *= full_gain
    value, residual = pairs.difference(own.lower), own.upper - own.lower
    return Bounds(value - (residual[pairs.right] - shared), value + (residual[pairs.left] - shared))


def normalized_difference(block: DocumentBlock, form: NormalizedForm, pairs: Pairs) -> Bounds:
    """Return the exact range of a difference of normalized gains.

    Both runs are divided by the same ideal, so the difference is a ratio as the score of one run
    is, with the differences of the two weights of a document in the place of its weight.
    """
    weights = form.weights(block.depth)
    known = pairs.difference(block.lookup(form.gains) @ weights)
    union = union_counts(block, pairs)
    seen = block.truncate(int(np.count_nonzero(weights)))
    worth = np.tile(np.append(weights[: seen.depth], 0.0), (len(seen.codes), 1))
    result = Bounds(np.empty(known.shape), np.empty(known.shape))
    ideal = form.ideal(block.pool, added=int(union.max(initial=0)))
    for topic in topic_lists(seen):
        of_topic = replace(ideal, judged=ideal.judged[topic.index])
        for m in topic.batches(pairs):
            steps = m.steps(worth, union[m.cells])
            here = of_topic.repeated(m.second.shape)
            low, high = ratio_bounds(known[m.cells], steps.gained, steps.added, here)
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def r_precision_difference(
    block: DocumentBlock, pairs: Pairs, *, level: float, multiple: float = 1.0
) -> Bounds:
    """Return the exact range of a difference of R-Prec.

    With s unjudged documents relevant, both runs are cut at R = R₀ + s. Documents that only the
    first has above the cut add 1, those that only the second has there take 1 away, and the rest
    do nothing: at best the first kind is relevant before the rest and the second kind comes last.
    """
    union = union_counts(block, pairs)
    codes = first_code(block, level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in topic_lists(block):
        added = np.arange(union[:, topic.index].max(initial=0) + 1)
        depth = r_precision_depth(block.relevant(level)[topic.index] + added, multiple)
        at = np.minimum(depth, topic.depth)
        known = running(block.codes[:, topic.index] >= codes)[:, at]
        unjudged = running(topic.unjudged)[:, at]
        for m in topic.batches(pairs):
            both = _both_above(m)[:, at]
            plus, minus = unjudged[m.first] - both, unjudged[m.second] - both
            open_to = union[m.cells][:, None]
            possible = np.where(added <= open_to, depth, 0)
            base = known[m.first] - known[m.second]
            # What is left once the first kind and the rest are all relevant is of the other kind.
            most = np.minimum(added, plus) - np.maximum(added - (open_to - minus), 0)
            least = np.maximum(added - (open_to - plus), 0) - np.minimum(added, minus)
            result.lower[m.cells] = np.fmin.reduce(quotient(base + least, possible), axis=1)
            result.upper[m.cells] = np.fmax.reduce(quotient(base + most, possible), axis=1)
    return result


def recalled_difference(
    block: DocumentBlock, pairs: Pairs, bounds_of: Callable[[Block, Integers], Bounds]
) -> Bounds:
    """Return the two ranges subtracted, each with the other run's documents counted in: valid.

    ``bounds_of(block, elsewhere)`` bounds the scores of runs where so many further documents,
    outside their lists, may be relevant: they belong to the same R and the same ideal.
    """
    union = union_counts(block, pairs)
    own = block.ungraded_counts
    parts = np.array_split(np.arange(len(pairs)), len(pairs) // _PAIRS + 1)
    left, right = (
        np.concatenate(
            [bounds_of(block.take(side[p]), (union - own[side])[p]) for p in parts], axis=1
        )
        for side in (pairs.left, pairs.right)
    )
    return Bounds(left[0] - right[1], left[1] - right[0])


def _both_above(batch: PairBatch) -> Integers:
    """Return how many shared unjudged documents both runs have above each rank, pairs × ranks."""
    depth = batch.topic.depth
    deeper = np.where(batch.mine, np.maximum(np.arange(depth), batch.their_ranks), depth)
    flat = (np.arange(len(deeper))[:, None] * (depth + 1) + deeper).ravel()
    counts = np.bincount(flat, minlength=len(deeper) * (depth + 1)).reshape(-1, depth + 1)
    return running(counts[:, :-1])
