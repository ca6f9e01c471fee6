"""Hashes made ahead are those of the files as they were read."""

import hashlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from poolwise.cli.main import main
from poolwise.provenance import _hashing as hashing
from poolwise.provenance._hashing import BackgroundHasher, LaneHasher, hash_sources
from poolwise.provenance._provenance import Source
from poolwise.results._record_files import find_record


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Return three small files."""
    made = [tmp_path / name for name in "abc"]
    for path in made:
        path.write_text(path.name * 9)
    return made


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_was_hashed_ahead_is_not_hashed_again(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash is known when it is asked for."""
    ahead = BackgroundHasher(map(str, paths))
    sources = [Source.of_file(str(path)) for path in paths]
    ahead.assign(sources)
    monkeypatch.setattr(Source, "_hash", lambda _source: pytest.fail("hashed twice"))
    assert [source.sha256 for source in sources] == [sha256(path) for path in paths]


@pytest.fixture
def hashed_by_lanes() -> Callable[[Sequence[Path]], LaneHasher]:
    """Hash files by the native library, also where this processor would be as fast without it."""
    if (native := hashing._library()) is None:
        pytest.skip("no library or registers hash several files at a time")
    return lambda paths: LaneHasher(native, [str(path) for path in paths])


def test_several_at_a_time_have_the_hashes_that_each_has_alone(
    tmp_path: Path, hashed_by_lanes: Callable[[Sequence[Path]], LaneHasher]
) -> None:
    """Around the ends of blocks and of buffers, and whoever takes the lane of a shorter one."""
    sizes = [*range(130), *(n + d for n in (1 << 15, 1 << 16, 100_000) for d in (-9, -8, -1, 0, 1))]
    made = [tmp_path / str(size) for size in sizes]
    content = np.random.default_rng(1).bytes(max(sizes))
    for path, size in zip(made, sizes, strict=True):
        path.write_bytes(content[-size:] if size else b"")
    ahead = hashed_by_lanes([tmp_path, tmp_path / "nowhere", *made])
    sources = [Source.of_file(str(path)) for path in made]
    ahead.assign(sources)
    assert [source.__dict__["_sha256"] for source in sources] == [sha256(path) for path in made]


def test_what_changed_since_it_was_hashed_with_others_is_hashed_anew(
    paths: list[Path], hashed_by_lanes: Callable[[Sequence[Path]], LaneHasher]
) -> None:
    """What was hashed ahead is not what was read."""
    ahead = hashed_by_lanes(paths)
    ahead._thread.join()
    os.utime(paths[0], ns=(1, 1))
    source = Source.of_file(str(paths[0]))
    ahead.assign([source])
    assert "_sha256" not in source.__dict__


def test_files_that_are_alike_are_hashed_together(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is larger than all others would have most lanes wait for it."""
    native = hashing._library()
    hashing_by_lanes = native is not None and native.poolwise_hashes_files() <= len(paths * 5)
    monkeypatch.setattr(hashing, "_WORTH_IT", 1)
    together = BackgroundHasher.of([str(path) for path in paths * 5])
    assert isinstance(together, LaneHasher) == hashing_by_lanes
    assert isinstance(BackgroundHasher.of([str(path) for path in paths]), BackgroundHasher)


def test_a_file_that_changed_before_it_was_read_is_hashed_anew(paths: list[Path]) -> None:
    """What was hashed ahead is not what was read."""
    ahead = BackgroundHasher(map(str, paths))
    ahead._process.wait()
    paths[0].write_text("other")
    os.utime(paths[0], ns=(1, 1))
    source = Source.of_file(str(paths[0]))
    ahead.assign([source])
    assert source.sha256 == hashlib.sha256(b"other").hexdigest()


def test_a_file_that_changes_while_it_is_hashed_has_no_hash(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can tell of which of the two contents it would be."""
    source = Source.of_file(str(paths[0]))
    digest = hashlib.file_digest

    def disturbed(file: object, name: str) -> object:
        hashed = digest(file, name)  # type: ignore[arg-type] # an open file
        os.utime(paths[0], ns=(1, 1))
        return hashed

    monkeypatch.setattr(hashlib, "file_digest", disturbed)
    assert source.sha256 == ""


def test_what_is_not_there_is_passed_over(paths: list[Path], tmp_path: Path) -> None:
    """Whoever reads a file says what is wrong with it, and the others are hashed all the same."""
    ahead = BackgroundHasher([str(tmp_path / "nowhere"), str(paths[1])])
    source = Source.of_file(str(paths[1]))
    ahead.assign([source, Source("<dict>")])
    assert source.__dict__["_sha256"] == sha256(paths[1])


def test_a_process_that_fails_tells_nothing(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is then hashed when its hash is asked for."""
    monkeypatch.setattr(hashing, "_PROGRAM", paths[2])  # no program
    source = Source.of_file(str(paths[0]))
    BackgroundHasher([str(paths[0])]).assign([source])
    assert "_sha256" not in source.__dict__
    assert source.sha256 == sha256(paths[0])


def test_little_is_hashed_in_place(paths: list[Path]) -> None:
    """Another process would take longer to start than the files take to be hashed."""
    assert BackgroundHasher.of([str(path) for path in paths]) is None


@pytest.mark.parametrize("executable", ["", "/nowhere/python"])
def test_without_another_process_nothing_is_lost(
    paths: list[Path], executable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Python within another program has none that it could start."""
    monkeypatch.setattr(hashing, "_WORTH_IT", 1)
    monkeypatch.setattr(sys, "executable", executable)
    assert BackgroundHasher.of([str(path) for path in paths]) is None


def test_the_record_of_large_files_tells_their_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a command writes beside its numbers is what sha256sum says of its inputs."""
    monkeypatch.setattr(hashing, "_WORTH_IT", 1)
    (tmp_path / "runs").mkdir()
    inputs = tmp_path / "qrels", tmp_path / "runs" / "a", tmp_path / "runs" / "b"
    for path, text in zip(
        inputs, ("1 0 d 1\n", "1 Q0 d 1 2.0 a\n", "1 Q0 e 1 2.0 b\n"), strict=True
    ):
        path.write_text(text)
    words = ["evaluate", str(inputs[0]), str(tmp_path / "runs"), "-o", str(tmp_path / "scores.tsv")]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.output
    record = find_record(tmp_path / "scores.tsv")
    assert {i["path"]: i["sha256"] for i in record["inputs"]} == {str(p): sha256(p) for p in inputs}


def test_sources_are_hashed_together(paths: list[Path]) -> None:
    """Two threads leave none out."""
    sources = [Source.of_file(str(path)) for path in paths]
    hash_sources(sources)
    assert [s.__dict__["_sha256"] for s in sources] == [sha256(path) for path in paths]
