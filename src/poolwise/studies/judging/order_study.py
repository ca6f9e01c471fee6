"""Orders of judging, replayed on complete judgments: what each finds, and whom it hurts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from poolwise.arrays import Floats, Indices
from poolwise.collection.judgments import Judgments
from poolwise.collection.runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence.alignment import align
from poolwise.evidence.evidence import Evidence
from poolwise.findings.agreement.rank_correlation import correlate
from poolwise.judging.candidates import Candidates, gather_candidates
from poolwise.judging.order_replay import replay
from poolwise.judging.orders.catalogue import ORDERS
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.printout.columns import Columns
from poolwise.printout.finding import Finding, finding
from poolwise.printout.provenance import DEFAULT_SEED

__all__ = ["DEFAULT_COUNTS", "JudgingOrderStudy", "replay_orders"]

DEFAULT_COUNTS = (100, 300, 500, 1000)
"""Judgments per topic after which is looked at what was found."""
_SHARE = 0.95


@finding
class JudgingOrderStudy(Finding):
    """What each order of judging finds after so many judgments per topic.

    Attributes
    ----------
    measure : Measure
        What runs are scored by.
    orders : tuple of str
    counts : tuple of int
        Judgments per topic.
    relevant : float array, orders × counts
        Relevant documents found, mean over topics.
    needed : float array, orders
        Judgments that find 95% of a topic's relevant documents, mean over the topics with any.
    tau : float array, orders × counts
        Kendall's τ between the order of the runs then, and with all judgments.
    fall : float array, orders × counts
        By how many places the run falls that falls most.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=5, depth=30, rng=1)
    >>> found = replay_orders(made.truth, made.runs, orders=["depth", "max-mean"], counts=[20, 40])
    >>> found.relevant.shape, bool((found.relevant[:, 0] <= found.relevant[:, 1]).all())
    ((2, 2), True)
    """

    measure: Measure
    orders: tuple[str, ...]
    counts: tuple[int, ...]
    relevant: Floats
    needed: Floats
    tau: Floats
    fall: Floats

    def columns(self) -> Columns:
        """Return one row per order and number of judgments."""
        each = len(self.counts)
        return {
            "order": [name for name in self.orders for _ in range(each)],
            "judgments": list(self.counts) * len(self.orders),
            "relevant": self.relevant.ravel().tolist(),
            "needed_for_95": np.repeat(self.needed, each).tolist(),
            "tau": self.tau.ravel().tolist(),
            "largest_fall": self.fall.ravel().tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which order finds most with the fewest judgments, and which is fairest."""
        fairest = np.flatnonzero(self.fall[:, 0] == self.fall[:, 0].min())
        names = " and ".join(self.orders[i] for i in fairest.tolist())
        fair = (
            f"The fairest at {self.counts[0]:,} per topic by {self.measure}: {names}, where no run "
            f"falls by more than {self.fall[fairest[0], 0]:g} in the order of the runs."
        )
        return (self._quickest(), fair) if np.isfinite(self.needed).all() else (fair,)

    def _quickest(self) -> str:
        best = int(np.argmin(self.needed))
        return (
            f"The order {self.orders[best]} finds 95% of the relevant documents with the fewest "
            f"judgments: {self.needed[best]:.0f} per topic."
        )


def replay_orders(
    judgments: Judgments,
    runs: Runs,
    *,
    measure: Measure | str = "AP",
    orders: Sequence[str] = (),
    counts: Sequence[int] = DEFAULT_COUNTS,
    depth: int = 100,
    level: float = 1.0,
    batch: int = 1,
    seed: int = DEFAULT_SEED,
) -> JudgingOrderStudy:
    """Replay orders of judging on judgments that are taken to be complete.

    Documents without a grade are judged as not relevant.

    Parameters
    ----------
    judgments, runs
        The complete judgments, and the runs whose documents are judged and which are scored.
    measure
        What runs are scored by.
    orders
        Names of ``ORDERS``; by default all.
    counts
        After how many judgments per topic to look at what was found.
    depth
        How many ranks of each run are judged in the end.
    level
        The lowest grade that counts as relevant.
    batch
        Documents of a topic that are judged before their grades are learned.
    seed
        Of whatever an order draws at random.
    """
    chosen = tuple(orders) or tuple(ORDERS)
    for name in chosen:
        require_choice("orders", name, ORDERS)
    if not counts or min(counts) < 1:
        raise OptionError("counts: at least one, none below 1, is needed. Hint: use 100, 300.")
    candidates = gather_candidates(judgments, runs, depth=depth, level=level)
    evidence, measure = align(judgments, runs), parse_measure(measure)
    looked = tuple(sorted(set(counts)))
    replayed = [
        _Replay(candidates, _places(name, candidates, batch, seed), evidence, judgments)
        for name in chosen
    ]
    outcomes = [[one.agreement(measure, count) for count in looked] for one in replayed]
    return JudgingOrderStudy(
        measure=measure,
        orders=chosen,
        counts=looked,
        relevant=np.array([[one.found(count) for count in looked] for one in replayed]),
        needed=np.array([one.needed() for one in replayed]),
        tau=np.array([[tau for tau, _ in row] for row in outcomes]),
        fall=np.array([[fall for _, fall in row] for row in outcomes]),
        provenance=evidence.provenance.with_options(
            measure=str(measure), depth=depth, level=level, batch=batch, seed=seed
        ),
    )


def _places(name: str, candidates: Candidates, batch: int, seed: int) -> list[Indices]:
    """Return when each document of each topic is judged, from 1."""
    places = [np.zeros(len(topic), np.intp) for topic in candidates]
    judged = [0] * len(candidates)
    for step in replay(ORDERS[name](candidates, seed=seed), batch=batch):
        judged[step.topic] += 1
        places[step.topic][step.document] = judged[step.topic]
    return places


@dataclass(frozen=True, eq=False)
class _Replay:
    """When an order came to each document."""

    candidates: Candidates
    places: list[Indices]
    evidence: Evidence
    judgments: Judgments

    def found(self, count: int) -> float:
        """Return the relevant documents among the first ones judged, mean over topics."""
        hits = [
            int((self.candidates.relevant(t) & (place <= count)).sum())
            for t, place in enumerate(self.places)
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

    def agreement(self, measure: Measure, count: int) -> tuple[float, float]:
        """Return τ with the order by all judgments, and by how many places a run falls at most."""
        fewer = self.evidence.regrade(self.judgments.keep(self._kept(count)))
        now, then = (
            np.nan_to_num(measure.score(grades)).mean(axis=1) for grades in (fewer, self.evidence)
        )
        falls = rankdata(-now.round(12)) - rankdata(-then.round(12))
        return float(correlate(now, then)), float(falls.max())

    def _kept(self, count: int) -> list[bool]:
        judged = {
            (topic.topic, topic.documents[d])
            for topic, place in zip(self.candidates, self.places, strict=True)
            for d in np.flatnonzero(place <= count).tolist()
        }
        rows = zip(self.judgments.topic_of_row.tolist(), self.judgments.documents, strict=True)
        return [(self.judgments.topics[t], document) in judged for t, document in rows]
