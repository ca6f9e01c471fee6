"""What a campaign's random share and its common topics say of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.campaigns._random_share import DrawnBatch, estimate_means, looks_alpha
from poolwise.findings.campaigns._status import MeanEstimates
from poolwise.judging._candidates import ABSENT, candidates_of
from poolwise.measures._measure import Measure
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.scores._uncertainty import t_quantile
from poolwise.scores.treatments._bias import Adjustment, adjust_from_topics
from poolwise.workflows.campaigns._batches import drawing_chances, rank_weights
from poolwise.workflows.campaigns._common import (
    known_before,
    looks_of,
    recorded_topics,
    wanted_documents,
)
from poolwise.workflows.campaigns._standing import grades_of, judgments_of
from poolwise.workflows.campaigns._state import Batch, Item, Key, RoomState

__all__ = ["AdjustedRun", "adjusted_means", "adjusted_runs", "sampled_means"]

Grades = Mapping[str, Mapping[str, float]]


def sampled_means(
    state: RoomState, evidence: Evidence, measure: Measure, grades: Grades
) -> MeanEstimates:
    """Estimate means from the documents that were drawn at random, batch by batch."""
    runs = len(evidence.systems)
    if not isinstance(measure, StaticWeights):
        reason = (
            f"{measure} has no estimate from the random share: its ideal cannot be estimated from "
            "few documents; SDCG@10, P@10 and RBP can."
        )
        return MeanEstimates.none(runs, reason)
    frame = _Frame.of(state, evidence, measure, grades)
    value, half = np.full((2, runs), np.nan)
    # Runs that came at the same time have the same batches.
    since = [tuple(b.number for b in state.batches if run in b.runs) for run in evidence.systems]
    for numbers in dict.fromkeys(since):
        rows = [at for at, own in enumerate(since) if own == numbers]
        batches = frame.batches(state.batches, set(numbers))
        if batches:
            value[rows], half[rows] = estimate_means(frame.weight[rows], frame.gain, batches)
    if not state.batches:
        return MeanEstimates.none(runs, "")
    if np.isnan(value).all():
        return MeanEstimates.none(runs, "No batch is judged to its end, so nothing is estimated.")
    return MeanEstimates(value, value - half, value + half)


@dataclass(frozen=True, eq=False)
class _Frame:
    """The documents that could be judged, as numbers."""

    keys: Mapping[Key, int]
    weight: Floats
    gain: Floats
    settled: Booleans
    """Which have a grade, or will never have one."""
    since: Mapping[Key, int]
    """The first judgment of each document."""
    size: Floats
    """What each document weighs in each run when some are drawn."""
    systems: tuple[str, ...]

    @classmethod
    def of(
        cls, state: RoomState, evidence: Evidence, measure: StaticWeights, grades: Grades
    ) -> "_Frame":
        candidates = candidates_of(evidence, depth=state.settings.depth)
        keys = [(topic.topic, name) for topic in candidates for name in topic.documents]
        by_rank = np.append(measure.weights(candidates.depth), 0.0)
        ranks = [np.where(t.ranks == ABSENT, len(by_rank), t.ranks) for t in candidates]
        order = [candidates.systems.index(run) for run in evidence.systems]
        weight = np.concatenate([by_rank[r[order] - 1] for r in ranks], axis=1)
        table = dict(zip(evidence.scale.tolist(), measure.gain_table(evidence.scale), strict=True))
        known_grades = [grades.get(topic, {}).get(name) for topic, name in keys]
        gain = np.array(
            [0.0 if grade is None else table[grade] for grade in known_grades], np.float64
        )
        settled = [
            g is not None or _never(state, key) for g, key in zip(known_grades, keys, strict=True)
        ]
        since: dict[Key, int] = {}
        for entry in state.entries.values():
            since.setdefault((entry.topic, entry.document), entry.id)
        places = {key: at for at, key in enumerate(keys)}
        topics = max(len(evidence.topics), 1)
        sizes = np.append(rank_weights(state.settings), 0.0)
        size = np.concatenate([sizes[r[order] - 1] for r in ranks], axis=1)
        marks = np.array(settled, np.bool_)
        return cls(places, weight / topics, gain, marks, since, size, evidence.systems)

    def batches(self, batches: Sequence[Batch], numbers: set[int]) -> list[DrawnBatch]:
        """Return those of the batches with these numbers that are judged to their end."""
        listed: set[Key] = set()
        judged_batches = []
        for batch in batches:
            chosen = {key for i in batch.items if i.probability is None for key in i.keys}
            drawn = [item for item in batch.items if item.probability is not None]
            if batch.number in numbers:
                made = self._batch(listed | chosen, drawn, batch)
                judged_batches += [] if made is None else [made]
            listed |= {key for item in batch.items for key in item.keys}
        return judged_batches

    def _batch(self, certain: set[Key], drawn: Sequence[Item], batch: Batch) -> DrawnBatch | None:
        before = {key for key, number in self.since.items() if number <= batch.known}
        marks = np.zeros(len(self.keys), np.bool_)
        marks[[self.keys[key] for key in certain | before if key in self.keys]] = True
        rows = [
            (self.keys[key], unit, item.probability)
            for unit, item in enumerate(drawn)
            for key in item.keys
            if key in self.keys
        ]
        places = np.array([row[0] for row in rows], np.intp)
        if not self.settled[marks].all() or not self.settled[places].all():
            return None
        units = np.unique([row[1] for row in rows], return_inverse=True)[1].astype(np.intp)
        chance = self._chances(~marks, batch)
        chance[places] = [row[2] for row in rows]  # as they were, whatever the settings are now
        return DrawnBatch(marks, places, units, chance)

    def _chances(self, is_open: Booleans, batch: Batch) -> Floats:
        """Return the chance of each open document, as it was when the batch was drawn."""
        chances = np.ones(len(is_open))
        there = np.isin(self.systems, batch.runs)
        if is_open.any() and batch.expected:
            sizes = self.size[there][:, is_open].sum(axis=0)
            chances[is_open] = drawing_chances(sizes, batch.expected)
        return chances


def _never(state: RoomState, key: Key) -> bool:
    """Say whether all who had a document could not judge it."""
    current = state.current(key)
    return bool(current) and len(current) >= state.need(key)


@dataclass(frozen=True, eq=False)
class AdjustedRun:
    """A later run, adjusted by the topics that were recorded for it.

    ``open`` are its documents on these topics that are not judged yet; ``found`` is None until
    there are none. ``look`` counts how often topics were drawn for it, or added since: each time it
    is looked at anew.
    """

    run: str
    topics: tuple[str, ...]
    open: tuple[Key, ...]
    found: Adjustment | None
    look: int = 1

    @property
    def level(self) -> float:
        """The level at which this look keeps to 95% over all looks."""
        return 1 - looks_alpha(self.look)

    @property
    def half(self) -> float:
        """Half the width of the interval of the adjusted mean (W10 eq. 6.5); NaN without one."""
        if self.found is None or len(self.found.biases) < 2:
            return np.nan
        return t_quantile(len(self.found.biases) - 1, self.level) * self.found.standard_error


def adjusted_runs(
    state: RoomState, runs: Runs, evidence: Evidence, measure: Measure, grades: Grades
) -> list[AdjustedRun]:
    """Adjust later runs by what they lost on their common topics (W10 algorithm 6.2).

    The scores without the run's own documents are those by the judgments from before it came; on
    its common topics all of its first documents were judged for its sake.
    """
    now, made = measure.score(evidence), list[AdjustedRun]()
    # Runs that came together share what was known before.
    before = cache(lambda number: _before(state, runs, measure, number, evidence.topics))
    recorded = recorded_topics(state)
    for run in dict.fromkeys(recorded.runs):
        if run not in runs.systems:
            continue
        common = tuple(t for t in recorded.of_run(run) if t in evidence.topics)
        left = tuple(
            key
            for key in wanted_documents(recorded, runs, run, common)
            if key[1] not in grades.get(key[0], {}) and not _never(state, key)
        )
        adjustment = None
        if not left and common:
            at, marks = runs.systems.index(run), np.isin(evidence.topics, common)
            adjustment = adjust_from_topics(now[at], before(known_before(state, run))[at], marks)
        made.append(AdjustedRun(run, common, left, adjustment, looks_of(state, run)))
    return made


def _before(
    state: RoomState, runs: Runs, measure: Measure, number: int, topics: Sequence[str]
) -> Floats:
    """Return scores by the judgments up to a number."""
    earlier = RoomState.of(state.settings, (e for e in state.entries.values() if e.id <= number))
    judgments = judgments_of(state.settings, topics, grades_of(earlier.grades()))
    return measure.score(align(judgments, runs, topics=tuple(topics)))


def adjusted_means(runs: Sequence[str], adjusted: Sequence[AdjustedRun]) -> MeanEstimates:
    """Return the adjusted means with 95% by eq. 6.5; runs that were there from the start have none.

    Whether more topics are drawn for a run depends on what the first ones say, so that the limits
    are those of repeated looks.
    """
    value, half = np.full((2, len(runs)), np.nan)
    for adjusted_run in adjusted:
        if adjusted_run.found is not None:
            at = runs.index(adjusted_run.run)
            value[at], half[at] = adjusted_run.found.adjusted, adjusted_run.half
    return MeanEstimates(value, value - half, value + half)
