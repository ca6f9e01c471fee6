"""``poolwise sample`` as people and scripts meet it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
DESIGN = ("--design", "depths:1=1,3=1")


def test_a_sample_is_listed_judged_and_scored(collection: Path, run: Command) -> None:
    """The list to judge has the documents whose grades the second call fills in."""
    listed = run("sample", "runs", *DESIGN, "-o", "to-judge.tsv")
    assert listed.exit_code == 0, listed.output
    head, *lines = (collection / "to-judge.tsv").read_text().splitlines()
    assert head == "topic\tdocument\tstratum\tprobability"
    judged = run("sample", "runs", *DESIGN, "--grades-from", "qrels.txt", "-o", "sampled.qrels")
    assert judged.exit_code == 0, judged.output
    assert "are drawn: " in judged.stdout
    sampled = pw.read_judgments(collection / "sampled.qrels")
    assert {tuple(line.split("\t")[:2]) for line in lines} == {(t, d) for t, d, _ in sampled}
    scores = run("evaluate", "sampled.qrels", "runs", "-m", "HT(P@2),xinfAP,P@2", "--format", "tsv")
    assert scores.exit_code == 0, scores.output
    assert "sample_low" in scores.stdout.splitlines()[0]


def test_other_designs_give_prels(collection: Path, run: Command) -> None:
    """Documents drawn each by itself are written with their probabilities."""
    words = ("--design", "rbp:2", "--grades-from", "qrels.txt", "-o", "prels.gz")
    assert run("sample", "runs", *words).exit_code == 0
    assert pw.read_judgments(collection / "prels.gz").probability is not None


@pytest.mark.usefixtures("collection")
def test_a_design_that_makes_no_sense_is_an_error_with_a_hint(run: Command) -> None:
    """The hint shows a design that works."""
    result = run("sample", "runs", "--design", "deep", "-o", "out.tsv")
    assert result.exit_code == 3
    assert "Hint: write depths:10=1,30=0.4,100=0.1, or rbp:100." in result.stderr


@pytest.mark.usefixtures("collection")
def test_estimates_from_plain_judgments_are_refused(run: Command) -> None:
    """On judgments that are no sample, the error says what is needed, and a way out."""
    result = run("evaluate", "qrels.txt", "runs", "-m", "xinfAP")
    assert result.exit_code == 3
    assert "xinfAP: it needs judgments that say how they were sampled" in result.stderr


def test_negative_grades_can_be_read_as_zero(collection: Path, run: Command) -> None:
    """With --negative 0, what was in the universe and not sampled is not relevant."""
    (collection / "spam.qrels").write_text("1 0 a 1\n1 0 b -2\n1 0 c -2\n")
    words = ("spam.qrels", "runs", "-m", "P@2", "--format", "tsv")
    kept, zero = (run("evaluate", *words, "--negative", how) for how in ("keep", "0"))
    assert kept.exit_code == zero.exit_code == 0, zero.output
    assert "negative grades taken as 0: 2" in zero.stderr
    assert kept.stdout != zero.stdout
    assert run("compare", *words, "--draws", "0", "--negative", "0").exit_code == 0


def test_a_sample_is_not_merged(collection: Path, run: Command) -> None:
    """More grades would change the chances of a sample, so that it is refused, with a way out."""
    (collection / "sampled.qrels").write_text("1 0 a 1 1\n1 0 b 1 -1\n")
    result = run("merge", "sampled.qrels", "qrels.txt", "-o", "out.qrels")
    assert result.exit_code == 3
    assert "judgments to be merged must not be a sample" in result.stderr
