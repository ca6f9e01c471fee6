"""How far the unjudged documents can move the difference between two runs, topic by topic.

Two runs of one collection share unjudged documents, and recall-based measures share R and the
ideal ranking. So the range of a difference is narrower than the difference of two ranges. Each
function here takes pairs of systems and returns bounds, pairs × topics, over every grading of the
documents that either run retrieved.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.evidence.alignment import Evidence
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.exact_bounds import (
    NormalizedForm,
    quotient,
    r_precision_depth,
    running,
    unjudged_ranks,
)
from poolwise.measures.bounds.ratio_range import ratio_bounds
from poolwise.measures.bounds.shared_documents import PairBlock, topic_lists
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


def union_counts(evidence: Evidence, pairs: Pairs) -> Integers:
    """Return how many unjudged documents either run of a pair retrieved, pairs × topics."""
    own = unjudged_ranks(evidence).sum(axis=2)
    union = own[pairs.left] + own[pairs.right]
    for topic in topic_lists(evidence):
        for m in topic.pair_blocks(pairs):
            union[m.cells] -= ((m.their_ranks < topic.depth) & m.mine).sum(axis=1)
    return union


def subtracted(own: Bounds, pairs: Pairs) -> Bounds:
    """Return the ranges of two runs subtracted: valid where they know of each other's documents."""
    low, high = own
    return Bounds(low[pairs.left] - high[pairs.right], high[pairs.left] - low[pairs.right])


def weighted_difference(
    seen: Evidence, weights: Floats, own: Bounds, pairs: Pairs, *, full_gain: float
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
    shared = np.zeros((len(pairs), len(seen.topics)))
    for topic in topic_lists(seen):
        for m in topic.pair_blocks(pairs):
            shared[m.cells] = m.shared(worth)
    shared *= full_gain
    value, residual = pairs.difference(own.lower), own.upper - own.lower
    return Bounds(value - (residual[pairs.right] - shared), value + (residual[pairs.left] - shared))


def normalized_difference(evidence: Evidence, form: NormalizedForm, pairs: Pairs) -> Bounds:
    """Return the exact range of a difference of normalized gains.

    Both runs are divided by the same ideal, so the difference is a ratio as the score of one run
    is, with the differences of the two weights of a document in the place of its weight.
    """
    weights = form.weights(evidence.depth)
    known = pairs.difference(evidence.lookup(form.gains) @ weights)
    union = union_counts(evidence, pairs)
    seen = evidence.truncate(int(np.count_nonzero(weights)))
    worth = np.tile(np.append(weights[: seen.depth], 0.0), (len(seen.systems), 1))
    result = Bounds(np.empty(known.shape), np.empty(known.shape))
    ideal = form.ideal(evidence.pool, added=int(union.max(initial=0)))
    for topic in topic_lists(seen):
        of_topic = replace(ideal, judged=ideal.judged[topic.index])
        for m in topic.pair_blocks(pairs):
            steps = m.steps(worth, union[m.cells])
            here = of_topic.repeated(m.second.shape)
            low, high = ratio_bounds(known[m.cells], steps.gained, steps.added, here)
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def r_precision_difference(
    evidence: Evidence, pairs: Pairs, *, level: float, multiple: float = 1.0
) -> Bounds:
    """Return the exact range of a difference of R-Prec.

    With s unjudged documents relevant, both runs are cut at R = R₀ + s. Documents that only the
    first has above the cut add 1, those that only the second has there take 1 away, and the rest
    do nothing: at best the first kind is relevant before the rest and the second kind comes last.
    """
    union = union_counts(evidence, pairs)
    codes = first_code(evidence, level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in topic_lists(evidence):
        added = np.arange(union[:, topic.index].max(initial=0) + 1)
        depth = r_precision_depth(evidence.relevant(level)[topic.index] + added, multiple)
        at = np.minimum(depth, topic.depth)
        known = running(evidence.codes[:, topic.index] >= codes)[:, at]
        unjudged = running(topic.unjudged)[:, at]
        for m in topic.pair_blocks(pairs):
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
    evidence: Evidence, pairs: Pairs, bounds_of: Callable[[Evidence, Integers], Bounds]
) -> Bounds:
    """Return the two ranges subtracted, each with the other run's documents counted in: valid.

    ``bounds_of(evidence, elsewhere)`` bounds the scores of runs where so many further documents,
    outside their lists, may be relevant: they belong to the same R and the same ideal.
    """
    union = union_counts(evidence, pairs)
    own = unjudged_ranks(evidence).sum(axis=2)
    parts = np.array_split(np.arange(len(pairs)), len(pairs) // _PAIRS + 1)
    left, right = (
        np.concatenate(
            [bounds_of(_take(evidence, side[p]), (union - own[side])[p]) for p in parts], axis=1
        )
        for side in (pairs.left, pairs.right)
    )
    return Bounds(left[0] - right[1], left[1] - right[0])


def _take(evidence: Evidence, systems: Indices) -> Evidence:
    """Return some systems, perhaps several times."""
    return replace(evidence, codes=evidence.codes[systems], documents=evidence.documents[systems])


def _both_above(block: PairBlock) -> Integers:
    """Return how many shared unjudged documents both runs have above each rank, pairs × ranks."""
    depth = block.topic.depth
    deeper = np.where(block.mine, np.maximum(np.arange(depth), block.their_ranks), depth)
    flat = (np.arange(len(deeper))[:, None] * (depth + 1) + deeper).ravel()
    counts = np.bincount(flat, minlength=len(deeper) * (depth + 1)).reshape(-1, depth + 1)
    return running(counts[:, :-1])
