"""Hashes of input files, made while something else is done."""

import atexit
import ctypes
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from poolwise.native_loading import load_library
from poolwise.provenance._provenance import Source

__all__ = ["BackgroundHasher", "LaneHasher", "hash_sources"]

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
        with suppress(OSError), self._process.stdin as stdin:  # type: ignore[union-attr] # a pipe
            stdin.write(_names(self._paths))

    @classmethod
    def of(cls, paths: Sequence[str]) -> "BackgroundHasher | LaneHasher | None":
        """Begin where there is enough to hash, in the way that takes least."""
        with suppress(OSError):
            sizes = [Path(path).stat().st_size for path in paths]
            if sum(sizes) < _WORTH_IT:
                return None
            native = _library()
            if native and sum(sizes) >= native.poolwise_hashes_files() * max(sizes):
                return LaneHasher(native, paths)
            return cls(paths) if sys.executable else None
        return None

    def assign(self, sources: Iterable[Source]) -> None:
        """Let the sources know their hashes, those that are as they were hashed."""
        with self._process.stdout as stdout:  # type: ignore[union-attr] # a pipe
            said = stdout.read().decode("ascii")
        self._process.wait()
        # The other process may have been ended: the lines that it wrote count.
        lines = zip(self._paths, said.splitlines())  # noqa: B905
        _assign(sources, {path: line.split() for path, line in lines})


class LaneHasher:
    """The same by the native library, several files at the same time, in a thread of its own.

    Wide registers hash up to sixteen files in less than ten times what one of them takes, or three
    times on a processor without instructions for SHA-256.
    """

    def __init__(self, native: ctypes.CDLL, paths: Sequence[str]) -> None:
        self._paths, self._stopped = tuple(paths), ctypes.c_int32()
        self._found = (_HashedFile * len(self._paths))()
        arguments = _names(self._paths), len(self._paths), self._found, ctypes.byref(self._stopped)
        # Native work holds no lock of Python's. A command that fails does not wait for it.
        self._thread = Thread(target=native.poolwise_hash_files, args=arguments, daemon=True)
        self._thread.start()
        atexit.register(self._stop)

    def _stop(self) -> None:
        self._stopped.value = 1
        self._thread.join()

    def assign(self, sources: Iterable[Source]) -> None:
        """Let the sources know their hashes, those that are as they were hashed."""
        self._thread.join()
        both = zip(self._paths, self._found, strict=True)
        _assign(sources, {path: hashed.words() for path, hashed in both if hashed.known})


class _HashedFile(ctypes.Structure):
    """What is told of a file: see ``native/hashed_files.hpp``."""

    _fields_ = (
        ("size", ctypes.c_int64),
        ("changed", ctypes.c_int64),
        ("known", ctypes.c_int32),
        ("hash", ctypes.c_uint8 * 32),
    )

    def words(self) -> list[str]:
        return [str(self.size), str(self.changed), bytes(self.hash).hex()]


def _library() -> ctypes.CDLL | None:
    """Return the native library where it can hash several files at a time."""
    native = load_library(__file__, "hashes")
    return native if native and native.poolwise_hashes_files() else None


def _names(paths: Iterable[str]) -> bytes:
    """Return paths, each ended by the one byte that no path can hold."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _assign(sources: Iterable[Source], hashes: Mapping[str, list[str]]) -> None:
    """Let sources know their hashes, those whose size and last change are those that are told."""
    for source in sources:
        match hashes.get(source.path):
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
