"""Gains of grades, small and large."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.whole_arrays import codes_of, only_block

from poolwise import Evidence, Grades, evaluate
from poolwise.errors import MeasureError
from poolwise.measures._measure import count_down_to, exponential_shares, find_hits, scaled_gains


@given(grades=st.lists(st.integers(0, 60), min_size=1), top=st.integers(1, 60))
def test_exponential_gains_are_those_of_exact_fractions(grades: list[int], top: int) -> None:
    """(2^g − 1) / (2^top − 1), as fractions give it, to the last bit but one."""
    scale = np.array(sorted({*(min(g, top) for g in grades), top}), float)
    wanted = [float(Fraction(2 ** int(g) - 1, 2**top - 1)) for g in scale]
    assert np.allclose(scaled_gains(scale, "exponential", 1), wanted, rtol=1e-15, atol=0)
    stops = [float(Fraction(2 ** int(g) - 1, 2**top)) for g in scale]
    assert np.allclose(exponential_shares(scale, top), stops, rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    "measure", ["RBP(p=0.5,gain='exponential')@2", "ERR@2", "SDCG(dcg='exp-log2')@2"]
)
def test_a_measure_whose_gains_are_shares_takes_any_grade(measure: str) -> None:
    """The highest grade gains 1 (ERR: nearly), the one below half of it, also past 2^1023."""
    qrels = {"1": {"a": 5000, "b": 4999, "c": 0}}
    best = evaluate(qrels, {"x": {"1": {"a": 2, "b": 1}}}, measure).scores[0].value.item()
    swapped = evaluate(qrels, {"x": {"1": {"b": 2, "a": 1}}}, measure).scores[0].value.item()
    small = {"1": {"a": 50, "b": 49, "c": 0}}
    assert best == pytest.approx(
        evaluate(small, {"x": {"1": {"a": 2, "b": 1}}}, measure).scores[0].value.item(), abs=1e-12
    )
    assert 0 < swapped < best <= 1


@pytest.mark.parametrize("measure", ["nDCG(dcg='exp-log2')@10", "DCG(dcg='exp-log2')@10"])
def test_a_gain_too_large_to_add_up_is_refused(measure: str) -> None:
    """A score of 0 for the best document of all would be wrong, and no number is right."""
    run = {"x": {"1": {"a": 1}}}
    with pytest.raises(MeasureError, match="grades of at most 1000; got 1024"):
        evaluate({"1": {"a": 1024, "b": 1}}, run, measure)
    assert evaluate({"1": {"a": 1000, "b": 1}}, run, measure).scores[0].value.item() > 0


def test_hits_are_what_a_plain_loop_finds() -> None:
    """Lists, ranks, codes and running counts agree with a loop over all cells."""
    rng = np.random.default_rng(7)
    block = only_block(Grades.from_grades(rng.integers(0, 3, (6, 9)).tolist()))
    hits = find_hits(block, 1)
    cells = [(s, r) for s in range(6) for r in range(9) if block.codes[s, 0, r] >= 1]
    assert list(zip(hits.lists.tolist(), (hits.ranks - 1).tolist(), strict=True)) == cells
    assert hits.codes.tolist() == [block.codes[s, 0, r] for s, r in cells]
    assert hits.nth.tolist() == [(block.codes[s, 0, : r + 1] >= 1).sum() for s, r in cells]
    judged = [(block.codes[s, 0, : r + 1] >= 0).sum() for s, r in cells]
    assert count_down_to(hits, block.codes >= 0).tolist() == judged


def test_hits_are_found_once() -> None:
    """Measures that want the same cells share them; other evidence has its own."""
    block = only_block(Grades.from_grades([[1, 0, 2]]))
    assert find_hits(block, 1) is find_hits(block, 1)
    assert find_hits(block.truncate(2), 1).ranks.tolist() == [1]


def test_what_was_found_does_not_travel() -> None:
    """Evidence sent to another process leaves behind what can be found again."""
    evidence = Evidence.from_grades([[1, 0, 2]])
    before = len(pickle.dumps(evidence))
    find_hits(evidence.blocks[0], 1)
    assert len(pickle.dumps(evidence)) == before
    arrived = pickle.loads(pickle.dumps(evidence))  # noqa: S301  (our own bytes)
    assert codes_of(arrived).tolist() == codes_of(evidence).tolist()
