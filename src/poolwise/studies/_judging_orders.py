"""What orders of judging find, and whom they hurt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.collection._groups import Groups
from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._discrimination import (
    Discrimination,
    discriminate,
    significance_agreement,
)
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.judging._candidates import Candidates, candidates_of, chances_of_documents
from poolwise.judging._next import METHODS
from poolwise.judging.orders._by_document import ExpectedNarrowing
from poolwise.judging.orders._catalogue import ORDERS
from poolwise.judging.orders._order import JudgingOrder, replay
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.studies._tasks import Progress, run_tasks
from poolwise.words import counted, named

__all__ = ["JudgingOrderStudy", "replay_orders"]


class Outcome(NamedTuple):
    """What some judgments say of the runs, compared with what all of them say.

    ``kept``, ``reversed`` and ``lost`` are shares of the pairs that differ significantly by all
    judgments; ``falls`` has the places by which each run falls.
    """

    tau: float
    kept: float
    reversed: float
    lost: float
    falls: Floats


@dataclass(frozen=True, eq=False)
class AllJudgments:
    """Runs by all judgments, and by any part of them."""

    judgments: Judgments
    evidence: Evidence
    measure: Measure
    table: ScoreTable
    significant: Discrimination | None
    """The pairs that differ by all judgments; None where runs or topics are too few for tests."""

    @classmethod
    def of(cls, judgments: Judgments, evidence: Evidence, measure: Measure) -> "AllJudgments":
        """Score the runs by all judgments."""
        table = score(evidence, measure, bounds="none")
        testable = min(table.value.shape) > 1
        return cls(judgments, evidence, measure, table, discriminate(table) if testable else None)

    def after(self, candidates: Candidates, judged: list[Booleans]) -> Outcome:
        """Return what is seen once these documents of each topic are judged."""
        table = self._scored(candidates, judged)
        # A topic whose relevant documents are not found yet has no score: as 0 it stays in the
        # mean, so that both means are over the same topics.
        now, then = (np.nan_to_num(scores.value).mean(axis=1) for scores in (table, self.table))
        return Outcome(float(correlate(now, then)), *self._pairs(table), _falls(now, then))

    def falls_after(self, candidates: Candidates, judged: list[Booleans]) -> Floats:
        """Return by how many places each run falls once these documents are judged."""
        table = self._scored(candidates, judged)
        now, then = (np.nan_to_num(scores.value).mean(axis=1) for scores in (table, self.table))
        return _falls(now, then)

    def known(self, candidates: Candidates, judged: list[Booleans]) -> Evidence:
        """Return the runs with the judgments of these documents alone."""
        return self.evidence.regrade(self.judgments.keep(self._rows(candidates, judged)))

    def _scored(self, candidates: Candidates, judged: list[Booleans]) -> ScoreTable:
        return score(self.known(candidates, judged), self.measure, bounds="none")

    def _rows(self, candidates: Candidates, judged: list[Booleans]) -> Booleans:
        kept = np.zeros(len(self.judgments.codes), np.bool_)
        for topic, which in zip(candidates, judged, strict=True):
            # Documents without a judgment have row −1: to judge them teaches nothing here.
            rows = self.evidence.judgment_rows[topic.rows[which]]
            kept[rows[rows >= 0]] = True
        return kept

    def _pairs(self, table: ScoreTable) -> tuple[float, float, float]:
        """Return the shares of the significant pairs that are kept, reversed and lost."""
        if self.significant is None or not self.significant.significant.any():
            return (float("nan"),) * 3
        agreement = significance_agreement(discriminate(table), self.significant)
        # A pair that differs by all judgments is kept, turned or lost, and these add up to all of
        # them.
        counts = (agreement.true_positives, agreement.contradictions, agreement.false_negatives)
        kept, turned, lost = (count / sum(counts) for count in counts)
        return kept, turned, lost


def _falls(now: Floats, then: Floats) -> Floats:
    """Return places lost; runs with the same mean share theirs.

    Examples
    --------
    >>> _falls(np.array([0.1, 0.2, 0.2]), np.array([0.3, 0.2, 0.1])).tolist()
    [2.0, -0.5, -1.5]
    """
    return np.asarray(rankdata(-now.round(12)) - rankdata(-then.round(12)))


_SHARE = 0.95
_NEVER = np.iinfo(np.intp).max
"""Place of a document that is not judged."""


@dataclass(frozen=True, eq=False)
class ReplayedOrder:
    """When each document was judged.

    Attributes
    ----------
    candidates : Candidates
    places : list of int array
        By topic, the place of each document in the order of judging, from 1.
    """

    candidates: Candidates
    places: list[Indices]

    def judged(self, count: int) -> list[Booleans]:
        """Return which documents of each topic are among the first ones judged."""
        return [place <= count for place in self.places]

    def found(self, count: int) -> float:
        """Return the relevant documents among the first ones judged, mean over topics."""
        hits = [
            int((self.candidates.relevant(t) & judged).sum())
            for t, judged in enumerate(self.judged(count))
        ]
        return float(np.mean(hits))

    def needed(self) -> float:
        """Return how many judgments find 95% of a topic's relevant documents, on the mean."""
        counts = []
        for t, place in enumerate(self.places):
            when = np.sort(place[self.candidates.relevant(t)])
            if len(when):
                counts.append(int(when[int(np.ceil(_SHARE * len(when))) - 1]))
        return float(np.mean(counts)) if counts else float("nan")


