"""Orders that prefer the runs whose documents turned out relevant."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.judging_order import RunOrder

__all__ = ["MaxMean", "MoveToFront", "Thompson"]


class MoveToFront(RunOrder):
    """Move-to-front pooling: a run is read on while it gives relevant documents.

    Each run has a priority. The next document is that of the highest; if it is relevant the
    priority of its run returns to the maximum, else it falls by one. On ties the run that was read
    last goes on.
    """

    source: ClassVar[str] = "Cormack, Palmer & Clarke 1998; W10 §3.4.4"
    order_matters: ClassVar[bool] = True

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
        self._priority = [np.zeros(len(candidates.systems)) for _ in candidates.topics]
        self._reading = np.zeros(len(candidates), np.intp)
        self._proposer: dict[tuple[int, int], int] = {}

    def preferences(self, topic: int) -> Floats:
        """Return the priorities: 0 is the maximum."""
        return self._priority[topic]

    def _choose(self, topic: int, preferred: Floats) -> int:
        run = int(self._reading[topic])
        if preferred[run] < preferred.max():
            run = int(preferred.argmax())
            self._reading[topic] = run
        return run

    def take(self, topic: int, document: int) -> None:
        """Remember which run the document came from."""
        self._proposer[topic, document] = int(self._reading[topic])
        super().take(topic, document)

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        for document, found in zip(documents.tolist(), relevant.tolist(), strict=True):
            run = self._proposer.pop((topic, document), None)
            if run is not None:
                priority = self._priority[topic]
                priority[run] = 0.0 if found else priority[run] - 1.0


class MaxMean(RunOrder):
    """A bandit with a run for each arm: the run with the highest share of relevant documents.

    A run has Beta(1 + relevant, 1 + not relevant), counted over all judged documents that it
    holds, whichever run they were taken from.
    """

    source: ClassVar[str] = "Losada, Parapar & Barreiro 2016"

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
        self._relevant = [np.ones(len(candidates.systems)) for _ in candidates.topics]
        self._other = [np.ones(len(candidates.systems)) for _ in candidates.topics]

    def preferences(self, topic: int) -> Floats:
        """Return the mean of each run's distribution."""
        relevant = self._relevant[topic]
        return relevant / (relevant + self._other[topic])

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        held = self.topic(topic).held[:, documents]
        found = held @ relevant.astype(np.float64)  # of two boolean arrays @ is no sum
        self._relevant[topic] += found
        self._other[topic] += held.sum(axis=1) - found


class Thompson(MaxMean):
    """The same bandit with a draw from each run's distribution instead of its mean."""

    order_matters: ClassVar[bool] = True

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
        self._streams = [
            np.random.default_rng([seed, *topic.topic.encode("utf-8", "surrogateescape")])
            for topic in candidates
        ]

    def preferences(self, topic: int) -> Floats:
        """Return a draw for each run."""
        return self._streams[topic].beta(self._relevant[topic], self._other[topic])
