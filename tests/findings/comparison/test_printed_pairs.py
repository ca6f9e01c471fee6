"""Comparisons as tables for people."""

import numpy as np
import pytest

from poolwise import ScoreTable, compare_scores


@pytest.fixture
def table() -> ScoreTable:
    """Return six systems whose means rise with their number."""
    values = np.random.default_rng(2).normal(0, 0.1, (6, 20)) + np.arange(6)[:, None] / 5
    return ScoreTable.from_matrix(
        values, systems="abcdef", topics=[str(t) for t in range(20)], measure="AP"
    )


def test_the_best_systems_pairs_come_first(table: ScoreTable) -> None:
    """Three rows are the three pairs of the three best, each with the better one first."""
    (shown,) = compare_scores(table).tables(most=3)
    assert [row[:2] for row in shown.rows] == [("f", "e"), ("f", "d"), ("e", "d")]
    assert all(row[2] > 0 for row in shown.rows)


def test_what_is_not_shown_is_counted(table: ScoreTable) -> None:
    """The notes say how many pairs there are, unless all are shown."""
    found = compare_scores(table)
    said = "pairs are shown, those of the best systems"
    assert f"3 of 15 {said}" in found.tables(most=3)[0].notes[0]
    assert not any(said in note for note in found.tables(most=15)[0].notes)


def test_with_a_baseline_the_others_come_by_rank(table: ScoreTable) -> None:
    """Every other system is a row, the best first."""
    found = compare_scores(table, baselines="c")
    others = [found[i].a for i in found.leading(5)]
    assert sorted(others) == ["a", "b", "d", "e", "f"]
    assert others.index("f") < others.index("d") < others.index("a")


def test_columns_without_anything_known_are_left_out(table: ScoreTable) -> None:
    """Scores alone have no columns about judgments but the verdict."""
    titles = [column.title for column in compare_scores(table).tables()[0].columns]
    assert "order" in titles
    assert "range if judged" not in titles
    assert "kept in plausible completions" not in titles


def test_a_small_p_value_is_not_printed_as_0(table: ScoreTable) -> None:
    """A p value below the last digit says so."""
    (shown,) = compare_scores(table).tables(most=15)
    p = [column.title for column in shown.columns].index("p")
    assert "<0.0001" in {row[p] for row in shown.rows}
    assert "0.0000" not in {row[p] for row in shown.rows}
