"""Ids as they stand in the files: byte strings in one table, never parsed, never renumbered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Indices, Integers
from poolwise.errors import InputError, OptionError, require_choice

__all__ = ["IdTable", "Renamed", "decode", "encode", "indices_of", "positions", "starts_of"]


@dataclass(frozen=True, eq=False)
class IdTable:
    """Strings one after another as UTF-8; entry ``i`` is ``data[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> table = IdTable.from_strings(["007", "NA", "FT911-1"])
    >>> len(table), table[0], list(table.take([2, 1]))
    (3, '007', ['FT911-1', 'NA'])
    >>> list(IdTable.from_strings([]))
    []
    """

    data: NDArray[np.uint8]
    offsets: Integers

    @classmethod
    def from_strings(cls, strings: Iterable[str]) -> "IdTable":
        """Encode the strings in the order given."""
        encoded = [encode(s) for s in strings]
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts_of(map(len, encoded)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> str:
        return decode(self.data[self.offsets[i] : self.offsets[i + 1]].tobytes())

    def __iter__(self) -> Iterator[str]:
        raw, edges = self.data.tobytes(), self.offsets.tolist()
        return (decode(raw[start:stop]) for start, stop in pairwise(edges))

    def take(self, rows: NDArray[np.integer] | list[int]) -> "IdTable":
        """Return the table of these rows, in the order given."""
        rows = np.asarray(rows, np.intp)
        # Of these rows alone: a table of many is asked for few at a time.
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        offsets = starts_of(sizes)
        shift = np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return IdTable(self.data[shift + np.arange(offsets[-1])], offsets)


def encode(text: str) -> bytes:
    r"""Return the bytes of an id, those that are not UTF-8 included.

    Examples
    --------
    >>> encode("caf\udce9"), encode("café")
    (b'caf\xe9', b'caf\xc3\xa9')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        lone = text[max(0, error.start - 20) : error.end + 20]
        raise InputError(
            "ids",
            "a name must be whole characters, and half a pair of surrogates is none",
            value=lone,
            remedy="decode the text as UTF-8 before it is read",
        ) from error


def decode(raw: bytes) -> str:
    """Return the id as text; bytes that are not UTF-8 survive."""
    return raw.decode("utf-8", "surrogateescape")


def positions(wanted: Iterable[str], available: Iterable[str]) -> Indices:
    """Return where each wanted name stands in the available ones, −1 where it does not.

    Examples
    --------
    >>> positions(["b", "x"], ["a", "b"]).tolist()
    [1, -1]
    """
    index = {name: i for i, name in enumerate(available)}
    return np.array([index.get(name, -1) for name in wanted], np.intp)


def indices_of(names: str | Iterable[str], available: Sequence[str], *, what: str) -> Indices:
    """Return where each name stands among the known ones, or say which one is not known.

    Examples
    --------
    >>> indices_of("b", ("a", "b"), what="systems").tolist()
    [1]
    >>> indices_of(["b", "c"], ("a", "b"), what="systems")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: systems: 'c' is not known. Hint: use one of a, b.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    places = positions(wanted, available)
    for i in np.flatnonzero(places < 0).tolist():
        require_choice(what, wanted[i], available)
    return places


def starts_of(sizes: Iterable[int]) -> Integers:
    """Return where each of consecutive pieces starts, and where the last one ends.

    Examples
    --------
    >>> starts_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(np.fromiter(sizes, np.int64))]).astype(np.int64)


class Renamed:
    """The old name of a method, which says the new one when somebody asks an object for it.

    Examples
    --------
    >>> class Shelf:
    ...     only = Renamed("select(…)")
    >>> Shelf().only
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: Shelf.only: is called select(…) now. Hint: use the new name.
    """

    def __init__(self, new: str) -> None:
        self._new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self._old = f"{owner.__name__}.{name}"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self  # a class may be looked through, as documentation does
        raise OptionError(f"{self._old}: is called {self._new} now. Hint: use the new name.")
