"""One input, line by line, into entries: the twin of ``native/lines.hpp``."""

import ctypes
import math
from dataclasses import dataclass, field
from enum import IntEnum

from poolwise.collection.files.native_library import Options
from poolwise.collection.files.plain_reading.fields import (
    AUTO,
    COLUMNS,
    MEMORY,
    TABS,
    TREC,
    has_stray_return,
    layout_of,
    number_of,
    whole_number_of,
)
from poolwise.collection.files.plain_reading.third_column import (
    RANKS,
    SCORES,
    UNTOLD,
    is_header,
    kind_of_values,
    named_kind,
)

__all__ = ["Code", "Duplicates", "Entries", "LineReader", "Ties", "WrongInputError"]

_LONGEST_LINE = 1 << 24
_LONGEST_TEXT = 200
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Code(IntEnum):
    """What can be wrong, as ``native/options.hpp`` numbers it."""

    TOO_FEW_FIELDS = 1
    TOO_MANY_FIELDS = 2
    NOT_A_NUMBER = 3
    NOT_FINITE = 4
    NOT_A_RANK = 5
    EMPTY_ID = 6
    DUPLICATE = 7
    BINARY = 8
    EMPTY = 9
    LINE_TOO_LONG = 10
    STRAY_RETURN = 12
    UNKNOWN_HEADER = 15
    RANK_NOT_WHOLE = 16
    RANKS_OR_SCORES = 17


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
            if line.startswith(b"#"):
                return
        if not line or (not self._layout_known and self._choose_layout(line)):
            return
        try:
            self._take_entry(line)
        except WrongInputError as error:
            if error.code == Code.DUPLICATE or not self._options.skip_malformed:
                raise
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
        if layout.tag is not None:
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
