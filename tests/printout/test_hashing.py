"""Hashes made ahead are those of the files as they were read."""

import hashlib
import os
from pathlib import Path

import pytest

from poolwise.printout.hashing import HashingAhead, hash_sources
from poolwise.printout.provenance import Source


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Return three small files."""
    made = [tmp_path / name for name in "abc"]
    for path in made:
        path.write_text(path.name * 9)
    return made


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def finished(paths: list[Path]) -> HashingAhead:
    """Hash files ahead, and wait for the last of them."""
    ahead = HashingAhead(map(str, paths))
    ahead._thread.join()
    return ahead


def test_what_was_hashed_ahead_is_not_hashed_again(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash is known when it is asked for."""
    ahead = finished(paths)
    sources = [Source.of_file(str(path)) for path in paths]
    ahead.tell(sources)
    monkeypatch.setattr(Source, "_hash", lambda _source: pytest.fail("hashed twice"))
    assert [source.sha256 for source in sources] == [sha256(path) for path in paths]


def test_a_file_that_changed_before_it_was_read_is_hashed_anew(paths: list[Path]) -> None:
    """What was hashed ahead is not what was read."""
    ahead = finished(paths)
    paths[0].write_text("other")
    os.utime(paths[0], ns=(1, 1))
    source = Source.of_file(str(paths[0]))
    ahead.tell([source])
    assert source.sha256 == hashlib.sha256(b"other").hexdigest()


def test_a_file_that_changes_while_it_is_hashed_has_no_hash(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can tell of which of the two contents it would be."""
    source = Source.of_file(str(paths[0]))
    digest = hashlib.file_digest

    def disturbed(file: object, name: str) -> object:
        found = digest(file, name)  # type: ignore[arg-type] # an open file
        os.utime(paths[0], ns=(1, 1))
        return found

    monkeypatch.setattr(hashlib, "file_digest", disturbed)
    assert source.sha256 == ""


def test_what_is_not_there_is_passed_over(paths: list[Path], tmp_path: Path) -> None:
    """Whoever reads a file says what is wrong with it, and the others are hashed all the same."""
    ahead = finished([tmp_path / "nowhere", paths[1]])
    source = Source.of_file(str(paths[1]))
    ahead.tell([source, Source("<dict>")])
    assert source.__dict__["_sha256"] == sha256(paths[1])


def test_sources_are_hashed_together(paths: list[Path]) -> None:
    """Two threads leave none out."""
    sources = [Source.of_file(str(path)) for path in paths]
    hash_sources(sources)
    assert [s.__dict__["_sha256"] for s in sources] == [sha256(path) for path in paths]
