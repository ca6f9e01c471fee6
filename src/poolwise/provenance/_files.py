"""Files written as a whole or not at all: the one place that writes."""

import errno
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from poolwise.errors import OutputError

__all__ = [
    "Content",
    "FileId",
    "file_ids",
    "is_stream",
    "make_folder",
    "require_writable",
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
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room, or write elsewhere"),
}
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
    ...     sorted(found.name for found in Path(folder).iterdir())
    ['scores.tsv']
    >>> write_file("/nowhere/scores.tsv", b"run")
    Traceback (most recent call last):
        ...
    poolwise.errors.OutputError: /nowhere/scores.tsv: the file cannot be written: no such file or
        directory. Hint: make the folder first (mkdir -p), or name another.
    """
    # Where links lead: to put a file in the place of a link would leave the old one as it is.
    target = Path(os.path.realpath(path))
    try:
        if is_stream(target):
            with target.open("wb") as file:
                _fill(file, content)
        else:
            _replace(target, content)
    except OSError as error:
        raise _refusal(path, error) from error


def is_stream(path: str | Path) -> bool:
    """Say whether a path is a device or a pipe, which has no content that could be lost."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _fill(file: IO[bytes], content: Content) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def _replace(target: Path, content: Content) -> None:
    """Put what is new in the place of a file, or leave everything as it was."""
    # In the same folder, since a file is replaced in one step within a file system only.
    beside = target.with_name(f".poolwise-{os.urandom(8).hex()}")
    rights = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # O_EXCL: nobody else can have put a link there. The rights are those of any new file.
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if rights is not None:
                beside.chmod(rights)
            _fill(file, content)
            file.flush()
            # On the disk before the name leads to it: a crash would leave an empty file.
            os.fsync(file.fileno())
        beside.replace(target)
    # An interruption, too, leaves nothing behind.
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _keep_name(target.parent)


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


def _refusal(path: str | Path, error: OSError) -> OutputError:
    reason = (error.strerror or str(error)).lower()
    remedy = _REMEDIES.get(error.errno or 0, _USUAL_REMEDY)
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
    found: dict[FileId, str] = {}
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue  # what does not exist is no file that could be lost
        found.setdefault((status.st_dev, status.st_ino), str(path))
    return found
