"""What to judge next for a goal: the documents, their reasons, and what they will buy."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Kind as UniverseKind
from poolwise.evidence._ungraded import Universe
from poolwise.judging._candidates import (
    RelevanceChances,
    TopicCandidates,
    candidates_of,
)
from poolwise.judging._goals import (
    BY_RESIDUAL,
    Goal,
    GoalState,
    OpenPairs,
    Swings,
    default_order,
    expected_rise,
    parse_goal,
    state_of,
    topic_by_topic,
    weights_for,
)
from poolwise.judging._lists import JudgingList, places_of
from poolwise.judging.orders._by_document import GivenWeights, RBPResidual
from poolwise.judging.orders._catalogue import ORDERS
from poolwise.judging.orders._order import JudgingOrder, Step, proposals
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import range_options
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.provenance._provenance import DEFAULT_SEED, TopicRule
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import counting
from poolwise.words import Said, counted, named, range_text, signed

__all__ = [
    "DEFAULT_DEPTH",
    "METHODS",
    "GoalOutlook",
    "budget_effects",
    "goal_outlook",
    "goal_reached",
    "list_documents",
    "next_of_evidence",
    "nothing_moves",
    "reason_for",
]


def goal_reached(now: GoalState) -> str:
    """Say that the goal is reached, or that no judgment reaches it; empty where some may."""
    pairs = now.pairs
    if pairs is not None:
        return "" if pairs.is_open.any() else _settled_or_not(pairs)
    if now.open_documents:
        return ""
    ranks = _first_ranks(now.candidates.depth)
    on, adjust = (" on the common topics", f" {_adjust(now)}.") if now.common else ("", "")
    return f"Every document in the {ranks} of a run has a grade{on}: the goal is reached.{adjust}"


def _settled_or_not(pairs: OpenPairs) -> str:
    """Say what is settled by a claim; or which missing topics an order rests on."""
    if not pairs.resting:
        claim = pairs.claim()
        said = str(claim)
        return Said(f"{said[0].upper()}{said[1:]}.", (claim,))
    return (
        f"No judgment settles {pairs.goal}: {named(pairs.resting, most=2)}. Topics that a run "
        "lacks count as 0; with --topics common, those count that all runs answer."
    )


def nothing_moves(now: GoalState) -> str:
    """Say that orders are open which no document down to the depth could settle."""
    remaining = counted(now.pairs.remaining if now.pairs else 0, "document")
    return (
        f"No document in the {_first_ranks(now.candidates.depth)} of a run would move an open "
        f"order, which rests on {remaining} below: judge with a larger depth."
    )


def _first_ranks(depth: int) -> str:
    return "first rank" if depth == 1 else f"first {counted(depth, 'rank')}"


def budget_effects(now: GoalState, steps: Sequence[Step], shown: int) -> tuple[str, ...]:
    """Say what the budget will buy: relevant documents, a narrower range, settled orders."""
    said = [
        _batch(shown, len(steps)),
        _relevant(steps, now.chances),
        _residual(steps, now),
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


def _residual(steps: Sequence[Step], now: GoalState) -> str:
    if now.goal.name not in BY_RESIDUAL or not isinstance(now.measure, StaticWeights):
        return ""
    candidates, total = now.candidates, 0.0
    # a residual is the weight of what is unjudged: every grade takes that of its document off
    weights = now.measure.full_gain(now.evidence.scale) * now.measure.weights(candidates.depth)
    for step in steps:
        topic = candidates.topics[step.topic]
        ranks = topic.ranks[topic.held[:, step.document], step.document]
        total += float(weights[ranks - 1].sum())
    narrower = total / (len(candidates) * len(candidates.systems))
    runs = counted(len(candidates.systems), "run")
    return f"The mean residual of {now.measure} over {runs} narrows by {narrower:.4f}."


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
    unscored = bool(np.isnan(now.measure.score(now.evidence)).all())
    if unscored and len(pairs.pairs) == 1:
        return pairs.ranges.sentences()[0]
    open_now = f"{counted(int(pairs.is_open.sum()), 'pair')} of runs"
    if unscored:
        return f"No run has a score in {now.measure} yet; the order of {open_now} is open."
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
    listed: dict[int, list[int]] = {}
    for step in steps:
        listed.setdefault(step.topic, []).append(step.document)
    rise, fall = _expected_moves(listed, chances, swings)
    # Documents that share a topic share what they can move: what a measure divides by grows with
    # each relevant one. All of them together move the ends as far as they are apart.
    everything = {t: list(range(len(chance))) for t, chance in enumerate(chances.by_topic)}
    together = sum(_expected_moves(everything, chances, swings))
    share = np.minimum(1, (high - low) / np.maximum(together, 1e-12))
    # an order is settled when its range no longer reaches across 0, from either side
    return np.asarray((low + share * rise >= 0) | (high - share * fall <= 0))


def _expected_moves(
    documents: Mapping[int, list[int]], chances: RelevanceChances, swings: Swings
) -> tuple[Floats, Floats]:
    """Return how far documents, by topic, should move the lower ends up and the upper ends down."""
    rise, fall = np.zeros((2, len(swings.left)))
    for topic, chosen in documents.items():
        moves, chance = swings.of(topic)[:, chosen], chances.by_topic[topic][chosen]
        rise += expected_rise(moves, chance).sum(axis=1)
        fall += expected_rise(-moves, chance).sum(axis=1)
    return rise, fall


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


DEFAULT_DEPTH = 100
"""Ranks of each run whose documents may be judged, where the measure looks at no fewer."""

METHODS = (*ORDERS, "expected-narrowing")
"""Ways to order documents; the last one needs a goal about the order of runs."""

_BY_SWINGS = ("mtc", "expected-narrowing")
"""Those that look at the runs of a goal about their order, by its measure."""


@recorded
def list_documents(
    judgments: Judgments,
    runs: Runs,
    goal: Goal | str = "relevant",
    *,
    topics: TopicRule | None = None,
    budget: int = 100,
    batch: int | None = None,
    measure: Measure | str | None = None,
    method: str | None = None,
    depth: int | None = None,
    rel: float | None = None,
    universe: Universe | UniverseKind = "runs",
    rng: int = DEFAULT_SEED,
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
    budget, batch, measure, method, depth
        As for :func:`next_of_evidence`.

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
    with_topics = judgments if by_rule else judgments.with_topics(runs.topics)
    return next_of_evidence(
        align(with_topics, runs, topics=topics or "judged"),
        goal,
        budget=budget,
        batch=batch,
        measure=measure,
        method=method,
        depth=depth,
        rel=rel,
        universe=universe,
        rng=rng,
    )


@recorded
def next_of_evidence(
    evidence: Evidence,
    goal: Goal | str = "relevant",
    *,
    budget: int = 100,
    batch: int | None = None,
    measure: Measure | str | None = None,
    method: str | None = None,
    depth: int | None = None,
    rel: float | None = None,
    universe: Universe | UniverseKind = "runs",
    rng: int = DEFAULT_SEED,
) -> JudgingList:
    """List the documents to judge next, of runs that have met the judgments so far.

    Parameters
    ----------
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
        How many ranks of each run are looked at; by default the cut-off of the measure where one
        is asked for or the goal is about an order, and 100.
    rel : float, optional
        The lowest grade that counts as relevant; by default that of the measure, and 1.

    Returns
    -------
    JudgingList
        The documents, the first one first, with reasons and what judging them will buy.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "a"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"a": 0}}), runs)
    >>> listed = next_of_evidence(evidence, "pair:bm25,ql", measure="P@2", budget=1)
    >>> listed.document, listed.unlisted
    (('b',), 1)
    """
    goal = parse_goal(goal)
    _check(budget, batch)
    deep = depth or _default_depth(goal, measure)
    measure = parse_measure(measure or goal.kind.measure)
    method = method or default_order(goal, measure).method
    _check_method(method, goal, measure)
    level = getattr(measure, "rel", 1.0) if rel is None else rel
    candidates = candidates_of(evidence, depth=deep, rel=level)
    now = state_of(goal, measure, evidence, candidates, universe=Universe.of(universe), rng=rng)
    return _listed(now, method, budget=budget, batch=batch, rng=rng)


class GoalOutlook(NamedTuple):
    """How far a goal is from being reached.

    Attributes
    ----------
    judgments : int or None
        How many judgments would settle it; None where that cannot be told, or where judging to
        the depth is not expected to.
    at_most : bool
        Whether that many certainly do, and fewer may.
    reached : str
        Why nothing more need be judged, or that no judgment settles it; empty while some may.

    Examples
    --------
    >>> GoalOutlook(12, at_most=True).judgments
    12
    """

    judgments: int | None
    at_most: bool = False
    reached: str = ""


@recorded
def goal_outlook(
    evidence: Evidence,
    goal: Goal | str,
    *,
    measure: Measure | str | None = None,
    depth: int | None = None,
    rng: int = DEFAULT_SEED,
) -> GoalOutlook:
    """Return about how many judgments would settle a goal.

    For a goal about the order of runs, the ends of the ranges are moved as far as the relevance
    model expects, document by document in the order of the goal. Where too little is judged for
    that, and for all other goals, whatever has no grade counts.

    Parameters
    ----------
    goal, measure, depth
        As for :func:`next_of_evidence`.

    Returns
    -------
    GoalOutlook
        The number of judgments, and whether it is a bound or an expectation.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "u"]}, "b": {"1": ["y", "z"]}})
    >>> judged = Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 0}})
    >>> outlook = goal_outlook(align(judged, runs), "pair:a,b", measure="P@2")
    >>> outlook.judgments, outlook.reached[:28]
    (0, 'Nothing more to judge for pa')
    >>> goal_outlook(align(judged, runs), "relevant", measure="P@2")[:2]
    (1, True)
    """
    goal = parse_goal(goal)
    deep = depth or _default_depth(goal, measure)
    measure = parse_measure(measure or goal.kind.measure)
    candidates = candidates_of(evidence, depth=deep, rel=getattr(measure, "rel", 1.0))
    now = state_of(goal, measure, evidence, candidates, rng=rng, expecting=goal.about_order)
    reached = goal_reached(now)
    if reached:
        return GoalOutlook(0, reached=reached)
    if now.pairs is None or now.chances is None or now.swings is None:
        sees_all = now.pairs is None or (measure.depth or evidence.depth) <= deep
        return GoalOutlook(now.open_documents if sees_all else None, at_most=True)
    steps = list(_steps(now, default_order(goal, measure).method, rng))
    low, high = 0, len(steps) + 1
    while high - low > 1:  # enough judgments stay enough when there are more
        middle = (low + high) // 2
        settled = _likely_settled(steps[:middle], now.chances, now.pairs, now.swings).all()
        low, high = (low, middle) if settled else (middle, high)
    return GoalOutlook(high if high <= len(steps) else None)


def _check(budget: int, batch: int | None) -> None:
    for name, value in {"budget": budget, "batch": batch}.items():
        if value is not None and value < 1:
            raise OptionError(f"{name}: must be at least 1; got {value}. Hint: use 100.")


def _check_method(method: str, goal: Goal, measure: Measure) -> None:
    require_choice("method", method, METHODS)
    if goal.name in BY_RESIDUAL and not isinstance(measure, StaticWeights):
        raise OptionError(
            f"measure: the goal {goal} is about residuals, so it needs a measure whose ranks have "
            f"weights; got {measure}. Hint: use RBP(p=0.95), P@10 or SDCG@10, or the goal top:1 "
            f"with {measure}."
        )
    if method not in ORDERS and not goal.about_order:
        raise OptionError(
            f"method: {method!r} needs a goal about the order of runs; got the goal {goal}. "
            f"Hint: use the goal top:1 or pair:A,B, or the method {goal.kind.method}."
        )


def _default_depth(goal: Goal, asked: Measure | str | None) -> int:
    """Return the cut-off of the measure that is asked for, or that the goal is about."""
    needs_one = goal.about_order or goal.topics
    if asked is None and not needs_one:
        return DEFAULT_DEPTH
    return parse_measure(asked or goal.kind.measure).depth or DEFAULT_DEPTH


def _listed(
    now: GoalState, method: str, *, budget: int, batch: int | None, rng: int
) -> JudgingList:
    reached = goal_reached(now)
    steps = [] if reached else _first_steps(now, method, rng, budget)
    reached = reached if reached or steps else nothing_moves(now)
    shown = steps[: batch or budget]
    made = now.evidence.provenance.with_options(
        goal=str(now.goal),
        measure=str(now.measure),
        method=method,
        depth=now.candidates.depth,
        budget=budget,
        **(range_options(now.evidence, now.pairs.universe) if now.pairs else {}),
        **(now.chances.pool.options() if now.chances else {}),
    )
    return JudgingList(
        goal=now.goal,
        method=method,
        measure=now.measure,
        **places_of([(now.candidates.topics[step.topic], step.document) for step in shown]),
        weight=tuple(float(step.weight) for step in shown),
        reason=tuple(reason_for(step, now) for step in shown),
        unlisted=now.open_documents - len(shown),
        effects=(reached,) if reached else budget_effects(now, steps, len(shown)),
        common=_common_topics(now, rng),
        provenance=made,
    )


def _common_topics(now: GoalState, rng: int) -> CommonTopics | None:
    """Record the topics that all runs are to be judged on, where the goal is that."""
    if not now.common:
        return None
    drawn = [now.candidates.topics[t].topic for t in now.common]
    depth = now.candidates.depth
    return CommonTopics.of(now.candidates.systems, drawn, depth=depth, seed=rng)


def _first_steps(now: GoalState, method: str, rng: int, budget: int) -> list[Step]:
    """Return what the budget allows to judge."""
    return list(counting(islice(_steps(now, method, rng), budget), "documents listed", budget))


def _steps(now: GoalState, method: str, rng: int) -> Iterator[Step]:
    """Go through the documents; those that cannot move the orders in question are left out."""
    steps = proposals(_order(now, method, rng))
    if now.common:
        return iter(topic_by_topic(steps, now.common))
    return (step for step in steps if not _by_swings(now, method) or step.weight > 0)


def _by_swings(now: GoalState, method: str) -> bool:
    return now.goal.about_order and method in _BY_SWINGS


def _order(now: GoalState, method: str, rng: int) -> JudgingOrder:
    if not _by_swings(now, method):
        made, joint = ORDERS[method], now.goal.kind.joint
        if issubclass(made, RBPResidual):
            weights = weights_for(now.goal, now.measure)
            return made(now.candidates, joint=joint, rng=rng, measure=weights)
        return made(now.candidates, joint=joint, rng=rng)
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
