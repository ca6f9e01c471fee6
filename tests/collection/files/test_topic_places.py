"""Where topics lie in a run file: parts of it read at the same time, or without the others."""

from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.run_files import FILES

from poolwise import InputError, read_runs
from poolwise.collection.files import _inputs, _topic_places
from poolwise.collection.files._native import Scanner
from poolwise.collection.files._topic_places import index_topics, split_file

LINE = st.builds(
    lambda topic, space, rest, end: topic + space + rest + end,
    st.sampled_from([b"1", b"12", b"1234567", b"12345678", b"123456789", b"a" * 17, b"\xc3\xa9"]),
    st.sampled_from([b" ", b"\t", b"  ", b"\v"]),
    st.sampled_from([b"Q0 d 1 2 x", b"Q0 other 2 1.5 x y", b"Q0\td\t1\t2\tx"]),
    st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b"\n# note\n", b"\n \n"]),
)


def first_fields(content: bytes) -> list[tuple[bytes, bytes]]:
    """Return the topic of each line and the line, comments and blank lines with the one before."""
    lines: list[tuple[bytes, bytes]] = []
    waiting = b""
    for line in content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            lines.append((fields[0], waiting + line))
            waiting = b""
        elif lines:
            lines[-1] = (lines[-1][0], lines[-1][1] + line)
        else:
            waiting += line
    return lines


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=st.lists(LINE, min_size=1, max_size=12), window=st.sampled_from([1, 7, 64, 1 << 20]))
def test_an_index_is_what_reading_line_by_line_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[bytes], window: int
) -> None:
    """Topics, their bytes and their documents, however the file is cut into windows."""
    monkeypatch.setattr(_topic_places, "_WINDOW", window)
    content = b"".join(lines).replace(b"\v", b" ") if window == 7 else b"".join(lines)
    path = tmp_path / "run"
    path.write_bytes(content)
    index, fields = index_topics(str(path)), first_fields(content.replace(b"\v", b" "))
    grouped = [(topic, list(of)) for topic, of in groupby(fields, key=lambda line: line[0])]
    if len({topic for topic, _ in grouped}) < len(grouped):
        assert index is None, "a topic comes back"
        return
    assert index is not None
    assert [topic.encode() for topic in index.topics] == [topic for topic, _ in grouped]
    assert index.documents.tolist() == [len(of) for _, of in grouped]
    parts = [content[a:b] for a, b in zip(index.places[:-1], index.places[1:], strict=True)]
    spaced = [part.replace(b"\v", b" ") for part in parts]
    assert spaced == [b"".join(line for _, line in of) for _, of in grouped]
    assert index.lines[-1] == content.count(b"\n")


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=FILES)
def test_any_bytes_are_indexed_or_not(tmp_path: Path, content: bytes) -> None:
    """No file makes the index fail, and the topics of one lie one after another to its end."""
    path = tmp_path / "run"
    path.write_bytes(content)
    index = index_topics(str(path))
    if index is not None:
        assert (index.places[1:] >= index.places[:-1]).all()
        assert index.places[-1] == len(content)


def test_parts_of_neighbours_are_one(tmp_path: Path) -> None:
    """Topics that lie together are read in one go; lines are counted through the gaps."""
    path = tmp_path / "run"
    path.write_text("".join(f"{t} Q0 d{i} 1 1 x\n" for t in range(4) for i in range(2)))
    index = index_topics(str(path))
    assert index is not None
    at = [0, 1, 3]
    assert [(p.start, p.stop) for p in index.parts(at)] == [(0, 56), (84, 112)]
    assert [index.line(at, number) for number in range(1, 7)] == [1, 2, 3, 4, 7, 8]


@pytest.mark.parametrize(
    "content", ["", "\n# only\n", "1 d 0.5\n", "query-id\tcorpus-id\tscore\n1\td\t2\n"]
)
def test_what_is_no_trec_run_has_no_index(tmp_path: Path, content: str) -> None:
    """Three columns need the whole file to be understood, and an empty one has nothing."""
    (tmp_path / "run").write_text(content)
    assert index_topics(str(tmp_path / "run")) is None


LINES = [
    f"{topic} Q0 d{rank * 7 % 23} {rank} {20 - rank} mine"
    for topic in ("10", "9", "101", "2", "55", "7")
    for rank in range(20)
]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files be split, too."""
    monkeypatch.setattr(_topic_places, "_SMALLEST", 0)


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

    monkeypatch.setattr(_inputs, "Scanner", Spy)
    read_runs(write(tmp_path, LINES), workers=2)
    assert used == [True]


def test_small_and_packed_files_are_not_split(tmp_path: Path) -> None:
    """A file that is small, or does not look like a run, is one part."""
    assert split_file(write(tmp_path, LINES), 2) == []
