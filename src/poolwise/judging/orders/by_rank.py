"""Depth pooling: the best rank that any run gives a document decides."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.judging_order import WeightedOrder

__all__ = ["DepthOrder"]


class DepthOrder(WeightedOrder):
    """Rank by rank: all first documents, then all second ones; it learns nothing."""

    source: ClassVar[str] = "Spärck Jones & van Rijsbergen 1975; W10 §3.4.2"

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
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
