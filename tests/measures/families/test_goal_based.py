"""INSQ and INST against their definitions, walked far down."""

import numpy as np
import pytest
from tests.each import over

from poolwise import INSQ, INST, Evidence

FAR = 400_000


def inst(gains: list[float], T: float, *, beyond: float = 0.0) -> float:
    """Walk the definition of INST (Bailey et al. 2015) very far down."""
    g = np.full(FAR, beyond)
    g[: len(gains)] = gains
    i = np.arange(1, FAR + 1)
    left = T - np.cumsum(g)
    on = ((i + T + left - 1) / (i + T + left)) ** 2
    views = np.concatenate([[1.0], np.cumprod(on[:-1])])
    return float((views * g).sum() / views.sum())


@over("gains", [[], [1], [0, 0.5, 1], [1, 1, 0, 0, 1, 0.5]])
@over("T", [0.5, 1, 2.5, 10])
def test_inst_walks_its_definition(gains: list[float], T: float) -> None:
    """INST in closed form is INST summed far down, without and with gain past the end."""
    evidence = Evidence.from_grades([gains], scale=[0, 0.5, 1], judged=[1])
    lower, upper = INST(T=T).bounds(evidence)
    assert lower.item() == upper.item() == pytest.approx(inst(gains, T), abs=1e-4)
    with_tail = inst(gains, T, beyond=1.0) if gains else 0.0
    assert (upper + INST(T=T).tail(evidence)).item() == pytest.approx(with_tail, abs=1e-4)


def test_a_cutoff_ends_the_gain() -> None:
    """With a cut-off there is no gain below it, known or not."""
    evidence = Evidence.from_grades([[1, 1, None]], scale=[0, 1])
    lower, upper = (INST(T=2) @ 2).bounds(evidence)
    assert lower.item() == upper.item() == pytest.approx(inst([1, 1], 2), abs=1e-4)


def test_insq_weights() -> None:
    """INSQ's weights are 1/(i + 2T − 1)² over their sum, which is π²/6 − 1 for T = 1."""
    whole = np.pi**2 / 6 - 1
    assert INSQ(T=1).weights(3) * whole == pytest.approx([1 / 4, 1 / 9, 1 / 16])
    assert INSQ(T=1).weight_past(np.array(1)) == pytest.approx(1 - 1 / 4 / whole)


def test_a_reader_with_a_larger_goal_looks_deeper() -> None:
    """The larger T is, the more weight lies far down."""
    tails = [INSQ(T=T).weight_past(np.array(10)).item() for T in (0.5, 1, 2, 5, 20)]
    assert tails == sorted(tails)
