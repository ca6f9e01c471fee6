"""Judgments that are a sample: NIST's qrels of five columns, and prels.

These files are small, so Python reads them, by the rules that the scanner has for other judgments.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite
from typing import NamedTuple

import numpy as np

from poolwise.collection._identifiers import IdTable, decode, starts_of
from poolwise.collection._judgments import Judgments
from poolwise.collection.files._problems import Code, Problem, Report, error_of, notices_of
from poolwise.collection.files._sources import FileBytes, is_stored
from poolwise.errors import InputError

__all__ = ["SAMPLED_LAYOUTS", "PeekedBytes", "is_sampled", "read_sampled"]

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

    def __iter__(self) -> Iterator[memoryview]:
        if self._held is not None:
            return iter([memoryview(self._held)])
        return super().__iter__()

    def first_line(self) -> bytes:
        """Return the first line that is neither empty nor a comment; nothing where there is none.

        A file that does not unfold has none either: whoever reads it says what is wrong with it.
        """
        if is_stored(self.path):
            return _first_line(FileBytes(self.path, max_ratio=self.max_ratio))
        self._held = b"".join(map(bytes, super().__iter__()))
        return _first_line([memoryview(self._held)])


def _first_line(blocks: Iterable[memoryview]) -> bytes:
    rest = b""
    try:
        for block in blocks:
            *lines, rest = (rest + bytes(block)).split(b"\n")
            if line := next(filter(_is_data, lines), b""):
                return line
    except InputError:
        return b""
    return rest if _is_data(rest) else b""


def _is_data(line: bytes) -> bool:
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
    lines = [(n, line.split()) for n, line in enumerate(data.split(b"\n"), 1) if _is_data(line)]
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
