"""Files that are read by blocks of topics give what they give when they are read whole."""

import gzip
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import poolwise as pw
from poolwise.collection._identifiers import cut_topics
from poolwise.collection.files import _run_stream
from poolwise.collection.files._native import Scanner
from poolwise.collection.files._sources import Report
from poolwise.evidence import _meeting
from poolwise.evidence._grades import Block
from poolwise.results._parquet import parquet_rows, write_parquet
from poolwise.results._records import numbers_digest, parts_digest
from poolwise.scores import _score_table
from poolwise.scores._scoring import Evaluation
from poolwise.workflows import _evaluate as file_grading

MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)", "ERR@20", "INST", "Judged@10"]
TOPICS = ("10", "7", "401", "a-rather-long-topic", "8", "9", "77")
"""As a file has them, which is not the order of judgments."""


@pytest.fixture(params=[1, 60, None], ids=["topic by topic", "some topics", "all topics"])
def cells(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make blocks small, so that small files have several."""
    if request.param is not None:
        cut = partial(cut_topics, cells=request.param)
        monkeypatch.setattr(_meeting, "cut_topics", cut)
    return


def lines_of(run: int) -> list[str]:
    """Return the lines of a run: some topics, lists of several lengths, ties among scores."""
    rng = np.random.default_rng(run)
    return [
        f"{topic} Q0 d{document} {rank} {(40 - rank) // 3} run{run}\n"
        for t, topic in enumerate(TOPICS)
        if (t + run) % 5
        for rank, document in enumerate(rng.permutation(60)[: 5 + 7 * t].tolist())
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write qrels, three runs, and one that is compressed."""
    judged = [f"{t} 0 d{d} {d % 4}\n" for t in (*TOPICS[1:], "unanswered") for d in range(0, 60, 3)]
    (tmp_path / "qrels").write_text("".join(judged))
    (tmp_path / "runs").mkdir()
    for run in range(3):
        (tmp_path / "runs" / f"{run}.txt").write_text("".join(lines_of(run)))
    (tmp_path / "runs" / "3.gz").write_bytes(gzip.compress("".join(lines_of(3)).encode()))
    return tmp_path


def both(folder: Path, runs: Any = None, **options: Any) -> list[Evaluation]:
    """Evaluate by blocks of topics, and whole."""
    sources = folder / "runs" if runs is None else runs
    return [
        pw.evaluate(folder / "qrels", sources, MEASURES, stream=stream, **options)
        for stream in (True, False)
    ]


def assert_same(one: Any, other: Any) -> None:
    """Hold two evaluations to be the same: every number to the last bit, names and provenance."""
    assert one.provenance == other.provenance
    for table, same in zip((*one.scores, *one.beside), (*other.scores, *other.beside), strict=True):
        assert (table.systems, table.topics) == (same.systems, same.topics)
        assert table.scope == same.scope
        for numbers in ("value", "lower", "upper", "tail", "answered"):
            np.testing.assert_array_equal(getattr(table, numbers), getattr(same, numbers))
    assert str(one) == str(other)


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("bounds", ["exact", "naive", "none"])
@pytest.mark.parametrize("topics", ["judged", "common"])
def test_scores_are_the_same_to_the_last_bit(folder: Path, bounds: str, topics: str) -> None:
    """Whatever the size of a block, and whichever the range."""
    assert_same(*both(folder, bounds=bounds, topics=topics))


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_number_of_workers_changes_nothing(folder: Path, workers: int) -> None:
    """A lone run is shared out by its topics, several by runs."""
    assert_same(*both(folder, reading=pw.Reading(workers=workers)))
    assert_same(*both(folder, folder / "runs" / "1.txt", reading=pw.Reading(workers=workers)))


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("universe", ["run", "runs", "corpus"])
def test_the_universe_is_that_of_all_runs(folder: Path, universe: str) -> None:
    """All runs of a topic are read together, so that its unjudged documents are counted once."""
    assert_same(*both(folder, universe=universe, universe_depth="all"))


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("duplicates", ["first", "last", "best"])
def test_what_is_let_pass_is_counted_at_the_same_lines(folder: Path, duplicates: str) -> None:
    """Repeated documents and lines that cannot be read, in judged topics and in others."""
    path = folder / "runs" / "1.txt"
    lines = path.read_text().splitlines(keepends=True)
    lines[3:3] = [lines[0], "10 Q0 bad 1 many run1\n"]
    lines[60:60] = ["# a note\n", "\n", lines[59], lines[59].replace("Q0", "Q0 ")]
    path.write_text("\ufeff" + "".join(lines) + "\n\n")
    streamed, whole = both(folder, reading=pw.Reading(duplicates=duplicates, malformed="skip"))
    assert_same(streamed, whole)
    assert {notice.what for notice in whole.provenance.notices} >= {"malformed lines left out"}


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize(
    ("at", "line"),
    [
        (2, "10 Q0 d1 1 many x\n"),  # of a topic that is not judged
        (40, "7 Q0 short\n"),
        (-1, "77 Q0 d1 1 nan x\n"),
        (15, None),  # the line before once more
    ],
)
def test_what_is_wrong_is_refused_at_its_line(folder: Path, at: int, line: str | None) -> None:
    """The error names the line of the file, as it does when the file is read whole."""
    path = folder / "runs" / "2.txt"
    lines = path.read_text().splitlines(keepends=True)
    topic = lines[at].split(maxsplit=1)[0]
    wrong = lines[at - 1] if line is None else topic + line[line.index(" ") :]
    path.write_text("".join([*lines[:at], wrong, *lines[at:]]))
    said = []
    for stream in (True, False):
        with pytest.raises(pw.InputError) as raised:
            pw.evaluate(folder / "qrels", folder / "runs", stream=stream)
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_topics_that_come_back_are_read_whole_or_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for, streaming is refused; by itself it gives way to reading the file whole."""
    path = folder / "runs" / "0.txt"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[1:], lines[0]]))
    with pytest.raises(pw.InputError, match="lines of each topic together"):
        both(folder)
    whole = pw.evaluate(folder / "qrels", folder / "runs", MEASURES)
    monkeypatch.setattr(file_grading, "STREAM_FROM", 1)
    assert_same(pw.evaluate(folder / "qrels", folder / "runs", MEASURES), whole)


def test_large_files_are_streamed_by_themselves(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From so many bytes on, and not where somebody says no."""
    opened = []
    open_stream = _run_stream.open_stream
    monkeypatch.setattr(
        _run_stream, "open_stream", lambda *a, **k: opened.append(a) or open_stream(*a, **k)
    )
    size = sum(path.stat().st_size for path in (folder / "runs").iterdir())
    for limit, stream, times in ((size + 1, None, 0), (size, None, 1), (1, False, 1)):
        monkeypatch.setattr(file_grading, "STREAM_FROM", limit)
        pw.evaluate(folder / "qrels", folder / "runs", stream=stream)
        assert len(opened) == times


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_ends_a_stream(
    workers: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not swallowed, and no portion is read after it."""
    stop, reading = Mock(), pw.Reading(workers=workers)

    def interrupt(*_: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(Scanner, "read", interrupt)
    monkeypatch.setattr(Scanner, "stop", stop)
    with pytest.raises(KeyboardInterrupt):
        pw.evaluate(folder / "qrels", folder / "runs", MEASURES, stream=True, reading=reading)
    assert stop.call_count == workers - 1


def test_a_compressed_run_that_is_damaged_is_told_of_the_run(folder: Path) -> None:
    """The fault is in its bytes, not in the place where they are unpacked."""
    path = folder / "runs" / "3.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(pw.InputError, match=r"3\.gz"):
        both(folder)


@pytest.mark.parametrize(
    ("runs", "options", "says"),
    [
        ({"a": {"7": {"d1": 1.0}}}, {}, "only files"),
        (None, {"treatment": "condensed"}, "treatment"),
        (None, {"reading": pw.Reading(layout="columns")}, "TREC runs"),
    ],
)
def test_what_cannot_be_streamed_says_why(
    folder: Path, runs: Any, options: dict[str, Any], says: str
) -> None:
    """Only files, of TREC's layout, and without what needs all documents at the same time."""
    sources = folder / "runs" if runs is None else runs
    with pytest.raises(pw.PoolwiseError, match=says):
        pw.evaluate(folder / "qrels", sources, stream=True, **options)


def test_without_the_native_library_files_are_read_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself streaming gives way; asked for, it says what is missing."""
    whole = pw.evaluate(folder / "qrels", folder / "runs", MEASURES)
    monkeypatch.setattr(file_grading, "STREAM_FROM", 1)
    monkeypatch.setattr(file_grading, "is_native", lambda: False)
    assert_same(pw.evaluate(folder / "qrels", folder / "runs", MEASURES), whole)
    with pytest.raises(pw.OptionError, match="native library"):
        both(folder)


def test_progress_ends_with_all_topics(folder: Path) -> None:
    """The callback is told of every topic, in rising numbers."""
    messages: list[tuple[int, int]] = []
    pw.evaluate(
        folder / "qrels", folder / "runs", stream=True, progress=lambda *at: messages.append(at)
    )
    assert messages[-1] == (7, 7)


@pytest.mark.parametrize("bounds", ["exact", "none"])
def test_many_grades_are_streamed_as_well(folder: Path, bounds: str) -> None:
    """More grades than a byte holds need the documents of a block, and no more."""
    judged = [f"{t} 0 d{d} {d * 7 + i}\n" for i, t in enumerate(TOPICS) for d in range(60)]
    (folder / "qrels").write_text("".join(judged))
    assert_same(*both(folder, bounds=bounds))


def test_blocks_are_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many blocks there are, few of them are in memory at the same time."""
    made: list[weakref.ref[Any]] = []

    def watched(**parts: Any) -> Block:
        made.append(weakref.ref(parts["codes"]))
        return Block(**parts)

    alive: list[int] = []
    monkeypatch.setattr(_meeting, "Block", watched)
    monkeypatch.setattr(_meeting, "cut_topics", partial(cut_topics, cells=1))
    # Threads and what they hand back hold some; a hundred topics have a hundred blocks.
    lines = (f"{t} Q0 d{i} {i} {-i} x\n" for t in range(100) for i in range(5))
    (folder / "many").write_text("".join(lines))
    pw.evaluate(
        {str(t): {"d1": 1} for t in range(100)},
        folder / "many",
        stream=True,
        progress=lambda *_: alive.append(sum(ref() is not None for ref in made)),
    )
    assert len(made) >= 100
    assert max(alive) <= 20


def test_rows_in_parts_are_all_rows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows are made at a time, they are the rows of the columns, in their order."""
    evaluation = pw.evaluate(folder / "qrels", folder / "runs", MEASURES)
    for rows in (1, 5, 1000):
        monkeypatch.setattr(_score_table, "_ROWS", rows)
        parts = evaluation.row_parts()
        assert str(parts.whole()) == str(evaluation.columns())
        assert parts_digest(parts) == numbers_digest(evaluation.columns())
        write_parquet(parts, folder / "scores.parquet")
        assert str(parquet_rows(folder / "scores.parquet")) == str(evaluation.columns())
