"""What a file holds, told by the ending of its name, or else by how it begins."""

import json
from contextlib import suppress
from typing import Any

from poolwise.collection.files.sources import FileBytes, is_stored
from poolwise.collection.shapes.rows import has_entries
from poolwise.errors import InputError

__all__ = ["CSV", "JSON", "JSONL", "form_of"]

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
    return not (scanned and all(n in known for n, known in zip(names, _SCANNED, strict=True)))


def _is_colbert(cells: list[str], delimiter: str) -> bool:
    """Say whether a line is one of ColBERT's rankings: topic, document, rank and score."""
    if delimiter != "\t" or len(cells) != 4 or not cells[2].isdigit():
        return False
    return _is_number(cells[3]) and not cells[3].lstrip("+-").isdigit()


def _is_number(cell: str) -> bool:
    with suppress(ValueError):
        float(cell)
        return True
    return False
