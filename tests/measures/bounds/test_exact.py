"""Exact bounds are what enumeration of every grading finds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy
from tests.whole_arrays import only_block

from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import POOLED, UNJUDGED, Block, Grades
from poolwise.measures._names import parse_measure
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds._exact import (
    NormalizedForm,
    average_precision_bounds,
    normalized_bounds,
    r_precision_bounds,
)
from poolwise.measures.bounds._q import q_bounds
from poolwise.scores._scoring import score

SCALE = (0.0, 1.0, 2.0, 4.0)
Scorer = Callable[[Sequence[float], Sequence[float]], float]


def block_of(rankings: Sequence[Sequence[float | None]], **pool: Sequence[float]) -> Block:
    return only_block(Grades.from_grades(rankings, **pool))


@dataclass(frozen=True)
class Case:
    """One ranking, grades or None, and the grades of judged documents that it did not retrieve."""

    ranking: tuple[float | None, ...]
    missed: tuple[float, ...]
    unlisted: int = 0

    def cut(self, cutoff: int | None) -> tuple[Block, float]:
        """Return the list down to a cut-off, and how many unjudged documents are outside it."""
        below = self.ranking[cutoff:].count(None) if cutoff else 0
        return self.block.truncate(cutoff or len(self.ranking)), below + self.unlisted

    @property
    def block(self) -> Block:
        """The case as a block of one list."""
        judged = [g for g in self.ranking if g is not None] + list(self.missed)
        block = block_of([self.ranking], judged=judged or [0.0], scale=SCALE)
        return block if judged else replace(block, pool=block.pool * 0)

    def gradings(self) -> list[tuple[list[float], list[float]]]:
        """Return the ranking and all grades of the topic, for each grading."""
        unknown = [i for i, g in enumerate(self.ranking) if g is None]
        gradings = []
        for grades in product(SCALE, repeat=len(unknown) + self.unlisted):
            filled = [0.0 if g is None else g for g in self.ranking]
            for i, grade in zip(unknown, grades, strict=False):
                filled[i] = grade
            gradings.append((filled, filled + list(self.missed) + list(grades[len(unknown) :])))
        return gradings


grade = st.sampled_from(SCALE)
cases = st.builds(
    Case,
    ranking=st.lists(st.none() | grade, min_size=1, max_size=7)
    .filter(lambda r: r.count(None) <= 4)
    .map(tuple),
    missed=st.lists(grade, max_size=3).map(tuple),
    unlisted=st.integers(0, 1),
)
cutoffs = st.none() | st.integers(1, 5)


def brute_force(case: Case, score: Scorer) -> tuple[float, float]:
    scores = [score(ranking, pool) for ranking, pool in case.gradings()]
    defined = [s for s in scores if not np.isnan(s)]
    return (min(defined), max(defined)) if defined else (np.nan, np.nan)


def assert_equal(bounds: Bounds, case: Case, score: Scorer) -> None:
    expected = brute_force(case, score)
    assert [b.item() for b in bounds] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def ap(cutoff: int | None, *, abbreviated: bool = False, level: float = 1.0) -> Scorer:
    def score(ranking: Sequence[float], pool: Sequence[float]) -> float:
        relevant = sum(g >= level for g in pool)
        total, hits = 0.0, 0
        for i, g in enumerate(ranking[:cutoff], start=1):
            hits += g >= level
            total += hits / i if g >= level else 0.0
        divisor = min(relevant, cutoff) if abbreviated and cutoff else relevant
        return total / divisor if divisor else np.nan

    return score


def r_precision(multiple: float) -> Scorer:
    def score(ranking: Sequence[float], pool: Sequence[float]) -> float:
        depth = int(sum(g >= 1 for g in pool) * multiple + 0.9)
        return sum(g >= 1 for g in ranking[:depth]) / depth if depth else np.nan

    return score


def recall(cutoff: int | None, level: float) -> Scorer:
    def score(ranking: Sequence[float], pool: Sequence[float]) -> float:
        relevant = sum(g >= level for g in pool)
        return sum(g >= level for g in ranking[:cutoff]) / relevant if relevant else np.nan

    return score


def recall_form(level: float, cutoff: int | None) -> NormalizedForm:
    gains = (np.array(SCALE) >= level).astype(float)
    return NormalizedForm(gains, 1.0, cut(np.ones, cutoff), np.ones)


def log2(depth: int) -> np.ndarray:
    return 1 / np.log2(np.arange(depth) + 2)


def jk(depth: int) -> np.ndarray:
    return np.log(3) / np.log(np.maximum(np.arange(depth) + 1, 3))


def persistence(depth: int) -> np.ndarray:
    return 0.2 * 0.8 ** np.arange(depth)


def cut(weights: Callable[[int], np.ndarray], cutoff: int | None) -> Callable[[int], np.ndarray]:
    return lambda depth: np.where(np.arange(depth) < (cutoff or depth), weights(depth), 0.0)


def normalized(
    weights: Callable[[int], np.ndarray],
    ideal_weights: Callable[[int], np.ndarray],
    gain: Callable[[np.ndarray], np.ndarray],
) -> Scorer:
    def score(ranking: Sequence[float], pool: Sequence[float]) -> float:
        best = gain(np.sort(np.array(pool))[::-1]) @ ideal_weights(len(pool))
        return gain(np.array(ranking)) @ weights(len(ranking)) / best if best else np.nan

    return score


@settings(deadline=None)
@given(
    case=cases, cutoff=cutoffs, abbreviated=st.booleans(), level=st.sampled_from([1.0, 2.0, 4.0])
)
def test_average_precision(
    *, case: Case, cutoff: int | None, abbreviated: bool, level: float
) -> None:
    """No grading leaves the bounds of AP and aAP, and two gradings reach them."""
    block, unlisted = case.cut(cutoff)
    cap = cutoff if abbreviated and cutoff else np.inf
    bounds = average_precision_bounds(block, level=level, cap=cap, unlisted=unlisted)
    assert_equal(bounds, case, ap(cutoff, abbreviated=abbreviated, level=level))


@settings(deadline=None)
@given(cases, st.sampled_from([1.0, 0.4, 2.0, 4.0]))
def test_r_precision(case: Case, multiple: float) -> None:
    """No grading leaves the bounds of precision at a multiple of R, and two gradings reach them."""
    bounds = r_precision_bounds(case.block, level=1, multiple=multiple, unlisted=case.unlisted)
    assert_equal(bounds, case, r_precision(multiple))


@settings(deadline=None)
@given(cases, cutoffs, st.sampled_from([1.0, 4.0]))
def test_recall(case: Case, cutoff: int | None, level: float) -> None:
    """No grading leaves the bounds of recall, and two gradings reach them."""
    block, unlisted = case.cut(cutoff)
    bounds = normalized_bounds(block, recall_form(level, cutoff), unlisted=unlisted)
    assert_equal(bounds, case, recall(cutoff, level))


@settings(max_examples=heavy(300), deadline=None)
@given(
    case=cases,
    cutoff=cutoffs,
    weights=st.sampled_from([log2, jk, persistence]),
    gain=st.sampled_from([np.positive, lambda g: np.exp2(g) - 1, np.sqrt]),
    expanded=st.booleans(),
)
def test_normalized_gain(
    *,
    case: Case,
    cutoff: int | None,
    weights: Callable[[int], np.ndarray],
    gain: Callable[[np.ndarray], np.ndarray],
    expanded: bool,
) -> None:
    """No grading leaves the bounds of nDCG in any of its forms, and two gradings reach them."""
    run, ideal = cut(weights, cutoff), weights if expanded else cut(weights, cutoff)
    gains = gain(np.array(SCALE))
    form = NormalizedForm(gains, gains[-1], run, ideal)
    block, unlisted = case.cut(cutoff)
    bounds = normalized_bounds(block, form, unlisted=unlisted)
    assert_equal(bounds, case, normalized(run, ideal, gain))


def q_measure(cutoff: int | None, beta: float, gain: Callable[[float], float]) -> Scorer:
    def score(ranking: Sequence[float], pool: Sequence[float]) -> float:
        ideal = np.sort([gain(g) for g in pool] + [0.0] * len(ranking))[::-1].cumsum()
        relevant = sum(gain(g) > 0 for g in pool)
        total, hits, gained = 0.0, 0, 0.0
        for i, g in enumerate(ranking[:cutoff], start=1):
            hits, gained = hits + (gain(g) > 0), gained + gain(g)
            if gain(g) > 0:
                total += (hits + beta * gained) / (i + beta * ideal[i - 1])
        divisor = min(relevant, cutoff or relevant)
        return total / divisor if divisor else np.nan

    return score


@settings(deadline=None)
@given(cases, cutoffs, st.sampled_from([0.0, 1.0, 10.0]))
def test_binary_q_measure(case: Case, cutoff: int | None, beta: float) -> None:
    """No grading leaves the bounds of Q with binary gains, and two gradings reach them."""
    block, unlisted = case.cut(cutoff)
    gains = np.array([0.0, 0.0, 1.0, 1.0])
    bounds = q_bounds(block, gains=gains, beta=beta, cutoff=cutoff, unlisted=unlisted)
    assert_equal(bounds, case, q_measure(cutoff, beta, lambda g: float(g >= 2)))


@settings(deadline=None)
@given(cases, cutoffs, st.sampled_from([1.0, 10.0]))
def test_graded_q_measure(case: Case, cutoff: int | None, beta: float) -> None:
    """No grading leaves the bounds of Q with graded gains."""
    block, unlisted = case.cut(cutoff)
    low, high = q_bounds(block, gains=np.array(SCALE), beta=beta, cutoff=cutoff, unlisted=unlisted)
    least, most = brute_force(case, q_measure(cutoff, beta, float))
    assert np.isnan(least) == np.isnan(low.item())
    assert not low.item() > least + 1e-12
    assert not high.item() < most - 1e-12


def test_q_measure_search_misses_nothing() -> None:
    """On long lists the search by halves finds what a scan over every number finds."""
    rng = np.random.default_rng(7)
    rankings = [[None if g > 1 else float(g) for g in rng.integers(0, 6, 80)] for _ in range(20)]
    block = block_of(rankings, judged=[1.0] * 25, scale=[1.0])
    low, high = q_bounds(block, gains=np.array([0.0, 1.0]), beta=1.0)
    score = q_measure(None, 1.0, float)
    for s, ranking in enumerate(rankings):
        unknown = [i for i, g in enumerate(ranking) if g is None]
        chosen = [unknown[:n] for n in range(len(unknown) + 1)]
        chosen += [unknown[n:] for n in range(len(unknown) + 1)]
        scores = [
            score(
                [float(i in picked) if g is None else g for i, g in enumerate(ranking)],
                [1.0] * (25 + len(picked)),
            )
            for picked in map(set, chosen)
        ]
        assert (low[s, 0], high[s, 0]) == pytest.approx((min(scores), max(scores)), abs=1e-12)


def test_intermediate_grade_is_best() -> None:
    """The upper bound of nDCG may need a grade between none and the highest."""
    case = Case(ranking=(None, 4.0, 0.0, None, None, 1.0), missed=(1.0, 1.0))
    low, high = normalized_bounds(case.block, NormalizedForm(np.array(SCALE), 4.0, log2, log2))
    scorer = normalized(log2, log2, np.positive)
    assert (low.item(), high.item()) == pytest.approx(brute_force(case, scorer), abs=1e-12)
    extremes = [
        scorer(ranking, pool)
        for ranking, pool in case.gradings()
        if {ranking[0], ranking[3], ranking[4]} <= {0.0, 4.0}
    ]
    assert high.item() > max(extremes) + 1e-3


@pytest.mark.parametrize(
    ("ranking", "truth", "actual", "naive"),
    [([1.0, None], 2.0, 0.80, (1.00, 1.00)), ([None, 1.0], 2.0, 1.00, (0.63, 0.63))],
)
def test_exact_bounds_hold_where_naive_ones_fail(
    ranking: list[float | None], truth: float, actual: float, naive: tuple[float, float]
) -> None:
    """B23 table 1: the true nDCG@2 lies outside the naive bounds, and inside the exact ones."""
    measure = parse_measure("nDCG(dcg='exp-log2')@2")
    evidence = Evidence.from_grades([ranking], judged=[1.0], scale=[0.0, 1.0, 2.0, 3.0])
    graded = [truth if g is None else g for g in ranking]
    score = measure.score(Evidence.from_grades([graded], scale=[3.0])).item()
    assert score == pytest.approx(actual, abs=0.005)
    assert [b.item() for b in measure.naive_bounds(evidence)] == pytest.approx(naive, abs=0.005)
    low, high = (b.item() for b in measure.bounds(evidence))
    assert low <= score <= high
    assert not naive[0] - 0.005 <= score <= naive[1] + 0.005


def test_pooled_documents_are_unjudged() -> None:
    """A document that was pooled and not judged has as wide a range as an unjudged one."""
    block = Case(ranking=(1.0, None, 0.0, None), missed=(1.0,)).block
    pooled = replace(block, codes=np.where(block.codes == UNJUDGED, POOLED, block.codes))
    for bounds in (average_precision_bounds, r_precision_bounds):
        assert bounds(block, level=1) == bounds(pooled, level=1)


def test_nothing_relevant_at_all() -> None:
    """With nothing unjudged and nothing relevant there is no score, and there are no bounds."""
    block = Case(ranking=(0.0, 0.0), missed=()).block
    for bounds in (average_precision_bounds, r_precision_bounds):
        assert np.isnan(bounds(block, level=1)).all()


def test_empty_list() -> None:
    """A run that retrieved nothing scores 0 whatever the grades."""
    block = block_of([[1.0, 0.0], []], judged=[1.0, 0.0])
    for bounds in (average_precision_bounds, r_precision_bounds):
        low, high = bounds(block, level=1)
        assert (low[1, 0], high[1, 0]) == (0, 0)


def test_many_systems_at_once() -> None:
    """Bounds of many runs at once are those of each run alone."""
    rng = np.random.default_rng(1)
    rankings = [
        [None if g == 3 else float(g) for g in rng.integers(0, 4, size=n)]
        for n in rng.integers(1, 30, size=20)
    ]
    judged = [0.0] + [1.0] * 30 + [2.0] * 30  # more than any ranking can hold
    together = block_of(rankings, judged=judged, scale=[2.0])
    form = NormalizedForm(np.array([0.0, 1.0, 2.0]), 2.0, cut(log2, 10), cut(log2, 10))
    low, high = normalized_bounds(together, form)
    for s, ranking in enumerate(rankings):
        alone = block_of([ranking], judged=judged, scale=[2.0])
        bounds = normalized_bounds(alone, form)
        assert (low[s, 0], high[s, 0]) == pytest.approx([b.item() for b in bounds], abs=1e-14)


def test_r_precision_past_the_end_of_a_list_counts_all_of_its_documents() -> None:
    """At four times R, ten relevant documents of ten make R 11: ten of the first 44 ranks."""
    (block,) = Grades.from_grades([[None] * 10], judged=[1]).blocks
    bounds = r_precision_bounds(block, level=1, multiple=4.0, unlisted=np.array([[30.0]]))
    assert bounds.upper.item() == pytest.approx(10 / 44)


@pytest.mark.parametrize(
    "name", ["AP", "AP@2", "nDCG", "nDCG@2", "R@2", "Rprec", "Q", "nRBP(p=0.8)"]
)
def test_a_relevant_document_of_any_ranking_counts(name: str) -> None:
    """No ranking holds more relevant documents than there are, so that no score exceeds 1."""
    grades = Grades.from_grades([[0, None], [1, None], [1, 2]])
    assert grades.relevant(1).tolist() == [2]
    table = score(grades, name)
    assert (table.value <= 1).all()
    assert (table.upper <= 1 + 1e-12).all()
