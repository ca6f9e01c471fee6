"""What a campaign hands out next: documents for its goal, and some drawn at random."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.judging._candidates import Candidates, TopicCandidates, candidates_of
from poolwise.judging._next import next_of_evidence
from poolwise.judging._sampling import RankWeights
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.store.campaigns._settings import CampaignSettings
from poolwise.workflows.campaigns._state import Item, Key

__all__ = ["Frame", "Plan", "Planner", "drawing_chances", "rank_weights"]


class Plan(NamedTuple):
    """What is to be judged next: the documents, from how many some were drawn, and why none."""

    items: tuple[Item, ...]
    open: int
    done: str = ""
    expected: float = 0.0

    def data(self, number: int, last_entry: int, runs: Sequence[str]) -> dict[str, Any]:
        """Return what the journal keeps of it."""
        items = [
            [item.keys[0][0], [key[1] for key in item.keys], item.chosen_by, item.probability]
            for item in self.items
        ]
        return {
            "number": number,
            "items": items,
            "open": self.open,
            "known": last_entry,
            "runs": list(runs),
            "expected": self.expected,
        }


@dataclass
class Frame:
    """The documents that can be judged: which have a text, and which have the same."""

    same: dict[Key, tuple[Key, ...]] = field(default_factory=dict)
    missing: set[Key] = field(default_factory=set)

    def add(self, topic: str, texts: Iterable[tuple[str, str | None]]) -> None:
        """Take the documents of a topic, each with its normalized text, or None without one."""
        groups: dict[str, list[Key]] = {}
        for document, text in texts:
            if text is None:
                self.missing.add((topic, document))
            else:
                groups.setdefault(text, []).append((topic, document))
        for keys in groups.values():
            self.same.update(dict.fromkeys(keys, tuple(keys)))

    def group(self, key: Key) -> tuple[Key, ...]:
        """Return the documents that have the same text, this one included."""
        return self.same.get(key, (key,))


class Planner:
    """Chooses batches for a campaign, from its runs and the grades so far.

    Nine documents of ten or so are those that the goal asks for. The others are drawn at random
    from all that are open, each by itself with a chance that is known, larger at high ranks; what
    is estimated rests on these.
    """

    def __init__(
        self,
        settings: CampaignSettings,
        runs: Runs,
        topics: Iterable[str],
        normalized: Callable[[str], str | None],
    ) -> None:
        self.settings, self.runs = settings, runs
        self.topics = tuple(topic for topic in runs.topics if topic in set(topics))
        self.frame = Frame()
        if self.topics:
            for topic in self._candidates(self._evidence({})):
                texts = ((name, normalized(name)) for name in topic.documents)
                self.frame.add(topic.topic, texts)

    def _evidence(self, grades: Mapping[str, Mapping[str, float]]) -> Evidence:
        judgments = Judgments.from_dict(grades).with_grades(self.settings.scale)
        return align(judgments.with_topics(self.topics), self.runs, topics=self.topics)

    def _candidates(self, evidence: Evidence) -> Candidates:
        return candidates_of(evidence, depth=self.settings.depth)

    def plan(
        self,
        grades: Mapping[str, Mapping[str, float]],
        closed: set[Key],
        first: Sequence[Item],
        number: int,
    ) -> Plan:
        """Choose a batch.

        Parameters
        ----------
        grades
            What is known by now.
        closed : set of Key
            What was handed out before, or cannot be judged.
        first : sequence of Item
            What comes before anything else.
        number : int
            The number of the batch, from 1.
        """
        if not self.topics:
            return Plan((), 0, "No run has results for a topic of the campaign.")
        evidence = self._evidence(grades)
        graded_keys = {(topic, name) for topic, graded in grades.items() for name in graded}
        closed = closed | graded_keys | self.frame.missing
        closed |= {key for item in first for key in item.keys}
        size = round(self.settings.batch * (1 - self.settings.random_share))
        chosen, done = self._ordered(evidence, closed, size, len(closed - graded_keys))
        if done and not first:
            return Plan((), 0, done)
        closed |= {key for item in chosen for key in item.keys}
        drawn, frame = self._drawn(evidence, closed, number)
        mixed = _mixed([*chosen], drawn, np.random.default_rng([self.settings.seed, number, 1]))
        expected = self.settings.batch * self.settings.random_share
        return Plan((*first, *mixed), frame, expected=expected)

    def _ordered(
        self, evidence: Evidence, closed: set[Key], size: int, pending: int
    ) -> tuple[list[Item], str]:
        """Return the documents that the goal asks for, or why it asks for none.

        The goal asks for those without a grade, also where they were handed out.
        """
        asked = next_of_evidence(
            evidence,
            self.settings.goal,
            measure=self.settings.measure,
            depth=self.settings.depth,
            budget=max(1, size) + pending,
            rng=self.settings.seed,
        )
        keys = zip(asked.topic, asked.document, strict=True)
        items = list(self._groups(keys, closed, "order", size))
        return items, "" if len(asked) else " ".join(asked.effects)

    def _groups(self, keys: Iterable[Key], closed: set[Key], why: str, most: int) -> Iterator[Item]:
        """Put documents of equal text together, none of them twice."""
        taken = set(closed)
        for key in keys:
            if most and key not in taken:
                group = tuple(member for member in self.frame.group(key) if member not in closed)
                ordered = (key, *(member for member in group if member != key))
                taken.update(ordered)
                most -= 1
                yield Item(ordered, why, None)

    def _drawn(self, evidence: Evidence, closed: set[Key], number: int) -> tuple[list[Item], int]:
        """Draw open documents at random; those of equal text are drawn together."""
        items, weights = [], []
        for topic in self._candidates(evidence):
            weight = dict(zip(topic.documents, self._weights(topic).tolist(), strict=True))
            keys = [(topic.topic, name) for name in topic.documents]
            for item in self._groups(keys, closed, "random", len(keys)):
                items.append(item)
                weights.append(sum(weight[name] for _, name in item.keys))
        expected = self.settings.batch * self.settings.random_share
        if not items or not expected:
            return [], len(items)
        chances = drawing_chances(np.array(weights), expected)
        drawn = np.random.default_rng([self.settings.seed, number]).random(len(items)) < chances
        drawn_items = [
            items[at]._replace(probability=float(chances[at])) for at in np.flatnonzero(drawn)
        ]
        return drawn_items, len(items)

    def _weights(self, topic: TopicCandidates) -> Floats:
        """Return what each document weighs over all runs, by its ranks."""
        by_rank = rank_weights(self.settings)
        ranks = np.where(topic.held, topic.ranks, 1)
        return np.asarray((by_rank[ranks - 1] * topic.held).sum(axis=0))


def rank_weights(settings: CampaignSettings) -> Floats:
    """Return what a rank weighs when documents are drawn."""
    measure, depth = settings.measure, settings.depth
    if isinstance(measure, StaticWeights):
        return np.asarray(measure.weights(depth), np.float64)
    return np.asarray(1 / np.log2(np.arange(2.0, depth + 2)))


def drawing_chances(weights: Floats, expected: float) -> Floats:
    """Return chances that sum to what is expected: half alike for all, half by weight."""
    even = np.full(len(weights), 1 / len(weights))
    total = weights.sum()
    shares = (even + weights / total) / 2 if total else even
    return RankWeights(expected).chances(shares) if expected < len(weights) else even * len(weights)


def _mixed(ordered: list[Item], drawn: list[Item], rng: np.random.Generator) -> list[Item]:
    """Put the drawn ones at random places, so that nobody can tell them; topic after topic."""
    size = len(ordered) + len(drawn)
    places = set(rng.choice(size, len(drawn), replace=False).tolist()) if size else set()
    drawn = [drawn[at] for at in rng.permutation(len(drawn)).tolist()]
    both = {True: iter(drawn), False: iter(ordered)}
    mixed = [next(both[at in places]) for at in range(size)]
    topics = {topic: at for at, topic in enumerate(dict.fromkeys(i.keys[0][0] for i in mixed))}
    return sorted(mixed, key=lambda item: topics[item.keys[0][0]])
