"""Discriminative power and the agreement of two settings."""

import numpy as np
import pytest
from scipy import stats

from poolwise.errors import OptionError
from poolwise.findings.agreement._discrimination import (
    Discrimination,
    DiscriminationStudy,
    discriminate,
    discriminate_all,
    pvalue_correlation,
    significance_agreement,
)
from poolwise.scores._score_table import ScoreTable


def found(seed: int, *, spread: float = 0.3, systems: int = 12) -> Discrimination:
    """Return which random systems of growing quality differ."""
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
    discrimination = found(1)
    scores = discrimination.tests.sample.scores
    pvalues = [
        stats.ttest_rel(scores[i], scores[j]).pvalue
        for i, j in zip(*np.triu_indices(12, 1), strict=True)
    ]
    assert discrimination.power == np.mean(np.array(pvalues) < 0.05)
    np.testing.assert_allclose(discrimination.asl_curve(), np.sort(pvalues)[::-1], rtol=1e-10)


def test_twins_stay_in_the_divisor() -> None:
    """A pair without a p value is not significantly different, and is counted."""
    table = ScoreTable.from_matrix(
        [[0.9, 0.8, 0.95], [0.1, 0.2, 0.1], [0.1, 0.2, 0.1]],
        systems="abc",
        topics="123",
        measure="AP",
    )
    discrimination = discriminate(table)
    assert (discrimination.power, discrimination.undefined, len(discrimination.asl_curve())) == (
        2 / 3,
        1,
        2,
    )
    assert "1 pair has no p value, since nothing varies." in str(discrimination)


def test_the_difference_needed_is_where_significance_starts() -> None:
    """Above the largest needed difference all pairs are significant, below the smallest none."""
    discrimination = found(3, spread=0.6)
    size = np.abs(discrimination.difference)
    assert discrimination.significant[size > discrimination.difference_needed()].all()
    assert not discrimination.significant[size < discrimination.difference_needed(0.0)].any()
    assert (
        discrimination.difference_needed(0.0)
        < discrimination.difference_needed(0.5)
        < discrimination.difference_needed()
    )


def test_agreement_with_itself_is_complete() -> None:
    """A setting agrees with itself on every pair."""
    discrimination = found(1)
    same = significance_agreement(discrimination, discrimination)
    assert same.true_positives == discrimination.significant.sum()
    assert same.true_positives + same.true_negatives == 66
    assert pvalue_correlation(discrimination, discrimination) == pytest.approx(1)


def test_agreement_counts_every_pair_once() -> None:
    """TP, FP, FN and TN are all pairs; contradictions are false positives (U18 §3.6)."""
    one, other = found(1, spread=0.5), found(2, spread=-0.5)
    counts = significance_agreement(one, other)
    assert counts.contradictions > 0
    assert counts.false_positives >= counts.contradictions
    tp, fp = counts.true_positives, counts.false_positives
    assert tp + fp == one.significant.sum()
    assert tp + fp + counts.false_negatives + counts.true_negatives == 66


def test_pvalue_correlation_is_kendalls() -> None:
    """The correlation of two p-value orders is scipy's τ."""
    one, other = found(1), found(2)
    expected = stats.kendalltau(one.pvalue, other.pvalue).statistic
    assert pvalue_correlation(one, other) == expected


def test_only_the_same_systems_can_be_compared() -> None:
    """Two settings of different systems have no common pairs."""
    with pytest.raises(OptionError, match="the same systems"):
        significance_agreement(found(1), found(1, systems=5))


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
    assert str(discriminate(table)).endswith("Left out: 1 topic with an undefined score.")


def test_a_setting_agrees_with_itself() -> None:
    """The first row has no false positives or negatives, and τ = 1; a stricter level misses."""
    values = np.random.default_rng(2).normal(0, 0.1, (6, 20)) + np.arange(6)[:, None] / 5
    table = ScoreTable.from_matrix(
        values, systems="abcdef", topics=[str(t) for t in range(20)], measure="AP"
    )
    study = DiscriminationStudy((discriminate(table), discriminate(table, alpha=0.001)))
    columns = study.columns()
    assert [columns[name][0] for name in ("fp", "fn", "p_tau")] == pytest.approx([0, 0, 1])
    assert columns["tp"][0] == columns["significant"][0]
    assert columns["fn"][1] == columns["significant"][0] - columns["significant"][1]
    assert discriminate_all([table]).columns()["power"] == columns["power"][:1]


def test_the_sentences_have_the_numbers_of_the_columns() -> None:
    """Power, pairs and counts of agreement are said as the columns hold them."""
    one, other = found(1, spread=0.5), found(2, spread=-0.5)
    (power,) = one.columns()["power"]
    assert f"{power:.1%} of 66 pairs" in one.sentences()[0]
    same = significance_agreement(one, other)
    row = {name: cells[0] for name, cells in same.columns().items()}
    (said,) = same.sentences()
    assert f"{row['tp']} are significant in both settings" in said
    assert f"{row['fp']} are false positives ({row['contradictions']} of these" in said
    assert f"{row['fn']} are missed; {row['tn']} are significant in neither" in said


def test_nothing_that_varies_needs_no_difference() -> None:
    """Where all scores are equal, no difference can be called enough."""
    table = ScoreTable.from_matrix([[0.5, 0.5]] * 2, systems="ab", topics="12", measure="AP")
    assert np.isnan(discriminate(table).difference_needed())
