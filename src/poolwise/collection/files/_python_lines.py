"""Lines into entries: the twin of ``native/parse.hpp``, ``lines.hpp`` and ``score_or_rank.hpp``."""

import ctypes
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

from poolwise.collection.files._native import Options
from poolwise.collection.files._sources import Code

__all__ = [
    "AUTO",
    "COLUMNS",
    "MEMORY",
    "RANKS",
    "SCORES",
    "TABS",
    "TREC",
    "UNTOLD",
    "Duplicates",
    "Entries",
    "Layout",
    "LineReader",
    "Ties",
    "WrongInputError",
    "has_stray_return",
    "is_header",
    "kind_of_values",
    "layout_of",
    "named_kind",
    "number_of",
    "whole_number_of",
]

_LONGEST_LINE = 1 << 24
_LONGEST_TEXT = 200
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Ties(IntEnum):
    """How ties are broken, as ``native/options.hpp`` numbers it."""

    BY_ID = 0
    BY_SINGLE_AND_ID = 1
    BY_RANK_AND_ID = 2


class Duplicates(IntEnum):
    """What becomes of a document that comes again."""

    ERROR = 0
    FIRST = 1
    LAST = 2
    BEST = 3


class WrongInputError(Exception):
    """What stops the reading of an input: a code, the text, the line, and another number."""

    def __init__(self, code: Code, text: bytes, line: int, other: int = 0) -> None:
        super().__init__(code, text, line, other)
        self.code, self.text, self.line, self.other = code, text[:_LONGEST_TEXT], line, other


@dataclass
class Entries:
    """The lines of one topic, column by column."""

    documents: list[bytes] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    """Where lines begin that follow those of another topic."""

    def lists(self) -> list[list[float]]:
        """Return the values of each visit."""
        ends = [*self.visits[1:], len(self.values)]
        return [self.values[a:b] for a, b in zip(self.visits, ends, strict=True)]


