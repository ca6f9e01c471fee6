"""Entries held in memory, as text for the scanner: one way in for every input.

Fields end at a unit separator and entries at a newline, so ids may hold spaces.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from poolwise.collection.files.remote import is_address
from poolwise.collection.identifiers import encode
from poolwise.errors import InputError
from poolwise.provenance._provenance import Notice, Source

__all__ = ["MemoryBytes", "id_text", "id_texts", "number_text", "number_texts"]

_FIELD, _ENTRY = "\x1f", "\n"
_ID_REMEDY = "make ids strings before they are read, so that leading zeros survive"


class MemoryBytes(Iterable[memoryview]):
    """Entries of one system (or of the judgments) from a dict or a frame.

    Parameters
    ----------
    path
        What messages call it: the file it is from, ``<dict>`` or ``<frame>``.
    columns
        Topics, documents, values and, for a run, ranks.
    system
        The system's name; empty where nothing says it.
    notices
        What was odd in it.
    first_line
        The number by which messages call the first entry.
    """

    layout = "memory"

    def __init__(
        self,
        path: str,
        columns: Iterable[Iterable[str]],
        system: str = "",
        *,
        notices: tuple[Notice, ...] = (),
        first_line: int = 1,
    ) -> None:
        self.path, self.system, self.notices = path, system, notices
        self.source = Source.of_file(path) if Path(path).is_file() else Source(path)
        rows = [_FIELD.join(fields) for fields in zip(*columns, strict=True)]
        text = _ENTRY.join(rows)
        if text.count(_ENTRY) >= max(1, len(rows)):
            self._refuse(next(row for row in rows if _ENTRY in row))
        self._text = _ENTRY * (first_line - 1) + text  # the scanner counts blank lines, too

    @property
    def names_itself(self) -> bool:
        """Whether something says what the system is called: a name, or the file it is from."""
        return bool(self.system or self.source.stamp or is_address(self.path))

    def __iter__(self) -> Iterator[memoryview]:
        yield memoryview(encode(self._text))

    def _refuse(self, row: str) -> None:
        raise InputError(
            self.path,
            "an id must not hold a line break",
            value=row.replace(_FIELD, " "),
            remedy="rename the id",
        )


def id_text(value: Any, where: str) -> str:
    """Return an id as text; a number that is not whole is no id.

    Examples
    --------
    >>> id_text("007", "<dict>"), id_text(42, "<dict>")
    ('007', '42')
    >>> id_text(42.0, "<frame>")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: <frame>: an id must be a string or a whole number; got 42.0.
    Hint: make ids strings before they are read, so that leading zeros survive.
    """
    if isinstance(value, str):
        encode(value)  # says what is wrong with half a character
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        rule = "an id must be a string or a whole number"
        raise InputError(where, rule, value=value, remedy=_ID_REMEDY)
    return str(int(value))


def id_texts(values: Sequence[Any], where: str) -> list[str]:
    """Return ids as texts, a whole column of strings at once.

    Examples
    --------
    >>> id_texts(["007", "b"], "<frame>"), id_texts([7, "b"], "<frame>")
    (['007', 'b'], ['7', 'b'])
    """
    if set(map(type, values)) <= {str}:
        with suppress(UnicodeEncodeError):  # which one it is, the ids tell one by one
            "".join(values).encode("utf-8", "surrogateescape")
            return list(values)
    return [id_text(value, where) for value in values]


def number_texts(values: Sequence[Any]) -> list[str]:
    """Return numbers as texts, a whole column at once where all of it are numbers.

    Examples
    --------
    >>> number_texts([0.1, 2]), number_texts([0.1, None])
    (['0.1', '2.0'], ['0.1', 'None'])
    """
    with suppress(TypeError, ValueError, OverflowError):
        return [*map(repr, map(float, values))]
    return [*map(number_text, values)]


def number_text(value: Any) -> str:
    """Return a number as text that reads back the same; what is no number stays for the scanner.

    Examples
    --------
    >>> number_text(True), number_text(0.1), number_text(None)
    ('1.0', '0.1', 'None')
    """
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        return str(value)
    except OverflowError:
        return "inf"  # which the scanner refuses, with the place
