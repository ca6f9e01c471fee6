"""Ids as numbers, lists of topics, and random numbers that belong to ids."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, Integers, generator
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.provenance._recorded import recorded

__all__ = [
    "CELLS",
    "HashedRandom",
    "IdTable",
    "Keys",
    "Renamed",
    "cut_topics",
    "decode",
    "encode",
    "fine_uniform",
    "following",
    "indices_of",
    "listed_topics",
    "normals",
    "positions",
    "read_topics",
    "starts_of",
    "uniform",
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

    def encoded(self) -> list[bytes]:
        """Return the strings as they lie, not decoded."""
        raw, edges = self.data.tobytes(), self.offsets.tolist()
        return [raw[start:stop] for start, stop in pairwise(edges)]

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


Keys = NDArray[np.uint64]

# The increment and the two factors of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable
# pseudorandom number generators").
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_BITS = 24  # as many as a float of 32 bits tells apart


@dataclass(frozen=True)
class HashedRandom:
    """A seed, from which every name gets a key of its own: a run's list, or a document, of a topic.

    What is drawn for one is the same whatever others there are, and in whatever order they were
    read: numbers of SplitMix64, started from a keyed hash of the names.

    Examples
    --------
    >>> alone, beside = (HashedRandom(1).keys("401", names) for names in (["bm25"], ["ql", "bm25"]))
    >>> bool(beside[1] == alone[0]), bool(beside[0] == alone[0])
    (True, False)
    """

    seed: int

    @classmethod
    def of(cls, rng: "int | np.random.Generator | HashedRandom") -> "HashedRandom":
        """Take a seed, or draw one from a generator; one of these stays as it is."""
        return rng if isinstance(rng, HashedRandom) else cls(int(generator(rng).integers(2**63)))

    def keys(self, topic: str, names: Iterable[str]) -> Keys:
        """Return the key of each name in a topic."""
        start = blake2b(encode(topic) + b"\0", key=self.seed.to_bytes(8, "big"), digest_size=8)
        encoded = names.encoded() if isinstance(names, IdTable) else map(encode, names)
        raw = b"".join([_continued(start, name) for name in encoded])
        return np.frombuffer(raw, ">u8").astype(np.uint64)


def _continued(start: blake2b, name: bytes) -> bytes:
    hashed = start.copy()
    hashed.update(name)
    return hashed.digest()


def following(keys: Keys, steps: NDArray[np.integer]) -> Keys:
    """Return the keys that come so many steps after these."""
    return _mixed(keys + (steps.astype(np.uint64) + np.uint64(1)) * _STEP)


def uniform(keys: Keys, draws: int) -> NDArray[np.float32]:
    """Return numbers from 0 up to 1, as many for each key as there are draws.

    Examples
    --------
    >>> uniform(HashedRandom(1).keys("401", ["bm25"]), 3).round(2).astype(float).round(2).tolist()
    [[0.51, 0.12, 0.52]]
    """
    numbers = following(keys[:, None], np.arange(draws))
    return (numbers >> np.uint64(64 - _BITS)).astype(np.float32) / np.float32(1 << _BITS)


def fine_uniform(keys: Keys, draws: int) -> Floats:
    """Return numbers as :func:`uniform` does, with all the digits of a float of 64 bits."""
    numbers = following(keys[:, None], np.arange(draws))
    return np.asarray((numbers >> np.uint64(11)) * 2.0**-53)


def normals(keys: Keys, draws: int) -> Floats:
    """Return standard normals, as many for each key as there are draws (Box and Muller 1958).

    Examples
    --------
    >>> keys = HashedRandom(1).keys("401", ["bm25", "ql"])
    >>> bool((normals(keys, 4)[1, :3] == normals(keys[1:], 3)[0]).all())
    True
    """
    pairs = -(-draws // 2)
    numbers = fine_uniform(keys, 2 * pairs).reshape(len(keys), pairs, 2)
    # 1 − u lies above 0, so that its logarithm is finite.
    length = np.sqrt(-2 * np.log1p(-numbers[:, :, 0]))
    angle = 2 * np.pi * numbers[:, :, 1]
    both = np.stack([length * np.cos(angle), length * np.sin(angle)], axis=2)
    return both.reshape(len(keys), 2 * pairs)[:, :draws]


def _mixed(numbers: Keys) -> Keys:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _FACTORS[0]
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _FACTORS[1]
    return numbers ^ (numbers >> np.uint64(31))
