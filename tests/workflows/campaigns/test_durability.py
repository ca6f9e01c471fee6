"""Nothing that was acknowledged is lost: by calls to the system, cuts of power, and kill -9."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.shim.disk import FAULTS, built_shim
from tests.workflows.campaigns.room_examples import make_room_folder

from poolwise.store.campaigns._folder import CampaignFolder
from poolwise.store.campaigns._journal import Event
from poolwise.workflows.campaigns._state import RoomState, instant

PROCESS = Path(__file__).with_name("judging_process.py")
SOAK = "POOLWISE_SOAK" in os.environ
KILLS = 100 if SOAK else 4
POINTS, ROUNDS = (range(1, 200), 30) if SOAK else ((3, 8, 14), 6)
SETTINGS = {"judged_twice": 0.3, "batch": 40, "lease_minutes": 1000}


def words(folder: Path, people: int, most: int, *rest: object) -> list[str]:
    return [sys.executable, str(PROCESS), str(folder), str(people), str(most), *map(str, rest)]


def surroundings(library: Path | None = None) -> dict[str, str]:
    environment = dict(os.environ)
    return environment if library is None else environment | {"LD_PRELOAD": str(library)}


def acknowledged(lines: list[str]) -> dict[str, int]:
    """Return the number of each answer that was acknowledged as saved."""
    split = [line.split() for line in lines]
    return {w[1]: int(w[3]) for w in split if w[0] == "ack" and w[2] in ("saved", "known")}


def require_whole(folder: Path, acks: dict[str, int]) -> RoomState:
    """Assert all that must be true of a journal, whatever happened to those who wrote it."""
    campaign = CampaignFolder(folder)
    with sqlite3.connect(campaign.journal) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    state = RoomState.of(campaign.settings, ())
    for row in [*campaign.rows()]:
        if isinstance(row, Event) and row.kind == "lease" and row.data["chosen_by"] != "practice":
            key, now = (row.topic, row.document), instant(row.at)
            assert len(state.live(key, now)) < state.need(key), "a document was given to two"
        state.apply(row)
    assert {client: state.of_client.get(client) for client in acks} == acks, "lost"
    current = Counter(key for key, answers in state.answers.items() for _ in answers)
    assert all(count <= state.need(key) for key, count in current.items()), "doubled"
    terms = state.terms(0)
    assert sum(terms.values()) == len(state.leases)
    assert sorted(state.entries) == list(range(1, len(state.entries) + 1))
    return state


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the shim once."""
    return built_shim(tmp_path_factory.mktemp("shim"))


def calls_of(folder: Path, shim: Path, careless: str) -> list[str]:
    """Return what one person's answers asked of the system, in order, answers among it."""
    ran = subprocess.run(  # noqa: S603 -- our own interpreter
        words(folder, 1, 4, 0, 0, careless), capture_output=True, text=True, check=True,
        env=surroundings(shim), timeout=60,
    )  # fmt: skip
    assert len(acknowledged(ran.stdout.splitlines())) >= 6
    return ran.stderr.splitlines()


def dirty_answers(calls: list[str]) -> int:
    """Count the lines that were told while something written was not on the disk yet."""
    dirty, count = False, 0
    for call in calls:
        name, _, path = call.partition(" ")
        if path.endswith("-wal"):
            dirty = name == "write" or (dirty and name != "fsync")
        count += name == "answer" and dirty
    return count


def test_the_disk_has_an_answer_before_it_is_acknowledged(tmp_path: Path, shim: Path) -> None:
    """An fsync comes between writing and telling; without it, the same test finds that."""
    for careless, expected in (("careful", 0), ("careless", 1)):
        (tmp_path / careless).mkdir()
        folder = make_room_folder(tmp_path / careless, SETTINGS)
        calls = calls_of(folder, shim, careless)
        assert any(call.startswith("write ") and call.endswith("-wal") for call in calls)
        assert min(dirty_answers(calls), 1) == expected


@pytest.mark.parametrize("fault", ["power", "full", "broken"])
def test_a_fault_of_the_disk_loses_nothing(tmp_path: Path, shim: Path, fault: str) -> None:
    """A cut of power, a full or a broken disk at any call: what was acknowledged is there."""
    for point in POINTS:
        (tmp_path / str(point)).mkdir()
        folder = make_room_folder(tmp_path / str(point), SETTINGS)
        ran = subprocess.run(  # noqa: S603 -- our own interpreter
            words(folder, 3, ROUNDS, FAULTS[fault], point, "careful"), capture_output=True,
            text=True, check=False, env=surroundings(shim), timeout=60,
        )  # fmt: skip
        assert ran.returncode == (-signal.SIGKILL if fault == "power" else 0), ran.stderr[-500:]
        acks = acknowledged(ran.stdout.splitlines())
        require_whole(folder, acks)
        # the next process goes on where this one ended
        again = subprocess.run(  # noqa: S603 -- as above
            words(folder, 1, 2, "none", 0, "careful"), capture_output=True, text=True, check=True,
            timeout=60,
        )  # fmt: skip
        require_whole(folder, acks | acknowledged(again.stdout.splitlines()))


def test_kill_amid_eight_people_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Killed again and again, with what was not acknowledged sent again: every answer is once."""
    settings = SETTINGS | {"lease_minutes": 0.01} if SOAK else SETTINGS
    folder, saved = tmp_path, 0
    rng, acks, left = random.Random(1), {}, []  # noqa: S311 -- moments to kill at
    for kill in range(KILLS):
        if not left and not acks:  # at first, and when all of a campaign is judged
            (tmp_path / str(kill)).mkdir()
            folder = make_room_folder(tmp_path / str(kill), settings)
        with subprocess.Popen(  # noqa: S603 -- our own interpreter
            words(folder, 8, 1000, "none", 0, "careful", *left), stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            first = process.stdout.readline()
            time.sleep(rng.random() * 0.15)
            process.kill()
            lines = [first, *process.stdout.readlines()]
        whole = [line for line in lines if line.endswith("\n") and len(line.split()) >= 4]
        acks |= acknowledged(whole)
        sent = {line.split()[1]: " ".join(line.split()[1:4]) for line in whole
                if line.startswith("sent")}  # fmt: skip
        confirmed = {line.split()[1] for line in whole if line.startswith("ack")}
        left = [words for client, words in sent.items() if client not in confirmed]
        state = require_whole(folder, acks)
        if not state.queue:
            saved, acks, left = saved + len(acks), {}, []
    assert saved + len(acks) >= 5 * KILLS
