"""What happened in a campaign: two tables that only grow, in one SQLite file."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from poolwise.errors import InputError, OutputError, PoolwiseError
from poolwise.provenance._files import refuse_if_nothing_is_written

__all__ = ["EVENTS", "KINDS", "Entry", "Event", "Journal", "Row", "not_as_written", "read_journal"]

KINDS = ("grade", "cannot", "skip", "withdrawn")
"""What an answer can be."""
EVENTS = (
    "campaign",
    "guidelines",
    "topics",
    "documents",
    "run",
    "common",
    "import",
    "token",
    "revoke",
    "login",
    "batch",
    "lease",
    "answer",
    "release",
    "expire",
    "pause",
    "resume",
    "export",
)
"""What an event can be."""

PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON")
"""How the writer opens the file; REPLACE would delete rows without the triggers that refuse it."""
_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE judgment (
    id INTEGER PRIMARY KEY,
    client_id TEXT NOT NULL UNIQUE,
    assessor TEXT NOT NULL,
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    document_sha256 TEXT NOT NULL,
    grade REAL,
    kind TEXT NOT NULL CHECK (kind IN ('grade', 'cannot', 'skip', 'withdrawn')),
    note TEXT NOT NULL,
    chosen_by TEXT NOT NULL,
    probability REAL,
    shown_at TEXT NOT NULL,
    answered_at TEXT NOT NULL,
    active_ms INTEGER,
    guideline_version TEXT NOT NULL,
    replaces INTEGER REFERENCES judgment (id),
    CHECK ((kind = 'grade') = (grade IS NOT NULL))
);
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    refers INTEGER REFERENCES event (id),
    judgment INTEGER REFERENCES judgment (id),
    data TEXT NOT NULL
);
CREATE TRIGGER judgment_stays BEFORE UPDATE ON judgment
    BEGIN SELECT RAISE (ABORT, 'judgments are never changed'); END;
CREATE TRIGGER judgment_remains BEFORE DELETE ON judgment
    BEGIN SELECT RAISE (ABORT, 'judgments are never deleted'); END;
CREATE TRIGGER event_stays BEFORE UPDATE ON event
    BEGIN SELECT RAISE (ABORT, 'events are never changed'); END;
CREATE TRIGGER event_remains BEFORE DELETE ON event
    BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;
"""


class Entry(NamedTuple):
    """A row of ``judgment``: one answer that somebody gave.

    ``client_id`` is made by whoever sends it, so that an answer that is sent twice is one row.
    ``replaces`` is the earlier answer of the same person that it stands for.
    """

    id: int
    client_id: str
    assessor: str
    topic: str
    document: str
    document_sha256: str
    grade: float | None
    kind: str
    note: str
    chosen_by: str
    probability: float | None
    shown_at: str
    answered_at: str
    active_ms: int | None
    guideline_version: str
    replaces: int | None = None


class Event(NamedTuple):
    """A row of ``event``: what happened, when, and about what."""

    id: int
    kind: str
    at: str
    who: str = ""
    topic: str = ""
    document: str = ""
    refers: int | None = None
    judgment: int | None = None
    data: Mapping[str, Any] = {}


Row = Entry | Event
_PLAIN = (int, str, int | None, float | None)
_TIMES = ("at", "answered_at")
_TABLES: dict[type[Row], str] = {Entry: "judgment", Event: "event"}
_INSERT = {
    Entry: "INSERT INTO judgment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    Event: "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
}


class Journal:
    """The journal of a campaign, and the one thread that writes it.

    Rows that wait are written in one transaction, and whoever waits for them hears of it after
    the disk has them (``synchronous=FULL``). The journal is a write-ahead log, which needs one
    ``fsync`` for a transaction where a rollback journal needs three, and lets others read
    meanwhile; it is folded into the one file when the journal is closed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Path(folder, "campaign.sqlite"))
    ...     journal.write([Event(1, "pause", "2026-11-18T10:00:00.000Z")]).result()
    ...     journal.close()
    ...     [event.kind for event in read_journal(Path(folder, "campaign.sqlite"))]
    ['pause']
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._waiting: SimpleQueue[tuple[tuple[Row, ...], Future[None]] | None] = SimpleQueue()
        self._broken: Exception | None = None
        ready: Future[None] = Future()
        self._thread = Thread(target=self._work, args=(ready,), name="journal", daemon=True)
        self._thread.start()
        ready.result()

    def write(self, rows: Iterable[Row]) -> Future[None]:
        """Write rows after all that were handed over before; done when the disk has them."""
        written: Future[None] = Future()
        self._waiting.put((tuple(rows), written))
        return written

    @property
    def is_broken(self) -> bool:
        """Whether writing has failed, and nothing is written until it is mended."""
        return self._broken is not None

    def mend(self) -> None:
        """Write again after an error, when all that waited has failed.

        Nobody may hand rows over meanwhile.
        """
        with suppress(OutputError):
            self.write(()).result()
        self._broken = None

    def close(self) -> None:
        """Write what waits, and leave one file."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self, ready: Future[None]) -> None:
        try:
            database = _opened(self.path)
        except Exception as error:  # noqa: BLE001 -- told to whoever opens the journal
            ready.set_exception(_refusal(self.path, error))
            return
        ready.set_result(None)
        with closing(database):
            while self._write_group(database):
                pass
            with suppress(sqlite3.Error):  # what is in the log stays there, and is read from it
                # At rest it is one plain file, which can be read where nothing can be written.
                database.execute("PRAGMA journal_mode=DELETE")

    def _write_group(self, database: sqlite3.Connection) -> bool:
        """Write all that waits in one transaction; False when the journal is to be closed."""
        group = [self._waiting.get()]
        while not self._waiting.empty() and group[-1] is not None:
            group.append(self._waiting.get())
        asked = [request for request in group if request is not None]
        error = self._broken or _try_to_write(database, [row for rows, _ in asked for row in rows])
        # What comes after a failure was numbered after it, and would leave a gap.
        self._broken = error
        for _, written in asked:
            if error is None:
                written.set_result(None)
            else:
                written.set_exception(_refusal(self.path, error))
        return group[-1] is not None


