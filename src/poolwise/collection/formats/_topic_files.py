r"""Topics with all that people are told of them: TREC's files, JSONL, and lines of tabs."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from poolwise.collection.files._sources import (
    csv_rows,
    lines_of,
    read_text,
    require_distinct_columns,
)
from poolwise.collection.formats._rows import Rows, rows_of_records
from poolwise.collection.formats._text_files import read_jsonl, read_whole_json
from poolwise.errors import InputError

__all__ = [
    "Topic",
    "read_topic_column",
    "read_topic_groups",
    "read_topic_texts",
    "read_topics",
    "topics_text",
]


class Topic(NamedTuple):
    """A topic: what was asked, and what the person who asked it wants.

    Examples
    --------
    >>> Topic("401", "foreign minorities, Germany").narrative
    ''
    """

    id: str
    query: str
    description: str = ""
    narrative: str = ""


_NAMES = {
    "id": ("id", "_id", "qid", "query_id", "topic", "topic_id", "number", "num"),
    "query": ("query", "text", "title", "question"),
    "description": ("description", "desc"),
    "narrative": ("narrative", "narr"),
}
"""What files call the parts of a topic."""


def read_topics(path: str | Path) -> tuple[Topic, ...]:
    r"""Read topics: a TREC file, JSONL, or what :func:`read_topic_texts` reads (id, tab, query).

    Examples
    --------
    >>> import tempfile
    >>> trec = '''<top>
    ... <num> Number: 401
    ... <title> foreign minorities, Germany
    ... <desc> Description:
    ... What language differences impede integration?
    ... <narr> Narrative:
    ... A relevant document tells of them.
    ... </top>'''
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write(trec)
    ...     file.flush()
    ...     read_topics(file.name)[0].description
    'What language differences impede integration?'
    """
    name, text = str(path), read_text(path).removeprefix("\ufeff").strip()
    if "<top>" in text.lower()[:10_000]:
        return _distinct(name, map(_of_trec, re.split("<top>", text, flags=re.IGNORECASE)[1:]))
    if text.startswith("{") and "\n" in text:
        return _distinct(name, (_of_record(f"{name}:{n}", r) for n, r in read_jsonl(name, text)))
    if text.startswith("{") and _is_record(text):
        return (_of_record(name, json.loads(text)),)
    return tuple(Topic(topic, query) for topic, query in read_topic_texts(path).items())


def _is_record(text: str) -> bool:
    """Say whether the one object of a file is one topic; else it has a text for each topic."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return any(name in content for name in _NAMES["id"])


_TAG = re.compile(r"<(num|title|desc|narr)[^>]*>", re.IGNORECASE)
_HEADS = re.compile(r"^\s*(Number|Topic|Description|Narrative)\s*:\s*", re.IGNORECASE)


def _of_trec(block: str) -> Topic:
    """Read what stands between <top> and </top>; the tags of TREC have no ends."""
    pieces = _TAG.split(re.split("</top>", block, flags=re.IGNORECASE)[0])
    tags = dict(zip((tag.lower() for tag in pieces[1::2]), pieces[2::2], strict=True))
    texts = {tag: _plain(_HEADS.sub("", text, count=1)) for tag, text in tags.items()}
    parts = (texts.get(tag, "") for tag in ("num", "title", "desc", "narr"))
    return Topic(*parts)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"</\w+>", " ", text).split())


def _of_record(where: str, record: Mapping[str, Any]) -> Topic:
    parts = {
        part: next((record[name] for name in names if record.get(name) is not None), "")
        for part, names in _NAMES.items()
    }
    if parts["id"] == "":
        rule = f"a topic must have an id ({', '.join(_NAMES['id'])})"
        raise InputError(where, rule, value=", ".join(record), remedy="rename its members")
    return Topic(**{part: str(value).strip() for part, value in parts.items()})


