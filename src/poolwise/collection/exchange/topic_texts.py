"""The texts of queries, by topic: for formats that know a query by its text alone."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from poolwise.collection.files.sources import read_text
from poolwise.collection.shapes.records import rows_of_records
from poolwise.collection.shapes.rows import Rows
from poolwise.collection.shapes.text_tables import read_jsonl, read_whole_json
from poolwise.errors import InputError

__all__ = ["read_topic_texts"]

_TEXTS = ("text", "query", "title", "query_text", "question")
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
    found = _of_json(name, text) if text.lstrip()[:1] in ("{", "[") else _of_lines(name, text)
    if not found:
        raise InputError(name, "there must be a topic at least", remedy="check what is in it")
    return found


def _of_json(path: str, text: str) -> dict[str, str]:
    first = text.strip().partition("\n")[0]
    if first.startswith("{") and first.endswith("}") and text.strip() != first:
        return _of_rows(rows_of_records([r for _, r in read_jsonl(path, text)], path, "runs"))
    found = read_whole_json(path, text)
    if isinstance(found, Mapping) and all(isinstance(value, str) for value in found.values()):
        return {str(topic): str(value) for topic, value in found.items()}
    records = [found] if isinstance(found, Mapping) else found
    return _of_rows(rows_of_records(records, path, "runs"))


def _of_rows(rows: Rows) -> dict[str, str]:
    topics, topic = rows.ids("topic"), rows.need("topic")
    column = next((n for n in rows.names if n.lower() in _TEXTS and n != topic), None)
    if column is None:
        rule, remedy = "there must be a column for the text", f"name it one of {', '.join(_TEXTS)}"
        raise InputError(rows.where, rule, value=", ".join(rows.names), remedy=remedy)
    return _distinct(rows.where, [*zip(topics, map(str, rows.column(column)), strict=True)])


def _of_lines(path: str, text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and "," in lines[0] and "\t" not in lines[0]:
        cells = [row for row in csv.reader(io.StringIO(text, newline="")) if any(row)]
        if Rows.of(path, dict.fromkeys(cells[0], ())).find("topic"):
            records = [dict(zip(cells[0], row, strict=False)) for row in cells[1:]]
            return _of_rows(rows_of_records(records, path, "runs"))
        return _distinct(path, [(row[0], ",".join(row[1:])) for row in cells])
    return _distinct(path, [_parted(path, number, line) for number, line in enumerate(lines, 1)])


def _parted(path: str, number: int, line: str) -> tuple[str, str]:
    sign = "\t" if "\t" in line else ":"
    topic, found, text = line.partition(sign)
    if not found:
        rule = "a line must hold a topic, a tab or a colon, and the text of its query"
        remedy = "write lines such as 401<tab>foreign minorities, Germany"
        raise InputError(f"{path}:{number}", rule, value=line, remedy=remedy)
    return topic.strip(), text.strip()


def _distinct(path: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    found = dict(pairs)
    if len(found) < len(pairs):
        topics = [topic for topic, _ in pairs]
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        raise InputError(path, "a topic must stand once", value=twice, remedy="remove one of them")
    return found
