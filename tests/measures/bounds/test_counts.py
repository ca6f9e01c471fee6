"""Ranges of differences of set measures and counts are what enumeration of every grading finds."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy
from tests.oracles.graded_pairs import SCALE, Case, cases

from poolwise import (
    Evidence,
    Judgments,
    Measure,
    NumNonrelRet,
    NumRel,
    NumRet,
    Runs,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Utility,
    align,
    compare,
)
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._differences import judgment_ranges, t_pvalue_range

PAIR = Pairs(np.array([0]), np.array([1]))
Counted = Callable[[int, int, int], float]
"""A score, from the numbers of relevant retrieved, retrieved, and relevant documents."""


def set_f(beta: float) -> Counted:
    """Return F of precision and recall, by van Rijsbergen's formula."""

    def score(hits: int, retrieved: int, R: int) -> float:
        if not R or not hits:
            return 0.0 if R else np.nan
        p, r = hits / retrieved, hits / R
        return (1 + beta**2) * p * r / (beta**2 * p + r)

    return score


MEASURES: dict[Measure, Counted] = {
    SetP: lambda hits, retrieved, _: hits / max(retrieved, 1),
    SetR: lambda hits, _, R: hits / R if R else np.nan,
    SetF: set_f(1),
    SetF(beta=3): set_f(3),
    SetAP: lambda hits, retrieved, R: hits**2 / (max(retrieved, 1) * R) if R else np.nan,
    SetRelP: lambda hits, retrieved, R: hits / min(max(retrieved, 1), R) if R else np.nan,
    Utility: lambda hits, retrieved, _: hits - (retrieved - hits),
    Utility(gain=1, cost=2, missed=-3): lambda hits, retrieved, R: (
        hits + 2 * (retrieved - hits) - 3 * (R - hits)
    ),
    NumRet(rel=1): lambda hits, *_: hits,
    NumRel: lambda _found, _retrieved, R: R,
    NumNonrelRet: lambda hits, retrieved, _: retrieved - hits,
}


def enumerated(case: Case, score: Counted, level: int) -> tuple[float, float]:
    """Return the smallest and the largest difference over all gradings that have one."""
    differences = []
    for grading in case.gradings(9, SCALE):
        R = sum(grade >= level for grade in grading.values())
        one, other = (
            score(sum(grading[d] >= level for d in ranks), len(ranks), R)
            for ranks in (case.a, case.b)
        )
        differences.append(one - other)
    defined = [d for d in differences if not np.isnan(d)]
    return (min(defined), max(defined)) if defined else (np.nan, np.nan)


@settings(deadline=None, max_examples=heavy(150))
@given(cases(unknown=5), st.sampled_from([1, 2]))
def test_differences_of_counts(case: Case, level: int) -> None:
    """No grading leaves the range of a difference, and two reach its ends."""
    block = case.block()
    unlisted = np.array([[float(case.unlisted)]])
    for measure, score in MEASURES.items():
        kind, *ends = measure(rel=level).difference_bounds_block(block, PAIR, unlisted)
        assert kind == "exact"
        expected = enumerated(case, score, level)
        assert [end.item() for end in ends] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=heavy(60))
@given(cases(unknown=5))
def test_a_corpus_is_more_documents_than_any_number(case: Case) -> None:
    """Its range holds that of many documents outside, and is hardly wider."""
    block = case.block()
    for measure in (SetP, SetR, SetF, SetAP, SetRelP):
        low, high, corpus_low, corpus_high = (
            end.item()
            for unlisted in (1e9, np.inf)
            for end in measure.difference_bounds_block(block, PAIR, np.array([[unlisted]]))[1:]
        )
        assert corpus_low <= low
        assert corpus_high >= high
        assert (corpus_low, corpus_high) == pytest.approx((low, high), abs=1e-7)


def lists_of_counts(rng: np.random.Generator) -> Evidence:
    """Return a long list with few hits and a short one with many, and documents outside both."""
    first, shared, outside, second = (rng.integers(0, most) for most in (3, 13, 13, 5))
    hits = rng.integers(0, 6), rng.integers(0, 16)
    graded = [f"k{i}" for i in range(max(hits) + rng.integers(0, 9))]
    zeros = [f"n{i}" for i in range(40)]
    runs = {
        "a": [*_ids("a", first), *_ids("s", shared), *graded[: hits[0]], *zeros],
        "b": [*_ids("b", second), *_ids("s", shared), *graded[: hits[1]], *zeros[:2]],
        "c": _ids("u", outside),
    }
    grades = dict.fromkeys(graded, 1) | dict.fromkeys(zeros, 0)
    judgments = Judgments.from_dict({"1": grades or {"z": 0}})
    return align(judgments, Runs.from_rankings({name: {"1": r} for name, r in runs.items()}))


