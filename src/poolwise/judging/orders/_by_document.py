"""Orders by what a document would do to scores, whichever run it is from."""

import math
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging._candidates import Candidates
from poolwise.judging.orders._order import WeightedOrder
from poolwise.measures.families._static_weights import RankBiasedPrecision, StaticWeights

__all__ = [
    "WEIGHTS",
    "Ask",
    "DepthOrder",
    "ExpectedNarrowing",
    "GivenWeights",
    "MinimalTestCollections",
    "RBPEven",
    "RBPLeaders",
    "RBPResidual",
    "summed_distances",
]


class DepthOrder(WeightedOrder):
    """Rank by rank: all first documents, then all second ones; it learns nothing."""

    source: ClassVar[str] = "Spärck Jones & van Rijsbergen 1975; W10 §3.4.2"

    def _prepare(self, candidates: Candidates) -> None:
        runs = len(candidates.systems)
        # Of documents with the same best rank, the one of the first run comes first.
        self._weights = [
            1 / (topic.best_ranks + topic.ranks.argmin(axis=0) / (runs + 1))
            if len(topic)
            else np.zeros(0)
            for topic in candidates
        ]

    def weights(self, topic: int) -> Floats:
        """Return the reciprocal of the best rank, runs in order within a rank."""
        return self._weights[topic]

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        """Learn nothing."""


class GivenWeights(WeightedOrder):
    """The heaviest document first, over all topics; weights are made anew for each list."""

    source: ClassVar[str] = "poolwise"

    def __init__(self, candidates: Candidates, weights: Sequence[Floats]) -> None:
        super().__init__(candidates, joint=True)
        self._weights = weights

    def weights(self, topic: int) -> Floats:
        """Return the weights of a topic's documents."""
        return self._weights[topic]

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        """Learn nothing: what is known went into the weights."""


class MinimalTestCollections(WeightedOrder):
    """The document whose relevance would move the differences of all pairs of runs most.

    By average precision, but for the division by the number of relevant documents, a relevant
    document at rank r adds 1/r to a run, and 1/max(r, r') for each relevant document at rank r'
    that is known. Its weight is the summed distance of what it adds over all pairs of runs. Goals
    about the order of some runs use what it adds to them by the measure of the goal.
    """

    source: ClassVar[str] = "Carterette, Allan & Sitaraman 2006; W10 §3.4.6"

    def _prepare(self, candidates: Candidates) -> None:
        # Documents × runs, and 0 where a run lacks the document.
        self._reciprocals = [
            np.where(t.held, 1 / np.where(t.held, t.ranks, 1), 0.0).T.copy() for t in candidates
        ]
        self._adds = [reciprocal.copy() for reciprocal in self._reciprocals]
        self._weights: dict[int, Floats] = {}

    def weights(self, topic: int) -> Floats:
        """Return the summed distance between runs of what each document adds; 0 if judged."""
        if topic not in self._weights:
            weights, open_now = np.zeros(len(self.topic(topic))), self.open[topic]
            weights[open_now] = summed_distances(self._adds[topic][open_now])
            self._weights[topic] = weights
        return self._weights[topic]

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        reciprocals = self._reciprocals[topic]
        for document in documents[relevant].tolist():
            # 1 / max(r, r') is the smaller one of 1 / r and 1 / r'.
            self._adds[topic] += np.minimum(reciprocals, reciprocals[document])
            self._weights.pop(topic, None)


def summed_distances(values: Floats) -> Floats:
    """Return the summed distances between all pairs in each row, without going through the pairs.

    Examples
    --------
    >>> summed_distances(np.array([[0.0, 3.0, 1.0]])).tolist()
    [6.0]
    """
    runs = values.shape[1]
    # The k-th smallest is the larger one of k − 1 pairs, and the smaller one of n − k.
    times = 2.0 * np.arange(runs) - (runs - 1)
    return np.asarray(np.sort(values, axis=1) @ times)


Ask = Callable[[list[Booleans]], list[Floats] | None]
"""Gives the probability that each document is relevant, by topic, from the documents judged."""


class ExpectedNarrowing(MinimalTestCollections):
    """The document that is expected to move the differences of all pairs of runs most.

    What it would move, as in minimal test collections, times the probability that it is relevant.
    The relevance model gives that probability, and is asked again whenever a quarter more is
    judged; until it has enough to say anything, only what a document would move counts.
    """

    source: ClassVar[str] = "poolwise, after Carterette, Allan & Sitaraman 2006"
    more: ClassVar[float] = 1.25
    """By what factor the judged documents must have grown before the model is asked again."""

    def __init__(
        self, candidates: Candidates, ask: Ask, *, joint: bool = False, rng: int = 1
    ) -> None:
        super().__init__(candidates, joint=joint, rng=rng)
        self._ask = ask
        self._chances = [np.ones(len(topic)) for topic in candidates]
        self._judged: list[Booleans] = [np.zeros(len(topic), np.bool_) for topic in candidates]
        self._count, self._asked_at = 0, 0

    def weights(self, topic: int) -> Floats:
        """Return what each document is expected to move; 0 if judged."""
        return super().weights(topic) * self._chances[topic]

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        super()._learn(topic, documents, relevant)
        self._judged[topic][documents] = True
        self._count += len(documents)
        if self._count >= self.more * self._asked_at:
            # a fit for every grade would take most of the time, and tell hardly more
            self._asked_at = self._count
            self._chances = self._ask(self._judged) or self._chances


