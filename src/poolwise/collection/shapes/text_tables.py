"""CSV, JSON and JSONL files of runs and judgments, as rows and dicts."""

import codecs
import csv
import io
import json
from collections.abc import Callable, Mapping
from itertools import dropwhile
from typing import Any

from poolwise.collection.files.sources import FileBytes
from poolwise.collection.shapes.file_forms import CSV, JSON, JSONL, form_of
from poolwise.collection.shapes.records import by_topic, rows_of_records
from poolwise.collection.shapes.rows import Rows, by_columns, has_entries
from poolwise.errors import InputError

__all__ = ["read_jsonl", "read_text_table", "read_whole_json"]

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file of two bytes for each character begins, as spreadsheets write it."""


def read_text_table(
    path: str, kind: str, *, max_ratio: float, form: str = ""
) -> Mapping[Any, Any] | Rows:
    """Return what a file holds; ``kind`` says what columns without a header are.

    ``form`` is an ending that goes before that of the file's name.
    """
    raw = b"".join(map(bytes, FileBytes(path, max_ratio=max_ratio)))
    wide = raw.startswith(_WIDE_MARKS)
    text = raw.decode("utf-16" if wide else "utf-8-sig", "replace" if wide else "surrogateescape")
    if not text.strip():
        raise InputError(path, "there must be at least one entry", remedy="check what is in it")
    return _READERS[form or form_of(path)](path, text, kind)


def _csv(path: str, text: str, kind: str) -> Rows:
    first = next(filter(_is_data, text.splitlines()), "")
    delimiter = next((sign for sign in "\t;," if sign in first), " ")
    text_lines = io.StringIO(text, newline="")
    lines = csv.reader(text_lines, delimiter=delimiter, skipinitialspace=True)
    rows = [(lines.line_num, [cell.strip() for cell in row]) for row in lines if any(row)]
    found = list(dropwhile(lambda row: row[1][0].startswith("#"), rows))
    header = found[0][1] if found else []
    if not has_entries(header) and any(map(_is_number, header)):
        return rows_of_records([tuple(row) for _, row in found], path, kind)
    for line, row in found:
        if len(row) != len(header):
            rule = f"every line must have {len(header)} cells, as the header has"
            remedy = "complete the line, and put quotes around a cell that holds the delimiter"
            raise InputError(f"{path}:{line}", rule, value=delimiter.join(row), remedy=remedy)
    columns = zip(*(row for _, row in found[1:]), strict=True)
    cells = [list(column) for column in columns] or [[] for _ in header]
    first_line = found[1][0] if len(found) > 1 else 2
    return Rows.of(path, dict(zip(header, cells, strict=True)), first_line=first_line)


def _is_data(line: str) -> bool:
    """Say whether a line is neither empty nor a comment, such as the metadata before a run."""
    return bool(line.strip()) and not line.startswith("#")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _json(path: str, text: str, kind: str) -> Mapping[Any, Any] | Rows:
    found = read_whole_json(path, text)
    if isinstance(found, Mapping):
        return by_columns(found, path)
    if not isinstance(found, list) or not found or not isinstance(found[0], dict | list):
        rule = "the file must hold an object by topic or by system, or an array of records"
        raise InputError(path, rule, value=type(found).__name__, remedy="check what is in it")
    return by_topic(found, path) or rows_of_records(found, path, kind)


def _jsonl(path: str, text: str, kind: str) -> Mapping[Any, Any] | Rows:
    records = [record for _, record in read_jsonl(path, text)]
    return by_topic(records, path) or rows_of_records(records, path, kind)


def read_whole_json(path: str, text: str) -> Any:
    """Return what JSON holds; a name that an object has twice is an error, since one would go."""
    return _loaded(text, path, 1)


def read_jsonl(path: str, text: str) -> list[tuple[int, dict[str, Any]]]:
    r"""Return the objects of JSONL, each with the number of its line.

    Examples
    --------
    >>> read_jsonl("a.jsonl", '{"qid": "1"}\n\n{"qid": "2"}\n')
    [(1, {'qid': '1'}), (3, {'qid': '2'})]
    """
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if _is_data(line)]
    found = [(number, _loaded(line, path, number)) for number, line in lines]
    for number, record in found:
        if not isinstance(record, dict):
            rule = "every line must be a JSON object"
            where = f"{path}:{number}"
            raise InputError(where, rule, value=record, remedy="write one object on each line")
    return found


def _loaded(text: str, path: str, first_line: int) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            rule = "an object of JSON must have each name once"
            raise InputError(path, rule, value=twice, remedy="remove one of the two")
        return made

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        where = f"{path}:{first_line + error.lineno - 1}"
        rule = f"the file must be intact JSON: {error.msg}"
        raise InputError(where, rule, remedy="write or download it again") from error
    except RecursionError as error:
        rule = "the file must be intact JSON, and this is nested without end"
        raise InputError(path, rule, remedy="write or download it again") from error


_READERS: dict[str, Callable[[str, str, str], Mapping[Any, Any] | Rows]] = {
    CSV: _csv,
    JSON: _json,
    JSONL: _jsonl,
}
"""How a file is read, by its form."""
