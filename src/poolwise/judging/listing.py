"""What to judge next for a goal: the documents, their reasons, and what they will buy."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.judging.budget_effects import budget_effects, goal_reached, nothing_moves
from poolwise.judging.candidates import candidates_of
from poolwise.judging.common_topics import topic_by_topic
from poolwise.judging.goal_state import GoalState, state_of
from poolwise.judging.goals import Goal, parse_goal
from poolwise.judging.judging_list import JudgingList
from poolwise.judging.order_replay import Step, proposals
from poolwise.judging.orders.catalogue import ORDERS
from poolwise.judging.orders.given_weights import GivenWeights
from poolwise.judging.orders.judging_order import JudgingOrder
from poolwise.judging.reasons import reason_for
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import DEFAULT_SEED, TopicRule
from poolwise.results._progress import counting

__all__ = ["DEFAULT_DEPTH", "METHODS", "list_documents", "next_of_evidence"]

DEFAULT_DEPTH = 100
"""Ranks of each run whose documents may be judged, where the measure looks at no fewer."""

METHODS = (*ORDERS, "expected-narrowing")
"""Ways to order documents; the last one needs a goal about the order of runs."""

_BY_SWINGS = ("mtc", "expected-narrowing")
"""Those that look at the runs of a goal about their order, by its measure."""


def list_documents(
    judgments: Judgments,
    runs: Runs,
    goal: Goal | str = "relevant",
    *,
    topics: TopicRule | None = None,
    **options: Any,
) -> JudgingList:
    """List the documents to judge next, from runs and the judgments so far alone.

    After some of them have got their grades, the list is made anew: so judging can stop and resume
    anywhere.

    Parameters
    ----------
    judgments, runs
        What was judged so far, perhaps nothing, and what was retrieved.
    goal
        What judging is for: see ``GOALS``.
    topics : {"judged", "common"}, tuple of str, or None
        The judged topics alone, those of them that every run answers, or these topics, judged or
        not; None takes all topics of the runs.
    options
        Those of :func:`next_of_evidence`.

    Returns
    -------
    JudgingList
        The documents, the first one first, with reasons and what judging them will buy.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> list_documents(Judgments.from_dict({}), runs, budget=2).document
    ('a', 'c')
    """
    # Before anything is judged, every topic is as good as judged.
    by_rule = isinstance(topics, str) and len(judgments) > 0
    known = judgments if by_rule else judgments.with_topics(runs.topics)
    return next_of_evidence(align(known, runs, topics=topics or "judged"), goal, **options)


def next_of_evidence(
    evidence: Evidence,
    goal: Goal | str = "relevant",
    *,
    budget: int = 100,
    batch: int | None = None,
    measure: Measure | str | None = None,
    method: str | None = None,
    depth: int | None = None,
    level: float = 1.0,
    seed: int = DEFAULT_SEED,
) -> JudgingList:
    """List the documents to judge next, of runs that have met the judgments so far.

    Parameters
    ----------
    evidence
        The runs, met with the judgments.
    goal
        What judging is for: see ``GOALS``.
    budget
        How many documents can be judged.
    batch
        How many of them to list now; by default all.
    measure
        What runs are scored by; by default that of the goal.
    method
        One of ``METHODS``; by default that of the goal.
    depth
        How many ranks of each run are looked at; by default the cut-off of the measure where the
        goal is about an order, and 100.
    level
        The lowest grade that counts as relevant.
    seed
        Of whatever a method draws at random.

    Returns
    -------
    JudgingList
        The documents, the first one first, with reasons and what judging them will buy.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 0}}), runs)
    >>> found = next_of_evidence(evidence, "pair:bm25,ql", measure="P@2", budget=1)
    >>> found.document, found.unlisted
    (('b',), 1)
    """
    goal = parse_goal(goal)
    _check(budget, batch)
    measure = parse_measure(measure or goal.kind.measure)
    method = method or goal.kind.method
    _check_method(method, goal)
    deep = depth or _default_depth(goal, measure)
    candidates = candidates_of(evidence, depth=deep, level=level)
    now = state_of(goal, measure, evidence, candidates, seed=seed)
    return _listed(now, method, budget=budget, batch=batch, seed=seed)


def _check(budget: int, batch: int | None) -> None:
    for name, value in {"budget": budget, "batch": batch}.items():
        if value is not None and value < 1:
            raise OptionError(f"{name}: must be at least 1; got {value}. Hint: use 100.")


def _check_method(method: str, goal: Goal) -> None:
    require_choice("method", method, METHODS)
    if method not in ORDERS and not goal.about_order:
        raise OptionError(
            f"method: {method!r} needs a goal about the order of runs; got the goal {goal}. "
            f"Hint: use the goal top:1 or pair:A,B, or the method {goal.kind.method}."
        )


def _default_depth(goal: Goal, measure: Measure) -> int:
    by_measure = goal.about_order or goal.topics
    return (measure.depth or DEFAULT_DEPTH) if by_measure else DEFAULT_DEPTH


def _listed(
    now: GoalState, method: str, *, budget: int, batch: int | None, seed: int
) -> JudgingList:
    reached = goal_reached(now)
    steps = [] if reached else _first_steps(now, method, seed, budget)
    reached = reached if reached or steps else nothing_moves(now)
    shown = steps[: batch or budget]
    topics = [now.candidates.topics[step.topic] for step in shown]
    at = [step.document for step in shown]
    made = now.evidence.provenance.with_options(
        goal=str(now.goal),
        measure=str(now.measure),
        method=method,
        depth=now.candidates.depth,
        budget=budget,
        seed=seed,
    )
    return JudgingList(
        goal=now.goal,
        method=method,
        measure=now.measure,
        topic=tuple(topic.topic for topic in topics),
        document=tuple(topic.ids[d] for topic, d in zip(topics, at, strict=True)),
        weight=tuple(float(step.weight) for step in shown),
        best_rank=tuple(int(topic.best_ranks[d]) for topic, d in zip(topics, at, strict=True)),
        runs=tuple(int(topic.holders[d]) for topic, d in zip(topics, at, strict=True)),
        reason=tuple(reason_for(step, now) for step in shown),
        unlisted=now.open_documents - len(shown),
        effects=(reached,) if reached else budget_effects(now, steps, len(shown)),
        provenance=made,
    )


def _first_steps(now: GoalState, method: str, seed: int, budget: int) -> list[Step]:
    """Return what the budget allows to judge."""
    return list(counting(islice(_steps(now, method, seed), budget), "documents listed", budget))


def _steps(now: GoalState, method: str, seed: int) -> Iterator[Step]:
    """Go through the documents; those that cannot move the orders in question are left out."""
    found = proposals(_order(now, method, seed))
    if now.common:
        return iter(topic_by_topic(found, now.common))
    return (step for step in found if not _by_swings(now, method) or step.weight > 0)


def _by_swings(now: GoalState, method: str) -> bool:
    return now.goal.about_order and method in _BY_SWINGS


def _order(now: GoalState, method: str, seed: int) -> JudgingOrder:
    if not _by_swings(now, method):
        return ORDERS[method](now.candidates, joint=now.goal.kind.joint, seed=seed)
    if now.swings is None:  # goals that are reached propose nothing
        raise OptionError(f"method: {method!r} has no pair to settle. Hint: use another goal.")
    if method == "mtc":
        return GivenWeights(now.candidates, now.swings.weights())
    if now.chances is None:
        raise OptionError(
            "method: 'expected-narrowing' needs judged documents, relevant ones and others, to "
            "expect anything from. Hint: use mtc first."
        )
    return GivenWeights(now.candidates, now.swings.expected_weights(now.chances.by_topic))
