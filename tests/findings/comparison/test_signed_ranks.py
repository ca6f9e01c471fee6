"""Wilcoxon's signed ranks against the enumeration of signs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from poolwise.findings.comparison._signed_ranks import signed_rank_pvalues


@pytest.mark.parametrize("sided", ["two-sided", "greater", "less"])
@settings(deadline=None, max_examples=60)
@given(deltas=st.lists(st.integers(-4, 4), min_size=1, max_size=8).filter(any))
def test_exact_with_ties_and_zeros(sided: str, deltas: list[int]) -> None:
    """With few topics the p value counts all assignments of signs to the ranks."""
    nonzero = np.array([d for d in deltas if d])
    ranks = rankdata(np.abs(nonzero))
    sums = np.array(list(product([0, 1], repeat=len(ranks)))) @ ranks
    observed = ranks[nonzero > 0].sum()
    greater, less = np.mean(sums >= observed), np.mean(sums <= observed)
    both = min(1.0, 2 * min(greater, less))
    expected = {"two-sided": both, "greater": greater, "less": less}[sided]
    found = signed_rank_pvalues(np.array([deltas], np.float64), sided, within=1e-12)
    assert found == pytest.approx([expected], rel=1e-12)


def test_zeros_alone_have_no_p_value() -> None:
    """A row of zeros has no ranks, and does not disturb its neighbours."""
    found = signed_rank_pvalues(np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]), "greater", within=0.0)
    np.testing.assert_array_equal(found, [np.nan, 0.125])
