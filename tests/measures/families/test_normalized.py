"""Weighted sums over their ideal."""

import numpy as np
import pytest

from poolwise import DCG, Evidence, Pairs, enDCG, nDCG, nRBP


def test_ndcg_by_hand() -> None:
    """NDCG divides by the DCG of the judged documents, best first."""
    evidence = Evidence.from_grades([[0, 2, 1]], judged=[3, 2, 1, 0])
    d = 1 / np.log2(np.arange(2, 6))
    assert nDCG.score(evidence).item() == pytest.approx((2 * d[1] + d[2]) / (d[:3] @ [3, 2, 1]))
    assert (nDCG @ 2).score(evidence).item() == pytest.approx(2 * d[1] / (3 * d[0] + 2 * d[1]))
    assert (enDCG @ 2).score(evidence).item() == pytest.approx(2 * d[1] / (d[:3] @ [3, 2, 1]))


@pytest.mark.parametrize("base", [2, 3, 10])
def test_jk_discounts_begin_at_the_base(base: int) -> None:
    """Down to rank b nothing is discounted; below it, by log_b of the rank."""
    weights = DCG(dcg="jk", base=base).weights(20)
    assert weights[:base] == pytest.approx(np.ones(base))
    assert weights[base:] == pytest.approx(np.log(base) / np.log(np.arange(base + 1, 21)))


def test_the_relevance_level_is_no_parameter_of_ndcg() -> None:
    """NDCG has gains in place of a relevance level, as in trec_eval under -l."""
    assert "rel" not in nDCG.parameters()


def test_nrbp_is_rbp_over_its_ideal() -> None:
    """NRBP compares with all relevant documents first."""
    evidence = Evidence.from_grades([[0, 1]], judged=[1, 1, 1])
    assert nRBP(p=0.5).score(evidence).item() == pytest.approx(0.25 / 0.875)
    assert (nRBP(p=0.5) @ 2).score(evidence).item() == pytest.approx(0.25 / 0.75)


def test_a_level_above_all_grades_leaves_nothing_to_normalize() -> None:
    """Where no grade has a gain there is no score, no range, and no difference: not a fault."""
    evidence = Evidence.from_grades([[1, None], [0, 1]])
    strict = nRBP(rel=2)
    assert np.isnan(strict.score(evidence)).all()
    assert np.isnan(strict.bounds(evidence)).all()
    assert np.isnan(strict.naive_bounds(evidence)).all()
    pairs = Pairs.of_all(evidence.systems)
    assert np.isnan(strict.difference_bounds(evidence, pairs).upper).all()
