"""The rules of reading once more, in plain Python: what the native scanner is held against."""

import ctypes
import re
from dataclasses import dataclass, field

TOO_FEW, TOO_MANY, NOT_A_NUMBER, NOT_FINITE, NOT_A_RANK, EMPTY_ID, DUPLICATE, BINARY, EMPTY = range(
    1, 10
)
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NO_NUMBER = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_SIX_FIELDS = re.compile(rb"\s*(?:\S+\s+){5}\S+")
_WHOLE = re.compile(rb"[+-]?\d+")


STRAY_RETURN = 12


class Refusal(Exception):  # noqa: N818 -- it is a finding to compare, not an error of this code
    """A problem: its code, the line, and the other line or the number of fields expected."""

    def __init__(self, code: int, line: int, other: int = 0) -> None:
        super().__init__(code, line, other)
        self.code, self.line, self.other = code, line, other


@dataclass
class Entry:
    """One line."""

    document: bytes
    value: float
    rank: int
    line: int


@dataclass
class Read:
    """Everything read: ranked entries by topic, the tag, and where lines were let pass."""

    topics: dict[bytes, list[Entry]] = field(default_factory=dict)
    tag: bytes = b""
    skipped: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)


def read(
    raw: bytes,
    *,
    judgments: bool = False,
    ties: str = "trec_eval",
    duplicates: str = "error",
    skip: bool = False,
) -> Read:
    """Read a file's bytes; raises Refusal where the scanner reports a problem."""
    result = Read()
    layout = None
    text, nul, _ = raw.partition(b"\0")
    lines = text.split(b"\n")
    for number, whole in enumerate(lines[:-1] if nul else lines, start=1):
        line = (whole.removeprefix(b"\xef\xbb\xbf") if number == 1 else whole).rstrip()
        if not line or line.startswith(b"#"):
            continue
        if layout is None:
            layout = _layout(line, judgments=judgments)
            if layout[0] == 3 and line.split()[0] in (b"query-id", b"query_id", b"qid"):
                continue
        try:
            _take(line, number, layout, ties, result, judgments=judgments)
        except Refusal:
            if not skip:
                raise
            result.skipped.append(number)
    if nul:
        raise Refusal(BINARY, len(lines))
    if not result.topics:
        raise Refusal(EMPTY, 0)
    _drop_repeated(result, duplicates)
    for entries in result.topics.values():
        _rank(entries, ties)
    return result


def _layout(line: bytes, *, judgments: bool) -> tuple[int, bytes | None]:
    """Return the number of fields and the separator."""
    if len(line.split()) == 3:
        return 3, b"\t" if line.count(b"\t") == 2 else None
    return (4 if judgments else 6), None


def _take(
    line: bytes,
    number: int,
    layout: tuple[int, bytes | None],
    ties: str,
    result: Read,
    *,
    judgments: bool,
) -> None:
    wanted, separator = layout
    fields = line.split(separator)
    if len(fields) < wanted:
        raise Refusal(TOO_FEW, number, wanted)
    if len(fields) > wanted and wanted < 6:
        raise Refusal(TOO_MANY, number, wanted)
    if wanted == 6 and b"\r" in _SIX_FIELDS.sub(b"", line, count=1):
        raise Refusal(STRAY_RETURN, number)
    # The columns of topic, document, value and rank.
    columns = {3: (0, 1, 2, 2), 4: (0, 2, 3, 3), 6: (0, 2, 4, 3)}[wanted]
    topic, document, text, rank = (fields[i] for i in columns)
    value = _number(text, number)
    if not topic or not document:
        raise Refusal(EMPTY_ID, number)
    place = _whole(rank, number) if ties == "rank" and not judgments else 0
    value = -value if wanted == 3 and not judgments else value
    value = ctypes.c_float(value).value if ties == "trec_eval9" else value
    result.tag = fields[5] if wanted == 6 else b""
    result.topics.setdefault(topic, []).append(Entry(document, value, place, number))


def _number(text: bytes, line: int) -> float:
    if _NO_NUMBER.fullmatch(text):
        raise Refusal(NOT_FINITE, line)
    if not _DECIMAL.fullmatch(text):
        raise Refusal(NOT_A_NUMBER, line)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Refusal(NOT_FINITE, line)
    return value


def _whole(text: bytes, line: int) -> int:
    if not _WHOLE.fullmatch(text) or not -(2**63) <= int(text) < 2**63:
        raise Refusal(NOT_A_RANK, line)
    return int(text)


def _drop_repeated(result: Read, policy: str) -> None:
    found = []
    for topic, entries in result.topics.items():
        kept: dict[bytes, Entry] = {}
        for entry in entries:
            first = kept.setdefault(entry.document, entry)
            if first is entry:
                continue
            found.append((entry.line, first.line))
            if policy == "last" or (policy == "best" and entry.value > first.value):
                kept[entry.document] = entry
        result.topics[topic] = list(kept.values())
    result.repeated = sorted(line for line, _ in found)
    if found and policy == "error":
        raise Refusal(DUPLICATE, *min(found))


def _rank(entries: list[Entry], ties: str) -> None:
    entries.sort(key=lambda e: e.document, reverse=ties.startswith("trec_eval"))
    entries.sort(key=lambda e: (-e.value, e.rank))
