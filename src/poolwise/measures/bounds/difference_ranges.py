"""How far the unjudged documents can move the difference between two runs, topic by topic.

Two runs of one collection share unjudged documents, and recall-based measures share R and the
ideal ranking. So the range of a difference is narrower than the difference of two ranges. Each
function here takes lists that are cut to what the measure looks at, and pairs of systems. It
returns bounds, pairs × topics, over every grading of the documents that either run has, and of so
many more ``outside`` of both.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.evidence._evidence import DocumentBlock
from poolwise.evidence._grades import Block
from poolwise.evidence._pairs import Pairs
from poolwise.measures._gains import first_code
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._exact import (
    Counts,
    NormalizedForm,
    finite_counts,
    past_the_end,
    quotient,
    r_precision_depth,
    ratio_bounds,
    running,
)
from poolwise.measures.bounds._shared_documents import (
    PairBatch,
    shared_worth,
    topic_lists,
    union_counts,
)

__all__ = [
    "normalized_difference",
    "r_precision_difference",
    "separate_difference",
    "weighted_difference",
]

_PAIRS = 64
"""Pairs to lay out at a time."""


def weighted_difference(
    seen: DocumentBlock, weights: Floats, own: Bounds, pairs: Pairs, *, full_gain: float
) -> Bounds:
    """Return the exact range of a difference of weighted sums.

    A document adds (w_a − w_b) × gain, so it is worth full gain to the upper bound where w_a is
    the larger, and to the lower bound where w_b is. Summed up: each run's residual, less the
    weight min(w_a, w_b) of the documents that both retrieved, which moves both alike.

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
    shared = full_gain * shared_worth(seen, pairs, weights)
    value, residual = pairs.difference(own.lower), own.upper - own.lower
    return Bounds(value - (residual[pairs.right] - shared), value + (residual[pairs.left] - shared))


def normalized_difference(
    block: DocumentBlock, form: NormalizedForm, pairs: Pairs, outside: Counts = 0
) -> Bounds:
    """Return the exact range of a difference of normalized gains.

    Both runs are divided by the same ideal, so the difference is a ratio as the score of one run
    is, with the differences of the two weights of a document in the place of its weight.
    """
    weights = form.weights(block.depth)
    known = pairs.difference(block.lookup(form.gains) @ weights)
    others = np.broadcast_to(outside, known.shape)
    every = union_counts(block, pairs) + finite_counts(others)
    worth = np.tile(np.append(weights, 0.0), (len(block.codes), 1))
    result = Bounds(np.empty(known.shape), np.empty(known.shape))
    ideal = form.ideal(block.pool, added=int(every.max(initial=0)))
    for topic in topic_lists(block):
        of_topic = replace(ideal, judged=ideal.judged[topic.index])
        for m in topic.batches(pairs):
            steps = m.steps(worth, every[m.cells])
            here = of_topic.repeated(m.second.shape)
            found = ratio_bounds(known[m.cells], steps.gained, steps.added, here)
            most = steps.gained.max(axis=1)
            least = steps.gained[:, -1] - most
            low, high = form.in_corpus(
                found,
                known[m.cells] + form.full_gain * least,
                known[m.cells] + form.full_gain * most,
                endless=np.isinf(others[m.cells]),
            )
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def r_precision_difference(
    block: DocumentBlock,
    pairs: Pairs,
    *,
    level: float,
    multiple: float = 1.0,
    outside: Counts = 0,
) -> Bounds:
    """Return the exact range of a difference of R-Prec.

    With t unjudged documents relevant, both runs are cut at R = R₀ + t. Documents that only the
    first has above the cut add 1, those that only the second has there take 1 away, and the rest
    do nothing: at best the first kind is relevant before the rest and the second kind comes last.
    Once R is past the ends of the lists, only R moves, until more are relevant than there are
    documents outside both.
    """
    union = union_counts(block, pairs)
    others = np.broadcast_to(outside, union.shape)
    codes = first_code(block, level)
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in topic_lists(block):
        most = union[:, topic.index].max(initial=0)
        near = np.arange(past_the_end(block.depth, multiple) + most + 1.0)
        R = block.relevant(level)[topic.index]
        known, unjudged = (
            running(cells)[:, _ranks(R + near, multiple, topic.depth)]
            for cells in (block.codes[:, topic.index] >= codes, topic.unjudged)
        )
        for m in topic.batches(pairs):
            both = _both_above(m)[:, _ranks(R + near, multiple, topic.depth)]
            cut = _AtCuts(
                known[m.first] - known[m.second],
                unjudged[m.first] - both,
                unjudged[m.second] - both,
                (union[m.cells] + others[m.cells])[:, None],
            )
            far = others[m.cells][:, None] + np.arange(most + 1.0)
            ends = (
                cut.ratios(near, r_precision_depth(R + near, multiple)),
                cut.at_end().ratios(
                    far, np.where(far > near[-1], r_precision_depth(R + far, multiple), 0)
                ),
            )
            result.lower[m.cells] = np.fmin(*(low for low, _ in ends))
            result.upper[m.cells] = np.fmax(*(high for _, high in ends))
    return result


