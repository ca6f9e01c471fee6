"""Whatever happens while a command writes, each file lies beside the record that is its own.

The shim (``tests/shim``) lets the n-th call to the system fail, for every n and every command that
writes; ``POOLWISE_SOAK=1`` tries all of them, and by default each command gets its share.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.cli.writers import BOTH, PRINTING, WRITERS, Writer, lay_beside
from tests.shim.disk import FAULTS, Ending, FaultyDisk, built_shim

from poolwise.errors import InputError
from poolwise.results._record_files import find_record, is_altered

EVALUATE = PRINTING["evaluate"]
SOAK = bool(os.environ.get("POOLWISE_SOAK"))
SHARE = 4
"""Faults that each command meets by default."""
THOROUGH = {
    "evaluate": WRITERS["evaluate"],
    "evaluate -o md --provenance": Writer(
        (*EVALUATE, "-o", "out.md", "--provenance", "made.json"), "out.md"
    ),
    "evaluate -o tsv --provenance": Writer(
        (*EVALUATE, "-o", "out.tsv", "--provenance", "made.json"), "out.tsv"
    ),
    "evaluate -o parquet": Writer((*EVALUATE, "-o", "out.parquet"), "out.parquet"),
}
"""Commands that meet all faults: files with a record beside them, in them, and both."""


@pytest.fixture(scope="session")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyDisk]:
    """Build the shim, and start the process that runs commands under it."""
    made = FaultyDisk(built_shim(tmp_path_factory.mktemp("shim")))
    yield made
    made.close()


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, hidden ones as well."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def put_back(folder: Path, files: dict[str, bytes]) -> None:
    """Let a folder hold these files and nothing else."""
    shutil.rmtree(folder)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@dataclass
class Trial:
    """A command in its folder, before and after: what its files may be, and must not be."""

    folder: Path
    writer: Writer
    before: dict[str, bytes]
    after: dict[str, bytes]

    def check(self, ending: Ending, fault: str) -> None:
        """Assert that the files are of one piece, however the command ended."""
        now = files_of(self.folder)
        seen = {name: content for name, content in now.items() if not _is_hidden(name)}
        if ending.code == 0:
            assert all(seen.get(name) == content for name, content in self.after.items())
        elif ending.code > 0:
            assert ending.code == 3, ending.stderr
            assert " Hint: " in ending.stderr
            assert seen == self.before, "a command that failed has changed nothing"
        else:
            assert ending.code == -signal.SIGKILL
            assert seen.keys() <= self.before.keys() | self.after.keys()
        if ending.code >= 0 and fault != "broken":  # a broken disk may not take a name away
            assert seen == now, "nothing hidden is left"
        self.check_records()

    def check_records(self) -> None:
        """Assert that every file is the old or the new one, and that its record says which."""
        for name in self.after.keys() - self.before.keys() | _changed(self.before, self.after):
            file = self.folder / name
            if not file.exists() or name.endswith("provenance.json") or name == "made.json":
                continue
            content = file.read_bytes()
            assert content in (self.before.get(name), self.after[name]), f"{name} is a part"
            assert not is_altered(file)
            right = self.before if content == self.before.get(name) else self.after
            assert _facts(_record(file)) == _facts(_record_among(right, name, self.folder))


def _is_hidden(name: str) -> bool:
    return Path(name).name.startswith(".poolwise-")


def _changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in before if before[name] != after.get(name)}


def _record(file: Path) -> dict[str, Any]:
    """Return the record of a file; those of a demo have one for all."""
    try:
        return find_record(file)
    except InputError:
        for place in (file.parent, file.parent.parent):
            if (place / "provenance.json").exists():
                record = json.loads((place / "provenance.json").read_text())
                name = file.relative_to(place).as_posix()
                assert record["written"][name] == sha256(file.read_bytes()).hexdigest()
                return record
        raise


def _record_among(files: dict[str, bytes], name: str, folder: Path) -> dict[str, Any]:
    """Return the record that a file had, or has, when all is well."""
    whole = folder.with_name("whole")
    shutil.rmtree(whole, ignore_errors=True)
    whole.mkdir()
    put_back(whole, files)
    return _record(whole / name)


def _facts(record: dict[str, Any]) -> tuple[Any, ...]:
    return record["numbers"], record["inputs"], record["command"]


def trial_of(disk: FaultyDisk, folder: Path, writer: Writer, *, replaces: bool) -> Trial:
    """Run a command twice, with other judgments the second time, and go back between the two."""
    assert disk.load(folder, writer.words) == 0
    first = files_of(folder)
    if not replaces:
        put_back(folder, {n: c for n, c in first.items() if n in _inputs(folder)})
    (folder / "qrels.txt").write_text((folder / "qrels.txt").read_text() + "1 0 y 1\n")
    before = files_of(folder)
    assert disk.load(folder, writer.words) == 0
    return Trial(folder, writer, before, files_of(folder))


INPUTS = (
    *("qrels.txt", "runs", "copy.run", "scores.csv", "dates.txt", "variants.txt", "ledger"),
    "mine.journal",
)


def _inputs(folder: Path) -> set[str]:
    return {name for name in files_of(folder) if name.split("/")[0] in INPUTS}


def try_all(disk: FaultyDisk, trial: Trial, faults: Sequence[tuple[str, int]]) -> None:
    """Meet these faults one by one; each begins where the command would."""
    for fault, point in faults:
        put_back(trial.folder, trial.before)
        ending = disk.run(trial.folder, trial.writer.words, fault, point)
        try:
            trial.check(ending, fault)
        except AssertionError as error:
            raise AssertionError(f"{fault} at call {point}: {ending}") from error


def faults_of(calls: int) -> list[tuple[str, int]]:
    return [*product(FAULTS, range(1, calls + 1))]


@pytest.fixture
def place(collection: Path) -> Path:
    """Put whatever commands read beside the runs, in a folder of their own."""
    lay_beside(collection)
    folder = collection.with_name(f"{collection.name}-place") / "here"
    shutil.copytree(collection, folder)
    return folder


@pytest.mark.parametrize("replaces", [True, False], ids=["replacing", "new"])
@pytest.mark.parametrize("writer", THOROUGH.values(), ids=THOROUGH.keys())
def test_file_and_record_are_of_one_piece_at_every_call(
    disk: FaultyDisk,
    place: Path,
    writer: Writer,
    replaces: bool,  # noqa: FBT001 -- drawn
) -> None:
    """Killed, on a full or broken disk, without power: the old file with the old record, or new."""
    trial = trial_of(disk, place, writer, replaces=replaces)
    put_back(place, trial.before)
    faults = faults_of(disk.run(place, writer.words).points)
    try_all(disk, trial, faults if SOAK else faults[::3])


@pytest.mark.parametrize("name", WRITERS)
def test_every_command_that_writes_keeps_file_and_record_together(
    disk: FaultyDisk, place: Path, name: str
) -> None:
    """Each command meets some of the faults, and all commands together meet all of them."""
    writer = WRITERS[name]
    trial = trial_of(disk, place, writer, replaces=True)
    put_back(place, trial.before)
    ending = disk.run(place, writer.words)
    assert ending.code == 0
    faults = faults_of(ending.points)
    turn = int.from_bytes(sha256(name.encode()).digest()[:4], "little")
    step = max(len(faults) // SHARE, 1)
    try_all(disk, trial, faults if SOAK else faults[turn % step :: step][:SHARE])
    again = disk.run(place, writer.words)
    assert again.code == 0, "whatever a fault has left, the same command can run again"


def test_bytes_are_on_the_disk_before_their_name_and_before_the_answer(
    disk: FaultyDisk, place: Path
) -> None:
    """Every file is synchronised before it is renamed, and its folder before anything is said."""
    words = ("pool", "runs", "--grades-from", "qrels.txt", "--depth", "1", "-o", "out.qrels")
    calls = disk.run(place, words).calls
    names = [name for name, _ in calls]
    synchronised, written = set(), set()
    for name, path in calls:
        if name == "write":
            written.add(path)
        elif name == "fsync":
            synchronised.add(path)
        elif name == "rename":
            assert written <= synchronised
    assert "answer" in names
    folder = os.path.realpath(place)
    assert calls.index(("fsync", folder)) < names.index("answer")
    assert names.index("rename") < calls.index(("fsync", folder))


ADD = ("ledger", "add", "new", *BOTH, "--collection", "tiny", "--missing", "zero", "-m", "P@2")


@pytest.mark.parametrize(
    "words", [ADD, ("ledger", "retract", "ledger", "bm25", "--reason", "a bug")], ids=lambda w: w[1]
)
def test_a_ledger_is_whole_whatever_happens_to_the_disk(
    disk: FaultyDisk, place: Path, words: tuple[str, ...]
) -> None:
    """Every file is a whole one, a failure is an error, and the same command can finish the job."""
    folder = words[2]
    before = files_of(place)
    ending = disk.run(place, words)
    assert ending.code == 0, ending.stderr
    whole = {name for name in files_of(place) if name.startswith(folder)}
    faults = faults_of(ending.points)
    for fault, point in faults if SOAK else faults[:: len(faults) // 12]:
        put_back(place, before)
        ending = disk.run(place, words, fault, point)
        assert ending.code in (0, 3, -signal.SIGKILL), f"{fault} at {point}: {ending}"
        if any(name.endswith(".json") for name in files_of(place) if name.startswith(folder)):
            assert disk.run(place, ("ledger", "check", folder, "--hashes-only")).code == 0
        again = disk.run(place, words)
        assert again.code == 0 or "retracted" in again.stderr, f"{fault} at {point}: {again}"
        seen = {name for name in files_of(place) if name.startswith(folder)}
        assert {name for name in seen if not _is_hidden(name)} == whole


def test_a_journal_is_whole_whatever_happens_to_the_disk(disk: FaultyDisk, place: Path) -> None:
    """A round is added as a whole or not at all, and the same command can add it then."""
    words = ("journal", "step", "mine.journal", *BOTH)
    before = files_of(place)
    ending = disk.run(place, words)
    assert ending.code == 0, ending.stderr
    after = files_of(place)["mine.journal"]
    faults = faults_of(ending.points)
    for fault, point in faults if SOAK else faults[:: max(len(faults) // 8, 1)]:
        put_back(place, before)
        ending = disk.run(place, words, fault, point)
        assert ending.code in (0, 3, -signal.SIGKILL), f"{fault} at {point}: {ending}"
        assert files_of(place)["mine.journal"] in (before["mine.journal"], after)
        disk.run(place, words)
        assert files_of(place)["mine.journal"] == after, f"{fault} at {point}"


def test_a_site_is_finished_by_the_same_command_whatever_happened_to_the_disk(
    disk: FaultyDisk, place: Path
) -> None:
    """A fault is an error, or an end; the command can then run again, and all pages are whole."""
    words = ("ledger", "site", "ledger", "-o", "site")
    before = files_of(place)
    ending = disk.run(place, words)
    assert ending.code == 0, ending.stderr
    whole = files_of(place)
    faults = faults_of(ending.points)
    for fault, point in faults if SOAK else faults[:: len(faults) // 4]:
        put_back(place, before)
        ending = disk.run(place, words, fault, point)
        assert ending.code in (0, 3, -signal.SIGKILL), f"{fault} at {point}: {ending}"
        again = disk.run(place, words)
        assert again.code == 0, f"{fault} at {point}: {again}"
        now = {name: content for name, content in files_of(place).items() if not _is_hidden(name)}
        assert now == whole


def test_commands_at_once_mix_no_file_with_the_record_of_another(collection: Path) -> None:
    """Of several commands that write one file, one wins, file and record."""
    program = [sys.executable, "-c", "from poolwise.cli.main import main; main()"]
    for _ in range(3):
        started = [
            subprocess.Popen(  # noqa: S603 -- our own interpreter
                [*program, "evaluate", *BOTH, "-m", measure, "-o", "out.tsv", "--quiet"]
            )
            for measure in ("P@1", "P@2", "AP", "RR")
        ]
        assert [process.wait(60) for process in started] == [0] * 4
        record = find_record(collection / "out.tsv")
        assert f"\t{record['command'][4]}\t" in (collection / "out.tsv").read_text()
        assert not is_altered(collection / "out.tsv")
        assert not [path for path in collection.iterdir() if _is_hidden(path.name)]
