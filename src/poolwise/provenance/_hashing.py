"""Hashes of input files, made while something else is done."""

import atexit
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from poolwise.provenance._provenance import Source

__all__ = ["BackgroundHasher", "hash_sources"]

_PROGRAM = Path(__file__).with_name("_hashing_program.py")
_WORTH_IT = 1 << 24
"""Bytes from which on another process pays."""


class BackgroundHasher:
    """The hashes of files that are about to be read, made by another process.

    A thread would not do: it would wait for its turn between any two blocks, and keep this one,
    which loads modules at that time, waiting as well.

    Examples
    --------
    >>> ahead = BackgroundHasher([])
    >>> ahead.assign([Source("<dict>")])
    """

    def __init__(self, paths: Iterable[str]) -> None:
        from subprocess import DEVNULL, PIPE, Popen  # noqa: PLC0415, late: slow to import

        self._paths = tuple(paths)
        # Without site, and what may be told to Python by variables: neither is needed to hash.
        command = [sys.executable, "-I", "-S", str(_PROGRAM)]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)  # noqa: S603 -- ours
        # A command that fails does not wait for hashes.
        atexit.register(self._process.kill)
        # The one byte that no path can hold.
        names = b"".join(os.fsencode(path) + b"\0" for path in self._paths)
        with suppress(OSError), self._process.stdin as given:  # type: ignore[union-attr] # a pipe
            given.write(names)

    @classmethod
    def of(cls, paths: Sequence[str]) -> "BackgroundHasher | None":
        """Begin where there is enough to hash, and another process to be had."""
        with suppress(OSError):
            size = sum(Path(path).stat().st_size for path in paths)
            return cls(paths) if size >= _WORTH_IT and sys.executable else None
        return None

    def assign(self, sources: Iterable[Source]) -> None:
        """Let the sources know their hashes, those that are as they were hashed."""
        with self._process.stdout as told:  # type: ignore[union-attr] # a pipe
            said = told.read().decode("ascii")
        self._process.wait()
        # The other process may have been ended: the lines that it wrote count.
        known = {path: line.split() for path, line in zip(self._paths, said.splitlines())}  # noqa: B905
        for source in sources:
            match known.get(source.path):
                case size, changed, sha256 if source.stamp == (int(size), int(changed)):
                    source.remember(sha256)


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
