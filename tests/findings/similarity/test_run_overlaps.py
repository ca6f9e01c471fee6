"""What the overlap of runs says."""

import pytest

import poolwise as pw


def runs(count: int) -> pw.Runs:
    """Return runs that share all but one document with the next."""
    lists = {f"s{i:02}": {"1": [f"d{i + k}" for k in range(20)]} for i in range(count)}
    return pw.Runs.from_rankings(lists)


@pytest.mark.parametrize(("count", "tables"), [(3, 2), (12, 2), (13, 1)])
def test_the_matrix_is_shown_for_few_runs(count: int, tables: int) -> None:
    """Beyond a dozen runs the matrix is left to programs; no table of no duplicates is shown."""
    matrix = pw.findings.overlap_matrix(runs(count))
    assert len(matrix.tables()) == tables
    assert matrix.sentences()[1:] == (
        "There are no near-duplicates: no two runs overlap by 0.95 or more.",
    )
    assert len(matrix.columns()["rbo"]) == count * (count - 1) // 2


def test_every_run_is_in_one_cluster() -> None:
    """Clusters list each run once, and a stricter wish gives more of them."""
    matrix = pw.findings.overlap_matrix(runs(13))
    numbers = []
    for cluster in (0.0, 0.5, 1.0):
        rows = matrix.tables(cluster=cluster)[0].rows
        assert sorted(str(row[1]) for row in rows) == sorted(matrix.systems)
        numbers.append(len({row[0] for row in rows}))
        assert f"13 runs make {numbers[-1]} cluster" in matrix.sentences(cluster=cluster)[0]
    assert numbers[0] == 1 < numbers[1] < numbers[2] == 13


def test_a_topic_that_one_run_lacks_has_no_pair() -> None:
    """Where only one run answers, the topic has a row without numbers."""
    both = pw.Runs.from_rankings({"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["x"]}})
    table = pw.findings.overlap_by_topic(both).tables()[-1]
    assert table.rows[0] == ("1", 1, 1.0, 1.0, 1.0)
    assert table.texts()[1] == ["2", "0", "–", "–", "–"]


def test_topics_are_compared_one_by_one() -> None:
    """Each topic has the matrix of its own rankings, and `all` is that of all topics."""
    lists = {"a": {"1": ["x", "y"], "2": ["v"]}, "b": {"1": ["y", "x"], "2": ["v"]}}
    both = pw.Runs.from_rankings(lists)
    overlaps = pw.findings.overlap_by_topic(both, p=0.5)
    columns = overlaps.columns()
    assert columns["topic"] == ["1", "2", "all"]
    assert columns["topics"] == [1, 1, 2]
    alone = [
        pw.findings.run_overlap(both.select(topics=[t]), "a", "b", p=0.5).mean().ext for t in "12"
    ]
    assert columns["rbo"] == pytest.approx([*alone, sum(alone) / 2])
    assert "most alike on topic 2" in overlaps.sentences()[0]
    assert "least alike on topic 1, with 0.500" in overlaps.sentences()[0]


def test_progress_counts_the_topics() -> None:
    """Whoever watches is told after each topic."""
    messages: list[tuple[int, int]] = []
    lists = {name: {"1": ["x"], "2": ["y"]} for name in "ab"}
    pw.findings.overlap_by_topic(
        pw.Runs.from_rankings(lists), progress=lambda *n: messages.append(n)
    )
    assert messages == [(1, 2), (2, 2)]


def test_near_duplicates_are_counted_from_the_limit_on() -> None:
    """The sentence, the table and the function agree on which pairs are near-duplicates."""
    matrix = pw.findings.overlap_matrix(runs(4))
    for alike in (0.3, 0.6, 0.8):
        pairs = len(matrix.near_duplicates(at_least=alike))
        twins = [t for t in matrix.tables(alike=alike) if "near-duplicates" in t.title]
        assert [len(t.rows) for t in twins] == [pairs] * (pairs > 0)
        words = f"{pairs} pair" if pairs else "no two runs"
        assert words in matrix.sentences(alike=alike)[1]


def test_runs_that_cannot_be_compared_are_named() -> None:
    """A run without documents is left out; runs without a common topic count as unlike."""
    lists = {"a": {"1": ["x"]}, "b": {"2": ["y"]}, "c": {"1": ["x"]}, "none": {}}
    matrix = pw.findings.overlap_matrix(pw.Runs.from_rankings(lists))
    clusters = matrix.tables()[0]
    assert matrix.sentences()[2:] == (
        "1 run without any document is left out: none.",
        "2 pairs without a common topic are taken as unlike.",
    )
    assert {row[1]: row[2] for row in clusters.rows} == {"a": "c", "b": None, "c": "a"}


@pytest.mark.parametrize("answering", [0, 1])
def test_tables_of_fewer_than_two_runs(answering: int) -> None:
    """With one run that answers, or none, there is nothing to compare, and no error."""
    lists = {f"s{i}": {"1": ["x"]} if i < answering else {} for i in range(2)}
    matrix = pw.findings.overlap_matrix(pw.Runs.from_rankings({**lists, "t": {"2": []}}))
    assert sum(len(table.rows) for table in matrix.tables()[:1]) == answering
    assert "without any document" in str(matrix)


def test_two_runs_without_a_common_topic() -> None:
    """There is no mean over no topics, and the sentence says so."""
    apart = pw.Runs.from_rankings({"a": {"1": ["x"]}, "b": {"2": ["y"]}})
    overlap = pw.findings.run_overlap(apart, "a", "b")
    assert overlap.sentences() == ("a and b answer no topic in common.",)
    assert "a ranking is empty" in str(overlap.mean())


def test_the_sentence_of_two_runs_has_the_mean_and_its_bounds() -> None:
    """It names both runs, and counts the topics that both answer."""
    lists = {"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y", "x"]}}
    overlap = pw.findings.run_overlap(pw.Runs.from_rankings(lists), "a", "b", p=0.5)
    mean = overlap.mean()
    first, second, third = overlap.sentences()
    assert "'broken'" in third
    assert f"a and b have a rank-biased overlap of {mean.ext:.3f} at p = 0.5" in first
    assert "over 1 of 2 topics" in first
    assert f"{mean.min:.3f} to {mean.max:.3f}" in second
