"""Hashes of input files, on other threads than the one that waits for them."""

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Thread

from poolwise.printout.provenance import Source

__all__ = ["HashingAhead", "hash_sources"]


class HashingAhead:
    """The hashes of files that are about to be read, made while a program gets ready to.

    Examples
    --------
    >>> ahead = HashingAhead([])
    >>> ahead.tell([Source("<dict>")])
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._waiting = deque(paths)
        self._hashed: dict[Source, str] = {}
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while self._waiting:
            with suppress(OSError, IndexError):  # whoever reads the file says what is wrong with it
                source = Source.of_file(self._waiting.popleft())
                self._hashed[source] = source.sha256

    def tell(self, sources: Iterable[Source]) -> None:
        """Stop, and let the sources know their hashes, those that are as they were hashed."""
        self._waiting.clear()
        self._thread.join()
        for source in sources:
            if found := self._hashed.get(source):
                source.remember(found)


def hash_sources(sources: Sequence[Source]) -> None:
    """Hash what is not hashed yet, on two threads."""
    threads = [Thread(target=_hash_all, args=(sources[i::2],)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _hash_all(sources: Sequence[Source]) -> None:
    for source in sources:
        # What cannot be read is told where the hash is asked for.
        with suppress(OSError):
            _ = source.sha256
