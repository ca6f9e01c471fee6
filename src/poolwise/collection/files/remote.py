"""Files that lie elsewhere, by their addresses: whatever fsspec can open."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from glob import has_magic
from typing import IO, Any

from poolwise.errors import InputError, MissingExtraError

__all__ = ["filesystem_of", "find_addresses", "is_address", "open_address"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]*://")


def is_address(path: str) -> bool:
    """Say whether a path is the address of a file elsewhere.

    Examples
    --------
    >>> is_address("s3://bucket/runs/bm25.run.gz"), is_address("runs/bm25.run.gz")
    (True, False)
    """
    return bool(_SCHEME.match(path))


def find_addresses(address: str) -> list[str]:
    """Return the addresses that one stands for, sorted: a file, a glob, or a folder's files.

    Examples
    --------
    >>> find_addresses("memory://nowhere/a.run")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: memory://nowhere/a.run: the file must exist. Hint: check the
    address.
    """
    with _explained(address):
        system, place = filesystem_of(address)
        if has_magic(address):
            found = system.glob(place)
        elif system.isdir(place):
            found = system.find(place)
        else:
            found = [place] if system.exists(place) else []
        files = sorted(system.unstrip_protocol(file) for file in found)
    if not files:
        raise InputError(address, "the file must exist", remedy="check the address")
    return files


def open_address(address: str) -> IO[bytes]:
    """Open a file elsewhere, as it lies there."""
    with _explained(address):
        system, place = filesystem_of(address)
        file: IO[bytes] = system.open(place, "rb")
        return file


def filesystem_of(address: str) -> tuple[Any, str]:
    """Return the file system of fsspec that an address belongs to, and the place there."""
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("fsspec", "remote") from error
    system, place = url_to_fs(address)
    return system, str(place)


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Say in one sentence why an address cannot be opened."""
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        if isinstance(error, InputError | MissingExtraError):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        rule = f"the address must be one that fsspec can open: {reason}"
        remedy = "check it, install what fsspec needs for it, or copy the file"
        raise InputError(address, rule, remedy=remedy) from error
