"""When an order of judging comes to each document."""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from poolwise.arrays import Booleans, Indices
from poolwise.judging._candidates import Candidates
from poolwise.judging.orders._order import JudgingOrder, replay

__all__ = ["ReplayedOrder", "replay_order"]

_SHARE = 0.95
_NEVER = np.iinfo(np.intp).max
"""Place of a document that is not judged."""


@dataclass(frozen=True, eq=False)
class ReplayedOrder:
    """When each document was judged.

    Attributes
    ----------
    candidates : Candidates
    places : list of int array
        By topic, the place of each document in the order of judging, from 1.
    """

    candidates: Candidates
    places: list[Indices]

    def judged(self, count: int) -> list[Booleans]:
        """Return which documents of each topic are among the first ones judged."""
        return [place <= count for place in self.places]

    def found(self, count: int) -> float:
        """Return the relevant documents among the first ones judged, mean over topics."""
        hits = [
            int((self.candidates.relevant(t) & judged).sum())
            for t, judged in enumerate(self.judged(count))
        ]
        return float(np.mean(hits))

    def needed(self) -> float:
        """Return how many judgments find 95% of a topic's relevant documents, on the mean."""
        counts = []
        for t, place in enumerate(self.places):
            when = np.sort(place[self.candidates.relevant(t)])
            if len(when):
                counts.append(int(when[int(np.ceil(_SHARE * len(when))) - 1]))
        return float(np.mean(counts)) if counts else float("nan")


def replay_order(order: JudgingOrder, *, batch: int, most: int | None = None) -> ReplayedOrder:
    """Judge in this order, to the end or until each topic has so many judgments."""
    candidates = order.candidates
    places = [np.full(len(topic), _NEVER) for topic in candidates]
    judged = [0] * len(candidates)
    # Topics take turns, so that each has its judgments after this number of steps.
    steps = None if most is None else most * len(candidates)
    for step in islice(replay(order, batch=batch), steps):
        judged[step.topic] += 1
        places[step.topic][step.document] = judged[step.topic]
    return ReplayedOrder(candidates, places)