class LineReader:
    """What an input's lines say, by topic."""

    def __init__(self, options: Options) -> None:
        self.topics: dict[bytes, Entries] = {}
        self.tag = b""
        self.skipped: list[int] = []
        self.longer: list[int] = []
        self.renamed: list[int] = []
        self.guessed = UNTOLD
        self._options = options
        self._is_memory = options.layout == MEMORY
        self._layout = layout_of(options.layout, judgments=bool(options.judgments))
        self._layout_known = options.layout in (TREC, MEMORY)
        self._has_ranks = not options.judgments and options.ties == Ties.BY_RANK_AND_ID
        self._kind = SCORES
        self._line = 0
        self._carry = b""
        self._topic: bytes | None = None
        self._seen: dict[bytes, int] = {}
        """Documents of the topic that goes on, with their lines."""

    def feed(self, block: bytes) -> None:
        """Read the next bytes; raises where something is wrong."""
        # Lines before the NUL are read first: what is wrong with them comes first in the file.
        text, nul, _ = block.partition(b"\0")
        *lines, self._carry = (self._carry + text).split(b"\n")
        for line in lines:
            self._take_line(line)
        if len(self._carry) > _LONGEST_LINE:
            raise WrongInputError(Code.LINE_TOO_LONG, b"", self._line + 1)
        if nul:
            raise WrongInputError(Code.BINARY, b"", self._line + 1)

    def finish(self) -> None:
        """Read the last line, if it has no end, and tell ranks from scores."""
        if self._carry:
            self._take_line(self._carry)
        if not self.topics:
            raise WrongInputError(Code.EMPTY, b"", 0)
        if self._kind == UNTOLD:
            self._settle_values()

    def _settle_values(self) -> None:
        self.guessed = kind_of_values(
            values for entries in self.topics.values() for values in entries.lists()
        )
        if self.guessed == UNTOLD:
            raise WrongInputError(Code.RANKS_OR_SCORES, b"", 0)
        if self.guessed == RANKS:
            for entries in self.topics.values():
                entries.values = [-value for value in entries.values]

    def _take_line(self, line: bytes) -> None:
        self._line += 1
        if not self._is_memory:
            if self._line == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            line = line.rstrip()
            if line.startswith(_BYTE_ORDER_MARK):
                self._refuse(WrongInputError(Code.STRAY_MARK, b"", self._line))
                return
            if line.startswith(b"#"):
                return
        if not line or (not self._layout_known and self._choose_layout(line)):
            return
        try:
            self._take_entry(line)
        except WrongInputError as error:
            self._refuse(error)

    def _refuse(self, error: WrongInputError) -> None:
        if error.code == Code.DUPLICATE or not self._options.skip_malformed:
            raise error
        self.skipped.append(self._line)

    def _choose_layout(self, line: bytes) -> bool:
        """Tell the layout from the first line, unless it is given; True when that is a header."""
        self._layout_known = True
        judgments = bool(self._options.judgments)
        if self._options.layout == AUTO:
            if len(line.split()) != 3:
                return False
            code = TABS if line.count(b"\t") == 2 else COLUMNS
            self._layout = layout_of(code, judgments=judgments)
        fields = self._layout.split(line)
        if not is_header(fields):
            self._kind = SCORES if judgments else UNTOLD
            return False
        self._kind = named_kind(fields, judgments=judgments)
        if self._kind == UNTOLD:
            raise WrongInputError(Code.UNKNOWN_HEADER, line, self._line)
        return True

    def _take_entry(self, line: bytes) -> None:
        layout, fields = self._layout, self._layout.split(line)
        if len(fields) < layout.least:
            raise WrongInputError(Code.TOO_FEW_FIELDS, line, self._line, layout.least)
        if layout.most is not None and len(fields) > layout.most:
            raise WrongInputError(Code.TOO_MANY_FIELDS, line, self._line, layout.most)
        if layout.most is None and has_stray_return(line, fields):
            raise WrongInputError(Code.STRAY_RETURN, line, self._line)
        value = self._value(fields[layout.value])
        topic, document = fields[layout.topic], fields[layout.document]
        if not topic or not document:
            raise WrongInputError(Code.EMPTY_ID, line, self._line)
        rank = self._rank(fields) if self._has_ranks else 0
        value = self._converted(value, fields[layout.value])
        if layout.most is None and len(fields) > layout.least:
            self.longer.append(self._line)
        if layout.tag is not None:
            if self.tag not in (b"", fields[layout.tag]):
                self.renamed.append(self._line)
            self.tag = fields[layout.tag]
        self._append(topic, document, value, rank)

    def _value(self, text: bytes) -> float:
        value = number_of(text)
        if value is None:
            raise WrongInputError(Code.NOT_A_NUMBER, text, self._line)
        if not math.isfinite(value):
            raise WrongInputError(Code.NOT_FINITE, text, self._line)
        return value

    def _rank(self, fields: list[bytes]) -> int:
        """Return the rank; what has no column for ranks is ranked as it stands."""
        if self._layout.rank is None:
            return self._line
        text = fields[self._layout.rank]
        rank = whole_number_of(text)
        if rank is None:
            raise WrongInputError(Code.NOT_A_RANK, text, self._line)
        return rank

    def _converted(self, value: float, text: bytes) -> float:
        """Return what is sorted by, the higher the better."""
        if self._kind == RANKS:
            if not value.is_integer():
                raise WrongInputError(Code.RANK_NOT_WHOLE, text, self._line)
            value = -value
        # trec_eval 9 keeps a score as a float.
        by_single = self._options.ties == Ties.BY_SINGLE_AND_ID
        return ctypes.c_float(value).value if by_single else value

    def _append(self, topic: bytes, document: bytes, value: float, rank: int) -> None:
        if topic != self._topic:
            self._topic = topic
            self._seen.clear()
            entries = self.topics.setdefault(topic, Entries())
            entries.visits.append(len(entries.values))
        entries = self.topics[topic]
        entries.documents.append(document)
        entries.values.append(value)
        entries.ranks.append(rank)
        entries.lines.append(self._line)
        first = self._seen.setdefault(document, self._line)
        if first != self._line and self._options.duplicates == Duplicates.ERROR:
            raise WrongInputError(Code.DUPLICATE, document, self._line, first)


# The numbers follow the enumeration of native/parse.hpp.
AUTO, TREC, COLUMNS, TABS, MEMORY = range(5)

_DECIMAL = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NO_NUMBER = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_WHOLE = re.compile(rb"([+-]?)0*(\d{1,19})")  # 64 bits hold no more digits
_SIX_FIELDS = re.compile(rb"\s*(?:\S+\s+){5}\S+")


@dataclass(frozen=True)
class Layout:
    """Where a line's fields are; None for a column that the layout lacks."""

    least: int
    most: int | None
    """How many fields there may be; None for any number."""
    topic: int
    document: int
    value: int
    rank: int | None = None
    tag: int | None = None
    separator: bytes | None = None
    """What stands between fields; None for any white space."""

    def split(self, line: bytes) -> list[bytes]:
        """Return the fields of a line."""
        return line.split(self.separator)


