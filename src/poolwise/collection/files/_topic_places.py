"""Where the topics of a run file lie: parts to read at the same time, or some without others."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from sys import intern
from typing import IO

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Indices, Integers
from poolwise.collection._identifiers import decode
from poolwise.collection.files._sources import FilePart

__all__ = ["TopicIndex", "index_topics", "split_file"]

_WINDOW = 1 << 22
_LONGEST = 1 << 24
"""Bytes of the longest line that is read."""
_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\n\v\f\r"
_NO_FIELD = np.frombuffer(b"#" + _SPACE, np.uint8)
"""How a line begins that does not begin with its topic: a comment, or white space."""
_WORD = 8
_LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SPACES, _TABS = np.uint64(0x2020202020202020), np.uint64(0x0909090909090909)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, eq=False)
class TopicIndex:
    """The places of the topics of a run file, in their order there.

    Attributes
    ----------
    path : str
        The plain file.
    topics : tuple of str
        The topics that it answers.
    places : int array, topics + 1
        Byte at which the lines of each topic begin, and the end of the file.
    lines : int array, topics + 1
        Number of lines before those of each topic, and of all lines.
    documents : int array, topics
        Lines of each topic that are neither blank nor a comment.
    """

    path: str
    topics: tuple[str, ...]
    places: Integers
    lines: Integers
    documents: Integers

    def parts(self, at: list[int]) -> list[FilePart]:
        """Return the parts of the file that hold these topics; neighbours share one."""
        edges = [i for i in range(len(at)) if not i or at[i] != at[i - 1] + 1]
        runs = zip(edges, [*edges[1:], len(at)], strict=True)
        return [
            FilePart(self.path, int(self.places[at[first]]), int(self.places[at[past - 1] + 1]))
            for first, past in runs
        ]

    def line(self, at: list[int], number: int) -> int:
        """Return which line of the file is this one of the lines of some topics, from 1."""
        for t in at:
            before, after = int(self.lines[t]), int(self.lines[t + 1])
            if number <= after - before:
                return before + number
            number -= after - before
        return int(self.lines[-1])


def index_topics(path: str) -> TopicIndex | None:
    r"""Find where each topic of a plain TREC run begins; None where one comes back after another.

    None, too, where the first line has fewer than six fields, which no topic can be read alone of.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("7 Q0 a 1 2 x\n7 Q0 b 2 1 x\n12 Q0 a 1 1 x\n")
    ...     file.flush()
    ...     places = index_topics(file.name)
    >>> places.topics, places.places.tolist(), places.documents.tolist()
    (('7', '12'), [0, 26, 40], [2, 1])
    """
    walk = _Walk()
    with Path(path).open("rb", buffering=0) as file:
        fits = all(walk.take(window) for window in _windows(file))
    return walk.index(path) if fits and walk.topics else None


def _windows(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the file in pieces of whole lines; the last line may lack its end."""
    rest = b""
    while piece := file.read(_WINDOW):
        end = piece.rfind(b"\n") + 1
        if end:
            yield rest + piece[:end]
            rest = piece[end:]
        else:
            rest += piece
        if len(rest) > _LONGEST:
            break  # which reading the file will refuse
    if rest:
        yield rest


class _Walk:
    """What was met on the way through a file."""

    def __init__(self) -> None:
        self.topics: dict[bytes, None] = {}
        self._current: bytes | None = None
        self._places: list[int] = []
        self._first_lines: list[int] = []
        self._others: list[int] = []
        self._start = self._byte = self._line = 0

    def take(self, window: bytes) -> bool:
        """Go through some lines; False where a topic comes back, or a line is no TREC run's."""
        if not self._byte and window.startswith(_BOM):
            window = window[len(_BOM) :]
            self._start = self._byte = len(_BOM)
        starts = _line_starts(window)
        for i in np.flatnonzero(_differs_from_line_before(window, starts)).tolist():
            if not self._meet(window, int(starts[i]), self._line + i):
                return False
        self._byte += len(window)
        self._line += len(starts)
        return True

    def _meet(self, window: bytes, at: int, line: int) -> bool:
        """Look at a line that begins unlike the one before."""
        text = _line(window, at)
        if not text or text.startswith(b"#"):
            return self._pass_over()
        topic = text.split(maxsplit=1)[0]
        if topic == self._current:
            return True
        if topic in self.topics or not (self.topics or len(text.split()) >= 6):
            return False
        self._begin(topic, self._byte + at, line)
        return True

    def _pass_over(self) -> bool:
        """Count a line that holds no entry; those before the first topic count as its lines."""
        if self._others:
            self._others[-1] += 1
        return True

    def _begin(self, topic: bytes, place: int, line: int) -> None:
        is_first = not self.topics
        self.topics[topic] = None
        self._current = topic
        self._places.append(self._start if is_first else place)
        self._first_lines.append(0 if is_first else line)
        self._others.append(line if is_first else 0)

    def index(self, path: str) -> TopicIndex:
        """Return what was found, at the end of the file."""
        lines = np.array([*self._first_lines, self._line], np.int64)
        return TopicIndex(
            path,
            # Runs have mostly the same topics: their names are kept once.
            tuple(intern(decode(topic)) for topic in self.topics),
            np.array([*self._places, self._byte], np.int64),
            lines,
            np.diff(lines) - np.array(self._others, np.int64),
        )


