"""What judging is for, and how far that is from being reached."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, levels, tolerance
from poolwise.collection._identifiers import indices_of
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.findings._claims import Claim
from poolwise.findings.comparison._differences import (
    CERTAIN,
    NEVER_BEHIND,
    RESTS,
    Differences,
    judgment_ranges,
)
from poolwise.judging._candidates import (
    Candidates,
    RelevanceChances,
    document_gains,
    relevance_chances,
)
from poolwise.judging.orders._by_document import WEIGHTS, summed_distances
from poolwise.judging.orders._order import Step
from poolwise.measures._measure import Measure
from poolwise.measures.families._static_weights import RankBiasedPrecision, StaticWeights
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = [
    "GOALS",
    "Goal",
    "GoalKind",
    "GoalState",
    "OpenPairs",
    "Swings",
    "draw_topics",
    "goal_pairs",
    "open_pairs",
    "parse_goal",
    "state_of",
    "swings_of",
    "topic_by_topic",
]

_ALL_FORMS = "relevant, order, residual, even, leaders, pair:A,B, run:A, top:K or common:N"


class GoalKind(NamedTuple):
    """What a kind of goal is, and how it is reached unless somebody says otherwise."""

    summary: str
    method: str
    measure: str
    why: str
    """Why that method."""
    joint: bool = True
    """Whether documents of all topics are compared by weight; otherwise topics take turns."""


_SEPARATES = "it takes the document that moves the open differences most"

GOALS: dict[str, GoalKind] = {
    "relevant": GoalKind(
        "find relevant documents",
        "blend",
        "nDCG@10",
        "it finds the most relevant documents for a number of judgments",
        joint=False,
    ),
    "order": GoalKind(
        "keep the order of all runs",
        "thompson",
        "nDCG@10",
        "it keeps the order of runs best at about 20 judgments a topic",
        joint=False,
    ),
    "residual": GoalKind(
        "narrow the mean residual",
        "rbp-residual",
        "RBP(p=0.95)",
        "it takes the document with the largest weight over all runs",
    ),
    "even": GoalKind(
        "make the residuals of runs even",
        "rbp-even",
        "RBP(p=0.95)",
        "documents weigh more in runs with a large residual",
    ),
    "leaders": GoalKind(
        "find the best run",
        "rbp-leaders",
        "RBP(p=0.8)",
        "documents weigh more in runs that can still lead",
    ),
    "pair": GoalKind("settle the order of two runs", "mtc", "nDCG@10", _SEPARATES),
    "run": GoalKind("settle the order of one run and all others", "mtc", "nDCG@10", _SEPARATES),
    "top": GoalKind("settle which runs are the best", "mtc", "nDCG@10", _SEPARATES),
    "common": GoalKind(
        "judge all runs on topics drawn at random", "depth", "nDCG@10", "it judges all runs alike"
    ),
}
"""What judging can be for."""

BY_RESIDUAL = ("residual", "even")
"""Goals that need a measure whose ranks have weights."""


@dataclass(frozen=True)
class Goal:
    """A goal of judging.

    Attributes
    ----------
    name : str
        A key of ``GOALS``.
    systems : tuple of str
        The two runs of a pair.
    top : int
        How many runs are to be told from the others; 0 where the goal is not about that.
    topics : int
        How many common topics all runs are to be judged on (W10 §6.3); 0 likewise.
    run : str
        The run whose order with all others is to be settled; empty where the goal is another.

    Examples
    --------
    >>> parse_goal("pair:bm25,dense").systems, parse_goal("top:3").top, str(parse_goal("top:3"))
    (('bm25', 'dense'), 3, 'top:3')
    """

    name: str
    systems: tuple[str, ...] = ()
    top: int = 0
    topics: int = 0
    run: str = ""

    @property
    def kind(self) -> GoalKind:
        """How it is reached by default."""
        return GOALS[self.name]

    @property
    def about_order(self) -> bool:
        """Whether it is reached when the order of some runs is settled."""
        return bool(self.systems or self.top or self.run)

    def __str__(self) -> str:
        if self.name in {"top", "common"}:
            return f"{self.name}:{self.top or self.topics}"
        if self.run:
            return f"run:{self.run}"
        return f"pair:{','.join(self.systems)}" if self.systems else self.name


@recorded
def parse_goal(text: "str | Goal") -> Goal:
    """Read a goal: relevant, order, residual, even, leaders, pair:A,B, run:A, top:K or common:N.

    Parameters
    ----------
    text : str or Goal
        The goal as it is written; a goal is returned as it is.

    Returns
    -------
    Goal
        Its name, with the runs or the number that it names.

    Examples
    --------
    >>> parse_goal("leaders")
    Goal(name='leaders', systems=(), top=1, topics=0, run='')
    >>> parse_goal("best")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: goal: must be relevant, order, residual, even, leaders, pair:A,B,
        run:A, top:K or common:N; got 'best'. Hint: use relevant, or pair:bm25,dense for two runs
        of these names.
    """
    if isinstance(text, Goal):
        return text
    name, _, rest = text.partition(":")
    if name == "pair":
        return Goal("pair", _two_systems(text, rest))
    if name == "top":
        return Goal("top", top=_how_many(text, rest))
    if name == "run":
        return Goal("run", run=_one_system(text, rest))
    if name == "common":
        return Goal("common", topics=_how_many(text, rest))
    if text not in GOALS:
        raise _misread(text)
    return Goal(text, top=int(text == "leaders"))


def _two_systems(text: str, rest: str) -> tuple[str, ...]:
    systems = tuple(name.strip() for name in rest.split(","))
    if len(systems) != 2 or not all(systems) or systems[0] == systems[1]:
        raise _misread(text)
    return systems


def _one_system(text: str, rest: str) -> str:
    if not rest.strip():
        raise _misread(text)
    return rest.strip()


def _how_many(text: str, rest: str) -> int:
    if not (rest.isascii() and rest.isdigit() and int(rest) > 0):
        raise _misread(text)
    return int(rest)


def _misread(text: str) -> OptionError:
    return OptionError(
        f"goal: must be {_ALL_FORMS}; got {text!r}. Hint: use relevant, or pair:bm25,dense for "
        "two runs of these names."
    )


def default_order(goal: Goal, measure: Measure) -> GoalKind:
    """Return the kind of goal whose method is taken, and why.

    The best run by a measure whose ranks have no weights is found by what documents do to it.

    Examples
    --------
    >>> from poolwise import nDCG, RBP
    >>> [default_order(parse_goal("leaders"), measure).method for measure in (RBP, nDCG@10)]
    ['rbp-leaders', 'mtc']
    """
    if goal.name == "leaders" and not isinstance(measure, StaticWeights):
        return GOALS["top"]
    return goal.kind


def weights_for(goal: Goal, measure: Measure) -> StaticWeights:
    """Return the measure whose weights by rank an order of judging takes.

    Examples
    --------
    >>> from poolwise import P, RBP
    >>> weights_for(parse_goal("even"), P@5), weights_for(parse_goal("leaders"), RBP(p=0.8))
    (P@5, RBP(p=0.95))
    """
    if not isinstance(measure, StaticWeights):
        return WEIGHTS
    # with its own weights, the leader by RBP(p=0.8) is settled later than with these
    top_heavy = isinstance(measure, RankBiasedPrecision) and measure.p < WEIGHTS.p
    return WEIGHTS if goal.name == "leaders" and top_heavy else measure


def draw_topics(candidates: Candidates, count: int, rng: int) -> tuple[int, ...]:
    """Draw so many topics at random, none for 0: the same ones whatever is judged by now.

    What is inferred from common topics holds if they are a random sample of all (W10 §6.3.1).
    With the same seed, a smaller number of topics is a part of a larger one.
    """
    if count > len(candidates):
        raise OptionError(
            f"goal: common topics are drawn from {counted(len(candidates), 'topic')}; got {count}. "
            f"Hint: use common:{max(1, len(candidates) // 5)}."
        )
    # by name, so that neither the order of files nor what is judged by now changes the draw
    by_name = sorted(range(len(candidates)), key=lambda t: candidates.topics[t].topic)
    order = np.random.default_rng(rng).permutation(len(candidates)).tolist()
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


_ALL_RUNS = Universe()
_MANY = 500
"""Pairs whose ranges take long where every document is open."""


@dataclass(frozen=True, eq=False)
class OpenPairs:
    """The pairs that a goal is about, with what the unjudged documents leave of them."""

    goal: Goal
    pairs: Pairs
    evidence: Evidence
    measure: Measure
    universe: Universe

    @cached_property
    def ranges(self) -> Differences:
        """The range of each difference, from the one maker of ranges."""
        return judgment_ranges(self.evidence, self.measure, self.pairs, universe=self.universe)

    @cached_property
    def is_open(self) -> Booleans:
        """Which orders the unjudged documents could still decide."""
        if len(self.pairs) > _MANY and not self.evidence.pool.any():
            return self._with_other_lists()
        # What rests on missing topics, no judgment settles.
        return ~(self._is_settled | (self.ranges.verdict == RESTS))

    @property
    def _is_settled(self) -> Booleans:
        verdict, now = self.ranges.verdict, self.ranges.means()[0]
        # A run that is never behind another stays among the best, also while they are level.
        if self.goal.top:
            sided = np.isin(verdict, ("a certain", "a never behind")) & ~np.isnan(now)
        # Two runs that are level now are not settled by knowing whom judging can only help.
        else:
            apart = np.abs(now) > self.ranges.sizes.tolerance
            sided = np.isin(verdict, (*CERTAIN, *NEVER_BEHIND)) & apart
        return sided | (verdict == "equal")

    @property
    def resting(self) -> tuple[str, ...]:
        """Which runs lack topics, where no judgment settles an order for that reason."""
        if self.is_open.any():
            return ()
        return tuple(self.ranges.rests_on(int(i)) for i in np.flatnonzero(~self._is_settled))

    def claim(self) -> Claim:
        """Return what is so whatever the unjudged documents are, now that nothing is open."""
        grounds, best = self.ranges.grounds, dict.fromkeys(self.ranges.first)
        parts = [claim for i in range(len(self.pairs)) for claim in self.ranges.claims(i)]
        if self.goal.top:
            parts = [Claim("among the first", a, high=self.goal.top, grounds=grounds) for a in best]
        return Claim("nothing to judge", str(self.goal), parts=tuple(parts), grounds=grounds)

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
    order = _best_first(evidence, measure)
    best, others = order[: goal.top], order[goal.top :]
    return Pairs(np.repeat(best, len(others)), np.tile(others, len(best)))


def _best_first(evidence: Evidence, measure: Measure) -> Indices:
    """Return the systems by their means; of level ones, those that judging could lift most."""
    scores = np.nan_to_num(measure.score(evidence)).mean(axis=1)
    could = np.nan_to_num(measure.bounds(evidence).upper).mean(axis=1)
    by_name = indices_of(evidence.systems, sorted(evidence.systems), what="")
    return np.lexsort((by_name, *(-levels(x, tolerance(x)) for x in (could, scores))))


def open_pairs(
    goal: Goal, evidence: Evidence, measure: Measure, universe: Universe = _ALL_RUNS
) -> OpenPairs:
    """Return the orders that a goal is about, to be asked which of them are still open."""
    pairs = goal_pairs(goal, evidence, measure)
    return OpenPairs(goal, pairs, evidence, measure, universe)


@dataclass(frozen=True, eq=False)
class Swings:
    """How far each document, if relevant, would move the mean difference of each open pair.

    ``gains`` is, by topic, what each document adds to the mean score of each system; ``left`` and
    ``right`` are the rows of it that make up each pair, and ``leads`` is −1 where right is ahead.
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
        # of all pairs the sum has a closed form, n log n instead of n² (see summed_distances)
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
            expected_rise(self.of(t) * self.leads[:, None], chance).sum(axis=0)
            for t, chance in enumerate(chances)
        ]


