"""An index of a run file knows where each topic lies, or says that it cannot."""

from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.run_files import FILES

from poolwise.collection.files.by_topic import topic_index
from poolwise.collection.files.by_topic.topic_index import index_topics

LINE = st.builds(
    lambda topic, space, rest, end: topic + space + rest + end,
    st.sampled_from([b"1", b"12", b"1234567", b"12345678", b"123456789", b"a" * 17, b"\xc3\xa9"]),
    st.sampled_from([b" ", b"\t", b"  ", b"\v"]),
    st.sampled_from([b"Q0 d 1 2 x", b"Q0 other 2 1.5 x y", b"Q0\td\t1\t2\tx"]),
    st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b"\n# note\n", b"\n \n"]),
)


def first_fields(content: bytes) -> list[tuple[bytes, bytes]]:
    """Return the topic of each line and the line, comments and blank lines with the one before."""
    found: list[tuple[bytes, bytes]] = []
    waiting = b""
    for line in content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            found.append((fields[0], waiting + line))
            waiting = b""
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line)
        else:
            waiting += line
    return found


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=st.lists(LINE, min_size=1, max_size=12), window=st.sampled_from([1, 7, 64, 1 << 20]))
def test_an_index_is_what_reading_line_by_line_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[bytes], window: int
) -> None:
    """Topics, their bytes and their documents, however the file is cut into windows."""
    monkeypatch.setattr(topic_index, "_WINDOW", window)
    content = b"".join(lines).replace(b"\v", b" ") if window == 7 else b"".join(lines)
    path = tmp_path / "run"
    path.write_bytes(content)
    found, fields = index_topics(str(path)), first_fields(content.replace(b"\v", b" "))
    grouped = [(topic, list(of)) for topic, of in groupby(fields, key=lambda line: line[0])]
    if len({topic for topic, _ in grouped}) < len(grouped):
        assert found is None, "a topic comes back"
        return
    assert found is not None
    assert [topic.encode() for topic in found.topics] == [topic for topic, _ in grouped]
    assert found.documents.tolist() == [len(of) for _, of in grouped]
    parts = [content[a:b] for a, b in zip(found.places[:-1], found.places[1:], strict=True)]
    spaced = [part.replace(b"\v", b" ") for part in parts]
    assert spaced == [b"".join(line for _, line in of) for _, of in grouped]
    assert found.lines[-1] == content.count(b"\n")


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=FILES)
def test_any_bytes_are_indexed_or_not(tmp_path: Path, content: bytes) -> None:
    """No file makes the index fail, and the topics of one lie one after another to its end."""
    path = tmp_path / "run"
    path.write_bytes(content)
    found = index_topics(str(path))
    if found is not None:
        assert (found.places[1:] >= found.places[:-1]).all()
        assert found.places[-1] == len(content)


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
