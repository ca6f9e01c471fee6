"""Tiers of systems that no test separates from the best among them."""

from poolwise import ScoreTable, compare_scores
from poolwise.findings import tiers


def test_a_tier_ends_where_the_test_separates() -> None:
    """Tiers follow the means, and each begins with a run separated from the first before it."""
    scores = [[0.9] * 9 + [0.8], [0.5] * 9 + [0.45], [0.89] * 9 + [0.82], [0.51] * 9 + [0.4]]
    table = ScoreTable.from_matrix(scores, systems="abcd", topics="0123456789", measure="AP")
    assert tiers(table, compare_scores(table)).tolist() == [1, 2, 1, 2]


def test_systems_that_do_not_differ_share_a_tier() -> None:
    """Without any significant difference there is one tier."""
    table = ScoreTable.from_matrix(
        [[0.1, 0.9], [0.9, 0.1], [0.5, 0.5]], systems="abc", topics="12", measure="AP"
    )
    assert tiers(table, compare_scores(table)).tolist() == [1, 1, 1]