def _ids(name: str, size: int) -> list[str]:
    return [f"{name}{i}" for i in range(size)]


@pytest.mark.parametrize("measure", [SetF, SetF(beta=3), SetAP, SetRelP, SetR, SetP])
def test_long_lists_have_their_peaks_inside(measure: Measure) -> None:
    """Where the best number of relevant documents is neither none nor all, it is found."""
    rng, inside = np.random.default_rng(1), 0
    for _ in range(60):
        evidence = lists_of_counts(rng)
        ranges = judgment_ranges(evidence, measure, PAIR)
        differences, numbers = all_numbers(measure, evidence)
        if np.isnan(differences).all():
            continue
        ends = np.nanmin(differences), np.nanmax(differences)
        assert [ranges.lower.item(), ranges.upper.item()] == pytest.approx(ends, abs=1e-12)
        # Whether no choice of all or none of each kind comes as far.
        corner = np.all([(n == 0) | (n == n.max()) for n in numbers], axis=0)
        at_corners = np.nanmin(differences[corner]), np.nanmax(differences[corner])
        inside += at_corners[0] > ends[0] + 1e-9 or at_corners[1] < ends[1] - 1e-9
    assert inside > 0 or measure in (SetP, SetR, SetRelP)


def all_numbers(measure: Measure, evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Return the difference for every number of relevant documents of each kind."""
    score = MEASURES[measure]
    (block,) = evidence.blocks
    a, b = ({*block.documents[s, 0][block.ungraded[s, 0]].tolist()} for s in (0, 1))
    lengths = block.lengths[:2, 0].tolist()
    hits = (block.codes[:2, 0] >= 1).sum(axis=1).tolist()
    R = int(block.relevant(1)[0])
    kinds = len(a - b), len(a & b), len(b - a), int(block.ungraded_counts[2, 0])
    numbers = np.array([*product(*(range(kind + 1) for kind in kinds))]).T
    differences = [
        score(hits[0] + y + x, lengths[0], R + y + x + z + e)
        - score(hits[1] + z + x, lengths[1], R + y + x + z + e)
        for y, x, z, e in numbers.T.tolist()
    ]
    return np.array(differences), numbers


QRELS = {str(t): {"a": 1, "b": t % 2, "c": 0} for t in range(5)}
RUNS = {
    "one": {str(t): ["a", "u", "b"] for t in range(5)},
    "two": {str(t): ["c", "u", "a", "v"][: 2 + t % 3] for t in range(5)},
}

SHORT = {"x": {"1": ["a", "b", "u"]}}


@pytest.mark.parametrize("missed", [0, -1, 2])
def test_utility_over_the_corpus_has_a_range(missed: float) -> None:
    """What both runs miss cancels out, however much of it there is."""
    (comparisons,) = compare(QRELS, RUNS, Utility(missed=missed), universe="corpus", draws=0)
    pair = comparisons[0]
    assert np.isfinite([pair.over("judgments").low, pair.over("judgments").high]).all()
    columns = comparisons.columns()
    low, p, high = (columns[name][0] for name in ("p_low", "p", "p_high"))
    assert low - 1e-12 <= p <= high + 1e-12
    assert p < 1


def test_an_infinite_end_leaves_no_p_range() -> None:
    """A range of p values from 1 to 1 would be false."""
    lower, upper = np.array([[0.1, -np.inf, 0.3]]), np.array([[0.2, 0.4, 0.5]])
    assert np.isnan(t_pvalue_range(lower, upper)).all()


def test_a_count_of_what_is_judged_not_relevant_is_tight_or_has_no_range() -> None:
    """If no grade is relevant, judging adds every document, and no range would hold the count."""
    evidence = align(Judgments.from_dict({"1": {"a": 1, "b": 0}}), Runs.from_rankings(SHORT))
    assert NumNonrelRet.bounds(evidence).upper.tolist() == [[2.0]]
    assert NumNonrelRet(rel=2).kind_of_range(evidence.scale) == "none"
    assert np.isnan(NumNonrelRet(rel=2).bounds(evidence, universe=Universe()).upper).all()
