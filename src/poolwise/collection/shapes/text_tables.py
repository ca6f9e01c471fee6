"""CSV, JSON and JSONL files of runs and judgments, as rows and dicts."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from poolwise.collection.files.sources import FileBytes
from poolwise.collection.shapes.records import rows_of_records
from poolwise.collection.shapes.rows import Rows, has_entries
from poolwise.errors import InputError

__all__ = ["is_text_table", "read_jsonl", "read_text_table", "read_whole_json"]

_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")


def is_text_table(path: str) -> bool:
    """Say whether a file is CSV, JSON or JSONL, by the ending of its name.

    Examples
    --------
    >>> is_text_table("runs/bm25.csv.gz"), is_text_table("runs/bm25.run")
    (True, False)
    """
    return _ending(path) in _READERS


def _ending(path: str) -> str:
    name = path.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name[name.rfind(".") :] if "." in name else ""


def read_text_table(
    path: str, kind: str, *, max_ratio: float, form: str = ""
) -> Mapping[Any, Any] | Rows:
    """Return what a file holds; ``kind`` says what columns without a header are.

    ``form`` is an ending that goes before that of the file's name.
    """
    raw = b"".join(map(bytes, FileBytes(path, max_ratio=max_ratio)))
    text = raw.decode("utf-8-sig", "surrogateescape")
    if not text.strip():
        raise InputError(path, "there must be at least one entry", remedy="check what is in it")
    return _READERS[form or _ending(path)](path, text, kind)


def _csv(path: str, text: str, kind: str) -> Rows:
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t;," if sign in first), " ")
    text_lines = io.StringIO(text, newline="")
    lines = csv.reader(text_lines, delimiter=delimiter, skipinitialspace=True)
    found = [(lines.line_num, [cell.strip() for cell in row]) for row in lines if any(row)]
    header = found[0][1]
    if not has_entries(header) and any(map(_is_number, header)):
        return rows_of_records([tuple(row) for _, row in found], path, kind)
    for line, row in found:
        if len(row) != len(header):
            rule = f"every line must have {len(header)} cells, as the header has"
            remedy = "complete the line, and put quotes around a cell that holds the delimiter"
            raise InputError(f"{path}:{line}", rule, value=delimiter.join(row), remedy=remedy)
    columns = zip(*(row for _, row in found[1:]), strict=True)
    cells = [list(column) for column in columns] or [[] for _ in header]
    return Rows.of(path, dict(zip(header, cells, strict=True)), first_line=2)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _json(path: str, text: str, kind: str) -> Mapping[Any, Any] | Rows:
    found = read_whole_json(path, text)
    if isinstance(found, Mapping):
        return found
    if not isinstance(found, list) or not found or not isinstance(found[0], dict | list):
        rule = "the file must hold an object by topic or by system, or an array of records"
        raise InputError(path, rule, value=type(found).__name__, remedy="check what is in it")
    return rows_of_records(found, path, kind)


def _jsonl(path: str, text: str, kind: str) -> Rows:
    return rows_of_records([record for _, record in read_jsonl(path, text)], path, kind)


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
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
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
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
}
"""How a file is read, by the ending of its name."""