def _distinct(path: str, topics: Iterable[Topic]) -> tuple[Topic, ...]:
    all_topics = tuple(topics)
    seen: set[str] = set()
    for topic in all_topics:
        if not topic.id or not topic.query:
            rule = "a topic must have an id and a query"
            raise InputError(path, rule, value=tuple(topic), remedy="complete it")
        if topic.id in seen:
            raise InputError(path, "a topic must stand once", value=topic.id, remedy="remove one")
        seen.add(topic.id)
    return all_topics


def topics_text(topics: Iterable[Topic]) -> str:
    """Return topics as lines of JSON, which :func:`read_topics` reads.

    Examples
    --------
    >>> print(topics_text([Topic("1", "red dress")]), end="")
    {"id": "1", "query": "red dress", "description": "", "narrative": ""}
    """
    return "".join(json.dumps(topic._asdict()) + "\n" for topic in topics)


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
    texts = (
        _texts_of_json(name, text)
        if text.lstrip()[:1] in ("{", "[")
        else _texts_of_lines(name, text)
    )
    if not texts:
        raise InputError(name, "there must be a topic at least", remedy="check what is in it")
    return texts


def _texts_of_json(path: str, text: str) -> dict[str, str]:
    first = text.strip().partition("\n")[0]
    if first.startswith("{") and first.endswith("}") and text.strip() != first:
        return _texts_of_rows(rows_of_records([r for _, r in read_jsonl(path, text)], path, "runs"))
    content = read_whole_json(path, text)
    if isinstance(content, Mapping) and all(isinstance(value, str) for value in content.values()):
        return {str(topic): str(value) for topic, value in content.items()}
    records = [content] if isinstance(content, Mapping) else _objects(path, content)
    return _texts_of_rows(rows_of_records(records, path, "runs"))


def _objects(path: str, content: Any) -> list[Mapping[str, Any]]:
    """Return what an array of JSON holds: an object for each topic."""
    if not content or not all(isinstance(record, Mapping) for record in content):
        rule = "the array of JSON must have an object for each topic"
        raise InputError(path, rule, remedy="check what is in it")
    return list(content)


def _texts_of_rows(rows: Rows) -> dict[str, str]:
    topics, topic = rows.ids("topic"), rows.need("topic")
    column = next((n for n in rows.names if n.lower() in _TEXT_COLUMNS and n != topic), None)
    if column is None:
        rule, remedy = (
            "there must be a column for the text",
            f"name it one of {', '.join(_TEXT_COLUMNS)}",
        )
        raise InputError(rows.where, rule, value=", ".join(rows.names), remedy=remedy)
    return _distinct_texts(rows.where, [*zip(topics, map(str, rows.column(column)), strict=True)])


def _texts_of_lines(path: str, text: str) -> dict[str, str]:
    lines = [line for line in lines_of(text) if line.strip()]
    if lines and "," in lines[0] and "\t" not in lines[0]:
        (_, heading), *rest = rows = csv_rows(path, text)
        if Rows.of(path, dict.fromkeys(heading, ())).find("topic"):
            records = [_of_row(f"{path}:{at}", heading, row) for at, row in rest if any(row)]
            return _texts_of_rows(rows_of_records(records, path, "runs"))
        return _distinct_texts(path, [(row[0], ",".join(row[1:])) for _, row in rows])
    return _distinct_texts(
        path, [_parted(path, number, line) for number, line in enumerate(lines, 1)]
    )


def _parted(path: str, number: int, line: str) -> tuple[str, str]:
    sign = "\t" if "\t" in line else ":"
    topic, separator, text = line.partition(sign)
    if not separator:
        rule = "a line must hold a topic, a tab or a colon, and the text of its query"
        remedy = "write lines such as 401<tab>foreign minorities, Germany"
        raise InputError(f"{path}:{number}", rule, value=line, remedy=remedy)
    return topic.strip(), text.strip()


