"""CSV, JSON and JSONL: told by a file's ending or its beginning, and read as rows and dicts."""

import codecs
import csv
import io
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import dropwhile
from typing import Any

from poolwise.collection.files._sources import FileBytes, is_stored
from poolwise.collection.formats._rows import (
    Rows,
    by_columns,
    by_topic,
    has_entries,
    rows_of_records,
)
from poolwise.errors import InputError

__all__ = ["CSV", "JSON", "JSONL", "form_of", "read_jsonl", "read_text_table", "read_whole_json"]

CSV, JSON, JSONL = ".csv", ".json", ".jsonl"

_ENDINGS = {CSV: CSV, JSON: JSON, JSONL: JSONL, ".ndjson": JSONL}
_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_OF_ANY_TABLE = (".tsv", ".txt")
"""Endings of names that say little, so that a compressed file is unfolded to look at it."""
_BEGINNING = 1 << 12
"""How many bytes of a file are looked at."""

_SCANNED = (
    ("qid", "query_id", "query-id", "topic", "topic_id", "query"),
    ("docno", "doc_id", "corpus-id", "docid", "document", "document_id", "pid", "corpus_id"),
    ("label", "relevance", "rel", "grade", "score", "rank"),
)
"""The headers of three columns that the scanner reads itself, which is fast."""


def form_of(path: str) -> str:
    """Return how a file is read: CSV (with any delimiter), JSON or JSONL; empty for TREC's files.

    Examples
    --------
    >>> form_of("runs/bm25.csv.gz"), form_of("runs/bm25.ndjson"), form_of("runs/bm25.run")
    ('.csv', '.jsonl', '')
    """
    ending = _ending(path)
    return _ENDINGS.get(ending) or _form_of_line(_first_line(path, ending))


def _ending(path: str) -> str:
    name = path.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name[name.rfind(".") :] if "." in name else ""


def _first_line(path: str, ending: str) -> str:
    """Return the first line that is no comment, as far as it is looked at; nothing of a pipe."""
    packed = path.lower().endswith(_COMPRESSED)
    if (packed and ending not in _OF_ANY_TABLE) or not is_stored(path):
        return ""
    begun = b""
    with suppress(OSError, InputError):  # whoever reads the file says what is wrong with it
        if packed:
            begun = bytes(next(iter(FileBytes(path)), b""))[:_BEGINNING]
        else:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 -- a Path takes longer
                begun = file.read(_BEGINNING)
        if _is_trec(begun.partition(b"\n")[0].split()):
            return ""
    lines = begun.decode("utf-8-sig", "replace").split("\n")
    return next((line for line in lines if line.strip() and not line.startswith("#")), "")


def _is_trec(fields: list[bytes]) -> bool:
    """Say whether a line is one of a TREC run, as most are: no more needs to be asked."""
    return len(fields) == 6 and fields[3].isdigit() and b"," not in fields[0]


def _form_of_line(line: str) -> str:
    if not line:
        return ""
    if line.startswith(("{", "[")):
        return _json_form(line)
    for delimiter in "\t,;":
        cells = [cell.strip().strip('"') for cell in line.split(delimiter)]
        if _is_header(cells, delimiter) or _is_colbert(cells, delimiter):
            return CSV
    return ""


def _json_form(line: str) -> str:
    """Say JSONL of a line that is a whole record, JSON of one that begins dicts or records."""
    first: Any = None
    with suppress(ValueError, RecursionError):  # a long line was cut off, and is not whole
        first = json.loads(line)
    if not isinstance(first, dict) or any(isinstance(v, dict | list) for v in first.values()):
        return JSON
    return JSONL if has_entries(first) else ""


def _is_header(cells: list[str], delimiter: str) -> bool:
    """Say whether cells name the columns of a table that the scanner cannot read itself."""
    names = [cell.lower() for cell in cells]
    if not has_entries(names) or any(map(_is_number, names)):
        return False
    scanned = len(names) == len(_SCANNED) and delimiter == "\t"
    return not (scanned and all(n in synonyms for n, synonyms in zip(names, _SCANNED, strict=True)))


def _is_colbert(cells: list[str], delimiter: str) -> bool:
    """Say whether a line is one of ColBERT's rankings: topic, document, rank and score."""
    if delimiter != "\t" or len(cells) != 4 or not cells[2].isdigit():
        return False
    # Whole numbers in the fourth column are grades: that is a line of qrels between tabs.
    return _is_number(cells[3]) and not cells[3].lstrip("+-").isdigit()


def _is_number(cell: str) -> bool:
    with suppress(ValueError):
        float(cell)
        return True
    return False


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
    # A comma last: it may stand in a cell, or be the decimal sign where ; parts the cells.
    delimiter = next((sign for sign in "\t;," if sign in first), " ")
    text_lines = io.StringIO(text, newline="")
    lines = csv.reader(text_lines, delimiter=delimiter, skipinitialspace=True)
    rows = [(lines.line_num, [cell.strip() for cell in row]) for row in lines if any(row)]
    numbered = list(dropwhile(lambda row: row[1][0].startswith("#"), rows))
    header = numbered[0][1] if numbered else []
    if not has_entries(header) and any(map(_is_number, header)):
        return rows_of_records([tuple(row) for _, row in numbered], path, kind)
    for line, row in numbered:
        if len(row) != len(header):
            rule = f"every line must have {len(header)} cells, as the header has"
            remedy = "complete the line, and put quotes around a cell that holds the delimiter"
            raise InputError(f"{path}:{line}", rule, value=delimiter.join(row), remedy=remedy)
    columns = zip(*(row for _, row in numbered[1:]), strict=True)
    cells = [list(column) for column in columns] or [[] for _ in header]
    first_line = numbered[1][0] if len(numbered) > 1 else 2
    return Rows.of(path, dict(zip(header, cells, strict=True)), first_line=first_line)


def _is_data(line: str) -> bool:
    """Say whether a line is neither empty nor a comment, such as the metadata before a run."""
    return bool(line.strip()) and not line.startswith("#")


def _json(path: str, text: str, kind: str) -> Mapping[Any, Any] | Rows:
    value = read_whole_json(path, text)
    if isinstance(value, Mapping):
        return by_columns(value, path)
    if not isinstance(value, list) or not value or not isinstance(value[0], dict | list):
        rule = "the file must hold an object by topic or by system, or an array of records"
        raise InputError(path, rule, value=type(value).__name__, remedy="check what is in it")
    return by_topic(value, path) or rows_of_records(value, path, kind)


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
    records = [(number, _loaded(line, path, number)) for number, line in lines]
    for number, record in records:
        if not isinstance(record, dict):
            rule = "every line must be a JSON object"
            where = f"{path}:{number}"
            raise InputError(where, rule, value=record, remedy="write one object on each line")
    return records


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
