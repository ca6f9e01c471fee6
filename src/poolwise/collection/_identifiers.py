"""Ids as numbers, and lists of topics."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Indices, Integers
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.provenance._recorded import recorded

__all__ = [
    "CELLS",
    "IdTable",
    "Renamed",
    "cut_topics",
    "decode",
    "encode",
    "indices_of",
    "listed_topics",
    "positions",
    "read_topics",
    "starts_of",
]


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


CELLS = 1 << 19
"""Runs × topics × ranks of a block, about: arrays of that size stay near the processor."""

_TOGETHER = 4
"""Matrix products add up four rows alike, so that full blocks hold a multiple of four topics."""


def cut_topics(longest: Integers, runs: int, *, cells: int = CELLS) -> tuple[slice, ...]:
    """Cut the topics into consecutive blocks of a bounded number of cells.

    A block is as deep as its longest list, so that one long list costs its own block, not all
    topics. Every block has one topic at least; without any topic there is one empty block.

    Parameters
    ----------
    longest : int array, topics
        The length of the longest list of each topic.
    runs : int
        How many runs there are.
    cells : int
        Runs × topics × ranks of a block.

    Examples
    --------
    >>> import numpy as np
    >>> cut_topics(np.array([10, 10, 10, 1000, 10]), 2, cells=60)
    (slice(0, 3, None), slice(3, 4, None), slice(4, 5, None))
    """
    if not len(longest):
        return (slice(0, 0),)
    return tuple(_cut(longest.tolist(), max(1, cells // max(1, runs))))


def _cut(longest: list[int], room: int) -> Iterator[slice]:
    first = 0
    while first < len(longest):
        past = _fill(longest, first, room)
        yield slice(first, past)
        first = past


def _fill(longest: list[int], first: int, room: int) -> int:
    """Return where a block that starts with this topic ends."""
    depth, past = 0, first
    while past < len(longest):
        depth = max(depth, longest[past])
        # One deep list makes the whole block deep, so that the block ends before it.
        if past > first and depth * (past + 1 - first) > room:
            size = past - first
            return first + (size if size < _TOGETHER else size - size % _TOGETHER)
        past += 1
    return past


@recorded
def read_topics(path: str | Path) -> tuple[str, ...]:
    r"""Read a list of topics, one in each line, plain or compressed.

    Empty lines are passed over, and so is what follows a tab, so that a file of topics with their
    texts is such a list.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    tuple of str
        The topics in the order of the lines, each once.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "topics.txt")
    ...     _ = path.write_text("402\n401\tfoundry slag\n\n402\n")
    ...     read_topics(path)
    ('402', '401')
    """
    # Late: files name what they hold by ids.
    from poolwise.collection.files._sources import lines_of, read_text  # noqa: PLC0415

    lines = lines_of(read_text(path).removeprefix("\ufeff"))
    names = (line.partition("\t")[0].strip() for line in lines)
    return tuple(dict.fromkeys(name for name in names if name))


def listed_topics(listed: str | Path | Iterable[str]) -> tuple[str, ...]:
    """Return the topics of a list as they are, or those of a file.

    Examples
    --------
    >>> listed_topics(["402", "401"])
    ('402', '401')
    """
    return read_topics(listed) if isinstance(listed, str | Path) else tuple(map(str, listed))
