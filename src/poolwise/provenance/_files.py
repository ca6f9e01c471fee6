"""Files written as a whole or not at all: the one place that writes."""

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Self

from poolwise.errors import InputError, OutputError, PoolwiseError, remedy_of

__all__ = [
    "Content",
    "FileId",
    "Staged",
    "Waiting",
    "file_ids",
    "is_stream",
    "locked",
    "make_folder",
    "refuse_if_nothing_is_written",
    "require_writable",
    "without_writing",
    "write_file",
]

Content = bytes | Callable[[IO[bytes]], None]
"""What a file is to hold, or what writes it there, piece by piece."""
FileId = tuple[int, int]
"""What two names of one file have in common: the device, and the number of the file there."""

_REMEDIES = {
    errno.ENOENT: "make the folder first (mkdir -p), or name another",
    errno.ENOTDIR: "name a folder that is one",
    errno.EISDIR: "name a file in it",
    errno.ENAMETOOLONG: "choose a shorter name",
}
_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would write two bytes for a line end."""
_USUAL_REMEDY = "write to a folder in which you may write"


def write_file(path: str | Path, content: Content) -> None:
    """Write a file so that there is the old one or the new one, never a part.

    The bytes go to a hidden file beside it, then to the disk, then into its place. A symbolic link
    stays one, and a file keeps its rights. Devices and pipes are written to directly.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/scores.tsv", b"run")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['scores.tsv']
    >>> write_file("/nowhere/scores.tsv", b"run")
    Traceback (most recent call last):
        ...
    poolwise.errors.OutputError: /nowhere/scores.tsv: the file cannot be written: no such file or
        directory. Hint: make the folder first (mkdir -p), or name another.
    """
    if is_stream(path):
        refuse_if_nothing_is_written(path)
        with _explained(path), _open_stream(path) as file:
            _fill(file, content)
    else:
        with Staged() as staged:
            staged.place([staged.add(path, content)])


_WRITES: ContextVar[bool] = ContextVar("poolwise.writes", default=True)


@contextmanager
def without_writing() -> Iterator[None]:
    """Refuse whatever would write or change a file inside of the block, whoever asks for it.

    Examples
    --------
    >>> with without_writing():
    ...     write_file("scores.tsv", b"run")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: scores.tsv: nothing is written here, and this file would be. Hint:
        run the command itself.
    """
    token = _WRITES.set(False)
    try:
        yield
    finally:
        _WRITES.reset(token)


def refuse_if_nothing_is_written(path: str | Path) -> None:
    """Raise where nothing may be written: whatever writes by itself asks before it begins."""
    if not _WRITES.get():
        rule = "nothing is written here, and this file would be"
        raise InputError(str(path), rule, remedy="run the command itself")


_DESCRIPTOR = re.compile(r"/dev/(?:fd/(\d+)|(stdin|stdout|stderr))|/proc/self/fd/(\d+)")
_STANDARD = {"stdin": 0, "stdout": 1, "stderr": 2}


def _descriptor(path: str | Path) -> int | None:
    """Return the number of an open file that a path names, such as /dev/stdout or >(…) of a shell.

    Examples
    --------
    >>> _descriptor("/dev/stdout"), _descriptor("/dev/fd/63"), _descriptor("/dev/null")
    (1, 63, None)
    """
    match = _DESCRIPTOR.fullmatch(str(path)) if os.name == "posix" else None
    if match is None:
        return None
    number = match[1] or match[3]
    return int(number) if number else _STANDARD[match[2]]


def is_stream(path: str | Path) -> bool:
    """Say whether a path is a device, a pipe or an open file: nothing there could be lost."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _open_stream(path: str | Path) -> IO[bytes]:
    """Open a device or a pipe; what is open already goes on where it stands, and is not emptied."""
    number = _descriptor(path)
    if number is None:
        return Path(path).open("wb")
    if number == _STANDARD["stdout"] and sys.stdout is not None:
        sys.stdout.flush()
    return os.fdopen(os.dup(number), "wb")


def _fill(file: IO[bytes], content: Content) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


@dataclass(frozen=True)
class Waiting:
    """A file that is whole and on the disk, under a hidden name beside its own."""

    path: str | Path
    target: Path
    hidden: Path


