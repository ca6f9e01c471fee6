"""Discriminative power and the agreement of two settings."""

import numpy as np
import pytest
from scipy import stats

from poolwise.errors import OptionError
from poolwise.findings.comparison.discrimination import (
    Discrimination,
    agreement,
    discriminate,
    pvalue_correlation,
)
from poolwise.scores.score_table import ScoreTable


def found(seed: int, *, spread: float = 0.3, systems: int = 12) -> Discrimination:
    """Return what is told apart among random systems of growing quality."""
    rng = np.random.default_rng(seed)
    values = rng.random((systems, 30)) + np.linspace(0, spread, systems)[:, None]
    return discriminate(
        ScoreTable.from_matrix(
            values,
            systems=[f"s{i}" for i in range(systems)],
            topics=[str(t) for t in range(30)],
            measure="AP",
        )
    )


def test_power_is_the_share_of_small_p_values() -> None:
    """Discriminative power counts p < α among all pairs, by scipy's p values."""
    one = found(1)
    scores = one.findings.sample.scores
    pvalues = [
        stats.ttest_rel(scores[i], scores[j]).pvalue
        for i, j in zip(*np.triu_indices(12, 1), strict=True)
    ]
    assert one.power == np.mean(np.array(pvalues) < 0.05)
    np.testing.assert_allclose(one.asl_curve(), np.sort(pvalues)[::-1], rtol=1e-10)


def test_twins_stay_in_the_divisor() -> None:
    """A pair without a p value is not told apart, and is counted."""
    table = ScoreTable.from_matrix(
        [[0.9, 0.8, 0.95], [0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
        systems="abc",
        topics="123",
        measure="AP",
    )
    one = discriminate(table)
    assert (one.power, one.undefined, len(one.asl_curve())) == (2 / 3, 1, 2)
    assert "1 without a p value" in str(one)


def test_the_difference_needed_is_where_significance_starts() -> None:
    """Above the largest needed difference all pairs are significant, below the smallest none."""
    one = found(3, spread=0.6)
    size = np.abs(one.findings.difference)
    assert one.significant[size > one.difference_needed()].all()
    assert not one.significant[size < one.difference_needed(0.0)].any()
    assert one.difference_needed(0.0) < one.difference_needed(0.5) < one.difference_needed()


def test_agreement_with_itself_is_complete() -> None:
    """A setting agrees with itself on every pair."""
    one = found(1)
    same = agreement(one, one)
    assert same.true_positives == one.significant.sum()
    assert same.true_positives + same.true_negatives == 66
    assert pvalue_correlation(one, one) == pytest.approx(1)


def test_agreement_counts_every_pair_once() -> None:
    """TP, FP, FN and TN are all pairs; contradictions are false positives (U18 §3.6)."""
    one, other = found(1, spread=0.5), found(2, spread=-0.5)
    counts = agreement(one, other)
    assert counts.contradictions > 0
    assert counts.false_positives >= counts.contradictions
    tp, fp = counts.true_positives, counts.false_positives
    assert tp + fp == one.significant.sum()
    assert tp + fp + counts.false_negatives + counts.true_negatives == 66


def test_pvalue_correlation_is_kendalls() -> None:
    """The correlation of two p-value orders is scipy's τ."""
    one, other = found(1), found(2)
    expected = stats.kendalltau(one.findings.pvalue, other.findings.pvalue).statistic
    assert pvalue_correlation(one, other) == expected


def test_only_the_same_systems_can_be_compared() -> None:
    """Two settings of different systems have no common pairs."""
    with pytest.raises(OptionError, match="the same systems"):
        agreement(found(1), found(1, systems=5))


def test_alpha_is_a_share() -> None:
    """A level outside 0 to 1 is refused."""
    table = ScoreTable.from_matrix([[1.0], [2.0]], systems="ab", topics="1", measure="x")
    with pytest.raises(OptionError, match="alpha: "):
        discriminate(table, alpha=5)


def test_topics_left_out_are_said() -> None:
    """A topic with an undefined score is left out for all, and the summary counts it."""
    table = ScoreTable.from_matrix(
        [[0.1, 0.3, float("nan")], [0.5, 0.6, 0.7]], systems="ab", topics="123", measure="AP"
    )
    assert str(discriminate(table)).endswith("left out: 1 topic with an undefined score")
