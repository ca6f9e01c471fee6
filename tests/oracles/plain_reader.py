"""The rules of reading once more, in plain Python: what the native scanner is held against."""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

TOO_FEW, TOO_MANY, NOT_A_NUMBER, NOT_FINITE, NOT_A_RANK, EMPTY_ID, DUPLICATE, BINARY, EMPTY = range(
    1, 10
)
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NO_NUMBER = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_SIX_FIELDS = re.compile(rb"\s*(?:\S+\s+){5}\S+")
_WHOLE = re.compile(rb"[+-]?\d+")


STRAY_RETURN, UNKNOWN_HEADER, RANK_NOT_WHOLE, RANKS_OR_SCORES = 12, 15, 16, 17
_TOPIC_NAMES = b"qid query_id query-id topic topic_id query".split()
_DOCUMENT_NAMES = b"docno doc_id corpus-id corpus_id docid document document_id pid".split()
_GRADE_NAMES = b"label relevance rel grade score".split()


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
    guessed: str = ""


@dataclass
class Visit:
    """Lines of one topic, until another topic follows."""

    topic: bytes
    values: list[float] = field(default_factory=list)
    lines: dict[bytes, int] = field(default_factory=dict)


def read(
    raw: bytes,
    *,
    judgments: bool = False,
    ties: str = "trec_eval",
    duplicates: str = "error",
    skip: bool = False,
) -> Read:
    """Read a file's bytes; raises Refusal where the scanner reports a problem."""
    result, visits = Read(), list[Visit]()
    rules = None
    text, nul, _ = raw.partition(b"\0")
    lines = text.split(b"\n")
    for number, line in _content(lines[:-1] if nul else lines):
        if rules is None:
            rules = _rules(line, number, ties, judgments=judgments)
            if rules.has_header:
                continue
        try:
            topic, entry, result.tag = _take(line, number, rules)
        except Refusal:
            if not skip:
                raise
            result.skipped.append(number)
            continue
        result.topics.setdefault(topic, []).append(entry)
        _visit(visits, topic, entry, duplicates)
    if nul:
        raise Refusal(BINARY, len(lines))
    if rules is None or not result.topics:
        raise Refusal(EMPTY, 0)
    if rules.kind == "untold":
        _settle(result, visits)
    _drop_repeated(result, duplicates)
    for entries in result.topics.values():
        _rank(entries, ties)
    return result


def _content(lines: list[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are neither empty nor comments, with their numbers."""
    for number, whole in enumerate(lines, start=1):
        line = (whole.removeprefix(b"\xef\xbb\xbf") if number == 1 else whole).rstrip()
        if line and not line.startswith(b"#"):
            yield number, line


def _visit(visits: list[Visit], topic: bytes, entry: Entry, duplicates: str) -> None:
    """Refuse a document that comes again before another topic does."""
    if not visits or visits[-1].topic != topic:
        visits.append(Visit(topic))
    visits[-1].values.append(entry.value)
    first = visits[-1].lines.setdefault(entry.document, entry.line)
    if first != entry.line and duplicates == "error":
        raise Refusal(DUPLICATE, entry.line, first)


@dataclass
class Rules:
    """How the lines of a file are read, as its first line tells."""

    fields: int
    separator: bytes | None
    ties: str
    judgments: bool
    kind: str = ""
    """Whether the values of a run of three columns are ranks, scores, or untold."""
    has_header: bool = False


def _rules(line: bytes, number: int, ties: str, *, judgments: bool) -> Rules:
    """Return the number of fields, the separator, and what a third column is."""
    if len(line.split()) != 3:
        return Rules(4 if judgments else 6, None, ties, judgments)
    rules = Rules(3, b"\t" if line.count(b"\t") == 2 else None, ties, judgments)
    rules.has_header = _is_header(line.lower().split(rules.separator))
    if rules.has_header:
        rules.kind = _named_kind(line.lower().split(rules.separator), number, judgments=judgments)
    elif not judgments:
        rules.kind = "untold"
    return rules


def _is_header(names: list[bytes]) -> bool:
    number = _DECIMAL.fullmatch(names[2]) or _NO_NUMBER.fullmatch(names[2])
    return names[0] in _TOPIC_NAMES and not number


def _named_kind(names: list[bytes], number: int, *, judgments: bool) -> str:
    allowed = _GRADE_NAMES if judgments else [b"rank", b"score"]
    if names[1] not in _DOCUMENT_NAMES or names[2] not in allowed:
        raise Refusal(UNKNOWN_HEADER, number)
    return "" if judgments else names[2].decode() + "s"


def _settle(result: Read, visits: list[Visit]) -> None:
    """Tell ranks from scores by all values, and turn ranks round."""
    lists = [visit.values for visit in visits]
    if any(value < 0 or value != int(value) for values in lists for value in values):
        result.guessed = "scores"
    elif all(_may_be_ranks(values) for values in lists):
        result.guessed = "ranks"
    elif all(a >= b for values in lists for a, b in pairwise(values)):
        result.guessed = "scores"
    else:
        raise Refusal(RANKS_OR_SCORES, 0)
    if result.guessed == "ranks":
        for entry in (e for entries in result.topics.values() for e in entries):
            entry.value = -entry.value


def _may_be_ranks(values: list[float]) -> bool:
    rising = all(a < b for a, b in pairwise(values))
    counted = [[float(first + i) for i in range(len(values))] for first in (0, 1)]
    return rising or sorted(values) in counted


def _take(line: bytes, number: int, rules: Rules) -> tuple[bytes, Entry, bytes]:
    """Return the topic, the entry and the tag of a line."""
    wanted = rules.fields
    fields = line.split(rules.separator)
    if len(fields) < wanted:
        raise Refusal(TOO_FEW, number, wanted)
    if len(fields) > wanted and wanted < 6:
        raise Refusal(TOO_MANY, number, wanted)
    if wanted == 6 and b"\r" in _SIX_FIELDS.sub(b"", line, count=1):
        raise Refusal(STRAY_RETURN, number)
    # The columns of topic, document, value and rank.
    columns = {3: (0, 1, 2), 4: (0, 2, 3), 6: (0, 2, 4)}[wanted]
    topic, document, text = (fields[i] for i in columns)
    value = _number(text, number)
    if not topic or not document:
        raise Refusal(EMPTY_ID, number)
    place = 0
    if rules.ties == "rank" and not rules.judgments:
        place = _whole(fields[3], number) if wanted == 6 else number
    if rules.kind == "ranks":
        if value != int(value):
            raise Refusal(RANK_NOT_WHOLE, number)
        value = -value
    value = ctypes.c_float(value).value if rules.ties == "trec_eval9" else value
    tag = fields[5] if wanted == 6 else b""
    return topic, Entry(document, value, place, number), tag


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
    repeats = []
    for topic, entries in result.topics.items():
        kept: dict[bytes, Entry] = {}
        for entry in entries:
            first = kept.setdefault(entry.document, entry)
            if first is entry:
                continue
            repeats.append((entry.line, first.line))
            if policy == "last" or (policy == "best" and entry.value > first.value):
                kept[entry.document] = entry
        result.topics[topic] = list(kept.values())
    result.repeated = sorted(line for line, _ in repeats)
    if repeats and policy == "error":
        raise Refusal(DUPLICATE, *min(repeats))


def _rank(entries: list[Entry], ties: str) -> None:
    entries.sort(key=lambda e: e.document, reverse=ties.startswith("trec_eval"))
    entries.sort(key=lambda e: (-e.value, e.rank))
