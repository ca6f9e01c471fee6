"""``poolwise convert`` writes a file and says what it could not keep."""

import gzip
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

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
    found = run("convert", "-", "--to", "csv", "-o", "out.csv")
    assert found.exit_code == 3
    assert "Hint: say what it is" in found.stderr
