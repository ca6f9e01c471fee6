"""What judging a list of documents will buy, and when nothing more need be judged."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Booleans
from poolwise.judging.candidates import Candidates
from poolwise.judging.goal_state import GoalState
from poolwise.judging.goals import Goal
from poolwise.judging.open_pairs import OpenPairs, Swings, settling
from poolwise.judging.order_replay import Step
from poolwise.judging.orders.rank_biased import RBPResidual
from poolwise.judging.relevance_chances import RelevanceChances
from poolwise.words import counted, range_text

__all__ = ["budget_effects", "goal_reached", "nothing_moves"]

_NOTHING_MORE = "nothing more to judge for this goal"


def goal_reached(now: GoalState) -> str:
    """Say why nothing more need be judged; empty where something must."""
    goal, candidates, pairs = now.goal, now.candidates, now.pairs
    if pairs is not None and not pairs.is_open.any():
        who = _who_is_ahead(goal, pairs)
        left = f"whatever the remaining {counted(pairs.remaining, 'document')} are"
        if pairs.remaining == 1:
            left = "whatever the one remaining document is"
        return f"{who} {left}: {_NOTHING_MORE}."
    if pairs is None and not now.open_documents:
        ranks = _first_ranks(candidates.depth)
        if now.common:
            return (
                f"Every document in the {ranks} of a run has a grade on the common topics. "
                f"{_adjust(now)}: {_NOTHING_MORE}."
            )
        return f"Every document in the {ranks} of a run has a grade: {_NOTHING_MORE}."
    return ""


def nothing_moves(now: GoalState) -> str:
    """Say that orders are open which no document down to the depth could settle."""
    remaining = counted(now.pairs.remaining if now.pairs else 0, "document")
    return (
        f"No document in the {_first_ranks(now.candidates.depth)} of a run would move an open "
        f"order, which rests on {remaining} below: judge with a larger depth."
    )


def _first_ranks(depth: int) -> str:
    return "first rank" if depth == 1 else f"first {counted(depth, 'rank')}"


def _who_is_ahead(goal: Goal, pairs: OpenPairs) -> str:
    ranges = pairs.ranges
    if goal.systems:
        first, second = ranges.first[0], ranges.second[0]
        if ranges.means()[0][0] < 0:
            first, second = second, first
        if ranges.verdict[0] == "equal":
            return f"{first} and {second} are level"
        level = "" if ranges.certain[0] else " or level with it"
        return f"{first} is ahead of {second}{level}"
    if goal.run:
        return f"The order of {goal.run} and every other run is settled"
    best = list(dict.fromkeys(ranges.first))
    if len(best) == 1:
        return f"{best[0]} is not behind any other run"
    return f"No other run is ahead of one of the best {counted(len(best), 'run')}"


def budget_effects(now: GoalState, steps: Sequence[Step], shown: int) -> tuple[str, ...]:
    """Say what the budget will buy: relevant documents, a narrower range, settled orders."""
    said = [
        _batch(shown, len(steps)),
        _relevant(steps, now.chances),
        _residual(steps, now.goal, now.candidates),
        _narrowing(steps, now),
        _settled(steps, now),
        _completed(steps, now),
    ]
    return tuple(filter(None, said))


def _batch(shown: int, budget: int) -> str:
    if shown >= budget:
        return ""
    return (
        f"They are the first of {counted(budget, 'document')} in the budget: make the list anew "
        "when they have their grades."
    )


def _relevant(steps: Sequence[Step], chances: RelevanceChances | None) -> str:
    if chances is None:
        return "Too little is judged to say how many of them will be relevant."
    expected = sum(float(chances.by_topic[step.topic][step.document]) for step in steps)
    return (
        f"About {expected:.0f} of {counted(len(steps), 'document')} in the budget should be "
        f"relevant, by a relevance model of {counted(chances.judged, 'judged document')}."
    )


def _residual(steps: Sequence[Step], goal: Goal, candidates: Candidates) -> str:
    if goal.name not in {"residual", "even"}:
        return ""
    p, total = RBPResidual.persistence, 0.0
    for step in steps:
        topic = candidates.topics[step.topic]
        ranks = topic.ranks[topic.held[:, step.document], step.document]
        total += float(((1 - p) * p ** (ranks - 1.0)).sum())
    narrower = total / (len(candidates) * len(candidates.systems))
    runs = counted(len(candidates.systems), "run")
    return f"The mean residual of RBP(p={p:g}) over {runs} narrows by {narrower:.4f}."


def _narrowing(steps: Sequence[Step], now: GoalState) -> str:
    goal, pairs, swings = now.goal, now.pairs, now.swings
    if pairs is None or swings is None or not goal.systems:
        return ""
    _, low, high = (float(end[0]) for end in pairs.ranges.means())
    width = sum(abs(float(swings.of(s.topic)[0, s.document])) for s in steps)
    first, second = goal.systems
    return (
        f"The difference {first} − {second} in {now.measure} can be {range_text(low, high)} "
        f"now; a range of {high - low:.4f} narrows by about {min(width, high - low):.4f}."
    )


def _settled(steps: Sequence[Step], now: GoalState) -> str:
    chances, pairs, swings = now.chances, now.pairs, now.swings
    if pairs is None or swings is None:
        return ""
    open_now = f"{counted(int(pairs.is_open.sum()), 'pair')} of runs"
    if chances is None:
        return f"The order of {open_now} is open."
    likely = int(_likely_settled(steps, chances, pairs, swings).sum())
    return f"The order of {open_now} is open; {likely:,} of them should be settled by the budget."


def _adjust(now: GoalState) -> str:
    """Say how scores on the other topics follow from the common ones (W10 alg. 6.2)."""
    names = ",".join(now.candidates.topics[t].topic for t in now.common)
    return f"The other topics are adjusted by estimate --treatment bias-topics --common {names}"


def _completed(steps: Sequence[Step], now: GoalState) -> str:
    """Say on how many common topics the budget completes the judgments."""
    if not now.common:
        return ""
    left = {t: int((~now.candidates.topics[t].graded).sum()) for t in now.common}
    for step in steps:
        left[step.topic] -= 1
    done = sum(not count for count in left.values())
    return (
        f"With the budget, all runs are judged to depth {now.candidates.depth} on {done} of "
        f"{counted(len(now.common), 'common topic')}. {_adjust(now)}."
    )


def _likely_settled(
    steps: Sequence[Step], chances: RelevanceChances, pairs: OpenPairs, swings: Swings
) -> Booleans:
    """Return which orders are settled if the ends of their ranges move as far as expected."""
    _, low, high = (end[pairs.is_open] for end in pairs.ranges.means())
    rise, fall = np.zeros(len(low)), np.zeros(len(low))
    for topic in {step.topic for step in steps}:
        documents = [step.document for step in steps if step.topic == topic]
        moves = swings.of(topic)[:, documents]
        chance = chances.by_topic[topic][documents]
        rise += settling(moves, chance).sum(axis=1)
        fall += settling(-moves, chance).sum(axis=1)
    return np.asarray((low + rise >= 0) | (high - fall <= 0))
