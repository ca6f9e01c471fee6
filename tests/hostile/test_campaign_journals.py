"""A campaign's journal that a disk, or another program, has changed: one sentence, no result."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.hostile.bad_files import INPUT_ERROR
from tests.workflows.campaigns.room_examples import judge_all, opened

from poolwise.cli.main import main

CHANGES = {
    "a day that is none": "UPDATE judgment SET answered_at = '2026-11-99' WHERE id = 2",
    "a time of an event that is none": "UPDATE event SET at = 'yesterday' WHERE id = 3",
    "a text for a number": "UPDATE judgment SET grade = 'high' WHERE id = 1",
    "a chance of a text": "UPDATE judgment SET probability = 'often' WHERE id = 1",
    "a judgment that is gone": "DELETE FROM judgment WHERE id = 1",
    "an event that is gone": "DELETE FROM event WHERE kind = 'lease'",
    "a judgment with another number": "UPDATE judgment SET id = 900 WHERE id = 1",
    "an answer to what nobody was given": "UPDATE event SET refers = 1 WHERE kind = 'answer'",
    "an answer without a judgment": "UPDATE event SET judgment = NULL WHERE kind = 'answer'",
    "data that is no JSON": "UPDATE event SET data = '{' WHERE kind = 'batch'",
    "data of endless brackets": "UPDATE event SET data = replace(hex(zeroblob(50000)), 0, '[')",
    "data of a list": "UPDATE event SET data = '[]' WHERE kind = 'campaign'",
    "data of a number": "UPDATE event SET data = '5' WHERE kind = 'batch'",
    "data of bytes": "UPDATE event SET data = x'ff' WHERE kind = 'batch'",
    "a batch without documents": "UPDATE event SET data = '{}' WHERE kind = 'batch'",
    "a batch of texts": """UPDATE event SET data = '{"items": "all"}' WHERE kind = 'batch'""",
    "a list that was handed out of nothing": "UPDATE event SET data = '{}' WHERE kind = 'lease'",
    "no table of events": "DROP TABLE event",
    "no table of judgments": "DROP TABLE judgment",
    "a table of fewer columns": "ALTER TABLE event DROP COLUMN who",
}


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return the journal of a campaign in which two people have judged, and its bytes."""
    with opened(tmp_path_factory.mktemp("campaign")) as room:
        judge_all(room, "anna", most=5)
        judge_all(room, "ben", 0, most=5)
    return room.folder.journal, room.folder.journal.read_bytes()


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("command", ["status", "next", "export"])
def test_a_journal_that_was_changed_is_refused(
    journal: tuple[Path, bytes], kind: str, command: str
) -> None:
    """It names the journal, and is left as it is."""
    path, raw = journal
    path.write_bytes(raw)
    with closing(sqlite3.connect(path)) as database:
        for (trigger,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        database.executescript(f"PRAGMA ignore_check_constraints=ON; {CHANGES[kind]}")
    before = path.read_bytes()
    result = CliRunner().invoke(main, ["campaign", command, str(path.parent)])
    assert result.exit_code == INPUT_ERROR, result.output
    assert "campaign.sqlite: " in " ".join(result.stderr.split())
    assert "Hint: " in result.stderr
    assert not result.stdout
    assert path.read_bytes() == before


def test_a_journal_that_was_not_changed_is_read(journal: tuple[Path, bytes]) -> None:
    """The commands above succeed without a change."""
    path, raw = journal
    path.write_bytes(raw)
    for command in ("status", "next"):
        result = CliRunner().invoke(main, ["campaign", command, str(path.parent)])
        assert result.exit_code == 0, result.output
