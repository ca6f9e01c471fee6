"""Texts of documents and of queries, by id."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from poolwise.collection.files._sources import FileBytes, csv_rows, lines_of, read_text
from poolwise.collection.formats._rows import Rows, rows_of_records
from poolwise.collection.formats._text_files import read_jsonl, read_whole_json
from poolwise.errors import InputError

__all__ = ["DOCUMENT_IDS", "DOCUMENT_TEXTS", "read_texts", "read_topic_texts", "texts_by_line"]

DOCUMENT_IDS = ("docno", "doc_id", "docid", "_id", "id")
DOCUMENT_TEXTS = ("title", "text", "contents", "body", "passage", "doc")
"""Names that JSONL files give to what is shown, in the order in which it is put together."""


def read_texts(source: str | Path | Mapping[str, str], wanted: Collection[str]) -> dict[str, str]:
    """Read the texts of some documents.

    Parameters
    ----------
    source : str, Path or mapping
        A file, plain or compressed: JSONL whose objects have an id (``docno``, ``doc_id``,
        ``docid``, ``_id`` or ``id``) and a text (``title``, ``text``, ``contents``, ``body``,
        ``passage`` or ``doc``), or lines with an id, a tab and a text; or a dict from id to text.
    wanted : collection of str
        The documents whose texts are kept, so that a file may be larger than memory.

    Returns
    -------
    dict from str to str
        The texts that were found.

    Examples
    --------
    >>> read_texts({"a": "one text", "b": "another"}, {"b", "c"})
    {'b': 'another'}
    """
    if isinstance(source, Mapping):
        return {name: str(source[name]) for name in wanted if name in source}
    named = texts_by_line(str(source))
    return {name: " ".join(text.split()) for name, text in named if name in wanted}


def texts_by_line(path: str) -> Iterator[tuple[str, str]]:
    """Go through a file of texts: the id and the text of each line."""
    for where, line in _lines(path):
        yield _object(where, line) if line.startswith("{") else _tabbed(where, line)


def _lines(path: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that are not empty, each with its place."""
    rest, number = b"", 0
    for block in FileBytes(path):
        *whole, rest = (rest + bytes(block)).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield f"{path}:{number}", _decoded(line)
    if rest.strip():
        yield f"{path}:{number + 1}", _decoded(rest)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8-sig", "surrogateescape").strip("\r")


def _object(where: str, line: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        rule = f"the line must be intact JSON: {error}"
        raise InputError(where, rule, remedy="write or download the file again") from error
    names = [name for name in DOCUMENT_IDS if name in record]
    texts = [name for name in DOCUMENT_TEXTS if isinstance(record.get(name), str)]
    if not names or not texts:
        rule = (
            f"an object must have an id ({', '.join(DOCUMENT_IDS)}) and a text "
            f"({', '.join(DOCUMENT_TEXTS)})"
        )
        raise InputError(where, rule, value=_shortened(record), remedy="rename its members")
    return str(record[names[0]]), " ".join(record[name] for name in texts)


def _tabbed(where: str, line: str) -> tuple[str, str]:
    name, tab, text = line.partition("\t")
    if not tab:
        rule = "a line must be a JSON object, or an id, a tab and a text"
        raise InputError(where, rule, value=line[:40], remedy="put a tab between id and text")
    return name.strip(), text


def _shortened(record: dict[str, Any]) -> str:
    return ", ".join(record)


_TEXT_COLUMNS = ("text", "query", "title", "query_text", "question")
"""What people call the column of texts."""


def read_topic_texts(path: str | Path) -> dict[str, str]:
    r"""Read the text of each topic's query.

    A line holds a topic, a tab, a comma or a colon, and the text; or the file is CSV, JSONL or a
    JSON array with fields such as ``qid`` and ``query``, or a JSON object ``{topic: text}``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("1\tred dress\n2:blue: shoes\n")
    ...     file.flush()
    ...     read_topic_texts(file.name)
    {'1': 'red dress', '2': 'blue: shoes'}
    """
    name, text = str(path), read_text(path).removeprefix("\ufeff")
    texts = _of_json(name, text) if text.lstrip()[:1] in ("{", "[") else _of_lines(name, text)
    if not texts:
        raise InputError(name, "there must be a topic at least", remedy="check what is in it")
    return texts


def _of_json(path: str, text: str) -> dict[str, str]:
    first = text.strip().partition("\n")[0]
    if first.startswith("{") and first.endswith("}") and text.strip() != first:
        return _of_rows(rows_of_records([r for _, r in read_jsonl(path, text)], path, "runs"))
    content = read_whole_json(path, text)
    if isinstance(content, Mapping) and all(isinstance(value, str) for value in content.values()):
        return {str(topic): str(value) for topic, value in content.items()}
    records = [content] if isinstance(content, Mapping) else content
    return _of_rows(rows_of_records(records, path, "runs"))


def _of_rows(rows: Rows) -> dict[str, str]:
    topics, topic = rows.ids("topic"), rows.need("topic")
    column = next((n for n in rows.names if n.lower() in _TEXT_COLUMNS and n != topic), None)
    if column is None:
        rule, remedy = (
            "there must be a column for the text",
            f"name it one of {', '.join(_TEXT_COLUMNS)}",
        )
        raise InputError(rows.where, rule, value=", ".join(rows.names), remedy=remedy)
    return _distinct(rows.where, [*zip(topics, map(str, rows.column(column)), strict=True)])


def _of_lines(path: str, text: str) -> dict[str, str]:
    lines = [line for line in lines_of(text) if line.strip()]
    if lines and "," in lines[0] and "\t" not in lines[0]:
        cells = [row for _, row in csv_rows(path, text)]
        if Rows.of(path, dict.fromkeys(cells[0], ())).find("topic"):
            records = [dict(zip(cells[0], row, strict=False)) for row in cells[1:]]
            return _of_rows(rows_of_records(records, path, "runs"))
        return _distinct(path, [(row[0], ",".join(row[1:])) for row in cells])
    return _distinct(path, [_parted(path, number, line) for number, line in enumerate(lines, 1)])


def _parted(path: str, number: int, line: str) -> tuple[str, str]:
    sign = "\t" if "\t" in line else ":"
    topic, separator, text = line.partition(sign)
    if not separator:
        rule = "a line must hold a topic, a tab or a colon, and the text of its query"
        remedy = "write lines such as 401<tab>foreign minorities, Germany"
        raise InputError(f"{path}:{number}", rule, value=line, remedy=remedy)
    return topic.strip(), text.strip()


def _distinct(path: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    texts = dict(pairs)
    if len(texts) < len(pairs):
        topics = [topic for topic, _ in pairs]
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        raise InputError(path, "a topic must stand once", value=twice, remedy="remove one of them")
    return texts