WEIGHTS = RankBiasedPrecision(p=0.95)
"""Whose weights by rank count, unless a measure with weights of its own is asked for."""


class RBPResidual(WeightedOrder):
    """RBP method A: the summed weight of a document over all runs, to narrow the mean residual.

    ``joint`` orders compare documents of different topics, so base and residual of a run are means
    over topics; otherwise each topic has its own. Any measure with weights by rank will do in the
    place of RBP. With ``tails``, the residual of a run has the weight of all ranks, otherwise that
    of the documents it lists.
    """

    source: ClassVar[str] = "Moffat, Webber & Zobel 2007; W10 §3.4.6"
    learns: ClassVar[bool] = False
    """Whether what a run is worth depends on the grades so far."""

    def __init__(
        self,
        candidates: Candidates,
        *,
        joint: bool = False,
        rng: int = 1,
        measure: StaticWeights = WEIGHTS,
        tails: bool = True,
    ) -> None:
        # all ranks of an uncut DCG weigh more than any number: there the listed ones count
        self.measure, self.tails = measure, tails and math.isfinite(measure.total_weight())
        super().__init__(candidates, joint=joint, rng=rng)

    def _prepare(self, candidates: Candidates) -> None:
        # in the last place, what a rank that no run has weighs
        by_rank = np.append(self.measure.weights(candidates.depth), 0.0)
        self._weight = [by_rank[np.where(t.held, t.ranks, len(by_rank)) - 1] for t in candidates]
        self._residual = self._whole_residual()
        self._base = np.zeros_like(self._residual)
        self._cached: dict[int, Floats] = {}
        self._made_by = np.ones((len(candidates), len(candidates.systems)))

    def _whole_residual(self) -> Floats:
        """Return the residual before anything is judged, topics × systems, or the joint one."""
        shape = len(self.candidates), len(self.candidates.systems)
        by_topic = np.full(shape, self.measure.total_weight())
        if not self.tails:
            by_topic = np.array([w.sum(axis=1) for w in self._weight]).reshape(shape)
        return by_topic.mean(axis=0, keepdims=True) if self.joint else by_topic

    def worth(self, base: Floats, residual: Floats) -> Floats:
        """Return what a unit of weight is worth in each run."""
        del residual
        return np.ones_like(base)

    def weights(self, topic: int) -> Floats:
        """Return the weights of each document's ranks, summed over the runs by their worth."""
        if topic not in self._cached:
            row = 0 if self.joint else topic
            worth = self.worth(self._base[row], self._residual[row])
            self._made_by[topic] = worth
            self._cached[topic] = worth @ self._weight[topic]
        return self._cached[topic]

    def growth(self) -> Floats:
        """Return the largest factor by which a run is worth more than at the last proposal."""
        # a document's weight is a sum over runs, and grows no faster than the worth of any of them
        now = self.worth(self._base, self._residual)
        unknown = np.where(now > 0, np.inf, 0.0) * np.ones_like(self._made_by)
        grown = np.divide(now, self._made_by, out=unknown, where=self._made_by > 0)
        return np.asarray(grown.max(axis=1, initial=0.0))

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        if not self.learns:
            return
        moved = self._weight[topic][:, documents]
        row, share = (0, len(self.candidates)) if self.joint else (topic, 1)
        self._residual[row] -= moved.sum(axis=1) / share
        self._base[row] += moved @ relevant / share
        if self.joint:
            self._cached.clear()
        else:
            self._cached.pop(topic, None)


class RBPEven(RBPResidual):
    """RBP method B: runs with a large residual first, to make the residuals even."""

    learns: ClassVar[bool] = True

    def worth(self, base: Floats, residual: Floats) -> Floats:
        """Return the residual."""
        del base
        return residual


class RBPLeaders(RBPResidual):
    """RBP method C: runs that could be the best first, to separate the leaders."""

    learns: ClassVar[bool] = True

    def worth(self, base: Floats, residual: Floats) -> Floats:
        """Return (base + residual / 2)³ × residual."""
        # Moffat, Webber & Zobel 2007, method C: a high score counts by its third power, so that
        # runs which can no longer lead are hardly judged
        return (base + residual / 2) ** 3 * residual
