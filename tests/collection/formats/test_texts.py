"""Texts of documents: from JSONL, from lines with a tab, plain and compressed."""

import gzip
import json
from pathlib import Path

import pytest
from tests.each import over

from poolwise.collection.formats._texts import read_queries, read_texts
from poolwise.errors import InputError


@over("name", ["docno", "doc_id", "docid", "_id", "id"])
@over("text", ["text", "contents", "body", "passage", "doc"])
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
        ('{"docno": "a", "words": 3}', "a document must have an id"),
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


def test_folders_and_parquet_are_read_as_the_judging_room_reads_them(tmp_path: Path) -> None:
    """Files of many documents, Parquet, and one file for each document give the same texts."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rows = [{"_id": "a", "title": "Owls", "text": "hoot."}, {"_id": "b", "text": "Bats\nfly."}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "corpus.parquet")
    folder = tmp_path / "shards"
    folder.mkdir()
    (folder / "one.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "c.txt").write_text("A page\nof its own.", "utf-8")
    expected = {"a": "Owls hoot.", "b": "Bats fly."}
    assert read_texts(tmp_path / "corpus.parquet", {"a", "b", "c"}) == expected
    assert read_texts(folder, {"a", "b", "c"}) == expected | {"c": "A page of its own."}


def test_bytes_that_are_no_text_stop_nothing(tmp_path: Path) -> None:
    """A file with a byte that is not UTF-8, or half a surrogate pair, is read all the same."""
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b'{"id": "a", "text": "caf\xe9"}\n{"id": "b", "text": "half \\ud83d"}\n')
    texts = read_texts(path, {"a", "b"})
    assert texts == {"a": "caf\ufffd", "b": "half \ufffd"}


def test_queries_come_from_topics_of_every_kind(tmp_path: Path) -> None:
    """TREC topics, JSONL, lines with tabs and a dict say what topics ask."""
    (tmp_path / "trec").write_text("<top>\n<num> Number: 7\n<title> red dress\n</top>\n", "utf-8")
    (tmp_path / "lines").write_text("7\tred dress\n", "utf-8")
    (tmp_path / "q.jsonl").write_text(
        '{"_id": "7", "text": "red dress"}\n{"_id": "8", "text": "x"}\n', "utf-8"
    )
    for source in (tmp_path / "trec", tmp_path / "lines", {"7": "red dress"}):
        assert read_queries(source) == {"7": "red dress"}
    assert read_queries(tmp_path / "q.jsonl")["7"] == "red dress"
