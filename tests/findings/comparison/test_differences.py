"""The range of a difference is what enumeration of every grading finds, or holds it."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import ttest_1samp
from tests.laws import heavy
from tests.whole_arrays import documents_of

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection._simulation import Simulated, simulate
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence, Pairs
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._differences import (
    difference_bounds,
    judgment_ranges,
    t_pvalue_range,
    t_range,
    verdicts_of,
)
from poolwise.measures._names import parse_measure

EXACT = (
    "P@3",
    "DCG@4",
    "DCG(dcg='exp-jk')",
    "SDCG@3",
    "RBP(p=0.7)@4",
    "RBP(p=0.7,gain='linear')@9",
    "tRBP(p=0.5)@3",
    "nDCG",
    "nDCG@3",
    "nDCG(dcg='exp-log2')@2",
    "enDCG@3",
    "nRBP(p=0.7)@4",
    "R",
    "R(rel=2)@3",
    "nP@3",
    "Rprec",
    "Rprec(mult=0.5)",
    "AP@3",
    "AP(rel=2)@4",
    "aAP@2",
    "RR",
    "RR(rel=2)@3",
    "Success@2",
    "SP@3",
    "ERR@3",
    "ERR(max_rel=4)@4",
)
ALL = Universe(depth="all")
VALID = ("AP", "AP(rel=2)", "aAP", "SP", "ERR", "Q", "Q@3", "INST(T=2)")


@dataclass(frozen=True)
class Case:
    """Two rankings of documents d0, d1, … and the grades of those that are judged."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    judged: dict[int, int]

    def evidence(self) -> Evidence:
        """Return the two runs under the judgments."""
        return self._align([self.judged])

    def graded(self) -> Evidence:
        """Return the two runs with one topic for each grading."""
        unknown = sorted({*self.a, *self.b} - set(self.judged))
        gradings = product((0, 1, 2), repeat=len(unknown))
        return self._align([self.judged | dict(zip(unknown, g, strict=True)) for g in gradings])

    def _align(self, gradings: list[dict[int, int]]) -> Evidence:
        runs = {
            name: {f"{t:04}": [f"d{d}" for d in ranking] for t in range(len(gradings))}
            for name, ranking in (("a", self.a), ("b", self.b))
        }
        judgments = {
            f"{t:04}": {f"d{d}": g for d, g in grades.items()} for t, grades in enumerate(gradings)
        }
        # One topic more keeps the scale of grades the same under every grading.
        judgments["none"] = {"x": 0, "y": 1, "z": 2}
        return align(Judgments.from_dict(judgments), Runs.from_rankings(runs))


def brute_force(name: str, graded: Evidence) -> tuple[float, float]:
    """Return the range of the difference over the topics, each of them one grading."""
    a, b = parse_measure(name).score(graded)[:, :-1]
    differences = (a - b)[~np.isnan(a - b)]
    return (differences.min(), differences.max()) if len(differences) else (np.nan, np.nan)


rankings = st.lists(st.integers(0, 6), unique=True, min_size=1, max_size=5).map(tuple)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    a, b = draw(rankings), draw(rankings)
    unknown = draw(st.lists(st.sampled_from(sorted({*a, *b})), unique=True, max_size=4))
    judged = sorted({*range(8)} - set(unknown))
    grades = draw(st.lists(st.integers(0, 2), min_size=len(judged), max_size=len(judged)))
    return Case(a, b, dict(zip(judged, grades, strict=True)))


@settings(max_examples=heavy(60), deadline=None)
@given(case=cases())
def test_exact(case: Case) -> None:
    """No grading leaves an exact range, and two gradings reach its ends."""
    evidence, graded = case.evidence(), case.graded()
    for name in EXACT:
        ranges = difference_bounds(evidence, name, "a", "b", universe=ALL)
        expected = brute_force(name, graded)
        ends = ranges.lower[0, 0], ranges.upper[0, 0]
        assert ends == pytest.approx(expected, abs=1e-12, nan_ok=True), name
        assert ranges.kind == "exact"