def _try_to_write(database: sqlite3.Connection, rows: Iterable[Row]) -> Exception | None:
    try:
        database.execute("BEGIN IMMEDIATE")
        for row in rows:
            database.execute(_INSERT[type(row)], _cells(row))
        database.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 -- told to all who wait; the thread must go on
        with suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        return error
    return None


def _cells(row: Row) -> tuple[Any, ...]:
    cells = row if isinstance(row, Entry) else (*row[:-1], json.dumps(row.data, sort_keys=True))
    return tuple(map(_stored, cells))


def _stored(cell: Any) -> Any:
    """Return what a column holds: an id that is not UTF-8 as its bytes, which no text can be."""
    if isinstance(cell, str):
        try:
            cell.encode()
        except UnicodeEncodeError:
            return cell.encode("utf-8", "surrogateescape")
    return cell


def _told(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the cells of a row as they were given."""
    return tuple(
        cell.decode("utf-8", "surrogateescape") if isinstance(cell, bytes) else cell for cell in row
    )


def _opened(path: Path) -> sqlite3.Connection:
    refuse_if_nothing_is_written(path)
    database = sqlite3.connect(path, isolation_level=None)
    for pragma in PRAGMAS:
        database.execute(f"PRAGMA {pragma}")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        database.executescript(f"BEGIN;{_SCHEMA}PRAGMA user_version={_SCHEMA_VERSION};COMMIT;")
    _require_version(path, version or _SCHEMA_VERSION)
    return database


def _require_version(path: Path, version: int) -> None:
    if version > _SCHEMA_VERSION:
        rule = f"the version of a campaign's file must be {_SCHEMA_VERSION} or older"
        raise InputError(str(path), rule, value=version, remedy="install a newer poolwise")


def _refusal(path: Path, error: Exception) -> Exception:
    if isinstance(error, PoolwiseError):
        return error
    remedy = "check the disk and the rights on the folder; nothing that was saved is lost"
    return OutputError(str(path), f"the journal cannot be written: {error}", remedy=remedy)


def _sound(path: Path, number: int, row: Row) -> Row:
    """Return a row that is as it was written; a disk or another program may have changed it."""
    try:
        if isinstance(row, Event):
            row = row._replace(data=json.loads(str(row.data)))
        kinds = [kind if kind in _PLAIN else dict for kind in row.__annotations__.values()]
        times = [getattr(row, name) for name in _TIMES if name in row._fields]
        is_sound = row.id == number and all(map(isinstance, row, kinds))
        is_sound = is_sound and all(map(datetime.fromisoformat, times))
    except (TypeError, ValueError, RecursionError):
        is_sound = False
    if not is_sound:
        raise not_as_written(path, row)
    return row


def not_as_written(path: Path, row: Row) -> InputError:
    """Return the error of a row that poolwise cannot have written."""
    table = _TABLES[type(row)]
    rule = f"row {row.id} of {table} must be as poolwise wrote it: the file was damaged or changed"
    return InputError(str(path), rule, remedy="restore a backup")


def read_journal(path: Path) -> Iterator[Row]:
    """Yield all judgments and then all events, in the order in which they came.

    Examples
    --------
    >>> list(read_journal(Path("nowhere.sqlite")))
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: nowhere.sqlite: the journal of a campaign must be readable: unable
        to open database file. Hint: check the path, or restore a backup.
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            _require_version(path, database.execute("PRAGMA user_version").fetchone()[0])
            # One transaction, so that both tables are of one moment.
            database.execute("BEGIN")
            for kind, table in _TABLES.items():
                cells = ", ".join(kind._fields)
                rows = database.execute(f"SELECT {cells} FROM {table} ORDER BY id")  # noqa: S608 -- names of ours
                for number, row in enumerate(rows, 1):
                    yield _sound(path, number, kind(*_told(row)))
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the last in what SQLite says of a name
        rule = f"the journal of a campaign must be readable: {error}"
        raise InputError(str(path), rule, remedy="check the path, or restore a backup") from error
