"""Why a document is on a list to judge, in one sentence."""

from poolwise.judging.candidates import TopicCandidates
from poolwise.judging.goal_state import GoalState
from poolwise.judging.goals import Goal
from poolwise.judging.open_pairs import Swings
from poolwise.judging.order_replay import Step
from poolwise.words import counted, signed

__all__ = ["reason_for"]


def reason_for(step: Step, now: GoalState) -> str:
    """Say why a document is on the list."""
    if now.swings is not None and now.goal.systems:
        return _of_pair(step, now.goal, now.swings)
    candidates = now.candidates
    held = _held(candidates.topics[step.topic], step.document, candidates.systems)
    return held if now.swings is None else f"{_of_orders(step, now.swings)} {held}"


def _of_pair(step: Step, goal: Goal, swings: Swings) -> str:
    first, second = goal.systems
    moved = float(swings.of(step.topic)[0, step.document])
    return f"If relevant, it would move {first} − {second} by {signed(moved)}."


def _of_orders(step: Step, swings: Swings) -> str:
    gain = swings.gains[step.topic][:, step.document]
    moved = int((gain[swings.left] != gain[swings.right]).sum())
    return f"It would move {moved:,} of {counted(len(swings.left), 'open pair')}."


def _held(topic: TopicCandidates, document: int, systems: tuple[str, ...]) -> str:
    ranks = topic.ranks[:, document]
    rank, holders = int(ranks.min()), counted(int(topic.holders[document]), "run")
    verb = "holds" if holders == "1 run" else "hold"
    return f"{systems[int(ranks.argmin())]} has it at rank {rank}, and {holders} {verb} it."
