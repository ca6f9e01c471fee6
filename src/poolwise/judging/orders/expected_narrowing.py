"""Expected narrowing: what sets runs apart, times how probably it does."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates
from poolwise.judging.orders.minimal_test_collections import MinimalTestCollections

__all__ = ["Ask", "ExpectedNarrowing"]

Ask = Callable[[list[Booleans]], list[Floats] | None]
"""Gives the probability that each document is relevant, by topic, from the documents judged."""


class ExpectedNarrowing(MinimalTestCollections):
    """The document that is expected to move the differences of all pairs of runs most.

    What it would move, as in minimal test collections, times the probability that it is relevant.
    The relevance model gives that probability, and is asked again whenever a quarter more is
    judged; until it has enough to say anything, only what a document would move counts.

    Parameters
    ----------
    candidates : Candidates
        What can be judged.
    ask : callable
        What asks the model: see ``Ask``.

    Examples
    --------
    >>> from poolwise import Judgments, Runs
    >>> from poolwise.judging import gather_candidates, replay
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "d"]}})
    >>> judgments = Judgments.from_dict({"1": {"a": 0, "b": 0, "c": 1, "d": 1}})
    >>> topics = gather_candidates(judgments, runs, depth=2)
    >>> sure = np.array([0.0, 0.1, 0.9, 0.8])
    >>> order = ExpectedNarrowing(topics, lambda judged: [sure])
    >>> [topics.topics[0].documents[step.document] for step in replay(order)]
    ['a', 'c', 'd', 'b']
    """

    source: ClassVar[str] = "poolwise, after Carterette, Allan & Sitaraman 2006"
    more: ClassVar[float] = 1.25
    """By what factor the judged documents must have grown before the model is asked again."""

    def __init__(
        self, candidates: Candidates, ask: Ask, *, joint: bool = False, seed: int = 1
    ) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
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
            self._asked_at = self._count
            self._chances = self._ask(self._judged) or self._chances
