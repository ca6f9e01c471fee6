"""Tables of runs that are alike."""

import pytest

import poolwise as pw


def runs(count: int) -> pw.Runs:
    """Return runs that share all but one document with the next."""
    lists = {f"s{i:02}": {"1": [f"d{i + k}" for k in range(20)]} for i in range(count)}
    return pw.Runs.from_rankings(lists)


@pytest.mark.parametrize(("count", "tables"), [(3, 2), (12, 2), (13, 1)])
def test_the_matrix_is_shown_for_few_runs(count: int, tables: int) -> None:
    """Beyond a dozen runs the matrix is left to programs; no table of no duplicates is shown."""
    found = pw.overlap_matrix(runs(count))
    shown = pw.similarity_tables(found)
    assert len(shown) == tables
    assert shown[0].notes == ("no pair of near-duplicates, RBO 0.95 or more",)
    assert len(pw.similarity_columns(found)["rbo"]) == count * (count - 1) // 2


def test_every_run_is_in_one_cluster() -> None:
    """Clusters list each run once, and a stricter wish gives more of them."""
    found = pw.overlap_matrix(runs(13))
    numbers = []
    for cluster in (0.0, 0.5, 1.0):
        rows = pw.similarity_tables(found, cluster=cluster)[0].rows
        assert sorted(str(row[1]) for row in rows) == sorted(found.systems)
        numbers.append(len({row[0] for row in rows}))
    assert numbers[0] == 1 < numbers[1] < numbers[2] == 13


def test_a_topic_that_one_run_lacks_has_no_pair() -> None:
    """Where only one run answers, the topic has a row without numbers."""
    both = pw.Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["x"]}})
    by_topic = {topic: pw.overlap_matrix(both.restrict([topic])) for topic in both.topics}
    table = pw.similarity_by_topic(by_topic)
    assert table.rows[0] == ("1", 1, 1.0, 1.0, 1.0)
    assert table.texts()[1] == ["2", "0", "–", "–", "–"]


def test_runs_that_cannot_be_compared_are_named() -> None:
    """A run without documents is left out; runs without a common topic count as unlike."""
    lists = {"a": {"1": ["x"]}, "b": {"2": ["y"]}, "c": {"1": ["x"]}, "none": {}}
    found = pw.overlap_matrix(pw.Runs.from_rankings(lists))
    clusters = pw.similarity_tables(found)[0]
    assert clusters.notes == (
        "left out, without any document: none",
        "2 pairs without a common topic taken as unlike",
    )
    assert {row[1]: row[2] for row in clusters.rows} == {"a": "c", "b": None, "c": "a"}


@pytest.mark.parametrize("answering", [0, 1])
def test_tables_of_fewer_than_two_runs(answering: int) -> None:
    """With one run that answers, or none, there is nothing to compare, and no error."""
    lists = {f"s{i}": {"1": ["x"]} if i < answering else {} for i in range(2)}
    found = pw.overlap_matrix(pw.Runs.from_rankings({**lists, "t": {"2": []}}))
    clusters = pw.similarity_tables(found)[0]
    assert len(clusters.rows) == answering
    assert "without any document" in clusters.notes[0]
