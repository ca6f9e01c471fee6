"""Hedge: runs are experts that lose weight when they rank a non-relevant document high."""

from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.judging_order import WeightedOrder

__all__ = ["Hedge"]


class Hedge(WeightedOrder):
    """The document that the runs, weighted by their past losses, rank highest.

    At rank r of n, the length of the longest list, a document is worth ½ ln(n / r) to a run, and
    nothing to one that lacks it, which learns nothing from its grade. A document
    that turns out non-relevant adds its worth to the loss of the run, a relevant one takes it off,
    and a run weighs β to the power of its loss.
    """

    source: ClassVar[str] = "Aslam, Pavlu & Savell 2003; W10 §3.4.4"
    beta: ClassVar[float] = 0.1

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
        self._worth = [
            np.where(t.held, 0.5 * np.log(candidates.longest / np.where(t.held, t.ranks, 1)), 0.0)
            for t in candidates
        ]
        self._loss = np.zeros((len(candidates), len(candidates.systems)))

    def weights(self, topic: int) -> Floats:
        """Return the mean worth of each document, runs weighted by their losses."""
        loss = self._loss[topic]
        trust = self.beta ** (loss - loss.min(initial=np.inf))
        return trust / trust.sum() @ self._worth[topic]

    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        sign = np.where(relevant, -1.0, 1.0)
        self._loss[topic] += self._worth[topic][:, documents] @ sign
