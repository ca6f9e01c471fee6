"""Minimal test collections: the documents first that set runs most apart."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.judging_order import WeightedOrder

__all__ = ["MinimalTestCollections", "summed_distances"]


class MinimalTestCollections(WeightedOrder):
    """The document whose relevance would move the differences of all pairs of runs most.

    By average precision, but for the division by the number of relevant documents, a relevant
    document at rank r adds 1/r to a run, and 1/max(r, r') for each relevant document at rank r'
    that is known. Its weight is the summed distance of what it adds over all pairs of runs. Goals
    about the order of some runs use what it adds to them by the measure of the goal.
    """

    source: ClassVar[str] = "Carterette, Allan & Sitaraman 2006; W10 §3.4.6"

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
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
