"""Topics on which all runs are judged, so that others can be adjusted from them (W10 §6.3)."""

from collections.abc import Iterable

import numpy as np

from poolwise.errors import OptionError
from poolwise.judging.candidates import Candidates
from poolwise.judging.order_replay import Step
from poolwise.words import counted

__all__ = ["draw_topics", "topic_by_topic"]


def draw_topics(candidates: Candidates, count: int, seed: int) -> tuple[int, ...]:
    """Draw so many topics at random, none for 0: the same ones whatever is judged by now.

    What is inferred from common topics holds if they are a random sample of all (W10 §6.3.1).
    With the same seed, a smaller number of topics is a part of a larger one.
    """
    if count > len(candidates):
        raise OptionError(
            f"goal: common topics are drawn from {counted(len(candidates), 'topic')}; got {count}. "
            f"Hint: use common:{max(1, len(candidates) // 5)}."
        )
    by_name = sorted(range(len(candidates)), key=lambda t: candidates.topics[t].topic)
    order = np.random.default_rng(seed).permutation(len(candidates)).tolist()
    return tuple(by_name[place] for place in order[:count])


def topic_by_topic(steps: Iterable[Step], topics: tuple[int, ...]) -> list[Step]:
    """Return the steps on these topics, all of a topic before the next one.

    So a budget that is too small leaves whole topics, not the same part of each.

    Examples
    --------
    >>> steps = [Step(0, 0, 1.0), Step(1, 0, 0.9), Step(2, 0, 0.8), Step(1, 1, 0.7)]
    >>> [(step.topic, step.document) for step in topic_by_topic(steps, (1, 0))]
    [(1, 0), (1, 1), (0, 0)]
    """
    place = {topic: at for at, topic in enumerate(topics)}
    return sorted((step for step in steps if step.topic in place), key=lambda s: place[s.topic])
