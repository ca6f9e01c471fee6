"""A seal says whether a file is still as it was written: the hash of all of it but the seal.

It stands in the record that a file holds, behind the version. It keeps an edited file from being
taken for ours; it is no signature, since whoever knows how it is made can make one.
"""

import io
import re
from pathlib import Path
from typing import IO

__all__ = ["OPEN_SEAL", "is_sealed", "seal", "sealed"]

OPEN_SEAL = "0" * 64
"""What stands in the place of a seal until the rest of the file is known."""
_PLACE = re.compile(rb'\{\s*"poolwise": "[^"]{1,40}",\s*"seal": "([0-9a-f]{64})"')
_HEAD = 4096
"""Bytes at the beginning of a file in which its record begins, if it has one."""
_PARQUET, _TAIL = b"PAR1", 8
_BLOCK = 1 << 20


def sealed(content: bytes) -> bytes:
    """Return a file with its seal, if it holds a record.

    Examples
    --------
    >>> page = b'{"poolwise": "1.0", "seal": "%s"} and the rest' % OPEN_SEAL.encode()
    >>> sealed(page) == page, is_sealed(io.BytesIO(sealed(page))), is_sealed(io.BytesIO(page))
    (False, True, False)
    >>> is_sealed(io.BytesIO(sealed(page) + b"!")), is_sealed(io.BytesIO(b"no record"))
    (False, None)
    """
    file = io.BytesIO(content)
    seal(file)
    return file.getvalue()


def seal(file: IO[bytes]) -> None:
    """Put the seal into an open file that is written to its end."""
    place = _place(file)
    if place is not None:
        digest = _hash(file, place).encode()
        file.seek(place)
        file.write(digest)


def is_sealed(file: IO[bytes] | str | Path) -> bool | None:
    """Say whether a file is as it was sealed; None for one without a seal."""
    if isinstance(file, str | Path):
        with Path(file).open("rb") as opened:
            return is_sealed(opened)
    place = _place(file)
    if place is None:
        return None
    file.seek(place)
    return file.read(len(OPEN_SEAL)) == _hash(file, place).encode()


def _place(file: IO[bytes]) -> int | None:
    """Return where the seal stands: in the record at the beginning, or in the end of Parquet."""
    file.seek(0)
    start, text = 0, file.read(_HEAD)
    if text.startswith(_PARQUET):
        size = file.seek(0, io.SEEK_END)
        file.seek(max(size - _TAIL, 0))
        length = int.from_bytes(file.read(4), "little")
        start = max(size - _TAIL - length, 0)
        file.seek(start)
        text = file.read(length)
    match = _PLACE.search(text)
    return start + match.start(1) if match else None


def _hash(file: IO[bytes], place: int) -> str:
    """Return the hash of a file, as if its seal were still open."""
    from hashlib import sha256  # noqa: PLC0415, late: slow to import

    hasher, left = sha256(), place
    file.seek(0)
    while left and (block := file.read(min(left, _BLOCK))):
        hasher.update(block)
        left -= len(block)
    hasher.update(OPEN_SEAL.encode())
    file.seek(place + len(OPEN_SEAL))
    while block := file.read(_BLOCK):
        hasher.update(block)
    return hasher.hexdigest()
