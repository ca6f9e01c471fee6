"""What an order of judging is: it proposes documents, and learns from their grades."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from poolwise.arrays import TOLERANCE, Booleans, Floats, Indices
from poolwise.judging.candidates import Candidates, TopicCandidates

__all__ = ["JudgingOrder", "Proposal", "RunOrder", "WeightedOrder"]


class Proposal(NamedTuple):
    """A document to judge next, and what it weighs by the order's own scale."""

    document: int
    weight: float


class JudgingOrder(ABC):
    """Proposes documents of a topic one after another, and learns from the grades they get.

    A document is proposed once. What is learned need not follow what is proposed: a batch is
    proposed first and learned when its grades are there; known grades are learned at the start.

    Attributes
    ----------
    candidates : Candidates
        What can be judged.
    open : list of bool array
        By topic, which documents have not been proposed or learned yet.

    Examples
    --------
    >>> from poolwise import Judgments, Runs
    >>> from poolwise.judging import ORDERS, gather_candidates
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "a"]}, "ql": {"1": ["b", "c"]}})
    >>> order = ORDERS["depth"](gather_candidates(Judgments.from_dict({}), runs, depth=2))
    >>> first = order.propose(0).document
    >>> order.topic(0).documents[first]
    'b'
    >>> order.take(0, first)
    >>> order.open[0].tolist()
    [True, False, True]
    """

    source: ClassVar[str]
    """The paper that describes it."""
    order_matters: ClassVar[bool] = False
    """Whether what it learns depends on the order of the grades, not on the grades alone."""

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        self.candidates = candidates
        self.joint = joint
        self.seed = seed
        self.open: list[Booleans] = [np.ones(len(topic), np.bool_) for topic in candidates]

    @abstractmethod
    def propose(self, topic: int) -> Proposal | None:
        """Return the next document of a topic without taking it; None where none is left."""

    @abstractmethod
    def _learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        """Take the grades of some documents into account."""

    def take(self, topic: int, document: int) -> None:
        """Do not propose this document again."""
        self.open[topic][document] = False

    def learn(self, topic: int, documents: Indices, relevant: Booleans) -> None:
        """Take the grades of some documents into account, and do not propose them again."""
        if len(documents):
            self.open[topic][documents] = False
            self._learn(topic, documents, relevant)

    def growth(self) -> Floats:
        """Return by what factor the weights of each topic can have grown since its last proposal.

        A joint order need not look again at topics that cannot have the heaviest document.
        """
        return np.full(len(self.candidates), np.inf)

    def topic(self, topic: int) -> TopicCandidates:
        """Return the documents of a topic."""
        return self.candidates.topics[topic]


class WeightedOrder(JudgingOrder):
    """An order by weights: the heaviest open document comes next, the first of equal ones."""

    @abstractmethod
    def weights(self, topic: int) -> Floats:
        """Return what each document of a topic weighs now."""

    def propose(self, topic: int) -> Proposal | None:
        """Return the heaviest open document."""
        is_open = self.open[topic]
        if not is_open.any():
            return None
        weights = np.where(is_open, self.weights(topic), -np.inf)
        best = weights.max()
        # Rounding does not decide between documents of equal weight.
        document = int((weights >= best - TOLERANCE * abs(best)).argmax())
        return Proposal(document, float(weights[document]))


class RunOrder(JudgingOrder):
    """An order by runs: the preferred run gives its next open document."""

    def __init__(self, candidates: Candidates, *, joint: bool = False, seed: int = 1) -> None:
        super().__init__(candidates, joint=joint, seed=seed)
        self._lists = [_ranked_documents(topic) for topic in candidates]
        self._next = [np.zeros(len(candidates.systems), np.intp) for _ in candidates.topics]
        self._left = [np.array([len(r) > 0 for r in lists], np.bool_) for lists in self._lists]

    @abstractmethod
    def preferences(self, topic: int) -> Floats:
        """Return how much each run is preferred now."""

    def propose(self, topic: int) -> Proposal | None:
        """Return the next open document of the most preferred run that has one left."""
        preferred = self.preferences(topic)
        while self._left[topic].any():
            run = self._choose(topic, np.where(self._left[topic], preferred, -np.inf))
            document = self._next_of(topic, run)
            if document is not None:
                return Proposal(document, float(preferred[run]))
        return None

    def _choose(self, topic: int, preferred: Floats) -> int:
        del topic
        return int(preferred.argmax())

    def _next_of(self, topic: int, run: int) -> int | None:
        """Go down a list to its first open document; a list without one is done with."""
        ranking, is_open = self._lists[topic][run], self.open[topic]
        place = int(self._next[topic][run])
        while place < len(ranking) and not is_open[ranking[place]]:
            place += 1
        self._next[topic][run] = place
        self._left[topic][run] = place < len(ranking)
        return int(ranking[place]) if place < len(ranking) else None


def _ranked_documents(topic: TopicCandidates) -> list[Indices]:
    """Return each run's documents, best first."""
    lengths = topic.held.sum(axis=1)
    order = np.argsort(topic.ranks, axis=1, kind="stable")
    return [row[:length] for row, length in zip(order, lengths.tolist(), strict=True)]