_TREC_RUN = Layout(6, None, 0, 2, 4, rank=3, tag=5)
_TREC_QRELS = Layout(4, 4, 0, 2, 3)
_THREE_COLUMNS = Layout(3, 3, 0, 1, 2)
_THREE_COLUMNS_TABS = Layout(3, 3, 0, 1, 2, separator=b"\t")
_MEMORY_RUN = Layout(4, 4, 0, 1, 2, rank=3, separator=b"\x1f")
_MEMORY_QRELS = Layout(3, 3, 0, 1, 2, separator=b"\x1f")


def layout_of(code: int, *, judgments: bool) -> Layout:
    """Return the layout of a number of ``native/parse.hpp``."""
    if code in (COLUMNS, TABS):
        return _THREE_COLUMNS if code == COLUMNS else _THREE_COLUMNS_TABS
    if code == MEMORY:
        return _MEMORY_QRELS if judgments else _MEMORY_RUN
    return _TREC_QRELS if judgments else _TREC_RUN


def has_stray_return(line: bytes, fields: Sequence[bytes]) -> bool:
    r"""Say whether CR stands behind the six fields of a run; alone it does not end a line.

    Examples
    --------
    >>> line = b"1 Q0 a 1 9 x\r1 Q0 b 2 8 x"
    >>> has_stray_return(line, line.split())
    True
    """
    if len(fields) == 6 or b"\r" not in line:
        return False
    match = _SIX_FIELDS.match(line)
    return match is not None and b"\r" in line[match.end() :]


def number_of(text: bytes) -> float | None:
    """Return a number in decimal notation, NaN for a word that stands for none; None otherwise.

    Examples
    --------
    >>> number_of(b"+1.5e2"), number_of(b"-inf"), number_of(b"1_000")
    (150.0, nan, None)
    """
    if _DECIMAL.fullmatch(text):
        return float(text)
    return float("nan") if _NO_NUMBER.fullmatch(text) else None


def whole_number_of(text: bytes) -> int | None:
    """Return a whole number of 64 bits; None for anything else.

    Examples
    --------
    >>> whole_number_of(b"+12"), whole_number_of(b"1.0"), whole_number_of(b"9" * 30)
    (12, None, None)
    """
    if (match := _WHOLE.fullmatch(text)) is None:
        return None
    value = int(match[1] + match[2])
    return value if -(2**63) <= value < 2**63 else None


# The numbers follow the enumeration of native/score_or_rank.hpp.
UNTOLD, RANKS, SCORES = range(3)

_TOPIC_NAMES = frozenset(b"qid query_id query-id topic topic_id query".split())
_DOCUMENT_NAMES = frozenset(
    b"docno doc_id corpus-id docid document document_id pid corpus_id".split()
)
_GRADE_NAMES = frozenset(b"label relevance rel grade score".split())


def is_header(fields: Sequence[bytes]) -> bool:
    """Say whether a line is one of names, known or not; a number is none.

    Examples
    --------
    >>> is_header([b"Query-ID", b"corpus-id", b"score"]), is_header([b"topic", b"a", b"1"])
    (True, False)
    """
    return len(fields) == 3 and fields[0].lower() in _TOPIC_NAMES and number_of(fields[2]) is None


def named_kind(fields: Sequence[bytes], *, judgments: bool) -> int:
    """Return what a header calls the third column; untold where a name is not known."""
    name = fields[2].lower()
    if fields[1].lower() not in _DOCUMENT_NAMES:
        return UNTOLD
    if judgments:
        return SCORES if name in _GRADE_NAMES else UNTOLD
    return {b"score": SCORES, b"rank": RANKS}.get(name, UNTOLD)


def kind_of_values(lists: Iterable[Sequence[float]]) -> int:
    """Tell ranks from scores by the values of every list, in the order of the file.

    Examples
    --------
    >>> [kind_of_values([values]) for values in ([1.0, 2.0], [9.0, 7.5], [4.0, 4.0, 9.0])]
    [1, 2, 0]
    """
    several = list(lists)
    # Ranks are whole and not negative; one fraction in the whole file says scores.
    if not all(value >= 0 and value.is_integer() for values in several for value in values):
        return SCORES
    # Ranks before scores: numbers that count the documents of a list are ranks even if they fall.
    if all(_may_be_ranks(values) for values in several):
        return RANKS
    falling = all(a >= b for values in several for a, b in pairwise(values))
    return SCORES if falling else UNTOLD


def _may_be_ranks(values: Sequence[float]) -> bool:
    """Say whether values rise, or count the documents of a list from 0 or 1, in any order."""
    if all(a < b for a, b in pairwise(values)):
        return True
    ascending = sorted(values)
    return any(ascending == list(range(first, first + len(values))) for first in (0, 1))
