"""A large run read in parts is the run read as one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poolwise import InputError, read_runs
from poolwise.collection.files import file_parts, scanning
from poolwise.collection.files.file_parts import split_file
from poolwise.collection.files.scanner import Scanner

LINES = [
    f"{topic} Q0 d{rank * 7 % 23} {rank} {20 - rank} mine"
    for topic in ("10", "9", "101", "2", "55", "7")
    for rank in range(20)
]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files be split, too."""
    monkeypatch.setattr(file_parts, "_SMALLEST", 0)


def write(folder: Path, lines: list[str]) -> str:
    """Write a run file."""
    path = folder / "mine.run"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.usefixtures("small")
def test_parts_start_with_a_topic(tmp_path: Path) -> None:
    """Cuts fall between topics, and the parts together are the file."""
    path = write(tmp_path, LINES)
    parts = split_file(path, 3)
    whole = Path(path).read_text()
    texts = [whole[part.start : part.stop] for part in parts]
    assert "".join(texts) == whole
    topics = [{line.split()[0] for line in text.splitlines()} for text in texts]
    assert len(parts) == 3
    assert sum(map(len, topics)) == 6


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("workers", [2, 3, 5])
def test_parts_give_the_same_runs(tmp_path: Path, workers: int) -> None:
    """Topics, documents, rankings, ties and hash do not depend on the number of parts."""
    path = write(tmp_path, LINES)
    whole, parts = read_runs(path, workers=1), read_runs(path, workers=workers)
    assert parts.topics == whole.topics
    assert list(parts.documents) == list(whole.documents)
    assert parts.sources == whole.sources
    assert parts.systems == whole.systems
    for name in ("topic_starts", "rankings", "list_starts", "tied"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@pytest.mark.usefixtures("small")
def test_a_topic_in_two_places_is_one_topic(tmp_path: Path) -> None:
    """Where a topic comes back at the end of the file, the file is read as one."""
    lines = [*LINES, "10 Q0 late 1 99 mine"]
    runs = read_runs(write(tmp_path, lines), workers=2)
    assert runs.ranking("mine", "10")[0] == "late"
    assert len(runs.ranking("mine", "10")) == 21


@pytest.mark.usefixtures("small")
def test_an_error_in_the_last_part_has_its_line(tmp_path: Path) -> None:
    """Lines are counted from the start of the file."""
    path = write(tmp_path, [*LINES, "7 Q0 x 1 high mine"])
    with pytest.raises(InputError, match=rf"{path}:121: .*'high'"):
        read_runs(path, workers=2)


@pytest.mark.usefixtures("small")
def test_skipped_lines_are_counted_over_the_file(tmp_path: Path) -> None:
    """A policy's first example has the line of the file, not of a part."""
    runs = read_runs(write(tmp_path, [*LINES, "7 Q0 x 1 high mine"]), workers=2, malformed="skip")
    assert str(runs.notices[0]).endswith("mine.run:121)")


@pytest.mark.usefixtures("native_reader", "small")
def test_reading_in_parts_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts' result is used where nothing speaks against it."""
    used: list[bool] = []

    class Spy(Scanner):
        def __init__(self, *arguments: Any, one_run: bool = False, **named: Any) -> None:
            used.append(one_run)
            super().__init__(*arguments, one_run=one_run, **named)

    monkeypatch.setattr(scanning, "Scanner", Spy)
    read_runs(write(tmp_path, LINES), workers=2)
    assert used == [True]


def test_small_and_packed_files_are_not_split(tmp_path: Path) -> None:
    """A file that is small, or does not look like a run, is one part."""
    assert split_file(write(tmp_path, LINES), 2) == []
