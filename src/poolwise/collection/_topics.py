"""Topics: lists of them, and blocks of consecutive ones that lie together in memory."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from poolwise.arrays import Integers
from poolwise.collection.files._sources import read_text

__all__ = ["CELLS", "cut_topics", "listed_topics", "read_topics"]

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
    lines = read_text(path).removeprefix("\ufeff").splitlines()
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
