"""Texts of documents: from JSONL, from lines with a tab, plain and compressed."""

import gzip
import json
from pathlib import Path

import pytest

from poolwise.collection.formats._texts import read_texts
from poolwise.errors import InputError


@pytest.mark.parametrize("name", ["docno", "doc_id", "docid", "_id", "id"])
@pytest.mark.parametrize("text", ["text", "contents", "body", "passage", "doc"])
def test_jsonl_may_use_any_of_the_usual_names(tmp_path: Path, name: str, text: str) -> None:
    """Whatever the id and the text are called, only wanted documents are kept."""
    path = tmp_path / "documents.jsonl"
    lines = [json.dumps({name: d, text: f"About\n{d}."}) for d in "abc"]
    path.write_text("\n".join(lines), "utf-8")
    assert read_texts(path, {"a", "c", "z"}) == {"a": "About a.", "c": "About c."}


def test_a_title_stands_before_the_text(tmp_path: Path) -> None:
    """BEIR's files have both."""
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"_id": "1", "title": "Pools", "text": "are deep."}), "utf-8")
    assert read_texts(path, {"1"}) == {"1": "Pools are deep."}


def test_lines_with_a_tab_may_be_compressed(tmp_path: Path) -> None:
    """Ids, tabs and texts, as MS MARCO has them, empty lines and a byte order mark allowed."""
    path = tmp_path / "collection.tsv.gz"
    path.write_bytes(gzip.compress("\ufeff7\tcafé one\r\n\n8\ttwo\twords\n".encode()))
    assert read_texts(str(path), {"7", "8"}) == {"7": "café one", "8": "two words"}


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("no tab here", "a line must be a JSON object, or an id, a tab and a text"),
        ('{"docno": "a"', "the line must be intact JSON"),
        ('{"docno": "a", "words": 3}', "an object must have an id"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str, rule: str) -> None:
    """The error has the place, the rule and a hint."""
    path = tmp_path / "texts"
    path.write_text(f"a\tfine\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=rf"texts:2: {rule}.* Hint: "):
        read_texts(path, {"a"})


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """As for runs, the error names the file."""
    with pytest.raises(InputError, match="nosuch"):
        read_texts(tmp_path / "nosuch", {"a"})
