"""Random pools, what runs outside them score, and how far adjusted scores are off (W10 ch. 6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import Nominations
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import condense
from poolwise.judging._lists import list_pool
from poolwise.measures._measure import Measure
from poolwise.scores.treatments._bias import BiasFromSystems
from poolwise.studies.topics.topic_sets import random_subsets

__all__ = ["BASES", "PoolErrors", "PoolPlan", "complete_pool", "errors_of_pools", "sample_errors"]

BASES = {
    "nonrelevant": "unjudged documents are taken as not relevant",
    "condensed": "unjudged documents are left out of the lists",
}
"""How a run that was not pooled is scored before anything is adjusted."""


def complete_pool(judgments: Judgments, runs: Runs, depth: int) -> Judgments:
    """Judge what is left to judge in the first ranks of runs, as not relevant (W10 §6.1.1).

    So only the pools of a study leave documents unjudged, and scores under them are the truth.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a", "b", "c"]}})
    >>> list(complete_pool(Judgments.from_dict({"1": {"a": 1}}), runs, 2))
    [('1', 'a', 1.0), ('1', 'b', 0.0)]
    """
    grades = {
        topic: {document: max(grade, 0.0) for document, grade in known.items()}
        for topic, known in judgments.to_dict().items()
    }
    pool = list_pool(runs, depth=depth)
    for topic, document in zip(pool.topic, pool.document, strict=True):
        if topic in grades:
            grades[topic].setdefault(document, 0.0)
    return replace(Judgments.from_dict(grades), source=judgments.source, notices=judgments.notices)


@dataclass(frozen=True, eq=False)
class PoolPlan:
    """What all pools share.

    Attributes
    ----------
    evidence, nominations : Evidence, Nominations
        Runs whose first ranks are all judged.
    measure : Measure
    depth : int
        Ranks of each run that are pooled.
    pooled : int array
        The systems that pools are drawn from.
    tested : int array or None
        The systems that are scored with every pool; None for one more system of those pooled.
    common : tuple of int
        Numbers of common topics.
    samples : int
        How often common topics are drawn for each pool.
    """

    evidence: Evidence
    nominations: Nominations
    measure: Measure
    depth: int
    pooled: Indices
    tested: Indices | None
    common: tuple[int, ...]
    samples: int

    def scores(self, evidence: Evidence) -> Floats:
        """Return systems × topics; an undefined score is 0, as nothing relevant is known."""
        return np.nan_to_num(self.measure.score(evidence), nan=0.0)

    def draw(self, width: int, random: np.random.Generator) -> tuple[Indices, Indices]:
        """Return systems that form a pool, and systems that are tested with it."""
        if self.tested is not None:
            return random.choice(self.pooled, width, replace=False), self.tested
        drawn = random.permutation(self.pooled)[: width + 1]
        return drawn[:width], drawn[width:]


class PoolErrors(NamedTuple):
    """How far scores of the tested runs are off, with one pool.

    Attributes
    ----------
    bias : float array, bases × tested
        Mean score without the run's own judgments less the true one.
    from_systems : float array, tested
        The same after algorithm 6.1, of unjudged documents taken as not relevant; NaN where the
        pool does not allow it.
    from_topics : float array, bases × common × tested
        The mean size of the error after algorithm 6.2, over samples of common topics.
    sampled : float array, common × tested
        The mean size of the error of true scores on the common topics alone.
    """

    bias: Floats
    from_systems: Floats
    from_topics: Floats
    sampled: Floats


def errors_of_pools(plan: PoolPlan, width: int, seeds: Sequence[int]) -> list[PoolErrors]:
    """Draw one pool of this width for each seed, and see how far scores are off (W10 alg. 6.3)."""
    return [_errors_of_pool(plan, width, np.random.default_rng(seed)) for seed in seeds]


def _errors_of_pool(plan: PoolPlan, width: int, random: np.random.Generator) -> PoolErrors:
    members, tested = plan.draw(width, random)
    truth = plan.scores(plan.evidence.select(tested))
    judged = plan.nominations.depth_pool(
        plan.depth, systems=[plan.evidence.systems[i] for i in members.tolist()]
    )
    pool = plan.evidence.select(np.concatenate([members, tested])).regrade(judged)
    alone = pool.select(np.arange(width, width + len(tested)))
    lost = np.stack([plan.scores(e) - truth for e in (alone, condense(alone))])
    # Every number of common topics, and both bases, meet the same samples.
    chosen = [random_subsets(random, plan.samples, truth.shape[1], n) for n in plan.common]
    return PoolErrors(
        bias=lost.mean(axis=2),
        from_systems=_from_systems(plan, pool, width, truth, lost[0]),
        from_topics=np.array([[_mean_size(base, c) for c in chosen] for base in lost]),
        sampled=np.array([_mean_size(truth, c) for c in chosen]),
    )


def _from_systems(
    plan: PoolPlan, pool: Evidence, width: int, truth: Floats, lost: Floats
) -> Floats:
    """Return adjusted less true means (W10 alg. 6.1)."""
    by = BiasFromSystems(pooled=pool.systems[:width], depth=plan.depth, fewest=2)
    try:
        found = by.adjustments(pool, plan.measure)
    except OptionError:  # too few of the pooled runs answer all topics
        return np.full(len(truth), np.nan)
    # A run without unjudged documents has nothing to adjust.
    return np.array(
        [
            off.mean() + (found[name].factor if name in found else 0.0)
            for name, off in zip(pool.systems[width:], lost, strict=True)
        ]
    )


def _mean_size(values: Floats, chosen: Booleans) -> Floats:
    return np.abs(sample_errors(values, chosen)).mean(axis=1)


def sample_errors(values: Floats, chosen: Booleans) -> Floats:
    """Return the mean over sampled topics less that over all, rows × samples.

    For what runs lose by not being pooled, it is the error of algorithm 6.2 (W10 eq. 6.4).

    Parameters
    ----------
    values : float array, rows × topics
    chosen : bool array, samples × topics
        Samples of the same number of topics.

    Examples
    --------
    >>> sample_errors(np.array([[0.0, 1.0]]), np.array([[True, False], [False, True]])).tolist()
    [[-0.5, 0.5]]
    """
    sampled = values @ chosen.T / chosen.sum(axis=1)
    return np.asarray(sampled - values.mean(axis=1, keepdims=True))
