"""Lists to judge, and grades brought back, by commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Command = Callable[..., Result]


def test_judging_starts_from_an_empty_file(collection: Path, run: Command) -> None:
    """The loop of next and merge begins with nothing, and takes in what was graded."""
    (collection / "none.txt").touch()
    listed = run("next", "none.txt", "runs", "--budget", "2", "--format", "tsv")
    assert listed.exit_code == 0, listed.output
    head, *rows = [line.split("\t") for line in listed.stdout.splitlines()]
    assert head == ["topic", "document", "weight", "best_rank", "runs", "reason"]
    grades = "".join(f"{topic} 0 {document} 1\n" for topic, document, *_ in rows)
    (collection / "grades.txt").write_text(grades)
    merged = run("merge", "none.txt", "grades.txt", "-o", "new.txt")
    assert merged.exit_code == 0, merged.output
    assert "2 judgments: 2 added" in merged.stdout
    again = run("next", "new.txt", "runs", "--format", "tsv").stdout.splitlines()[1:]
    assert not {tuple(r[:2]) for r in rows} & {tuple(line.split("\t")[:2]) for line in again}


@pytest.mark.parametrize("word", ["--order", "--method"])
@pytest.mark.usefixtures("collection")
def test_an_order_has_two_names(run: Command, word: str) -> None:
    """An order of judging is also called a method."""
    result = run("next", "qrels.txt", "runs", word, "depth", "--format", "tsv")
    assert result.exit_code == 0, result.output


def test_a_conflict_writes_nothing(collection: Path, run: Command) -> None:
    """Grades that differ are refused, and the file is not there."""
    topic, _, document, grade = (collection / "qrels.txt").read_text().split()[:4]
    (collection / "grades.txt").write_text(f"{topic} 0 {document} {int(grade) + 1}\n")
    result = run("merge", "qrels.txt", "grades.txt", "-o", "new.txt")
    assert result.exit_code != 0
    assert "--conflicts last" in result.stderr
    assert not (collection / "new.txt").exists()
    decided = run("merge", "qrels.txt", "grades.txt", "-o", "new.txt", "--conflicts", "last")
    assert "1 with another one (decided by last)" in decided.stdout
