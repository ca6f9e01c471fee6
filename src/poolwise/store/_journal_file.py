"""The file of a design journal: one entry a line, each with the hash of the one before."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.errors import InputError, OutputError
from poolwise.provenance._files import locked, write_file
from poolwise.results._records import digest

__all__ = ["Entry", "JournalFile"]

_FORMAT = 1
_RESTORE = "restore the file; entries are added by poolwise journal, and none is changed by hand"

Entry = Mapping[str, Any]
"""What one line says."""


@dataclass(frozen=True)
class JournalFile:
    """A journal on disk, to which entries are added and nothing else is done.

    Each line is an entry as JSON with its own SHA-256, over all it says and the hash of the entry
    before it. An entry that is changed, left out or put elsewhere breaks the chain. That a whole
    journal was written anew only a hash shows that others have seen.

    Attributes
    ----------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = JournalFile(Path(folder, "a.journal"))
    ...     seal = file.append((), {"entry": "plan", "delta": 0.05})
    ...     [entry["delta"] for entry in file.entries()], file.entries()[0]["sha256"] == seal
    ([0.05], True)
    """

    path: Path

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries, or say which line breaks the chain."""
        entries: list[Entry] = []
        text = self._text()
        for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
            entries.append(self._entry(line, number, entries[-1]["sha256"] if entries else ""))
        if not entries:
            raise InputError(str(self.path), "a journal must have a plan in its first line",
                             remedy="begin one with poolwise journal start")  # fmt: skip
        return tuple(entries)

    def append(self, before: tuple[Entry, ...], entry: Entry) -> str:
        """Add an entry after those that are there, and return its hash.

        Where another process has added one meanwhile, it is not lost, and ours is refused.
        """
        previous = before[-1]["sha256"] if before else ""
        sealed = {"poolwise journal": _FORMAT, **entry, "previous": previous}
        sealed["sha256"] = digest(_canonical(sealed))
        lines = b"".join(_line(item) for item in (*before, sealed))
        with locked([self.path]):
            if before and b"".join(map(_line, before)) != self.path.read_bytes():
                rule = "another entry was added to the journal meanwhile"
                raise OutputError(str(self.path), rule, remedy="look at it, and begin again")
            write_file(self.path, lines)
        return str(sealed["sha256"])

    def require_new(self) -> None:
        """Raise where there is a file: a journal that was begun is not begun again."""
        if self.path.exists():
            raise OutputError(
                str(self.path),
                "there is a file already, and a journal is never begun anew",
                remedy="name another file, or go on with poolwise journal step",
            )

    def _text(self) -> str:
        try:
            return self.path.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise InputError(str(self.path), f"a journal must be a readable file: {why}",
                             remedy="begin one with poolwise journal start") from error  # fmt: skip

    def _entry(self, line: str, number: int, previous: str) -> Entry:
        where = f"{self.path}:{number}"
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:  # thousands of brackets, or of digits
            raise InputError(where, "an entry must be JSON in one line", remedy=_RESTORE) from error
        if not isinstance(entry, dict) or entry.get("poolwise journal") != _FORMAT:
            rule = f'an entry of a journal must begin with {{"poolwise journal": {_FORMAT}'
            raise InputError(where, rule, remedy=_RESTORE)
        said = {name: value for name, value in entry.items() if name != "sha256"}
        # A digit beyond the precision of a number changes no value, and is a change all the same.
        is_written_so = _line(entry) == f"{line}\n".encode()
        if entry.get("sha256") != digest(_canonical(said)) or not is_written_so:
            raise InputError(where, "an entry must have the hash of what it says, and this one was "
                             "changed", remedy=_RESTORE)  # fmt: skip
        if entry.get("previous") != previous:
            raise InputError(where, "an entry must follow the one whose hash it has, and another "
                             "is before this one", remedy=_RESTORE)  # fmt: skip
        return entry


def _canonical(entry: Entry) -> bytes:
    return json.dumps(entry, sort_keys=True, ensure_ascii=False).encode()


def _line(entry: Entry) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
