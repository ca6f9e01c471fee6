"""Orders that narrow what RBP leaves open (Moffat, Webber & Zobel 2007)."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.judging_order import WeightedOrder

__all__ = ["RBPEven", "RBPLeaders", "RBPResidual"]


class RBPResidual(WeightedOrder):
    """RBP method A: the summed weight of a document over all runs, to narrow the mean residual.

    ``joint`` orders compare documents of different topics, so base and residual of a run are means
    over topics; otherwise each topic has its own.
    """

    source: ClassVar[str] = "Moffat, Webber & Zobel 2007; W10 §3.4.6"
    persistence: ClassVar[float] = 0.95
    learns: ClassVar[bool] = False
    """Whether what a run is worth depends on the grades so far."""
    tails: ClassVar[bool] = True
    """Whether the residual of a run has the weight of all ranks, or of the documents it lists."""

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
        p = self.persistence
        # (1 − p) p^(r − 1), and 0 where a run lacks the document
        self._weight = [
            np.where(t.held, (1 - p) * p ** (np.where(t.held, t.ranks, 1) - 1.0), 0.0)
            for t in candidates
        ]
        self._residual = self._whole_residual()
        self._base = np.zeros_like(self._residual)
        self._cached: dict[int, Floats] = {}
        self._made_by = np.ones((len(candidates), len(candidates.systems)))

    def _whole_residual(self) -> Floats:
        """Return the residual before anything is judged, topics × systems, or the joint one."""
        by_topic = np.array([np.ones(len(w)) if self.tails else w.sum(1) for w in self._weight])
        by_topic = by_topic.reshape(-1, len(self.candidates.systems))
        return by_topic.mean(axis=0, keepdims=True) if self.joint else by_topic

    def worth(self, base: Floats, residual: Floats) -> Floats:
        """Return what a unit of weight is worth in each run."""
        del residual
        return np.ones_like(base)

    def weights(self, topic: int) -> Floats:
        """Return each document's RBP weights, summed over the runs by their worth."""
        if topic not in self._cached:
            row = 0 if self.joint else topic
            worth = self.worth(self._base[row], self._residual[row])
            self._made_by[topic] = worth
            self._cached[topic] = worth @ self._weight[topic]
        return self._cached[topic]

    def growth(self) -> Floats:
        """Return the largest factor by which a run is worth more than at the last proposal."""
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
        return (base + residual / 2) ** 3 * residual