@settings(max_examples=heavy(60), deadline=None)
@given(case=cases())
def test_valid(case: Case) -> None:
    """No grading leaves a valid range."""
    evidence, graded = case.evidence(), case.graded()
    for name in VALID:
        ranges = difference_bounds(evidence, name, "a", "b", universe=ALL)
        low, high = brute_force(name, graded)
        assert np.isnan(low) == np.isnan(ranges.lower[0, 0]), name
        assert not ranges.lower[0, 0] > low + 1e-12, name
        assert not ranges.upper[0, 0] < high - 1e-12, name
        assert ranges.kind == "valid"


@settings(max_examples=20, deadline=None)
@given(ranking=rankings, grades=st.lists(st.integers(0, 2), max_size=3))
def test_a_run_differs_from_itself_by_nothing(ranking: tuple[int, ...], grades: list[int]) -> None:
    """Two runs with the same list have a range of 0, exactly, whatever is judged of it."""
    evidence = Case(ranking, ranking, dict(enumerate(grades)) | {9: 2}).evidence()
    for name in EXACT + VALID:
        ranges = difference_bounds(evidence, name, "a", "b", universe=ALL)
        assert (ranges.lower[0, 0], ranges.upper[0, 0]) == (0, 0), name


@pytest.fixture(scope="module")
def made() -> tuple[Evidence, Simulated]:
    """Return a collection aligned with the whole truth about it."""
    simulated = simulate(systems=6, topics=8, depth=60, rng=5)
    return align(simulated.truth, simulated.runs), simulated


def hide(truth: Evidence, judgments: Judgments, systems: list[int], rng: int) -> Evidence:
    """Hide half of the judgments of what these systems retrieved."""
    documents = documents_of(truth)[systems]
    rows = (truth.document_starts[:-1, None] + documents)[documents >= 0]
    rows = np.unique(truth.judgment_rows[rows])
    hidden = rows[(rows >= 0) & (np.random.default_rng(rng).random(len(rows)) < 0.5)]
    return truth.regrade(judgments.keep(~np.isin(np.arange(len(judgments.codes)), hidden)))


@pytest.mark.parametrize("name", EXACT + VALID)
def test_truth_is_inside(name: str, made: tuple[Evidence, Simulated]) -> None:
    """Whichever judgments of two runs are hidden, the true scores and difference are inside."""
    truth, simulated = made
    measure = parse_measure(name)
    for a, b in ((0, 1), (2, 5), (4, 3)):
        evidence = hide(truth, simulated.truth, [a, b], rng=a)
        pair = truth.systems[a], truth.systems[b]
        ranges = difference_bounds(evidence, name, *pair, universe=ALL)
        score = measure.score(truth)
        assert_inside(score[a] - score[b], ranges.lower[0], ranges.upper[0])
        single = hide(truth, simulated.truth, [a], rng=b)
        lower, upper = measure.bounds(single, universe=ALL)
        assert_inside(score[a], lower[a], upper[a])