class Staged:
    """Files that wait under hidden names, and go into their places together or not at all.

    Whatever happens on the way, nothing hidden is left behind, but by what ends the process itself.
    """

    def __init__(self) -> None:
        self._hidden: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for hidden in self._hidden:
            with suppress(OSError):
                hidden.unlink(missing_ok=True)

    def add(self, path: str | Path, content: Content) -> Waiting:
        """Write a file under a hidden name, down to the disk."""
        refuse_if_nothing_is_written(path)
        with _explained(path):
            # Where links lead: to put a file in the place of a link would leave the old one as it
            # is.
            target = Path(os.path.realpath(path))
            hidden = self._name_beside(target)
            rights = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
            # O_EXCL: nobody else can have put a link there. The rights are those of any new file.
            descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
            with os.fdopen(descriptor, "w+b") as file:
                if rights is not None:
                    hidden.chmod(rights)
                _fill(file, content)
                file.flush()
                # On the disk before the name leads to it: a crash would leave an empty file.
                os.fsync(file.fileno())
        return Waiting(path, target, hidden)

    def place(self, files: Sequence[Waiting]) -> None:
        """Put files into their places, in this order; where one fails, the old ones come back."""
        ways_back: list[Callable[[], object]] = []
        try:
            for file in files:
                with _explained(file.path):
                    back = self._way_back(file.target)
                    file.hidden.replace(file.target)
                ways_back += [back] if back else []
            for folder in dict.fromkeys(file.target.parent for file in files):
                with _explained(folder):
                    _keep_name(folder)
        except BaseException:  # an interruption, too
            for back in reversed(ways_back):
                with suppress(OSError):  # the error that led here is the one to tell
                    back()
            raise

    def _name_beside(self, target: Path) -> Path:
        # In the same folder, since a file is replaced in one step within a file system only.
        hidden = target.with_name(f".poolwise-{os.urandom(8).hex()}")
        self._hidden.append(hidden)
        return hidden

    def _way_back(self, target: Path) -> Callable[[], object] | None:
        """Return what undoes a replacement; None where the old file can have no second name."""
        if not target.exists():
            return partial(target.unlink, missing_ok=True)
        second = self._name_beside(target)
        try:
            os.link(target, second)
        except OSError:
            return None
        return partial(second.replace, target)


@contextmanager
def locked(paths: Iterable[str | Path]) -> Iterator[None]:
    """Keep every other poolwise from putting files into the folders of these, for a block.

    The folder itself is locked, so that no file is left behind. Where a system knows no such lock,
    as Windows does not, nothing is locked.
    """
    folders = {Path(os.path.realpath(path)).parent for path in paths}
    with ExitStack() as held:
        for folder in sorted(folders):  # in one order, or two processes could wait for each other
            with suppress(OSError, ImportError):
                held.callback(os.close, _lock(folder))
        yield


def _lock(folder: Path) -> int:
    """Wait until a folder is ours, and return the open file that holds it."""
    import fcntl  # noqa: PLC0415 -- not on Windows

    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
    except BaseException:
        os.close(opened)
        raise
    return opened


def _keep_name(folder: Path) -> None:
    """Bring the new name to the disk as well, where the system lets us."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems know no such call
            raise
    finally:
        os.close(opened)


@contextmanager
def _explained(path: str | Path) -> Iterator[None]:
    """Say in one sentence why a file cannot be written."""
    try:
        yield
    except PoolwiseError:
        raise
    except OSError as error:
        raise _refusal(path, error) from error


def _refusal(path: str | Path, error: OSError) -> OutputError:
    reason = (error.strerror or str(error)).lower()
    remedy = _REMEDIES.get(error.errno or 0) or remedy_of(error, _USUAL_REMEDY)
    return OutputError(str(path), f"the file cannot be written: {reason}", remedy=remedy)


def require_writable(path: str | Path) -> None:
    """Raise where a file will not be writable, before any work is done for it.

    Examples
    --------
    >>> require_writable("/nowhere/scores.tsv")
    Traceback (most recent call last):
        ...
    poolwise.errors.OutputError: /nowhere/scores.tsv: the file cannot be written: no such file or
        directory. Hint: make the folder first (mkdir -p), or name another.
    """
    if is_stream(path):
        return
    try:
        code = _obstacle(Path(os.path.realpath(path)))
    except OSError as error:
        raise _refusal(path, error) from error
    if code:
        raise _refusal(path, OSError(code, os.strerror(code)))


def _obstacle(target: Path) -> int:
    """Return the number of the error that writing would meet, 0 for none that can be foreseen."""
    if target.is_dir():
        return errno.EISDIR
    if not target.parent.is_dir():
        return errno.ENOTDIR if target.parent.exists() else errno.ENOENT
    may_write = os.access(target.parent, os.W_OK | os.X_OK)
    # To replace a file takes rights on the folder alone, but a protected file is meant to stay.
    may_replace = not target.exists() or os.access(target, os.W_OK)
    return 0 if may_write and may_replace else errno.EACCES


def make_folder(path: str | Path) -> None:
    """Make a folder, and those above it, unless they are there."""
    refuse_if_nothing_is_written(path)
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(path, error) from error


def file_ids(paths: Iterable[str | Path]) -> dict[FileId, str]:
    """Return which files these paths lead to, whatever links are on the way; one path for each.

    Examples
    --------
    >>> file_ids(["/nowhere"])
    {}
    """
    ids: dict[FileId, str] = {}
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue  # what does not exist is no file that could be lost
        ids.setdefault((status.st_dev, status.st_ino), str(path))
    return ids
