"""What an order of judging is: it proposes documents, and learns from their grades."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from poolwise.arrays import TOLERANCE, Booleans, Floats, Indices
from poolwise.judging._candidates import Candidates, TopicCandidates
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting

__all__ = ["JudgingOrder", "Proposal", "RunOrder", "Step", "WeightedOrder", "proposals", "replay"]


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

    def __init__(self, candidates: Candidates, *, joint: bool = False, rng: int = 1) -> None:
        self.candidates = candidates
        self.joint = joint
        self.seed = rng
        self.open: list[Booleans] = [np.ones(len(topic), np.bool_) for topic in candidates]
        self._prepare(candidates)

    def _prepare(self, candidates: Candidates) -> None:  # noqa: B027 -- not every order has to
        """Make what the order remembers of each topic, before anything is judged."""

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

    def _prepare(self, candidates: Candidates) -> None:
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


class Step(NamedTuple):
    """One document of the order: its topic, its number there, and what it weighed."""

    topic: int
    document: int
    weight: float


@recorded
def replay(order: JudgingOrder, *, batch: int = 1) -> Iterator[Step]:
    """Go through all documents as if their grades came in after each batch.

    Every document must have a grade: those of the candidates. Topics take turns, one document
    each, and a batch is so many documents of each topic. A joint order takes the heaviest document
    of all topics, one at a time.

    Parameters
    ----------
    order : JudgingOrder
        The order to go through; it learns on the way, and is used up afterwards.
    batch : int
        Documents of each topic that are judged before their grades are learned.

    Yields
    ------
    Step
        The topic, the document and its weight at the time, the first to judge first.

    Examples
    --------
    >>> from poolwise import Judgments, Runs
    >>> from poolwise.judging import ORDERS, gather_candidates
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> judgments = Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 0}})
    >>> topics = gather_candidates(judgments, runs, depth=2)
    >>> [topics.topics[0].documents[s.document] for s in replay(ORDERS["max-mean"](topics))]
    ['a', 'b', 'c']
    """
    if order.joint:
        yield from _replay_jointly(order)
        return
    running = list(range(len(order.candidates)))
    while running:
        pending: list[Step] = []
        for _ in range(batch):
            running = [t for t in running if _advance(order, t, pending)]
        yield from pending
        for topic in {step.topic for step in pending}:
            documents = np.array([s.document for s in pending if s.topic == topic], np.intp)
            order.learn(topic, documents, order.candidates.relevant(topic)[documents])


def _replay_jointly(order: JudgingOrder) -> Iterator[Step]:
    heads = [order.propose(t) for t in range(len(order.candidates))]
    is_new = np.ones(len(heads), np.bool_)
    while True:
        weights = np.array([-np.inf if head is None else head.weight for head in heads])
        if not np.isfinite(weights).any():
            return
        # What a topic had to propose last, times what it can have grown, bounds what it has to
        # propose now: only the topic with the highest bound need be looked at again.
        topic = int(np.where(is_new, weights, weights * order.growth()).argmax())
        head = heads[topic]
        if head is None or not is_new[topic]:
            heads[topic], is_new[topic] = order.propose(topic), True
            continue
        order.take(topic, head.document)
        yield Step(topic, *head)
        here: Indices = np.array([head.document])
        order.learn(topic, here, order.candidates.relevant(topic)[here])
        is_new[:] = False


def _advance(order: JudgingOrder, topic: int, pending: list[Step]) -> bool:
    """Take the next document of a topic; False where none is left."""
    proposal = order.propose(topic)
    if proposal is None:
        return False
    order.take(topic, proposal.document)
    pending.append(Step(topic, *proposal))
    return True


@recorded
def proposals(order: JudgingOrder) -> Iterator[Step]:
    """Go through the documents without a grade, in the order in which to judge them.

    What has a grade is learned first: at once where only the grades count, and by judging again
    from the start where their order counts. Nothing is learned from what is proposed. Documents
    of all topics are compared by weight in a joint order; otherwise topics take turns.

    Parameters
    ----------
    order : JudgingOrder
        The order to go through; it is used up afterwards.

    Yields
    ------
    Step
        The topic, the document and its weight, the first to judge first.

    Examples
    --------
    >>> from poolwise import Judgments, Runs
    >>> from poolwise.judging import ORDERS, gather_candidates
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> topics = gather_candidates(Judgments.from_dict({"1": {"a": 1}}), runs, depth=2)
    >>> [topics.topics[0].documents[s.document] for s in proposals(ORDERS["depth"](topics))]
    ['c', 'b']
    """
    if order.order_matters:
        yield from _judged_again(order)
        return
    for t, topic in enumerate(counting(order.candidates, "topics looked through")):
        graded = np.flatnonzero(topic.graded)
        order.learn(t, graded, order.candidates.relevant(t)[graded])
    yield from _heaviest_first(order) if order.joint else _in_turns(order)


def _judged_again(order: JudgingOrder) -> Iterator[Step]:
    """Judge from the start; known grades cost nothing, unknown ones are proposed."""
    graded: list[Booleans] = [topic.graded for topic in order.candidates]
    running = list(range(len(order.candidates)))
    # topics take turns by proposals, so that one with many known grades does not wait for them
    while running:
        for topic in running.copy():
            proposal = _after_known(order, topic, graded[topic])
            if proposal is None:
                running.remove(topic)
            else:
                yield Step(topic, *proposal)


def _after_known(order: JudgingOrder, topic: int, graded: Booleans) -> Proposal | None:
    """Take documents of a topic down to the first one without a grade."""
    relevant = order.candidates.relevant(topic)
    while (proposal := order.propose(topic)) is not None:
        order.take(topic, proposal.document)
        if not graded[proposal.document]:
            return proposal
        here: Indices = np.array([proposal.document])
        order.learn(topic, here, relevant[here])
    return None


def _in_turns(order: JudgingOrder) -> Iterator[Step]:
    running = list(range(len(order.candidates)))
    while running:
        pending: list[Step] = []
        running = [t for t in running if _advance(order, t, pending)]
        yield from pending


def _heaviest_first(order: JudgingOrder) -> Iterator[Step]:
    """Compare the next documents of all topics."""
    heads = {t: proposal for t in range(len(order.candidates)) if (proposal := order.propose(t))}
    while heads:
        topic = max(heads, key=lambda t: heads[t].weight)
        proposal = heads.pop(topic)
        order.take(topic, proposal.document)
        yield Step(topic, *proposal)
        following = order.propose(topic)
        if following is not None:
            heads[topic] = following