def replay_order(order: JudgingOrder, *, batch: int, most: int | None = None) -> ReplayedOrder:
    """Judge in this order, to the end or until each topic has so many judgments."""
    candidates = order.candidates
    places = [np.full(len(topic), _NEVER) for topic in candidates]
    judged = [0] * len(candidates)
    # Topics take turns, so that each has its judgments after this number of steps.
    steps = None if most is None else most * len(candidates)
    for step in islice(replay(order, batch=batch), steps):
        judged[step.topic] += 1
        places[step.topic][step.document] = judged[step.topic]
    return ReplayedOrder(candidates, places)


DEFAULT_COUNTS = (100, 300, 500, 1000)
"""Judgments per topic after which is looked at what was found."""


@finding
class JudgingOrderStudy(Finding):
    """What each order of judging finds after so many judgments per topic.

    Attributes
    ----------
    measure : Measure
        What runs are scored by.
    pooled : int
        The number of runs whose documents were judged.
    orders : tuple of str
    counts : tuple of int
        Judgments per topic.
    relevant : float array, orders × counts
        Relevant documents found, mean over topics.
    needed : float array, orders
        Judgments that find 95% of a topic's relevant documents, mean over the topics with any.
    tau : float array, orders × counts
        Kendall's τ between the order of the runs then, and with all judgments.
    kept, reversed, lost : float array, orders × counts
        Of the pairs that differ significantly by all judgments (paired t test, p < 0.05), the share
        that does so then, that does so in the opposite direction, and that does not.
    fall : float array, orders × counts
        By how many places the run falls that falls most.
    left_out_fall : float array, orders
        The same after the first count, of runs whose group had no part in what was judged; NaN
        where that was not asked for.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=5, depth=30, rng=1)
    >>> study = replay_orders(made.truth, made.runs, orders=["depth", "max-mean"], counts=[20, 40])
    >>> study.relevant.shape, bool((study.relevant[:, 0] <= study.relevant[:, 1]).all())
    ((2, 2), True)
    """

    measure: Measure
    pooled: int
    orders: tuple[str, ...]
    counts: tuple[int, ...]
    relevant: Floats
    needed: Floats
    tau: Floats
    kept: Floats
    reversed: Floats
    lost: Floats
    fall: Floats
    left_out_fall: Floats

    def columns(self) -> Columns:
        """Return one row per order and number of judgments."""
        each = len(self.counts)
        later = np.full((len(self.orders), each), np.nan)
        later[:, 0] = self.left_out_fall
        return {
            "order": [name for name in self.orders for _ in range(each)],
            "judgments": list(self.counts) * len(self.orders),
            "relevant": self.relevant.ravel().tolist(),
            "needed_for_95": np.repeat(self.needed, each).tolist(),
            "tau": self.tau.ravel().tolist(),
            "kept": self.kept.ravel().tolist(),
            "reversed": self.reversed.ravel().tolist(),
            "lost": self.lost.ravel().tolist(),
            "largest_fall": self.fall.ravel().tolist(),
            "fall_if_left_out": later.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per order and number of judgments."""
        title = f"Orders of judging the documents of {counted(self.pooled, 'run')}"
        return (table_of(self.columns(), title=title, digits=3),)

    def sentences(self) -> tuple[str, ...]:
        """Say which order finds most with the fewest judgments, and which is fairest."""
        said = (self._quickest() if np.isfinite(self.needed).all() else "", *self._fairest())
        return tuple(filter(None, said))

    def _quickest(self) -> str:
        best = int(np.argmin(self.needed))
        return (
            f"The order {self.orders[best]} finds 95% of the relevant documents with the fewest "
            f"judgments: {self.needed[best]:.0f} per topic."
        )

    def _fairest(self) -> Iterator[str]:
        after = f"After {counted(self.counts[0], 'judgment')} per topic by {self.measure}"
        names, least = self._least(self.fall[:, 0])
        yield (
            f"{after}, the fairest to the runs that are judged is to judge by {names}: no run "
            f"falls by more than {_places(least)} in the order of the runs."
        )
        if np.isfinite(self.left_out_fall).all():
            names, least = self._least(self.left_out_fall)
            yield (
                f"{after}, the fairest to runs whose group had no part in judging is to judge by "
                f"{names}: no such run falls by more than {_places(least)}."
            )

    def _least(self, falls: Floats) -> tuple[str, float]:
        """Return the orders with the smallest fall, and that fall."""
        least = float(falls.min())
        fairest = [self.orders[i] for i in np.flatnonzero(falls == least).tolist()]
        return named(fairest, most=len(fairest)), least


def _places(fall: float) -> str:
    return "1 place" if fall == 1 else f"{fall:g} places"


@recorded
def replay_orders(
    judgments: Judgments,
    runs: Runs,
    *,
    measure: Measure | str = "AP",
    orders: Sequence[str] = (),
    counts: Sequence[int] = DEFAULT_COUNTS,
    pooled: Sequence[str] = (),
    left_out: bool = False,
    groups: Groups | None = None,
    depth: int = 100,
    rel: float = 1.0,
    batch: int = 1,
    rng: int = DEFAULT_SEED,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> JudgingOrderStudy:
    """Replay orders of judging on judgments that are taken to be complete.

    The table says how many relevant documents each order finds, how many judgments it needs for
    95% of them, how well runs are ordered by what was judged until then, which share of the
    significant pairs is kept, reversed and lost, and by how many places the run falls that falls
    most: an order that hurts some run is not fair to it.

    Documents without a grade are judged as not relevant.

    Parameters
    ----------
    judgments, runs
        The complete judgments, and the runs, all of which are scored.
    measure : Measure or str
        Score the runs by this measure.
    orders : sequence of str
        Replay this order. The option may be repeated; by default all orders are replayed.
    counts : sequence of int
        Look at what was found after these numbers of judgments per topic.
    pooled : sequence of str
        Run whose documents are judged; all runs are scored. The option may be repeated, and names
        may be separated by commas. By default those of all runs are judged.
    left_out : bool
        Judge without each pooled run in turn, too, or without each group where groups are known,
        and say how far the runs fall that were left out. This takes many replays.
    groups
        Which runs are left out together; by default each run alone.
    depth : int
        Number of ranks of each run that are judged in the end.
    batch : int
        Judge this number of documents of a topic before their grades are learned.
    rng : int
        Seed of whatever an order draws at random.

    Returns
    -------
    JudgingOrderStudy
        By order and count, what was found and how far the runs were ordered as in the end.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=5, depth=30, rng=1)
    >>> study = replay_orders(made.truth, made.runs, measure="P@10",
    ...                       orders=["depth", "max-mean"], counts=[500])
    >>> study.tau.tolist()  # once all retrieved documents are judged, P@10 is what it will be
    [[1.0], [1.0]]
    """
    chosen = tuple(orders) or METHODS
    for name in chosen:
        require_choice("orders", name, METHODS)
    looked = _require_counts(counts)
    measure, evidence = parse_measure(measure), align(judgments, runs)
    names = tuple(pooled) or evidence.systems
    indices_of(names, evidence.systems, what="pooled")
    plan = _Plan(
        complete=AllJudgments.of(judgments, evidence, measure),
        pooled=names,
        groups=_left_out_together(names, groups) if left_out else (),
        counts=looked,
        depth=depth,
        rel=rel,
        batch=batch,
        seed=rng,
    )
    tasks = [(plan, name) for name in chosen]
    replays = run_tasks(_replayed, tasks, workers=workers, progress=progress)
    return _study(plan, chosen, replays)


def _require_counts(counts: Sequence[int]) -> tuple[int, ...]:
    if not counts or min(counts) < 1:
        raise OptionError("counts: at least one, none below 1, is needed. Hint: use 100, 300.")
    return tuple(sorted(set(counts)))


def _left_out_together(
    pooled: tuple[str, ...], groups: Groups | None
) -> tuple[tuple[str, ...], ...]:
    if groups is None:
        return tuple((name,) for name in pooled)
    here = groups.select(pooled)
    return tuple(here.members(name) for name in here.names)


@dataclass(frozen=True, eq=False)
class _Plan:
    """What every order is asked."""

    complete: AllJudgments
    pooled: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    depth: int
    rel: float
    batch: int
    seed: int

    def replay(
        self, name: str, *, without: tuple[str, ...] = (), most: int | None = None
    ) -> ReplayedOrder:
        """Judge the documents of the pooled runs, but for some of these runs."""
        # Runs that are left out nominate nothing, but are scored with the others: by how far they
        # fall is how unfair an order is to newcomers.
        kept = [system for system in self.pooled if system not in without]
        chosen = self.complete.evidence.select(kept)
        candidates = candidates_of(chosen, depth=self.depth, rel=self.rel)
        return replay_order(self._order(name, candidates), batch=self.batch, most=most)

    def _order(self, name: str, candidates: Candidates) -> JudgingOrder:
        if name in ORDERS:
            return ORDERS[name](candidates, rng=self.seed)

        # The relevance model is fitted anew to what is judged by then, and to nothing else.
        def ask(judged: list[Booleans]) -> list[Floats] | None:
            evidence = self.complete.known(candidates, judged).select(candidates.systems)
            chances = chances_of_documents(evidence, candidates)
            return chances.by_topic if chances else None

        return ExpectedNarrowing(candidates, ask, rng=self.seed)

    def outcome(self, replayed: ReplayedOrder, count: int) -> Outcome:
        """Return what the first judgments say of all runs."""
        return self.complete.after(replayed.candidates, replayed.judged(count))

    def fall_of_left_out(self, name: str) -> float:
        """Return by how much a run falls at most whose group had no part in judging."""
        if not self.groups:
            return float("nan")
        return max(self._fall_of_group(name, group) for group in self.groups)

    def _fall_of_group(self, name: str, group: tuple[str, ...]) -> float:
        # Nobody would be left to nominate documents.
        if len(group) == len(self.pooled):
            return 0.0
        # A group takes a replay of its own, which is why one number of judgments has to do.
        count = self.counts[0]
        replayed = self.replay(name, without=group, most=count)
        falls = self.complete.falls_after(replayed.candidates, replayed.judged(count))
        members = indices_of(group, self.complete.evidence.systems, what="groups")
        return float(falls[members].max())


@dataclass(frozen=True, eq=False)
class _Replayed:
    """What one order gave."""

    relevant: list[float]
    needed: float
    outcomes: list[Outcome]
    left_out_fall: float


def _replayed(plan: _Plan, name: str) -> _Replayed:
    replayed = plan.replay(name)
    return _Replayed(
        relevant=[replayed.found(count) for count in plan.counts],
        needed=replayed.needed(),
        outcomes=[plan.outcome(replayed, count) for count in plan.counts],
        left_out_fall=plan.fall_of_left_out(name),
    )


def _study(plan: _Plan, orders: tuple[str, ...], replays: Sequence[_Replayed]) -> JudgingOrderStudy:
    def by_count(name: str) -> Floats:
        return np.array([[getattr(outcome, name) for outcome in row.outcomes] for row in replays])

    return JudgingOrderStudy(
        measure=plan.complete.measure,
        pooled=len(plan.pooled),
        orders=orders,
        counts=plan.counts,
        relevant=np.array([row.relevant for row in replays]),
        needed=np.array([row.needed for row in replays]),
        tau=by_count("tau"),
        kept=by_count("kept"),
        reversed=by_count("reversed"),
        lost=by_count("lost"),
        fall=by_count("falls").max(axis=2),
        left_out_fall=np.array([row.left_out_fall for row in replays]),
        provenance=plan.complete.evidence.provenance.with_options(
            measure=str(plan.complete.measure),
            pooled=len(plan.pooled),
            left_out=len(plan.groups),
            depth=plan.depth,
            rel=plan.rel,
            batch=plan.batch,
            seed=plan.seed,
        ),
    )