class _AtCuts(NamedTuple):
    """What two lists hold above the cuts of R-Prec, pairs × cuts."""

    base: Integers
    """Known relevant documents of the first, less those of the second."""
    plus: Integers
    """Unjudged documents that only the first has there."""
    minus: Integers
    """Those that only the second has."""
    every: Floats
    """All unjudged documents, pairs × 1."""

    def at_end(self) -> "_AtCuts":
        """Return what the whole lists hold."""
        base, plus, minus, every = self
        return _AtCuts(base[:, -1:], plus[:, -1:], minus[:, -1:], every)

    def ratios(self, added: Floats, depth: Floats) -> tuple[Floats, Floats]:
        """Return the extremes of the difference over these numbers of relevant documents."""
        possible = np.where(added <= self.every, depth, 0)
        least = self._forced(added, self.plus) - np.minimum(added, self.minus)
        most = np.minimum(added, self.plus) - self._forced(added, self.minus)
        low, high = (quotient(self.base + moved, possible) for moved in (least, most))
        return np.fmin.reduce(low, axis=1), np.fmax.reduce(high, axis=1)

    def _forced(self, added: Floats, kind: Integers) -> Floats:
        """Return how many of a kind are relevant once all others are."""
        endless = np.isinf(self.every)
        return np.maximum(np.where(endless, 0, added - np.where(endless, 0, self.every) + kind), 0)


def _ranks(relevant: Floats, multiple: float, last: int) -> Indices:
    return np.minimum(r_precision_depth(relevant, multiple), last).astype(np.intp)


def separate_difference(
    block: DocumentBlock,
    pairs: Pairs,
    outside: Counts,
    bounds_of: Callable[[Block, Floats], Bounds],
) -> Bounds:
    """Return the two ranges subtracted, each with the other run's documents counted in: valid.

    ``bounds_of(block, outside)`` bounds the scores of runs where so many further documents,
    outside their lists, may be relevant: they belong to the same R and the same ideal.
    """
    every = union_counts(block, pairs) + np.asarray(outside, np.float64)
    own = block.ungraded_counts.astype(np.float64)
    left, right = (
        _of_sides(block, side, every - own[side], bounds_of) for side in (pairs.left, pairs.right)
    )
    return Bounds(left.lower - right.upper, left.upper - right.lower)


def _of_sides(
    block: DocumentBlock,
    systems: Indices,
    outside: Floats,
    bounds_of: Callable[[Block, Floats], Bounds],
) -> Bounds:
    """Return the bounds of these systems; equal ones are found once."""
    rows, of_pair = np.unique(np.column_stack([systems, outside]), axis=0, return_inverse=True)
    parts = np.array_split(rows, len(rows) // _PAIRS + 1)
    found = [bounds_of(block.take(part[:, 0].astype(np.intp)), part[:, 1:]) for part in parts]
    lower, upper = (np.concatenate(ends)[of_pair.ravel()] for ends in zip(*found, strict=True))
    return Bounds(lower, upper)


def _both_above(batch: PairBatch) -> Integers:
    """Return how many shared unjudged documents both runs have above each rank, pairs × ranks."""
    depth = batch.topic.depth
    deeper = np.where(batch.mine, np.maximum(np.arange(depth), batch.their_ranks), depth)
    flat = (np.arange(len(deeper))[:, None] * (depth + 1) + deeper).ravel()
    counts = np.bincount(flat, minlength=len(deeper) * (depth + 1)).reshape(-1, depth + 1)
    return running(counts[:, :-1])
