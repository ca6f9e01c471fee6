"""A difference in AP, carried over to the depth of judging by past pairs."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.findings.planning._experiment import CarriedDelta

WHOLE = np.linspace(0.01, 0.2, 20)


def test_a_difference_follows_the_line_through_0() -> None:
    """The slope is that of least squares through 0, also of pairs named the other way round."""
    shallow = WHOLE * 0.7 + np.tile([0.01, -0.01], 10)
    sign = np.where(np.arange(20) % 3, 1, -1)
    expected = 0.05 * np.linalg.lstsq(WHOLE[:, None], shallow, rcond=None)[0].item()
    for side in (1, sign):
        line = CarriedDelta.by_regression(0.05, WHOLE * side, shallow * side, 5)
        assert line.carried == pytest.approx(expected)
        assert not line.is_weak


def test_pairs_that_turn_round_carry_nothing_over() -> None:
    """Where pairs lead by one and trail by the other, the error says so with their number."""
    with pytest.raises(OptionError, match=r"20 past pairs \(r = -1.00\) do not differ in the same"):
        CarriedDelta.by_regression(0.05, WHOLE, -WHOLE, 5)


def test_no_difference_is_carried_over_to_one_that_ap_cannot_have() -> None:
    """A slope of 8 makes 0.2 a difference of 1.6, which is none of AP."""
    with pytest.raises(OptionError, match=r"it would be 1\.60"):
        CarriedDelta.by_regression(0.2, WHOLE, 8 * WHOLE, 5)


def test_few_pairs_are_called_weak_evidence() -> None:
    """A line through three pairs is said to prove little."""
    assert "weak evidence" in str(CarriedDelta.by_regression(0.05, WHOLE[:3], WHOLE[:3], 5))


@pytest.mark.parametrize(("seed", "delta", "said"), [(3, 0.1, "same direction"), (2, 0.2, "1.54")])
def test_a_small_collection_says_why_a_difference_is_not_carried_over(
    seed: int, delta: float, said: str
) -> None:
    """Six runs leave too few pairs; the error says what they show, and its hint works."""
    made = pw.simulate(systems=6, topics=12 if seed == 3 else 20, depth=40, rng=seed)
    with pytest.raises(OptionError, match=said) as raised:
        pw.workflows.design_from_runs(made.truth, made.runs, delta=delta, depths=[5, 10, 40], rng=1)
    assert "-m AP" in str(raised.value)
    table = pw.score(pw.align(made.truth, made.runs), "AP")
    assert (
        pw.workflows.design_from_scores(table, delta=delta, rng=1, simulations=200).measure == "AP"
    )
