"""Differences and distributions topic by topic."""

import numpy as np
import pytest

import poolwise as pw

NAN = float("nan")
TABLE = pw.ScoreTable.from_matrix(
    [[0.5, 0.3, 0.4, NAN], [0.1, 0.4, 0.4, 0.2], [0.2, 0.2, 0.9, 0.1]],
    systems=["a", "b", "c"],
    topics=["1", "2", "3", "4"],
    measure="AP",
)


def test_deltas_are_sorted_and_leave_out_undefined_topics() -> None:
    """The largest difference comes first; a topic without both scores is none."""
    deltas = TABLE.deltas("a", "b")
    assert deltas.topics == ("1", "3", "2")
    assert deltas.difference.tolist() == pytest.approx([0.4, 0.0, -0.1])
    assert (deltas.wins, deltas.ties, deltas.losses) == (1, 1, 1)
    assert TABLE.deltas("b", "c").outcome == "2 wins, 0 ties, 2 losses"


def test_deltas_count_as_compare_does() -> None:
    """Wins, ties, losses and the mean are those of a comparison of the two."""
    pair, deltas = pw.compare_pair(TABLE, "a", "c"), TABLE.deltas("a", "c")
    assert (deltas.wins, deltas.ties, deltas.losses) == (pair.wins, pair.ties, pair.losses)
    assert deltas.difference.mean() == pytest.approx(pair.difference)


def test_a_difference_of_rounding_error_is_a_tie() -> None:
    """0.1 + 0.2 and 0.3 are level, and neither wins."""
    table = pw.ScoreTable.from_matrix(
        [[0.1 + 0.2, 0.5], [0.3, 0.4]], systems=["a", "b"], topics=["1", "2"], measure="AP"
    )
    assert table.deltas("a", "b").outcome == "1 win, 1 tie, 0 losses"
    assert table.deltas("b", "a").difference.tolist()[0] == 0


def test_systems_without_a_common_topic_have_no_deltas() -> None:
    """Then the sentence says so."""
    table = pw.ScoreTable.from_matrix(
        [[0.5, NAN], [NAN, 0.1]], systems=["a", "b"], topics=["1", "2"], measure="AP"
    )
    assert table.deltas("a", "b").sentences() == ("a and b have no topic with a score by AP.",)


def test_the_spread_of_a_topic_is_over_systems() -> None:
    """Quartiles and deviation of defined topics, the highest median first, or in a given order."""
    spread = TABLE.topic_spread()
    assert spread["topic"] == ["3", "2", "1"]
    assert spread["median"] == pytest.approx([0.4, 0.3, 0.2])
    assert spread["lowest"] == pytest.approx([0.4, 0.2, 0.1])
    assert spread["highest"] == pytest.approx([0.9, 0.4, 0.5])
    assert spread["quarter"][0] == pytest.approx(0.4)
    assert spread["three_quarters"][0] == pytest.approx(0.65)
    assert spread["deviation"][2] == pytest.approx(np.std([0.5, 0.1, 0.2]))
    in_order = TABLE.topic_spread(order=["2", "4", "1"])
    assert in_order["topic"] == ["2", "1"]
    assert in_order["median"] == pytest.approx([0.3, 0.2])
