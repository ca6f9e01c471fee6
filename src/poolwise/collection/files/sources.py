"""Files as streams of bytes: found, opened, decompressed and hashed."""

import bz2
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from glob import glob, has_magic
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from poolwise.collection.files.file_parts import FilePart
from poolwise.errors import InputError
from poolwise.printout.provenance import SIDECAR, Source

if TYPE_CHECKING:
    from concurrent.futures import Executor  # slow to import

__all__ = ["FileBytes", "find_files", "read_ahead"]

_BLOCK = 1 << 18


def find_files(source: str | Path) -> list[str]:
    """Return the files that a path, a glob or a folder stands for, sorted; ``-`` is itself.

    In a folder every file counts that is not hidden, and not the provenance of another file.

    Examples
    --------
    >>> find_files("-")
    ['-']
    >>> find_files("runs/*.nowhere")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: runs/*.nowhere: a glob must match a file; got 'no match'.
    Hint: check the pattern and the folder you are in.
    """
    text = str(source)
    path = Path(text)
    if text == "-" or path.is_file() or path.is_fifo() or path.is_char_device():
        return [text]
    if path.is_dir():
        return _in_folder(path)
    if has_magic(text):
        return _matching(text)
    raise InputError(
        text,
        "the file must exist",
        remedy="check the path, and quote a glob that the shell should not expand",
    )


def _in_folder(folder: Path) -> list[str]:
    files = sorted(str(p) for p in folder.iterdir() if p.is_file() and _is_data(p.name))
    if not files:
        raise InputError(
            str(folder), "a folder must hold files to read", remedy="name the folder of the files"
        )
    return files


def _is_data(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(SIDECAR)


def _matching(pattern: str) -> list[str]:
    # Path.glob knows no absolute patterns.
    found = glob(pattern, recursive=True)  # noqa: PTH207
    files = sorted(p for p in found if Path(p).is_file() and not p.endswith(SIDECAR))
    if not files:
        raise InputError(
            pattern,
            "a glob must match a file",
            value="no match",
            remedy="check the pattern and the folder you are in",
        )
    return files


class _Hashing(io.RawIOBase):
    """A file whose bytes are hashed as they pass."""

    def __init__(self, file: IO[bytes]) -> None:
        from hashlib import sha256  # noqa: PLC0415, late: slow to import

        self._file = file
        self.sha256 = sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        self.sha256.update(memoryview(buffer)[:count])
        return count


class FileBytes(Iterable[memoryview]):
    """The decompressed bytes of a file in blocks, and ``source``, which says what was read.

    A block stays valid while the next one is fetched, and no longer.
    """

    system = ""

    def __init__(self, path: str, layout: str = "auto") -> None:
        self.path, self.layout = path, layout
        self.source = Source(path)

    def __iter__(self) -> Iterator[memoryview]:
        try:
            with _open(self.path) as file:
                yield from self._blocks(file)
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise InputError(
                self.path, f"the file must be readable: {error}", remedy="check or unpack the file"
            ) from error

    def plain(self) -> FilePart | None:
        """Return the file as it lies on disk, if it is plain and the system can read it so."""
        if os.name != "posix" or not Path(self.path).is_file():
            return None
        with Path(self.path).open("rb") as file:
            if _decompressor(file.read(10)) is not _as_it_is:
                return None
        self.source = Source.of_file(self.path)
        return FilePart(self.path, 0, Path(self.path).stat().st_size)

    def _blocks(self, file: IO[bytes]) -> Iterator[memoryview]:
        if Path(self.path).is_file():
            self.source = Source.of_file(self.path)
            yield from _unpacked(file)
            return
        # What comes through a pipe cannot be read again, so that it is hashed as it passes.
        hashing = _Hashing(file)
        yield from _unpacked(hashing)
        self.source = Source(self.path, hashed=hashing.sha256.hexdigest())


def _unpacked(file: Any) -> Iterator[memoryview]:
    # Smaller than a block, so that a block is read into its place and not copied there.
    raw: Any = io.BufferedReader(file, _BLOCK // 4)
    try:
        stream = _decompressor(raw.peek(10)[:10])(raw)
        buffers = [memoryview(bytearray(_BLOCK)) for _ in range(2)]
        while count := stream.readinto(buffers[0]):
            yield buffers[0][:count]
            buffers.reverse()
        while raw.read(_BLOCK):
            pass  # a decompressor may leave bytes unread
    finally:
        raw.detach()  # the file is not the buffer's to close


def read_ahead(blocks: Iterable[memoryview], pool: "Executor") -> Iterator[memoryview]:
    """Fetch each block while the one before is worked on."""
    rest = iter(blocks)
    coming = pool.submit(next, rest, None)
    while (block := coming.result()) is not None:
        coming = pool.submit(next, rest, None)
        yield block


def _open(path: str) -> AbstractContextManager[IO[bytes]]:
    if path == "-":
        if sys.stdin is None:
            raise InputError(path, "standard input must be open", remedy="name a file")
        return nullcontext(sys.stdin.buffer)  # not ours to close
    return Path(path).open("rb", buffering=0)


def _decompressor(magic: bytes) -> Callable[[Any], Any]:
    if magic.startswith(b"\x1f\x8b"):
        return _open_gzip
    if magic.startswith(b"\xfd7zXZ\x00"):
        return lzma.open
    if magic.startswith(b"BZh") and magic[4:] == b"\x31\x41\x59\x26\x53\x59":
        return bz2.open
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return _open_zstd
    return _as_it_is


def _as_it_is(raw: Any) -> Any:
    return raw


def _open_gzip(raw: Any) -> Any:
    from isal import igzip  # noqa: PLC0415, late: only gz input needs it

    return igzip.IGzipFile(fileobj=raw)  # type: ignore[no-untyped-call]  # isal has no types here


def _open_zstd(raw: Any) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415, late: only zst input needs it

        return zstd.open(raw)
    import zstandard  # noqa: PLC0415, late: only zst input needs it

    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
