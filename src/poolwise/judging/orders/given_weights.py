"""An order by weights that were made before, from the judgments so far."""

from collections.abc import Sequence
from typing import ClassVar

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.judging_order import WeightedOrder

__all__ = ["GivenWeights"]


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
