"""The folder of a campaign: where its files are, and who may write to it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from poolwise.collection.formats._topic_files import Topic, read_topics, topics_text
from poolwise.errors import InputError, OutputError
from poolwise.provenance._files import make_folder, refuse_if_nothing_is_written, write_file
from poolwise.store._ledger_folder import file_name
from poolwise.store.campaigns._documents import Documents
from poolwise.store.campaigns._journal import Row, read_journal
from poolwise.store.campaigns._settings import CampaignSettings, read_settings

__all__ = ["CampaignFolder", "CampaignLock"]

_SETTINGS, _JOURNAL, _TOPICS = "campaign.toml", "campaign.sqlite", "topics.jsonl"
_RUNS, _DOCUMENTS, _LOCK = "runs", "documents", "campaign.lock"


@dataclass(frozen=True)
class CampaignFolder:
    """A campaign on disk.

    ``campaign.toml`` says what it is, ``topics.jsonl`` and ``runs`` what is asked and retrieved,
    ``documents`` has the index of the texts, and ``campaign.sqlite`` the journal: everything that
    ever happened. The journal alone is written to while people judge.

    Attributes
    ----------
    path : Path
        The folder.

    Examples
    --------
    >>> CampaignFolder.at("nowhere")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: nowhere: a campaign must be a folder with a file campaign.toml.
        Hint: check the path; poolwise campaign init makes a new one.
    """

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> "CampaignFolder":
        """Return the campaign of a folder."""
        if not (Path(path) / _SETTINGS).is_file():
            raise InputError(
                str(path),
                f"a campaign must be a folder with a file {_SETTINGS}",
                remedy="check the path; poolwise campaign init makes a new one",
            )
        return cls(Path(path))

    @classmethod
    def make(cls, path: str | Path, settings: str, guidelines: str) -> "CampaignFolder":
        """Make the folder of a new campaign."""
        folder = Path(path)
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(
                str(path),
                "a new campaign must be an empty folder, and this one holds files",
                remedy="name a folder that is not there yet",
            )
        CampaignSettings.of(_toml(settings), str(folder / _SETTINGS))  # before anything is written
        make_folder(folder / _RUNS)
        write_file(folder / "guidelines.md", guidelines.encode())
        write_file(folder / _SETTINGS, settings.encode())  # last: it makes the folder a campaign
        return cls(folder)

    @cached_property
    def settings(self) -> CampaignSettings:
        """What the campaign is."""
        return read_settings(self.path / _SETTINGS)

    @property
    def journal(self) -> Path:
        """The file of what happened."""
        return self.path / _JOURNAL

    @property
    def documents_folder(self) -> Path:
        """Where the indexes of documents are."""
        return self.path / _DOCUMENTS

    def documents(self) -> Documents:
        """Open the texts."""
        return Documents(self.documents_folder)

    def rows(self) -> Iterator[Row]:
        """Go through the journal: nothing where nothing has happened yet."""
        return read_journal(self.journal) if self.journal.is_file() else iter(())

    def topics(self) -> dict[str, Topic]:
        """Return the topics by id."""
        place = self.path / _TOPICS
        topics = read_topics(place) if place.is_file() else ()
        return {topic.id: topic for topic in topics}

    def write_topics(self, topics: dict[str, Topic]) -> None:
        """Write all topics anew."""
        write_file(self.path / _TOPICS, topics_text(topics.values()).encode())

    def runs(self) -> list[str]:
        """Return the files of the runs."""
        return sorted(str(p) for p in (self.path / _RUNS).glob("*") if p.name[0] != ".")

    def run_place(self, name: str) -> Path:
        """Return the file of a run."""
        return self.path / _RUNS / file_name(name)

    def lock(self) -> "CampaignLock":
        """Keep all others from writing to the folder."""
        return CampaignLock(self.path / _LOCK)


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 -- for a new campaign alone

    return tomllib.loads(text)


class CampaignLock:
    """What one process at a time can hold: who writes to a campaign.

    The system lets go of it when the process ends, however it ends.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     held = CampaignLock(Path(folder, "campaign.lock"))
    ...     try:
    ...         CampaignLock(Path(folder, "campaign.lock"))
    ...     except OutputError as error:
    ...         print("open elsewhere already" in str(error))
    ...     held.close()
    True
    """

    def __init__(self, path: Path) -> None:
        refuse_if_nothing_is_written(path)
        self._path, self._file = path, path.open("a+b")
        try:
            _hold(self._file)
        except OSError as error:
            other = self._other()
            self._file.close()
            raise OutputError(
                str(path.parent),
                f"the campaign is open elsewhere already{other}",
                remedy="stop that one first: two that write would hand out the same documents",
            ) from error
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def _other(self) -> str:
        self._file.seek(0)
        number = self._file.read(20).decode("ascii", "replace")
        return f" (process {number})" if number.isdigit() else ""

    def close(self) -> None:
        """Let others write."""
        self._file.close()


def _hold(file: IO[bytes]) -> None:
    """Lock an open file, or fail at once."""
    if os.name == "posix":
        import fcntl  # noqa: PLC0415 -- not on Windows

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt  # noqa: PLC0415 -- on Windows alone

        file.seek(1 << 20)  # beyond what is read and written: others may read who holds it
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