def assert_inside(value: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    defined = ~np.isnan(value)
    assert defined.any()
    assert (lower[defined] <= value[defined] + 1e-12).all()
    assert (upper[defined] >= value[defined] - 1e-12).all()


def test_a_range_of_differences_says_its_own_kind() -> None:
    """Ranges of AP are exact for a run, and for a difference of two only valid: it says so."""
    made = simulate(systems=2, topics=2, depth=10, rng=1)
    evidence = align(made.judgments, made.runs)
    ranges = judgment_ranges(evidence, "AP", Pairs.of_all(evidence.systems))
    assert ranges.scope.kind == ranges.kind == "valid"
    assert "(valid)" in ranges.scope.sentences()[0]


def test_a_verdict_follows_from_the_range() -> None:
    """Certain off 0 by more than rounding, never behind with an end at 0, else equal or open."""
    ends = np.array([(0.1, 0.2), (-0.2, -0.1), (0.0, 0.2), (-0.1, 0.0), (0, 0), (-0.1, 0.2)])
    words = ["a certain", "b certain", "a never behind", "b never behind", "equal", "open"]
    assert verdicts_of(*ends.T, within=1e-12).tolist() == words
    assert verdicts_of(*(ends.T + 1e-13), within=1e-12).tolist() == words


Box = tuple[np.ndarray, np.ndarray]


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """Return lower and upper bounds of a few differences, some of them known."""
    cell = st.integers(-20, 20).map(lambda i: i / 20)
    ends = draw(st.lists(st.tuples(cell, cell), min_size=2, max_size=6))
    array = np.sort(np.array(ends), axis=1)
    return array[None, :, 0], array[None, :, 1]


def corners(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return every choice of a bound per topic."""
    chosen = np.indices((2,) * lower.shape[1]).reshape(lower.shape[1], -1).T
    return np.where(chosen, upper[0], lower[0])


@given(boxes(), st.sampled_from(["two-sided", "greater", "less"]), st.integers(0, 99))
def test_nothing_inside_the_bounds_leaves_the_range(box: Box, sided: str, seed: int) -> None:
    """Corners and random points inside the bounds have p values inside the range."""
    lower, upper = box
    low, high = t_pvalue_range(lower, upper, alternative=sided)
    inside = np.random.default_rng(seed).uniform(lower, upper, (50, lower.shape[1]))
    points = np.concatenate([corners(lower, upper), inside])
    points = points[np.ptp(points, axis=1) > 1e-9]
    if len(points):
        pvalues = ttest_1samp(points, 0, axis=1, alternative=sided).pvalue
        assert low.item() <= pvalues.min() + 1e-9
        assert pvalues.max() <= high.item() + 1e-9


def test_the_largest_t_is_what_an_optimizer_finds() -> None:
    """The smallest p value is reached: a search inside the bounds gets there, and no further."""
    rng = np.random.default_rng(3)
    lower = rng.normal(0.1, 0.2, (5, 8))
    upper = lower + rng.random((5, 8)) * (rng.random((5, 8)) < 0.6) * 0.2
    for low, high, best in zip(lower, upper, t_range(lower, upper)[1], strict=True):

        def downhill(x: np.ndarray) -> float:
            return -float(ttest_1samp(x, 0).statistic)

        optimum = minimize(downhill, (low + high) / 2, bounds=np.stack([low, high], axis=1))
        assert -optimum.fun == pytest.approx(best, rel=1e-4)


def test_the_smallest_t_is_close_to_a_corner() -> None:
    """Over 50 topics some choice of bounds comes within a hundredth of the largest p value."""
    rng = np.random.default_rng(4)
    lower = rng.normal(0.2, 0.2, (20, 50))
    upper = lower + rng.random((20, 50)) * (rng.random((20, 50)) < 0.6) * 0.1
    high = t_pvalue_range(lower, upper).high
    for low, up, most in zip(lower, upper, high, strict=True):
        order = np.argsort(-(low + up))
        raised = np.tri(51, 50, -1, dtype=bool)[:, np.argsort(order)]
        largest = ttest_1samp(np.where(raised, up, low), 0, axis=1).pvalue.max()
        assert largest * (1 - 1e-9) <= most <= largest * 1.01


def test_known_differences_leave_one_p_value() -> None:
    """Where nothing is open, both ends are the p value of the t test."""
    deltas = np.random.default_rng(1).normal(0.1, 0.3, (40, 50))
    expected = ttest_1samp(deltas, 0, axis=1).pvalue
    for end in t_pvalue_range(deltas, deltas):
        np.testing.assert_allclose(end, expected, rtol=1e-9)


def test_a_possible_reversal_leaves_p_1() -> None:
    """Bounds on both sides of 0 let the test say nothing; equal differences let it be sure."""
    low, high = t_pvalue_range(np.array([[-0.1, -0.1]]), np.array([[0.2, 0.3]]))
    assert (low.item(), high.item()) == (0.0, 1.0)


def test_rounding_errors_do_no_harm() -> None:
    """Ends that rounding put the wrong way round, or next to 0, give p = 1 and no warning."""
    lower = np.array([[0.3, -0.1, -0.2], [0.3, -0.1, -0.2], [0.0, 0.0, 0.0]])
    upper = lower - np.array([[1e-17, 0, 1e-17], [0, 0, 5e-17], [0, 0, 0]])
    low, high = t_pvalue_range(lower, upper)
    np.testing.assert_allclose(high, [1, 1, np.nan])
    np.testing.assert_allclose(low, [1, 1, np.nan])


def test_one_topic_has_no_range() -> None:
    """One topic has no t, so no p value either."""
    assert np.isnan(t_pvalue_range(np.array([[0.1]]), np.array([[0.2]]))).all()


def test_a_wrong_side_is_refused() -> None:
    """The alternative is one of three."""
    with pytest.raises(OptionError, match="alternative: 'up' is not known"):
        t_pvalue_range(np.zeros((1, 2)), np.zeros((1, 2)), alternative="up")
