"""Runs read as marks have the marks of runs read in full."""

import gzip
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.run_files import COLUMNS, FILES, TIES, blocks

from poolwise import Judgments, align, read_runs
from poolwise.collection.files import _topic_places
from poolwise.collection.files._inputs import ScannedGrades, scan_grades
from poolwise.collection.files._native import JudgedMarks, Options, Scanned, Scanner
from poolwise.collection.files._sources import Report
from poolwise.evidence._grades import BEYOND, UNJUDGED

pytestmark = pytest.mark.usefixtures("native_reader")

NOT_SIMPLE = 14
MARKS = {"1": {"a": 0, "FT911-10": 2, "clueweb09-en0000-00-00000": 1}, "#3": {"b": 1}, "5": {}}
TOPICS = tuple(MARKS)


def judged_marks(marks: dict[str, dict[str, int]]) -> JudgedMarks:
    judgments = Judgments.from_dict(marks)
    grades = judgments.scale[judgments.codes].astype(np.int8)
    return JudgedMarks(
        judgments.topics, judgments.documents, judgments.starts, grades, other=UNJUDGED
    )


def in_full(raw: bytes, options: Options) -> tuple[Report, Scanned | None]:
    with Scanner([options]) as scanner:
        report = scanner.read(0, [memoryview(raw)])
        return report, scanner.tables(workers=1) if not report.problem and scanner.seal() else None


def marks_of(scanned: Scanned) -> dict[str, list[int]]:
    """Look the documents of each list up, one by one."""
    ids = list(scanned.documents)
    lists = {}
    for t, topic in enumerate(scanned.topics):
        codes = scanned.rankings[slice(*scanned.list_starts[t : t + 2])]
        documents = [ids[scanned.document_starts[t] + c] for c in codes]
        lists[topic] = [MARKS.get(topic, {}).get(d, UNJUDGED) for d in documents]
    return lists


def is_grouped(raw: bytes) -> bool:
    """Say whether no topic comes back after another, counting lines that are not read as well."""
    topics = [line.split()[0] for line in raw.split(b"\n") if line.split()]
    changes = sum(a != b for a, b in pairwise(topics))
    return changes < len(set(topics))


@given(
    raw=FILES | COLUMNS,
    cuts=st.lists(st.integers(0, 300), max_size=6),
    ties=st.integers(0, len(TIES) - 1),
    skip=st.booleans(),
)
def test_marks_are_those_of_the_documents(
    raw: bytes, cuts: list[int], ties: int, *, skip: bool
) -> None:
    """A list's marks, the tag and the counts agree; what marks cannot tell is left to the other."""
    options = Options(0, 0, ties, 0, skip)
    judged = judged_marks(MARKS)
    report, scanned = in_full(raw, options)
    with Scanner([options], judged=judged) as scanner:
        marked = scanner.read(0, blocks(raw, cuts))
        if marked.problem:
            assert report.problem or marked.problem.code == NOT_SIMPLE
            assert report.problem or report.guessed or not is_grouped(raw)
            return
        assert scanner.seal()
        lists = scanner.marks(lambda *_: judged.topics, beyond=BEYOND)
    assert scanned is not None
    assert marked == report
    wanted = marks_of(scanned)
    assert lists.topics == scanned.topics
    assert lists.lengths.tolist() == [[len(wanted[topic]) for topic in lists.topics]]
    for topic, ranks in zip(judged.topics, lists.blocks[0].marks[0].tolist(), strict=True):
        expected = wanted.get(topic, [])
        assert ranks == expected + [BEYOND] * (len(ranks) - len(expected))


LINES = [
    f"{topic} Q0 d{rank * 7 % 23} {rank} {20 - rank // 3} mine\n"
    for topic in ("10", "9", "101", "2", "55", "7")
    for rank in range(20)
]
QRELS = Judgments.from_dict({"9": {"d3": 1, "d4": 0}, "55": {"d0": 2}, "none": {"d1": 1}})


def marked(paths: list[str], **reading: Any) -> ScannedGrades | None:
    grades = QRELS.scale[QRELS.codes].astype(np.int8)
    judged = JudgedMarks(QRELS.topics, QRELS.documents, QRELS.starts, grades, other=UNJUDGED)
    return scan_grades(paths, judged, lambda *_: QRELS.topics, beyond=BEYOND, **reading)


def written(folder: Path, lines: list[str], name: str = "mine.run") -> str:
    path = folder / name
    raw = "".join(lines).encode()
    path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    return str(path)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("smallest", [0, 1 << 24])
def test_files_have_the_codes_of_alignment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ties: str, smallest: int
) -> None:
    """Plain, compressed, several, one in parts: the codes are those of runs read and aligned."""
    monkeypatch.setattr(_topic_places, "_SMALLEST", smallest)
    plain, compressed = written(tmp_path, LINES), written(tmp_path, LINES[20:], "mine.gz")
    for paths in ([plain], [plain, compressed], [compressed]):
        graded = marked(paths, ties=ties, workers=2)
        wanted = align(QRELS, read_runs(*paths, ties=ties))
        assert graded is not None
        assert graded.systems == wanted.systems
        (marks, _), (block,) = graded.lists.blocks[0], wanted.blocks
        np.testing.assert_array_equal(marks, block.codes)


def test_what_marks_cannot_tell_is_refused(tmp_path: Path) -> None:
    """Duplicates, topics in two places, malformed lines and pipes go the long way."""
    again = [*LINES, "7 Q0 d0 9 1 mine\n"]
    late = [*LINES, "10 Q0 late 9 1 mine\n"]
    broken = [*LINES, "8 Q0 late 9 high mine\n"]
    assert marked([written(tmp_path, again)]) is None
    assert marked([written(tmp_path, late)]) is None
    assert marked([written(tmp_path, broken)]) is None
    assert marked(["-"]) is None
    skipping = marked([written(tmp_path, broken)], malformed="skip")
    assert skipping is not None
    assert str(skipping.notices[0]).endswith("mine.run:121)")


def test_a_topic_in_two_parts_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it has no judgments: its documents might be repeated."""
    monkeypatch.setattr(_topic_places, "_SMALLEST", 0)
    assert marked([written(tmp_path, [*LINES, *LINES[:1]])], workers=2) is None
