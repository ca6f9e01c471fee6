"""How often a gate errs that rests on people's labels on a part, and a machine's on all.

As in ``validate/gate.py``, topics of real pairs of runs are drawn with weights that give the pair a
true difference: 0, or minus the margin. Of the topics drawn, people judge some, or of each topic
some documents; a machine labels all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

import poolwise as pw
from poolwise.arrays import Floats, Indices
from poolwise.findings.gating._limits import (
    MeanLimits,
    labelled_again,
    mean_limits,
    prediction_limits,
)
from poolwise.findings.labels._document_design import DocumentWeights
from poolwise.findings.labels._document_estimates import document_estimates
from validate.gate import ALPHA, CLOSE, LATER, MARGIN, tilted_weights
from validate.labels import SHUFFLED, Situation, Track, by_machines, by_people, situation, tracks
from validate.table import Folders, ValidationTable

__all__ = ["gate_documents_table", "gate_topics_table"]

MEASURES = ("nDCG@10", "P(rel=2)@10")
SAMPLED = ("P(rel=2)@10", "SDCG(top=3)@10")
SIZES = ((20, 50), (40, 100), (60, 200))
"""Topics that people judge, of so many that the machine labels."""
EACH = (8, 15)
"""Labels by people per topic, of the documents in the first ten ranks of all runs."""
PAIRS, TRIALS = 30, 100


class Passes(NamedTuple):
    """How often candidates pass that are equal, or worse by the margin; the latter pair by pair."""

    equal: float
    worse: list[float]
    failed: float
    alone: float

    @property
    def wrong(self) -> float:
        """How often a candidate passes that is worse by the margin."""
        return float(np.mean(self.worse))

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row."""
        most = float(np.quantile(self.worse, 0.95))
        rates = (self.equal, self.alone, self.wrong, self.failed, most)
        return tuple(f"{rate:.1%}" for rate in rates)


