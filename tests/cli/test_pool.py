"""``poolwise pool`` as people and scripts meet it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
GROUPS = "bm25\tlab\ndense\tstartup\n"


def written(path: Path) -> list[tuple[str, str, float]]:
    """Read a qrels file back."""
    return list(pw.read_judgments(path))


def test_the_file_holds_exactly_the_top_of_the_runs(collection: Path, run: Command) -> None:
    """At depth 1 only the judged documents at rank 1 of either run are kept."""
    result = run("pool", "runs", "--grades-from", "qrels.txt", "--depth", "1", "-o", "pool.txt")
    assert result.exit_code == 0, result.output
    assert "4 of 6 judgments are kept." in result.stdout
    assert written(collection / "pool.txt") == [
        ("1", "a", 1.0),
        ("2", "a", 0.0),
        ("2", "d", 1.0),
        ("3", "e", 0.0),
    ]


def test_judgments_are_thinned_as_by_the_library(collection: Path, run: Command) -> None:
    """--rate keeps the share of each topic's judgments that thin keeps with the same seed."""
    words = ("--depth", "3", "--rate", "0.5", "--seed", "5", "-o", "thin.txt")
    assert run("pool", "runs", "--grades-from", "qrels.txt", *words).exit_code == 0
    pooled = pw.pool("qrels.txt", "runs", depth=3)
    assert written(collection / "thin.txt") == list(pw.collection.thin(pooled, 0.5, rng=5))
    assert [t for t, _, _ in written(collection / "thin.txt")] == ["1", "2", "3"]


@pytest.mark.usefixtures("collection")
def test_a_list_to_judge_is_not_thinned(run: Command) -> None:
    """Without judgments there is nothing to thin."""
    result = run("pool", "runs", "--depth", "1", "--rate", "0.5")
    assert result.exit_code == 3
    assert "needs --grades-from" in result.stderr


@pytest.mark.parametrize("name", ["bm25", "lab"])
def test_a_run_or_its_group_can_be_left_out(collection: Path, run: Command, name: str) -> None:
    """Without bm25, by its own name or by its group's, only what dense finds is judged."""
    (collection / "groups.tsv").write_text(GROUPS)
    words = ("--leave-out", name, "--groups", "groups.tsv", "-o", "pool.txt")
    assert run("pool", "runs", "--grades-from", "qrels.txt", "--depth", "2", *words).exit_code == 0
    assert written(collection / "pool.txt") == [("1", "c", 2.0), ("2", "a", 0.0)]


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--depth", "1", "--leave-out", "lab"), "'lab' is neither a run nor a group"),
        (("--depth", "9"), "no deeper than the longest list; got 9"),
        (("--depth", "0"), "must be at least 1"),
    ],
)
def test_what_cannot_be_pooled_is_refused(
    run: Command, words: tuple[str, ...], message: str
) -> None:
    """Unknown groups and depths that no run has end with one clear line."""
    result = run("pool", "runs", "--grades-from", "qrels.txt", *words, "-o", "pool.txt")
    assert result.exit_code != 0
    assert message in result.stderr


def test_runs_alone_give_a_pool_to_judge(collection: Path, run: Command) -> None:
    """Without grades the file lists the documents, by topic and id, with a place for grades."""
    result = run("pool", "runs", "--depth", "1", "-o", "to-judge.tsv")
    assert result.exit_code == 0, result.output
    head, *rows = (collection / "to-judge.tsv").read_text().splitlines()
    assert head.split("\t") == ["topic", "document", "grade"]
    listed = [tuple(row.split("\t")[:2]) for row in rows]
    assert listed == sorted(listed)
    runs = pw.read_runs(collection / "runs")
    assert set(listed) == {
        (topic, runs.ranking(system, topic)[0])
        for system in runs.systems
        for topic in runs.topics
        if runs.ranking(system, topic)
    }


@pytest.mark.parametrize("name", ["pool.txt", "pool.qrels", "pool", "pool.txt.gz"])
def test_a_pool_is_a_file_of_trec(collection: Path, run: Command, name: str) -> None:
    """Its documents are pooled, and not judged: merge takes grades for them."""
    assert run("pool", "runs", "--depth", "1", "-o", name).exit_code == 0
    pooled = written(collection / name)
    columns = run("pool", "runs", "--depth", "1").stdout.splitlines()[1:]
    assert [(t, d) for t, d, _ in pooled] == [tuple(row.split("\t")[:2]) for row in columns]
    assert {grade for _, _, grade in pooled} == {-1}
    topic, document, _ = pooled[0]
    (collection / "grades.txt").write_text(f"{topic} 0 {document} 2\n")
    assert run("merge", name, "grades.txt", "-o", "all.qrels").exit_code == 0
    assert written(collection / "all.qrels") == [(topic, document, 2), *pooled[1:]]


@pytest.mark.usefixtures("collection")
def test_the_former_order_of_files_is_explained(run: Command) -> None:
    """Judgments among the runs are refused with the words that would work."""
    result = run("pool", "qrels.txt", "runs", "--depth", "1", "-o", "pool.txt")
    assert result.exit_code == 3
    assert "this file holds judgments" in result.stderr
    assert "poolwise pool RUNS --grades-from qrels.txt" in result.stderr


@pytest.mark.usefixtures("collection")
def test_judgments_need_a_file(run: Command) -> None:
    """Qrels go into a file, in their own format."""
    result = run("pool", "runs", "--grades-from", "qrels.txt", "--depth", "1")
    assert result.exit_code == 3
    assert "name the file with -o FILE" in result.stderr
