"""Files of text: tables with a header, JSON lines, and judgments that are a sample."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import dropwhile, groupby
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from poolwise.collection._identifiers import IdTable, decode, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection.files._sources import (
    Code,
    FileBytes,
    Problem,
    Report,
    csv_rows,
    error_of,
    fields_of,
    is_stored,
    lines_of,
    notices_of,
    read_text,
    require_distinct_columns,
)
from poolwise.collection.formats._rows import (
    MemoryBytes,
    Rows,
    by_columns,
    by_topic,
    has_entries,
    rows_of_records,
)
from poolwise.errors import InputError

__all__ = [
    "CSV",
    "JSON",
    "JSONL",
    "SAMPLED_LAYOUTS",
    "PeekedBytes",
    "form_of",
    "has_levels",
    "is_sampled",
    "read_jsonl",
    "read_levels",
    "read_sampled",
    "read_text_table",
    "read_whole_json",
]

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
    first = next(filter(_is_data, lines_of(text)), "")
    # A comma last: it may stand in a cell, or be the decimal sign where ; parts the cells.
    delimiter = next((sign for sign in "\t;," if sign in first), " ")
    lines = csv_rows(path, text, delimiter=delimiter, skip_blanks=True)
    rows = [(line, [cell.strip() for cell in row]) for line, row in lines]
    numbered = list(dropwhile(lambda row: row[1][0].startswith("#"), rows))
    header = numbered[0][1] if numbered else []
    if not has_entries(header) and any(map(_is_number, header)):
        return rows_of_records([tuple(row) for _, row in numbered], path, kind)
    for line, row in numbered:
        if len(row) != len(header):
            rule = f"every line must have {len(header)} cells, as the header has"
            remedy = "complete the line, and put quotes around a cell that holds the delimiter"
            raise InputError(f"{path}:{line}", rule, value=delimiter.join(row), remedy=remedy)
    require_distinct_columns(f"{path}:{numbered[0][0]}" if numbered else path, header)
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
    return by_topic(value, path, kind) or rows_of_records(value, path, kind)


def _jsonl(path: str, text: str, kind: str) -> Mapping[Any, Any] | Rows:
    records = [record for _, record in read_jsonl(path, text)]
    return by_topic(records, path, kind) or rows_of_records(records, path, kind)


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
        content = json.loads(text, object_pairs_hook=unique)
        if "\\ud" in text or "\\uD" in text:  # half a pair of surrogates is no character
            json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogateescape")
    except json.JSONDecodeError as error:
        where = f"{path}:{first_line + error.lineno - 1}"
        rule = f"the file must be intact JSON: {error.msg}"
        raise InputError(where, rule, remedy="write or download it again") from error
    except InputError:
        raise
    except UnicodeEncodeError as error:
        rule = "a text must not hold half a pair of surrogates"
        raise InputError(path, rule, remedy="write or download it again") from error
    except ValueError as error:  # a number of thousands of digits
        rule = f"the file must be intact JSON: {str(error).partition(';')[0]}"
        raise InputError(path, rule, remedy="write or download it again") from error
    except RecursionError as error:
        rule = "the file must be intact JSON, and this is nested without end"
        raise InputError(path, rule, remedy="write or download it again") from error
    return content


_READERS: dict[str, Callable[[str, str, str], Mapping[Any, Any] | Rows]] = {
    CSV: _csv,
    JSON: _json,
    JSONL: _jsonl,
}
"""How a file is read, by its form."""


_FIELDS = 5
_NO_ITERATION = {b"0", b"Q0", b"q0"}
"""What stands in the second column of qrels."""


class _Row(NamedTuple):
    """A line of a file: its number, and what it says of a document."""

    line: int
    topic: bytes
    document: bytes
    grade: float
    drawn: bytes
    """The stratum, or the method that drew the document."""
    probability: float


class _Layout(NamedTuple):
    """Where the columns stand."""

    document: int
    grade: int
    drawn: int
    probability: int | None


SAMPLED_LAYOUTS = {"strata": _Layout(2, 4, 3, None), "prels": _Layout(1, 2, 3, 4)}
"""The layouts of sampled judgments: topic 0 document stratum grade (a negative grade: not sampled),
and topic document grade method probability."""


class PeekedBytes(FileBytes):
    """A file whose first line is looked at before it is read, also where it comes but once."""

    _held: bytes | None = None
    _first: bytes | None = None

    def __iter__(self) -> Iterator[memoryview]:
        if self._held is not None:
            return iter([memoryview(self._held)])
        return super().__iter__()

    def first_line(self) -> bytes:
        """Return the first line that is neither empty nor a comment; nothing where there is none.

        A file that does not unfold has none either: whoever reads it says what is wrong with it.
        """
        if self._first is None and is_stored(self.path):
            self._first = _first_data_line(FileBytes(self.path, max_ratio=self.max_ratio))
        if self._first is None:
            self._held = b"".join(map(bytes, super().__iter__()))
            self._first = _first_data_line([memoryview(self._held)])
        return self._first


def _first_data_line(blocks: Iterable[memoryview]) -> bytes:
    rest = b""
    try:
        for block in blocks:
            *lines, rest = (rest + bytes(block)).split(b"\n")
            if line := next(filter(_holds_data, lines), b""):
                return line
    except InputError:
        return b""
    return rest if _holds_data(rest) else b""


def _holds_data(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(b"#")


def is_sampled(line: bytes) -> bool:
    """Say whether the first line of judgments is one of a sample, by its columns.

    Examples
    --------
    >>> is_sampled(b"401 0 FBIS3-1 2 -1"), is_sampled(b"401 FBIS3-1 0 1 0.4")
    (True, True)
    >>> is_sampled(b"401 0 FBIS3-1 1"), is_sampled(b"401 0 FBIS3-1 1 note")
    (False, False)
    """
    fields = line.split()
    return len(fields) == _FIELDS and _number(fields[4]) is not None


_LEVEL = r"L[0-9]+"


def has_levels(line: bytes) -> bool:
    """Say whether the first line of judgments has a level of NTCIR for a grade.

    Examples
    --------
    >>> has_levels(b"0001 EN-0012345 L2"), has_levels(b"401 0 FBIS3-1 1")
    (True, False)
    """
    last = line.decode("ascii", "replace").strip().rpartition(" ")[2]
    return bool(re.fullmatch(_LEVEL, last))


def read_levels(path: str) -> MemoryBytes:
    """Return judgments that have NTCIR's levels, L0 to Ln, as grades from 0 to n."""
    return MemoryBytes(path, [*zip(*_levels(path), strict=True)])