def expected_rise(swings: Floats, chance: Floats) -> Floats:
    """Return by how much the lower end of a difference is expected to rise, by document.

    Examples
    --------
    >>> expected_rise(np.array([0.2, -0.2]), np.array([0.1, 0.1])).round(3).tolist()
    [0.02, 0.18]
    """
    # the lower end supposes that what helps is not relevant, and what hurts is: a grade lifts it
    # where it proves one of the two wrong
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


@dataclass(frozen=True, eq=False)
class GoalState:
    """What is known before anything is proposed.

    ``chances`` are None where too little is judged for them, ``pairs`` where the goal is about no
    order of runs, ``swings`` where no pair is open. ``common`` are the topics, the first one first,
    that all runs are to be judged on, where the goal is that.
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
    goal: Goal,
    measure: Measure,
    evidence: Evidence,
    candidates: Candidates,
    *,
    universe: Universe = _ALL_RUNS,
    rng: int = 1,
    expecting: bool = True,
) -> GoalState:
    """Find out what is open, and what documents would do to it.

    ``expecting`` fits the relevance model that says what a budget will buy.
    """
    chances = relevance_chances(evidence, candidates) if expecting else None
    if not goal.about_order:
        common = draw_topics(candidates, goal.topics, rng)
        return GoalState(goal, measure, evidence, candidates, chances, common=common)
    pairs, swings = open_pairs(goal, evidence, measure, universe), None
    if pairs.is_open.any():
        swings = swings_of(pairs.still_open(), evidence, measure, candidates)
    return GoalState(goal, measure, evidence, candidates, chances, pairs, swings)
