"""The pairs of runs whose order a goal is about, and what documents would do to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pairs import Pairs
from poolwise.findings.comparison._differences import Differences, judgment_ranges
from poolwise.judging.candidates import Candidates
from poolwise.judging.document_gains import document_gains
from poolwise.judging.goals import Goal
from poolwise.judging.orders.minimal_test_collections import summed_distances
from poolwise.measures._measure import Measure

__all__ = ["OpenPairs", "Swings", "goal_pairs", "open_pairs", "swings_of"]

_MANY = 500
"""Pairs whose ranges take long where every document is open."""


@dataclass(frozen=True, eq=False)
class OpenPairs:
    """The pairs that a goal is about, with what the unjudged documents leave of them.

    Attributes
    ----------
    pairs : Pairs
        All pairs that the goal is about.
    evidence : Evidence
        The runs, met with the judgments so far.
    measure : Measure
        What runs are scored by.
    """

    pairs: Pairs
    evidence: Evidence
    measure: Measure

    @cached_property
    def ranges(self) -> Differences:
        """The range of each difference, from the one maker of ranges."""
        return judgment_ranges(self.evidence, self.measure, self.pairs)

    @cached_property
    def is_open(self) -> Booleans:
        """Which orders the unjudged documents could still decide."""
        if len(self.pairs) > _MANY and not self.evidence.pool.any():
            return self._with_other_lists()
        # An order that rests on missing topics is settled as far as judging can settle it.
        return np.isin(self.ranges.verdict, ("open", "unknown"))

    def _with_other_lists(self) -> Booleans:
        """Return which pairs have different lists: before the first grade, nothing else settles."""
        top = self.evidence.truncate(self.measure.depth or self.evidence.depth)
        lists = np.concatenate([block.list_numbers for block in top.blocks], axis=1)
        return np.asarray((lists[self.pairs.left] != lists[self.pairs.right]).any(axis=1))

    @cached_property
    def remaining(self) -> int:
        """How many unjudged documents the ranges are over."""
        return int(self.evidence.universe(self.measure.depth or self.evidence.depth).sum())

    def still_open(self) -> Pairs:
        """Return the pairs that are open."""
        return Pairs(self.pairs.left[self.is_open], self.pairs.right[self.is_open])


def goal_pairs(goal: Goal, evidence: Evidence, measure: Measure) -> Pairs:
    """Return the pairs that a goal is about: two named runs, one with all others, or the best.

    Without a judgment nobody is ahead, so that any run may be among the best: all pairs count.
    """
    if goal.systems:
        return Pairs.of_two(evidence.systems, *goal.systems)
    if goal.run:
        return Pairs.against(evidence.systems, [goal.run])
    if goal.top >= len(evidence.systems):
        raise OptionError(
            f"goal: top:K needs more than K runs; got {goal} and {len(evidence.systems)} of them. "
            f"Hint: use a number below {len(evidence.systems)}."
        )
    if not evidence.pool.any():
        return Pairs.of_all(evidence.systems)
    means = np.nan_to_num(measure.score(evidence)).mean(axis=1)
    order = np.lexsort((indices_of(evidence.systems, sorted(evidence.systems), what=""), -means))
    best, others = order[: goal.top], order[goal.top :]
    return Pairs(np.repeat(best, len(others)), np.tile(others, len(best)))


def open_pairs(goal: Goal, evidence: Evidence, measure: Measure) -> OpenPairs:
    """Return the orders that a goal is about, to be asked which of them are still open."""
    return OpenPairs(goal_pairs(goal, evidence, measure), evidence, measure)


@dataclass(frozen=True, eq=False)
class Swings:
    """How far each document, if relevant, would move the mean difference of each open pair.

    Attributes
    ----------
    gains : list of float array, systems × documents
        By topic, what each document adds to the mean score of each system.
    left, right : int array
        The rows of the gains that make up each pair.
    leads : float array, pairs
        1 where the left run is ahead now, −1 where the right one is; 1 where nobody is.
    """

    gains: list[Floats]
    left: Indices
    right: Indices
    leads: Floats

    def of(self, topic: int) -> Floats:
        """Return left − right, pairs × documents of a topic."""
        gain = self.gains[topic]
        return gain[self.left] - gain[self.right]

    def weights(self) -> list[Floats]:
        """Return the swing of each document in either direction, summed over pairs.

        This is the deterministic half of MTC (Carterette et al. 2006).
        """
        runs = len(self.gains[0]) if self.gains else 0
        if len(self.left) == runs * (runs - 1) // 2:
            return [summed_distances(gain.T) for gain in self.gains]
        return [np.abs(self.of(t)).sum(axis=0) for t in range(len(self.gains))]

    def expected_weights(self, chances: Sequence[Floats]) -> list[Floats]:
        """Return how far judging each document is expected to bring the orders to be settled.

        A document that helps the run that is ahead does so if it is relevant; one that helps the
        other run settles something if it is not.
        """
        return [
            settling(self.of(t) * self.leads[:, None], chance).sum(axis=0)
            for t, chance in enumerate(chances)
        ]


def settling(swings: Floats, chance: Floats) -> Floats:
    """Return by how much the lower end of a difference is expected to rise, by document.

    Examples
    --------
    >>> settling(np.array([0.2, -0.2]), np.array([0.1, 0.1])).round(3).tolist()
    [0.02, 0.18]
    """
    return chance * np.maximum(swings, 0) + (1 - chance) * np.maximum(-swings, 0)


def swings_of(pairs: Pairs, evidence: Evidence, measure: Measure, candidates: Candidates) -> Swings:
    """Return how far documents would move these pairs."""
    systems: Indices = np.unique(np.concatenate([pairs.left, pairs.right]))
    left, right = (np.searchsorted(systems, side) for side in (pairs.left, pairs.right))
    share = 1 / max(len(evidence.topics), 1)
    gains = document_gains(evidence, measure, candidates, systems)
    means = np.nan_to_num(measure.score(evidence)).mean(axis=1)
    leads = np.where(pairs.difference(means) < 0, -1.0, 1.0)
    return Swings([g * share for g in gains], left, right, leads)