def _levels(path: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(lines_of(read_text(path)), 1):
        fields = fields_of(line)
        if not fields or not _is_data(line):
            continue
        if len(fields) not in (3, 4) or not re.fullmatch(_LEVEL, fields[-1]):
            raise InputError(
                f"{path}:{number}",
                "a line must hold topic, document and a level such as L2",
                value=line.strip(),
                remedy="correct the line",
            )
        yield fields[0], fields[-2], fields[-1].removeprefix("L")


def _number(text: bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _layout_of(lines: Sequence[Sequence[bytes]]) -> str:
    """Tell the two layouts apart by all lines: documents may be numbers, as grades are."""
    # A line that breaks a rule says nothing of the layout, and is refused or skipped later.
    whole = [fields for fields in lines if len(fields) == _FIELDS]
    if {fields[1] for fields in whole} <= _NO_ITERATION:
        return "strata"
    return "prels" if all(_number(fields[2]) is not None for fields in whole) else "strata"


def read_sampled(
    source: FileBytes, *, duplicates: str, malformed: str, layout: str = "auto"
) -> Judgments:
    """Read judgments that are a sample, with stratum or probability.

    Of prels, the method that drew a document stands as its stratum.
    """
    data = b"".join(map(bytes, source)).removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise error_of(Problem(Code.BINARY, line, 0, ""), source.path)
    lines = [(n, line.split()) for n, line in enumerate(data.split(b"\n"), 1) if _holds_data(line)]
    kind = _layout_of([fields for _, fields in lines]) if layout == "auto" else layout
    reading = _Reading(source.path, SAMPLED_LAYOUTS[kind], lenient=malformed == "skip")
    rows = reading.single([*reading.rows(lines)], duplicates)
    if not rows:
        raise error_of(Problem(Code.EMPTY, 0, 0, ""), source.path)
    judgments = replace(
        _judgments(rows),
        source=source.source,
        notices=notices_of([source.path], [reading.report()], duplicates),
    )
    return judgments.with_sampling(
        stratum=np.array([decode(row.drawn) for row in rows]),
        probability=[row.probability for row in rows] if kind == "prels" else None,
    )


@dataclass
class _Reading:
    """The lines of a file on their way to rows, and what was left out."""

    path: str
    layout: _Layout
    lenient: bool
    skipped: int = 0
    first_skipped: int = 0
    repeated: int = 0
    first_repeated: int = 0

    def rows(self, lines: Iterable[tuple[int, list[bytes]]]) -> Iterator[_Row]:
        """Read the lines; one that breaks a rule raises, or is counted."""
        for line, fields in lines:
            try:
                yield self._row(line, fields)
            except InputError:
                if not self.lenient:
                    raise
                self.skipped += 1
                self.first_skipped = self.first_skipped or line

    def _row(self, line: int, fields: list[bytes]) -> _Row:
        if len(fields) != _FIELDS:
            code = Code.TOO_FEW_FIELDS if len(fields) < _FIELDS else Code.TOO_MANY_FIELDS
            raise error_of(Problem(code, line, _FIELDS, decode(b" ".join(fields))), self.path)
        at = self.layout
        chance = 1.0 if at.probability is None else self._chance(line, fields[at.probability])
        grade = self._finite(line, fields[at.grade])
        return _Row(line, fields[0], fields[at.document], grade, fields[at.drawn], chance)

    def _finite(self, line: int, text: bytes) -> float:
        value = _number(text)
        if value is None or not isfinite(value):
            code = Code.NOT_A_NUMBER if value is None else Code.NOT_FINITE
            raise error_of(Problem(code, line, 0, decode(text)), self.path)
        return value

    def _chance(self, line: int, text: bytes) -> float:
        value = self._finite(line, text)
        if not 0 < value <= 1:
            raise InputError(
                f"{self.path}:{line}",
                "a probability must be above 0 and at most 1",
                value=decode(text),
                remedy="correct the line, or skip such lines, counted (malformed='skip', "
                "--lenient)",
            )
        return value

    def single(self, rows: list[_Row], duplicates: str) -> list[_Row]:
        """Return the rows by topic and document, in byte order, and no document twice."""
        rows.sort(key=lambda row: (row.topic, row.document))
        groups = groupby(rows, key=lambda row: (row.topic, row.document))
        return [self._chosen([*same], duplicates) for _, same in groups]

    def _chosen(self, same: list[_Row], duplicates: str) -> _Row:
        if len(same) == 1:
            return same[0]
        second = same[1]
        if duplicates == "error":
            text = decode(second.document)
            raise error_of(Problem(Code.DUPLICATE, second.line, same[0].line, text), self.path)
        self.repeated += len(same) - 1
        self.first_repeated = self.first_repeated or second.line
        best = max(same, key=lambda row: row.grade)
        return {"first": same[0], "last": same[-1], "best": best}[duplicates]

    def report(self) -> Report:
        """Return what was left out, as the scanner reports it."""
        left_out = (self.skipped, self.first_skipped, self.repeated, self.first_repeated)
        return Report(None, "", *left_out, guessed=0)


def _judgments(rows: Sequence[_Row]) -> Judgments:
    count = Counter(row.topic for row in rows)
    scale, codes = np.unique([row.grade for row in rows], return_inverse=True)
    return Judgments(
        topics=tuple(map(decode, count)),
        starts=starts_of(count.values()),
        documents=IdTable.from_strings(decode(row.document) for row in rows),
        codes=codes.astype(np.int16),
        scale=scale,
    )
