"""A large run file in parts that can be read at the same time."""

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

__all__ = ["FilePart", "split_file"]

_WINDOW = 1 << 20
_SMALLEST = 1 << 24
"""A file that is not larger than this is not worth splitting."""


@dataclass(frozen=True)
class FilePart:
    """The bytes of a plain file from one place up to another."""

    path: str
    start: int
    stop: int


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
        return file.read(_WINDOW)
