"""Numbers printed in the papers, and what the measures make of the same rankings."""

import numpy as np
import pytest
from tests.each import over

from poolwise import Evidence, Measure, parse_measure
from poolwise.measures import persistence
from poolwise.measures.families._recall_based import ELEVEN_POINTS
from poolwise.measures.families._static_weights import StaticWeights

RANKING = [1, 0, 0, 1, 1, 0, 0, 0, 1, 0]


def value(measure: str | Measure, ranking: list[float | None], relevant: int = 0) -> float:
    """Score one ranking of a topic with so many relevant documents."""
    evidence = Evidence.from_grades([ranking], judged=[1] * relevant)
    return float(parse_measure(measure).score(evidence).item())


@pytest.mark.parametrize(
    ("name", "relevant", "printed", "digits"),
    [
        ("RBP(p=0.8)@10", 0, 0.418, 3),  # W10 fig. 3.6
        ("DCG(dcg='jk')@10", 0, 2.25, 2),  # W10 fig. 3.5
        ("AP@10", 6, 0.42, 2),  # W10 fig. 3.4
        ("SP@10", 6, 2.54, 2),  # W10 fig. 3.4
    ],
)
def test_the_thesis_example(name: str, relevant: int, printed: float, digits: int) -> None:
    """⟨1001100010⟩ scores what W10 §3.2 works out by hand."""
    assert round(value(name, RANKING, relevant), digits) == printed


def test_eleven_point_precision() -> None:
    """Interpolated precision at eleven points is that of W10 fig. 3.3, with R = 4."""
    printed = [1, 1, 1, 0.6, 0.6, 0.6, 0.6, 0.6, 0.44, 0.44, 0.44]
    computed = [value(f"IPrec@{x}", RANKING, 4) for x in ELEVEN_POINTS]
    assert np.round(computed, 2).tolist() == printed
    assert value("AvgIPrec", RANKING, 4) == pytest.approx(np.mean(computed))


def test_truncated_rbp_weights() -> None:
    """The weights of tRBP@10 at p = 0.8 are those of W10 §6.1.1."""
    measure = parse_measure("tRBP(p=0.8)@10")
    assert isinstance(measure, StaticWeights)
    printed = [0.224, 0.179, 0.143, 0.115, 0.092, 0.073, 0.059, 0.047, 0.038, 0.030]
    assert measure.weights(10).round(3).tolist() == printed
    assert measure.weights(12).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("ranking", "rr", "ap"),
    [([1, *[0] * 9], 1.0, 0.11), ([0, *[1] * 9], 0.5, 0.79)],
)
def test_reciprocal_rank_beside_average_precision(ranking: list[int], rr: float, ap: float) -> None:
    """With R = 9 the first ranking wins by RR and the second by AP, as W10 §3.2.3 has it."""
    assert value("RR", [*ranking], 9) == rr
    assert round(value("AP", [*ranking], 9), 2) == ap


@pytest.mark.parametrize(("depth", "p"), [(10, 0.794), (100, 0.977), (1000, 0.9977)])
def test_persistence_for_a_residual(depth: int, p: float) -> None:
    """A residual of 0.1 at these depths takes the p of D10 eq. 7."""
    assert persistence(0.1, depth=depth) == pytest.approx(p, abs=5e-5 if depth > 100 else 5e-4)
    measure = parse_measure(f"RBP(p={persistence(0.1, depth=depth)!r})")
    assert isinstance(measure, StaticWeights)
    assert measure.weight_past(np.array(depth)) == pytest.approx(0.1)


def test_residual_of_a_judged_prefix() -> None:
    """With 100 judged documents and φ = 0.98 the residual is 0.133 (U18 §2.1)."""
    evidence = Evidence.from_grades([[0] * 100])
    rbp = parse_measure("RBP(p=0.98)")
    assert isinstance(rbp, StaticWeights)
    assert round(float(rbp.residual(evidence).item()), 3) == 0.133


@over(
    "ranking, judged, printed",
    [
        ([1, 2], [1, 2], 0.80),  # actual, rows 1 and 3
        ([1, 0], [1], 1.00),  # lower bound of row 1
        ([1, 3], [1, 3], 0.71),  # upper bound of row 1
        ([0, 1], [1], 0.63),  # naive bounds of row 2
        ([2, 1], [2, 1], 1.00),  # actual, row 2
        ([1, 0], [1, 3, 3], 0.09),  # guaranteed lower bound of row 3
    ],
)
def test_exponential_ndcg_of_table_1(
    ranking: list[float | None], judged: list[float], printed: float
) -> None:
    """NDCG@2 with exponential gains is what B23 table 1 prints."""
    evidence = Evidence.from_grades([ranking], judged=judged)
    score = parse_measure("nDCG(dcg='exp-log2')@2").score(evidence).item()
    assert round(float(score), 2) == printed


def test_naive_bounds_of_table_1() -> None:
    """For [?, 1] both naive bounds are 0.63, and the truth can be 1.00 (B23 table 1, row 2)."""
    evidence = Evidence.from_grades([[None, 1]], judged=[1], scale=[0, 1, 2, 3])
    bounds = parse_measure("nDCG(dcg='exp-log2')@2").naive_bounds(evidence)
    assert [round(float(b.item()), 2) for b in bounds] == [0.63, 0.63]
