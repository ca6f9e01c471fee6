"""Gains of grades, small and large."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise import evaluate
from poolwise.errors import MeasureError
from poolwise.measures.gains import exponential_shares, scaled_gains


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
