"""``poolwise convert`` writes a file and says what it could not keep."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]


def test_a_file_is_converted_and_back(collection: Path, run: Command) -> None:
    """Qrels to a book of Quepid and back are the same judgments."""
    there = run("convert", "qrels.txt", "--to", "quepid-book", "-o", "book.json")
    assert there.exit_code == 0, there.output
    assert "from trec to quepid-book. Nothing is lost." in " ".join(there.stdout.split())
    back = run("convert", "book.json", "--to", "trec", "-o", "again.txt.gz")
    assert back.exit_code == 0, back.output
    again = gzip.decompress((collection / "again.txt.gz").read_bytes()).decode()
    assert {tuple(line.split()) for line in again.splitlines()} == {
        tuple(line.split()) for line in (collection / "qrels.txt").read_text().splitlines()
    }


def test_standard_input_must_be_named(collection: Path, run: Command) -> None:
    """What can be read once is not looked into first."""
    del collection
    result = run("convert", "-", "--to", "csv", "-o", "out.csv")
    assert result.exit_code == 3
    assert "Hint: say what it is" in result.stderr


UMBRELA = (
    '{"qid": "1", "docno": "a", "judgment": 3, "result_status": 1, "model": "m", "prompt": "p"}\n'
    '{"qid": "1", "docno": "b", "judgment": 0, "result_status": 0, "model": "m", "prompt": "p"}\n'
    '{"qid": "1", "docno": "c", "judgment": 0, "result_status": 1, "model": "m", "prompt": "p"}\n'
)
"""Labels of a language model: the second answer could not be read."""


def test_a_label_that_could_not_be_read_is_missing(collection: Path, run: Command) -> None:
    """It is no grade 0: neither in the new file nor in an evaluation."""
    (collection / "labels.jsonl").write_text(UMBRELA)
    result = run("convert", "labels.jsonl", "--to", "trec", "--trust", "-o", "labels.qrels")
    assert result.exit_code == 0, result.output
    assert (collection / "labels.qrels").read_text() == "1 0 a 3\n1 0 c 0\n"
    assert "labels that could not be read (result_status 0), left out as missing: 1" in " ".join(
        result.stdout.split()
    )
    judged = pw.read_judgments(str(collection / "labels.jsonl"), trust=True)
    assert [(document, grade) for _, document, grade in judged] == [("a", 3.0), ("c", 0.0)]
    notice, _ = judged.notices
    assert (notice.count, notice.example) == (1, f"{collection / 'labels.jsonl'}:2")


@pytest.mark.parametrize("status", ["0", "false", "0.0", '"failed"', "null", '""'])
def test_every_way_to_say_that_a_label_failed_is_heard(collection: Path, status: str) -> None:
    """As a number, a word, or nothing at all; the grade may be anything."""
    text = UMBRELA.replace(
        '"judgment": 0, "result_status": 0', f'"judgment": null, "result_status": {status}'
    )
    (collection / "labels.jsonl").write_text(text)
    assert len(pw.read_judgments(str(collection / "labels.jsonl"), trust=True)) == 2


def test_every_column_that_is_not_kept_is_named(collection: Path, run: Command) -> None:
    """Nothing is lost only where nothing is."""
    (collection / "labels.jsonl").write_text(UMBRELA)
    words = ("convert", "labels.jsonl", "--to", "csv", "--trust", "-o", "o.csv")
    said = " ".join(run(*words).stdout.split())
    assert "column result_status: 3; column model: 3; column prompt: 3" in said
    assert "Nothing is lost" not in said
    (collection / "book.csv").write_text("query,docid,rating,comment\nred,d1,3,nice\n")
    said = " ".join(run("convert", "book.csv", "--to", "trec", "-o", "o.trec").stdout.split())
    assert "Not kept: column comment: 1." in said
    (collection / "d.jsonl").write_text(
        '{"id": 1, "text": "t", "label": ["2"], "topic": "1", "document": "a", "time": 3}\n'
    )
    said = " ".join(
        run("convert", "d.jsonl", "--from", "doccano", "--to", "trec", "-o", "o.q").stdout.split()
    )
    assert "Not kept: field time: 1." in said


def test_a_label_out_of_reach_is_refused_where_it_is(collection: Path, run: Command) -> None:
    """Lines keep their numbers, whichever were left out before them."""
    broken = UMBRELA + '{"qid": "1", "docno": "d", "judgment": "high", "result_status": 1}\n'
    (collection / "labels.jsonl").write_text(broken.replace(', "model": "m", "prompt": "p"', ""))
    assert "labels.jsonl:4:" in run("evaluate", "labels.jsonl", "runs").stderr