_COLUMNS = (
    *("equal: passes", "by people alone", "worse by the margin: passes", "fails"),
    "passes, 95% of pairs",
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Scores of a baseline and a candidate by people and by a machine, 2 × topics."""

    human: Floats
    machine: Floats

    def drawn(self, topics: int, loss: float, rng: np.random.Generator) -> Iterator[Indices]:
        """Draw topics so that the candidate truly loses so much."""
        weights = tilted_weights(self.human[1] - self.human[0], -loss)
        for _ in range(TRIALS):
            yield rng.choice(len(weights), topics, p=weights)


def close_pairs(track: Track, human: Floats, *, versions: bool) -> list[tuple[int, int]]:
    """Return close pairs of the better runs, in either direction; versions are of one group."""
    folder = track.folder
    groups = pw.collection.read_groups(folder / "runs.tsv").select(track.evidence.systems).labels
    means = human.mean(axis=1)
    pairs = []
    for a, b in permutations(np.flatnonzero(means >= np.median(means)).tolist(), 2):
        deltas = human[b] - human[a]
        wanted = (groups[a] == groups[b] != LATER) if versions else True
        if wanted and abs(deltas.mean()) <= CLOSE and deltas.min() < -2 * MARGIN < 0 < deltas.max():
            pairs.append((a, b))
    chosen = np.random.default_rng(1).permutation(len(pairs))[:PAIRS]
    return [pairs[i] for i in chosen.tolist()]


# People on some topics.


def gate_topics_table(folders: Folders) -> ValidationTable:
    """Check how often a gate passes what it should not, with people on some topics."""
    rows, most = [], 0.0
    for year, track in tracks(folders).items():
        for measure in MEASURES:
            human = by_people(track, measure)
            machines = [named for i, named in enumerate(by_machines(track, measure)) if i != 1]
            for versions in (False, True):
                pairs = close_pairs(track, human, versions=versions)
                kind = f"{len(pairs)} {'of one group' if versions else 'of any'}"
                for name, machine in machines:
                    both = [Pair(human[list(ab)], machine[list(ab)]) for ab in pairs]
                    for judged, topics in SIZES:
                        passes = _of_topics(both, judged, topics)
                        size = f"{judged} of {topics}"
                        rows.append((str(year), kind, measure, name, size, *passes.cells()))
                        most = max(most, passes.wrong)
    return ValidationTable(
        "A gate with machine labels: people on some topics",
        f"Close pairs of real runs, {PAIRS} for each measure or as many as there are, {TRIALS} "
        f"samples of topics for each pair, margin {MARGIN:g}, alpha {ALPHA:g}: people judge some "
        "of the topics, a machine labels all. A candidate that is worse by the margin passes in at "
        "most 5% of cases, whatever the labels are worth. How often an equal candidate passes "
        "stands before it, with the labels and by people's topics alone. Below 20 topics by people "
        "a gate with labels decides nothing: with 8 to 15, up to 10% of the worse candidates of "
        "one group would pass. How often the worst topic is counted again was chosen on these "
        "collections, so that the rates are somewhat optimistic.",
        ("year", "pairs", "measure", "labels", "topics", *_COLUMNS),
        tuple(rows),
        most <= ALPHA,
    )


def _of_topics(pairs: list[Pair], judged: int, topics: int) -> Passes:
    rng = np.random.default_rng(topics)
    equal, alone, worse, failed = [], [], [], []
    for pair in pairs:
        for drawn in pair.drawn(topics, 0.0, rng):
            human, machine = pair.human[:, drawn[:judged]], pair.machine[:, drawn]
            equal.append(_limits(human, machine).low[0] > -MARGIN)
            by_them = mean_limits((human[1] - human[0])[None], MARGIN, alpha=ALPHA)
            alone.append(by_them.low[0] > -MARGIN)
        limits = [
            _limits(pair.human[:, drawn[:judged]], pair.machine[:, drawn])
            for drawn in pair.drawn(topics, MARGIN, rng)
        ]
        worse.append(float(np.mean([limit.low[0] > -MARGIN for limit in limits])))
        failed.append(np.mean([limit.high[0] < -MARGIN for limit in limits]))
    return Passes(float(np.mean(equal)), worse, float(np.mean(failed)), float(np.mean(alone)))


def _limits(human: Floats, machine: Floats) -> MeanLimits:
    return prediction_limits(human, machine, np.arange(human.shape[1]), MARGIN, alpha=ALPHA)


# People on some documents.


def gate_documents_table(folders: Folders, topics: int = 50) -> ValidationTable:
    """Check how often a gate passes what it should not, with people on some documents."""
    rows, most = [], 0.0
    for year, track in tracks(folders).items():
        for measure in SAMPLED:
            for name in (track.labels.names[1], SHUFFLED):
                case = situation(track, measure, name)
                human = case.weights.sums(case.gain)
                for versions in (False, True):
                    pairs = close_pairs(track, human, versions=versions)
                    kind = f"{len(pairs)} {'of one group' if versions else 'of any'}"
                    for each in EACH:
                        passes = _of_documents(case, human, pairs, each, topics)
                        rows.append((str(year), kind, measure, name, str(each), *passes.cells()))
                        most = max(most, passes.wrong)
    return ValidationTable(
        "A gate with machine labels: people on some documents",
        f"The same with {topics} topics, of each of which people label 8 or 15 documents that are "
        "drawn from the first ten ranks of all runs; the gate knows those of its two runs. By "
        "people alone is what a gate with judgments of every document would say. How often the "
        "worst topic is counted again was chosen on these collections.",
        ("year", "pairs", "measure", "labels", "per topic", *_COLUMNS),
        tuple(rows),
        most <= ALPHA,
    )


def _of_documents(
    case: Situation, human: Floats, pairs: list[tuple[int, int]], each: int, topics: int
) -> Passes:
    rng = np.random.default_rng(each)
    chance = case.chances(each * case.weights.topics)
    equal, alone, worse, failed = [], [], [], []
    for ab in pairs:
        pair, sampled = Pair(human[list(ab)], human[list(ab)]), _PairDocuments.of(case, chance, ab)
        for drawn in pair.drawn(topics, 0.0, rng):
            equal.append(sampled.limits(drawn, rng).low[0] > -MARGIN)
            whole = mean_limits((pair.human[1] - pair.human[0])[None, drawn], MARGIN, alpha=ALPHA)
            alone.append(whole.low[0] > -MARGIN)
        limits = [sampled.limits(drawn, rng) for drawn in pair.drawn(topics, MARGIN, rng)]
        worse.append(float(np.mean([limit.low[0] > -MARGIN for limit in limits])))
        failed.append(np.mean([limit.high[0] < -MARGIN for limit in limits]))
    return Passes(float(np.mean(equal)), worse, float(np.mean(failed)), float(np.mean(alone)))


@dataclass(frozen=True, eq=False)
class _PairDocuments:
    """The documents of two runs, topic by topic."""

    case: Situation
    chance: Floats
    weight: Floats
    of_topic: list[Indices]

    @classmethod
    def of(cls, case: Situation, chance: Floats, ab: tuple[int, int]) -> "_PairDocuments":
        weights = case.weights
        weight = np.zeros((2, weights.documents))
        for row, run in enumerate(ab):
            mine = weights.run == run
            weight[row, weights.document[mine]] = weights.weight[mine]
        used = np.flatnonzero(weight.any(axis=0))
        order = used[np.argsort(weights.topic[used], kind="stable")]
        edges = np.searchsorted(weights.topic[order], np.arange(1, weights.topics))
        return cls(case, chance, weight, np.split(order, edges))

    def limits(self, topics: Indices, rng: np.random.Generator) -> MeanLimits:
        """Draw documents of these topics, and return the limits that a gate has."""
        parts = [self.of_topic[t] for t in topics.tolist()]
        documents = np.concatenate(parts)
        place = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        weights = _weights(self.weight[:, documents], place, len(parts))
        chance = self.chance[documents]
        made = document_estimates(
            weights,
            rng.random(len(documents)) < chance,
            chance,
            self.case.gain[documents],
            self.case.grade[documents],
        )
        deltas = (made.value[1] - made.value[0])[None]
        return mean_limits(
            deltas, MARGIN, alpha=ALPHA, again=labelled_again(len(parts), sampled=True)
        )


def _weights(weight: Floats, topic: Indices, topics: int) -> DocumentWeights:
    run, document = np.nonzero(weight)
    return DocumentWeights(run, document, weight[run, document], 2, weight.shape[1], topics, topic)