def _line_starts(window: bytes) -> Indices:
    ends = np.flatnonzero(np.frombuffer(window, np.uint8) == ord("\n")) + 1
    starts = np.concatenate([[0], ends])
    return starts[:-1] if starts[-1] == len(window) else starts


def _differs_from_line_before(window: bytes, starts: Indices) -> Booleans:
    """Return which lines begin with another field than the line before; the first always does.

    The field is compared in words of eight bytes, of all lines at the same time. A line that does
    not begin with a field differs, and so does the one after it.
    """
    words = _words(window)
    differs = starts == 0
    at, left = starts, np.ones(len(starts), np.bool_)
    # Each round compares eight more bytes, of the lines whose field goes on beyond the last eight.
    while left.any():
        word = words[np.minimum(at, len(words) - 1)]
        kept = np.where(left, _before_space(word), np.uint64(0))
        differs[1:] |= (word[1:] & kept[1:]) != (word[:-1] & kept[:-1])
        differs[1:] |= kept[1:] != kept[:-1]
        left = left & (kept == _ALL)
        at = at + _WORD
    odd = np.isin(np.frombuffer(window, np.uint8)[starts], _NO_FIELD)
    differs |= odd
    differs[1:] |= odd[:-1]
    return differs


def _words(window: bytes) -> NDArray[np.uint64]:
    """Return the eight bytes from each place on, spaces past the end."""
    # Strides of one byte: words that overlap, without a copy.
    return np.ndarray((len(window) + 1,), "<u8", window + b" " * _WORD, strides=(1,))


def _before_space(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a mask of the bytes before the first space or tab of each word."""
    blanks = _zeros(words ^ _SPACES) | _zeros(words ^ _TABS)
    # Little endian: the first byte of the text is the lowest of the word.
    lowest = blanks & (~blanks + np.uint64(1))
    # Without any, 0 − 1 is all ones.
    return (lowest >> np.uint64(7)) - np.uint64(1)


def _zeros(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return words whose lowest bit set is the highest of the first byte that is 0."""
    return (words - _LOW) & ~words & _HIGH


def _line(window: bytes, at: int) -> bytes:
    end = window.find(b"\n", at)
    return window[at : end if end >= 0 else len(window)].strip(_SPACE)


_NEARBY = 1 << 20
_SMALLEST = 1 << 24
"""A file that is not larger than this is not worth splitting."""


def split_file(path: str, parts: int) -> list[FilePart]:
    """Cut a plain TREC run between topics; no part where that is not worth while.

    Files list a topic's documents together as a rule. Where this one does not, its parts share a
    topic, which shows when they have been read.
    """
    if not _is_splittable(path):
        return []
    size = Path(path).stat().st_size
    wanted = [_topic_start(path, size * i // parts) for i in range(1, parts)]
    edges = sorted({0, size, *(at for at in wanted if at is not None)})
    return [FilePart(path, start, stop) for start, stop in pairwise(edges)]


def _is_splittable(path: str) -> bool:
    if not Path(path).is_file() or Path(path).stat().st_size <= _SMALLEST:
        return False
    first = _window(path, 0).split(b"\n", 1)[0]
    return len(first.split()) >= 6


def _topic_start(path: str, place: int) -> int | None:
    """Return where the first topic after a place starts, None if none does nearby."""
    window = _window(path, place)
    at = window.find(b"\n") + 1
    topic = None
    while (end := window.find(b"\n", at)) >= 0:
        line_topic = window[at:end].split(maxsplit=1)[:1]
        if topic is not None and line_topic and line_topic != topic:
            return place + at
        topic = line_topic or topic
        at = end + 1
    return None


def _window(path: str, place: int) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(place, os.SEEK_SET)
        return file.read(_NEARBY)
