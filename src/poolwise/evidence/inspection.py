"""The counting behind an audit: coverage, gaps, ties, twins."""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._judgments import Judgments
from poolwise.collection._matching import match_documents
from poolwise.collection._runs import Runs
from poolwise.evidence.grades import Grades, join_topics

__all__ = [
    "Walk",
    "count_by_grade",
    "count_by_topic",
    "coverage",
    "extra_topics",
    "identical_runs",
    "missing_topics",
    "walk",
]


class Walk(NamedTuple):
    """What is met when all lists are walked down.

    ``retrieved`` says for each judgment row whether any run has the document; ``tied`` and
    ``decisive`` count, per system, documents in ties and ties between different grades.
    """

    retrieved: Booleans
    tied: Integers
    decisive: Integers


def coverage(grades: Grades) -> Floats:
    """Return the share of judged documents per system, averaged over the topics it answers."""
    retrieved = grades.lengths
    judged = join_topics((block.codes >= 0).sum(axis=2) for block in grades.blocks)
    shares = (judged / np.maximum(retrieved, 1)).sum(axis=1)
    answered = (retrieved > 0).sum(axis=1)
    return np.divide(shares, answered, out=np.full(len(shares), np.nan), where=answered > 0)


def missing_topics(grades: Grades) -> dict[str, tuple[str, ...]]:
    """Return the judged topics that each system lacks, for those that lack some."""
    lacking = {
        system: tuple(grades.topics[t] for t in np.flatnonzero(lengths == 0).tolist())
        for system, lengths in zip(grades.systems, grades.lengths, strict=True)
    }
    return {system: topics for system, topics in lacking.items() if topics}


def extra_topics(judgments: Judgments, runs: Runs) -> tuple[str, ...]:
    """Return the topics that are retrieved and not judged."""
    judged = set(judgments.topics)
    return tuple(topic for topic in runs.topics if topic not in judged)


def count_by_topic(judgments: Judgments, rows: Booleans) -> Integers:
    """Count the marked judgment rows of each topic."""
    return np.bincount(judgments.topic_of_row[rows], minlength=len(judgments.topics))


def count_by_grade(judgments: Judgments) -> dict[float, int]:
    """Count the judgments of each grade."""
    counts = np.bincount(judgments.codes[judgments.judged], minlength=len(judgments.scale))
    return dict(zip(judgments.scale.tolist(), counts.tolist(), strict=True))


def identical_runs(runs: Runs) -> tuple[tuple[str, ...], ...]:
    """Return the sets of systems with the same lists."""
    alike: dict[bytes, list[str]] = {}
    bounds = runs.list_starts[:: len(runs.topics)]
    for s, system in enumerate(runs.systems):
        lists = blake2b(runs.lengths[s].tobytes())
        lists.update(runs.rankings[bounds[s] : bounds[s + 1]].tobytes())
        alike.setdefault(lists.digest(), []).append(system)
    return tuple(tuple(names) for names in alike.values() if len(names) > 1)


def walk(judgments: Judgments, runs: Runs) -> Walk:
    """Walk down all lists, system by system."""
    row_of = match_documents(judgments, runs)
    gain = np.append(np.where(judgments.judged, judgments.scale[judgments.codes], 0).clip(0), 0)
    retrieved = np.zeros(len(gain), np.bool_)
    tied, decisive = np.zeros((2, len(runs.systems)), np.int64)
    bounds = runs.list_starts[:: len(runs.topics)]
    for s in range(len(runs.systems)):
        lists = slice(bounds[s], bounds[s + 1])
        first = np.repeat(runs.topic_starts[:-1], runs.lengths[s])
        rows = row_of[first + runs.rankings[lists]]
        retrieved[rows] = True
        tied[s], decisive[s] = _ties(runs.tied[lists], gain[rows])
    return Walk(retrieved[:-1], tied, decisive)


def _ties(tied: Booleans, gains: Floats) -> tuple[int, int]:
    """Count the documents in ties, and the ties that hold documents of different gain."""
    involved = tied.copy()
    involved[:-1] |= tied[1:]
    differs = tied[1:] & (gains[1:] != gains[:-1])
    return int(involved.sum()), len(np.unique(np.cumsum(~tied)[1:][differs]))
