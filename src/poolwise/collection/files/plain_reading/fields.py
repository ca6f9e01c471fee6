"""Lines into fields, fields into numbers: the twin of ``native/parse.hpp``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "AUTO",
    "COLUMNS",
    "MEMORY",
    "TABS",
    "TREC",
    "Layout",
    "has_stray_return",
    "layout_of",
    "number_of",
    "whole_number_of",
]

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
    found = _SIX_FIELDS.match(line)
    return found is not None and b"\r" in line[found.end() :]


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
    if (found := _WHOLE.fullmatch(text)) is None:
        return None
    value = int(found[1] + found[2])
    return value if -(2**63) <= value < 2**63 else None
