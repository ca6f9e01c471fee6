"""The grading at an end of a range is one of all gradings, and none goes further."""

from itertools import product

import numpy as np
import pytest
from tests.laws import heavy
from tests.properties.gradings import TopicGradings

from poolwise import Evidence, Judgments, Measure, Runs, align, parse_measure
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.measures import CATALOGUE
from poolwise.measures.bounds._extremes import Extreme, extreme_gradings

RANGED = [
    measure
    for entry in CATALOGUE
    for measure in map(parse_measure, entry.examples)
    if measure.range_kind != "none"
]
DOCUMENTS = [f"d{i}" for i in range(9)]
MOST = 600
"""Gradings of a topic that are tried."""


def small_collection(rng: np.random.Generator) -> Evidence:
    """Return three runs whose topics have few unjudged documents, and perhaps no relevant one."""
    scale = ((0, 1), (0, 1, 2))[rng.integers(2)]
    topics = [str(t) for t in range(3)]
    unknown = {t: rng.permutation(DOCUMENTS)[: 9 // len(scale) + 1] for t in topics}
    qrels = {
        t: {d: float(rng.choice(scale)) if t != "2" else 0.0 for d in DOCUMENTS}
        | dict.fromkeys(unknown[t], -1.0)
        for t in topics
    }
    kept = {t: {d: g for d, g in grades.items() if g >= 0} for t, grades in qrels.items()}
    runs = {
        name: {t: rng.permutation(DOCUMENTS)[: rng.integers(1, 8)].tolist() for t in topics}
        for name in "abc"
    }
    return align(Judgments.from_dict(kept).with_grades(scale), Runs.from_rankings(runs))


def scores_of(topic: TopicGradings, measure: Measure, grading: Extreme) -> np.ndarray:
    """Return the scores of all systems by one grading; documents outside it are not relevant."""
    start = topic.evidence.document_starts[topic.topic]
    codes = np.zeros((1, len(topic.free)), np.int64)
    place = {document: i for i, document in enumerate(topic.free.tolist())}
    for row, code in zip(grading.rows.tolist(), grading.codes.tolist(), strict=True):
        codes[0, place[row - start]] = code
    return topic.scores(measure, codes, np.zeros((1, len(topic.evidence.scale)), np.int64))[:, 0]


def extremes(values: np.ndarray) -> tuple[float, float]:
    """Return the smallest and the largest of the defined values."""
    defined = values[~np.isnan(values)]
    return (defined.min(), defined.max()) if len(defined) else (np.nan, np.nan)


@pytest.mark.parametrize("measure", RANGED, ids=str)
def test_gradings_reach_what_no_grading_passes(measure: Measure) -> None:
    """Of a score and of a difference whose range is exact, at both ends, by trying all gradings."""
    rng = np.random.default_rng(7)
    for _ in range(heavy(3)):
        evidence = small_collection(rng)
        universe = Universe(depth=(None, "all")[rng.integers(2)])
        pair = Pairs(np.array([0]), np.array([1]))
        kinds = (
            measure.kind_of_range(evidence.scale),
            measure.difference_bounds(evidence, pair, universe=universe).kind,
        )
        for systems, kind in zip((np.array([2]), np.array([0, 1])), kinds, strict=True):
            _check(evidence, measure, universe, systems, exact=kind == "exact")


def _check(
    evidence: Evidence, measure: Measure, universe: Universe, systems: np.ndarray, *, exact: bool
) -> None:
    every = np.ones(len(evidence.topics), np.bool_)
    ends = [
        list(
            extreme_gradings(evidence, measure, systems, high=high, topics=every, universe=universe)
        )
        for high in (False, True)
    ]
    for t in range(len(evidence.topics)):
        topic = TopicGradings(evidence, t, universe, measure.depth)
        levels = len(evidence.scale)
        if levels ** len(topic.free) > MOST:
            continue
        codes = np.array([*product(range(levels), repeat=len(topic.free))]).reshape(
            levels ** len(topic.free), len(topic.free)
        )
        others = np.zeros((len(codes), levels), np.int64)
        low, high = extremes(_value(topic.scores(measure, codes, others), systems))
        scores = [_value(scores_of(topic, measure, end[t])[:, None], systems)[0] for end in ends]
        if exact:
            assert scores == pytest.approx([low, high], rel=1e-12, abs=1e-12, nan_ok=True)
        elif not np.isnan(low):
            assert low - 1e-12 <= scores[0] <= high + 1e-12


def _value(scores: np.ndarray, systems: np.ndarray) -> np.ndarray:
    """Return the score of one system, or the difference of two, by grading."""
    return scores[systems[0]] if len(systems) == 1 else scores[systems[0]] - scores[systems[1]]


def test_topics_that_are_not_wanted_get_the_lowest_grade() -> None:
    """A topic that stays out of a mean has no relevant document."""
    evidence = small_collection(np.random.default_rng(1))
    wanted = np.array([True, False, False])
    gradings = extreme_gradings(
        evidence,
        parse_measure("P@3"),
        np.array([0]),
        high=True,
        topics=wanted,
        universe=Universe(),
    )
    assert [bool(grading.codes.any()) for grading in gradings][1:] == [False, False]
