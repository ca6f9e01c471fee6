"""Small random collections, of which every grading can be looked at."""

import numpy as np
from tests.oracles.plain_scorer import MEASURES, Collection

import poolwise as pw
from poolwise.measures._names import parse_measure

__all__ = ["aligned", "as_judgments", "as_runs", "measure_of", "random_collection"]

DOCUMENTS = list("stuvwxyz")
SCALES = ((0.0, 1.0), (0.0, 1.0, 2.0))
MOST_OPEN = 6


def random_collection(rng: np.random.Generator, *, topics: int = 3) -> Collection:
    """Draw uneven lists with shared documents, missing topics, scales with unseen grades.

    Topics may have no relevant document, and lists may be the same.
    """
    names = [str(t) for t in range(1, rng.integers(1, topics + 1) + 1)]
    qrels: dict[str, dict[str, float]] = {
        t: {d: float(rng.random() < 0.4) for d in DOCUMENTS if rng.random() < 0.6} or {"s": 0.0}
        for t in names
    }
    runs = {
        run: {
            t: rng.permutation(DOCUMENTS)[: rng.integers(1, 5)].tolist()
            for t in names
            if rng.random() < 0.93
        }
        for run in "abc"[: rng.integers(2, 4)]
    }
    if rng.random() < 0.2:
        runs["b"] = dict(runs["a"])
    # A run has at least one list, or it would be none.
    for lists in runs.values():
        if not lists:
            lists[names[0]] = ["s"]
    collection = Collection(runs, qrels, SCALES[rng.integers(len(SCALES))])
    most = MOST_OPEN if len(collection.grades) == 2 else MOST_OPEN - 2
    for topic, document in collection.unjudged(None)[most:]:
        qrels[topic][document] = 0.0
    return collection


def measure_of(rng: np.random.Generator) -> str:
    """Draw a measure."""
    return str(rng.choice(sorted(MEASURES)))


def as_judgments(collection: Collection) -> pw.Judgments:
    """Return the judgments, with the scale declared."""
    return pw.Judgments.from_dict(collection.qrels).with_grades(collection.grades)


def as_runs(collection: Collection) -> pw.Runs:
    """Return the runs."""
    return pw.Runs.from_rankings(collection.runs)


def aligned(collection: Collection) -> pw.Evidence:
    """Return both, met with each other."""
    return pw.align(as_judgments(collection), as_runs(collection))


def reach(measure: str) -> int | None:
    """Return down to which rank documents are unknown."""
    return parse_measure(measure).depth
