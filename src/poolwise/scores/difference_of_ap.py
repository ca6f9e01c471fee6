"""How far the unjudged documents can move a difference of average precisions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.evidence.alignment import Evidence
from poolwise.measures.exact_bounds import precision_sums, quotient, running
from poolwise.measures.measure import Bounds
from poolwise.measures.relevant_ranks import first_code
from poolwise.scores.difference_ranges import Meeting, Pairs, Topic, by_topic, union_counts

__all__ = ["average_precision_difference"]


class Sums(NamedTuple):
    """Sums of precisions by the number of relevant unjudged documents, systems × numbers."""

    best: NDArray[np.float64]
    """With the top-most documents relevant."""
    worst: NDArray[np.float64]
    """With the bottom-most."""
    best_joint: NDArray[np.float64]
    """What the top-most give each other: the part of ``best`` that none of them has alone."""
    worst_joint: NDArray[np.float64]
    """What the bottom-most give each other."""
    unjudged: NDArray[np.int64]
    """How many there are, systems × 1."""

    def of(self, rows: NDArray[np.intp] | list[int]) -> "Sums":
        """Return those of some systems."""
        return Sums(
            self.best[rows],
            self.worst[rows],
            self.best_joint[rows],
            self.worst_joint[rows],
            self.unjudged[rows],
        )


def average_precision_difference(
    evidence: Evidence,
    pairs: Pairs,
    *,
    level: float,
    cutoff: int | None = None,
    abbreviated: bool = False,
) -> Bounds:
    """Return a valid range of a difference of AP: no grading leaves it, some may not reach it.

    Both runs are divided by the same R = R₀ + s when s of the documents that either retrieved are
    relevant. For each s, the difference of the two sums of precisions is at most

    1. the first run's largest sum with as many of its documents relevant as s allows, less the
       second run's smallest sum with as few as s allows; and
    2. what the s best documents add to the difference when each is taken alone (a document that
       both retrieved counts once), plus the most that documents can give each other in the first
       run, less the least that they must give each other in the second.

    The smaller of the two holds for s, and the largest of these over s holds for all gradings.
    """
    union = union_counts(evidence, pairs)
    seen = evidence.truncate(cutoff or evidence.depth)
    relevant = evidence.relevant(level)
    most = cutoff if abbreviated and cutoff else np.inf
    result = Bounds(np.empty(union.shape), np.empty(union.shape))
    for topic in by_topic(seen):
        known = seen.codes[:, topic.index] >= first_code(seen, level)
        sums, alone = _by_number(known, topic)
        numbers = np.arange(union[:, topic.index].max(initial=0) + 1)
        divisor = np.minimum(relevant[topic.index] + numbers, most)
        for m in topic.meetings(pairs):
            low, high = _bounds(m, sums, alone, union[m.cells], divisor)
            result.lower[m.cells], result.upper[m.cells] = low, high
    return result


def _by_number(known: NDArray[np.bool_], topic: Topic) -> tuple[Sums, NDArray[np.float64]]:
    """Return the sums by number of documents, and each document's worth alone, by rank."""
    sums = precision_sums(known, topic.unjudged)
    base, alone = sums.best[:, :1], sums.alone
    best = _at_count(sums.best, sums.best_count)
    worst = _at_count(sums.worst, sums.worst_count)
    alone_best = _at_count(base + running(alone), sums.best_count)
    alone_worst = _at_count(base + running(alone[:, ::-1]), sums.worst_count)
    by_number = Sums(best, worst, best - alone_best, worst - alone_worst, sums.best_count[:, -1:])
    return by_number, np.append(alone, np.zeros((len(alone), 1)), axis=1)


def _at_count(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return rising sums by count instead of by rank; the last one stays."""
    by_count = np.zeros_like(sums)
    np.put_along_axis(by_count, counts, sums, axis=1)
    return np.maximum.accumulate(by_count, axis=1)


def _bounds(
    meeting: Meeting,
    sums: Sums,
    alone: NDArray[np.float64],
    union: NDArray[np.int64],
    divisor: NDArray[np.float64],
) -> Bounds:
    steps = meeting.steps(alone, union)
    one, other = sums.of([meeting.first]), sums.of(meeting.second)
    possible = np.where(np.arange(len(divisor)) <= union[:, None], divisor, 0)
    forth, back = (s.by_number(len(divisor) - 1) for s in (steps, steps.reversed()))
    return Bounds(
        0.0 - _largest(other, one, back, union[:, None], possible),
        _largest(one, other, forth, union[:, None], possible),
    )


def _largest(
    one: Sums,
    other: Sums,
    alone: NDArray[np.float64],
    union: NDArray[np.int64],
    possible: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the largest possible difference: the smaller of two limits, over all numbers."""
    numbers = np.arange(possible.shape[1])
    most = np.minimum(numbers, one.unjudged)
    least = np.maximum(numbers - (union - other.unjudged), 0).clip(max=other.unjudged)
    apart = _take(one.best, most) - _take(other.worst, least)
    joint = _take(one.best_joint, most) - _take(other.worst_joint, least)
    together = one.best[:, :1] - other.worst[:, :1] + alone + joint
    ratio = quotient(np.minimum(apart, together), possible)
    return np.fmax.reduce(ratio, axis=1)


def _take(values: NDArray[np.float64], numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.take_along_axis(values, numbers, axis=1)