def _distinct_texts(path: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for topic, text in pairs:
        if topic in texts:
            rule, remedy = "a topic must stand once", "remove one of them"
            raise InputError(path, rule, value=topic, remedy=remedy)
        texts[topic] = text
    return texts


def read_topic_column(path: str | Path, column: str) -> dict[str, str]:
    r"""Read one column of a file of topics: JSONL, or CSV or lines with tabs below a heading.

    Topics without a value are left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("qid\tquery\tlanguage\n1\tred dress\ten\n2\trobe rouge\tfr\n")
    ...     file.flush()
    ...     read_topic_column(file.name, "language")
    {'1': 'en', '2': 'fr'}
    """
    name, text = str(path), read_text(path).removeprefix("\ufeff").strip()
    records = _records_of(name, text)
    columns = list(dict.fromkeys(key for record in records for key in record))
    ids = next((key for key in _NAMES["id"] if key in columns), None)
    if ids is None or column not in columns:
        rule = f"the file must have a column {column!r} and one of ids ({', '.join(_NAMES['id'])})"
        remedy = "name a column of it; lines with tabs, and CSV, need a heading"
        raise InputError(name, rule, value=", ".join(columns), remedy=remedy)
    pairs = ((record.get(ids), record.get(column)) for record in records)
    values: dict[str, str] = {}
    for topic, value in pairs:
        if topic in (None, "") or value in (None, ""):
            continue
        if values.setdefault(str(topic), str(value)) != str(value):
            rule, got = f"a topic must have one {column}", f"{topic}: {values[str(topic)]}, {value}"
            raise InputError(name, rule, value=got, remedy="remove one of the two")
    return values


def _records_of(path: str, text: str) -> list[Mapping[str, Any]]:
    if text.startswith("{"):
        return [record for _, record in read_jsonl(path, text)]
    if text.startswith("["):
        return _objects(path, read_whole_json(path, text))
    first = text.partition("\n")[0]
    lines = csv_rows(path, text, delimiter="\t" if "\t" in first else ",")
    if not lines:
        raise InputError(path, "there must be a topic at least", remedy="check what is in it")
    (at, heading), *rows = lines
    require_distinct_columns(f"{path}:{at}", heading)
    return [_of_row(f"{path}:{number}", heading, row) for number, row in rows if any(row)]


def _of_row(where: str, heading: list[str], row: list[str]) -> dict[str, str]:
    """Return the cells of a row by the names of their columns."""
    if len(row) != len(heading):
        rule = f"a line must have a cell for each of the {len(heading)} columns"
        remedy = "put a text with a comma into quotes, and complete the line"
        raise InputError(where, rule, value=",".join(row), remedy=remedy)
    return dict(zip(heading, row, strict=True))


def read_topic_groups(path: str | Path) -> dict[str, str]:
    r"""Read which group each topic is of: lines with a topic, a tab or blanks, and its group.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("1 en\n2\tfr\n")
    ...     file.flush()
    ...     read_topic_groups(file.name)
    {'1': 'en', '2': 'fr'}
    """
    groups: dict[str, str] = {}
    for number, line in enumerate(lines_of(read_text(path).removeprefix("\ufeff")), 1):
        fields = line.split("\t" if "\t" in line else None)
        where = f"{path}:{number}"
        if line.strip() and (len(fields) != 2 or not all(map(str.strip, fields))):
            rule, remedy = "a line must hold a topic and its group", "put a tab between the two"
            raise InputError(where, rule, value=line, remedy=remedy)
        if fields and line.strip():
            topic, group = (field.strip() for field in fields)
            if groups.setdefault(topic, group) != group:
                rule = f"a topic has one group, and {topic!r} is in {groups[topic]!r} already"
                raise InputError(where, rule, value=group, remedy="remove one of the two lines")
    if not groups:
        raise InputError(str(path), "there must be a topic at least", remedy="check what is in it")
    return groups
