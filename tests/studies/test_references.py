"""How few reference systems are enough."""

import numpy as np
import pytest

import poolwise as pw


def stability(taus: list[list[float]]) -> pw.studies.ReferenceStability:
    """Return samples with these τ."""
    return pw.studies.ReferenceStability(pw.AP, 20, tuple(range(2, 2 + len(taus))), np.array(taus))


def test_the_lowest_of_a_share_leaves_out_the_worst() -> None:
    """Of τ from 0.00 to 1.00, 95% of the samples reach 0.05, half of them 0.5, all of them 0."""
    reached = stability([[i / 100 for i in range(101)], [0.5] * 101])
    assert reached.lowest(0.95) == pytest.approx([0.05, 0.5])
    assert reached.lowest(0.5) == pytest.approx([0.5, 0.5])
    assert reached.lowest(1.0) == pytest.approx([0.0, 0.5])
    assert reached.columns()["tau_95"] == pytest.approx([0.05, 0.5])
    assert reached.columns()["tau_99"] == pytest.approx([0.01, 0.5])
    assert "95% of 101 samples" in reached.sentences()[0]
    assert "a tau of 0.050 or more" in reached.sentences()[0]
    assert pw.render(reached.tables()[0]).splitlines()[3].split() == [
        "2",
        "0.500",
        "0.050",
        "0.010",
    ]


def test_all_reference_systems_give_the_order_itself() -> None:
    """A sample of every reference system has τ 1 with the order that all of them give."""
    values = np.random.default_rng(1).random((12, 10))
    table = pw.ScoreTable.from_matrix(values, systems=[f"s{i}" for i in range(12)],
                                      topics=[str(t) for t in range(10)], measure="AP")  # fmt: skip
    reached = pw.studies.reference_stability(table, table, sizes=[3, 12], samples=30)
    assert reached.lowest(1.0)[1] == pytest.approx(1)
    assert reached.lowest(1.0)[0] < 1
