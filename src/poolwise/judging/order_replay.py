"""Documents in the order in which they would be judged, given what is known of them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Indices
from poolwise.judging.orders.judging_order import JudgingOrder, Proposal
from poolwise.results._progress import counting

__all__ = ["Step", "proposals", "replay"]


class Step(NamedTuple):
    """One document of the order: its topic, its number there, and what it weighed."""

    topic: int
    document: int
    weight: float


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
        # What a topic had to propose last bounds what it has to propose now.
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
    found = order.propose(topic)
    if found is None:
        return False
    order.take(topic, found.document)
    pending.append(Step(topic, *found))
    return True


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
        known = np.flatnonzero(topic.graded)
        order.learn(t, known, order.candidates.relevant(t)[known])
    yield from _heaviest_first(order) if order.joint else _in_turns(order)


def _judged_again(order: JudgingOrder) -> Iterator[Step]:
    """Judge from the start; known grades cost nothing, unknown ones are proposed."""
    graded: list[Booleans] = [topic.graded for topic in order.candidates]
    running = list(range(len(order.candidates)))
    while running:
        for topic in running.copy():
            found = _after_known(order, topic, graded[topic])
            if found is None:
                running.remove(topic)
            else:
                yield Step(topic, *found)


def _after_known(order: JudgingOrder, topic: int, graded: Booleans) -> Proposal | None:
    """Take documents of a topic down to the first one without a grade."""
    relevant = order.candidates.relevant(topic)
    while (found := order.propose(topic)) is not None:
        order.take(topic, found.document)
        if not graded[found.document]:
            return found
        here: Indices = np.array([found.document])
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
    heads = {t: found for t in range(len(order.candidates)) if (found := order.propose(t))}
    while heads:
        topic = max(heads, key=lambda t: heads[t].weight)
        found = heads.pop(topic)
        order.take(topic, found.document)
        yield Step(topic, *found)
        following = order.propose(topic)
        if following is not None:
            heads[topic] = following
