"""What is written reads back the same."""

from pathlib import Path

import pytest
from tests.each import over

from poolwise import Judgments, Runs, read_judgments, read_runs, write_judgments, write_run
from poolwise.collection._runs import TIE_RULES
from poolwise.errors import InputError


@over("ties", TIE_RULES)
@over("name", ["out.run", "out.run.gz"])
def test_a_written_run_reads_back_under_every_tie_rule(
    ties: str, name: str, tmp_path: Path
) -> None:
    """The order written is the order read, compressed or plain."""
    lists = {"1": ["b", "a", "caf\udce9", "c"], "2": ["z"]}
    write_run(Runs.from_rankings({"x": lists}), "x", tmp_path / name)
    runs = read_runs(tmp_path / name, ties=ties)
    assert {t: runs.ranking("x", t) for t in runs.topics} == lists


def test_written_judgments_read_back(tmp_path: Path) -> None:
    """Grades keep their value; judgments taken away stay away."""
    qrels = Judgments.from_dict({"1": {"a": 0.1, "b": -1, "c": 3}}).keep([True, True, False])
    write_judgments(qrels, tmp_path / "qrels.gz")
    assert list(read_judgments(tmp_path / "qrels.gz")) == [("1", "a", 0.1), ("1", "b", -1.0)]


@pytest.mark.parametrize(("topic", "document"), [("1", "a b"), ("1", ""), ("#1", "a"), ("1", "\0")])
def test_an_id_that_would_not_read_back_is_refused(
    topic: str, document: str, tmp_path: Path
) -> None:
    """White space ends a field, and ``#`` begins a comment."""
    with pytest.raises(InputError, match="to be written"):
        write_judgments(Judgments.from_dict({topic: {document: 1}}), tmp_path / "qrels")
    assert not (tmp_path / "qrels").exists()


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    """A compressed file does not hold the time of its writing."""
    qrels = Judgments.from_dict({"1": {"a": 1}})
    for name in ("a.gz", "b.gz"):
        write_judgments(qrels, tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
