"""How far a goal of judging is from being reached."""

from dataclasses import dataclass

from poolwise.evidence._evidence import Evidence
from poolwise.judging.candidates import Candidates
from poolwise.judging.common_topics import draw_topics
from poolwise.judging.goals import Goal
from poolwise.judging.open_pairs import OpenPairs, Swings, open_pairs, swings_of
from poolwise.judging.relevance_chances import RelevanceChances, relevance_chances
from poolwise.measures._measure import Measure

__all__ = ["GoalState", "state_of"]


@dataclass(frozen=True, eq=False)
class GoalState:
    """What is known before anything is proposed.

    Attributes
    ----------
    goal : Goal
    measure : Measure
    candidates : Candidates
        The documents that could be judged.
    evidence : Evidence
        The runs, met with the judgments so far.
    chances : RelevanceChances, optional
        How probably candidates are relevant, where enough is judged to say so.
    pairs : OpenPairs, optional
        The pairs that a goal about an order is about.
    swings : Swings, optional
        What documents would do to the pairs that are open; None where none is.
    common : tuple of int
        The topics that all runs are to be judged on, where the goal is that, the first one first.
    """

    goal: Goal
    measure: Measure
    evidence: Evidence
    candidates: Candidates
    chances: RelevanceChances | None
    pairs: OpenPairs | None = None
    swings: Swings | None = None
    common: tuple[int, ...] = ()

    @property
    def open_documents(self) -> int:
        """How many documents that the goal is about have no grade yet."""
        if not self.common:
            return self.candidates.open_documents
        return sum(int((~self.candidates.topics[t].graded).sum()) for t in self.common)


def state_of(
    goal: Goal, measure: Measure, evidence: Evidence, candidates: Candidates, *, seed: int = 1
) -> GoalState:
    """Find out what is open, and what documents would do to it."""
    chances = relevance_chances(evidence, candidates)
    if not goal.about_order:
        common = draw_topics(candidates, goal.topics, seed)
        return GoalState(goal, measure, evidence, candidates, chances, common=common)
    pairs, swings = open_pairs(goal, evidence, measure), None
    if pairs.is_open.any():
        swings = swings_of(pairs.still_open(), evidence, measure, candidates)
    return GoalState(goal, measure, evidence, candidates, chances, pairs, swings)
