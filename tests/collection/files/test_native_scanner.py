"""Both scanners do what the plain reader says, on any bytes, however they are cut."""

import time
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.each import over
from tests.oracles import plain_reader
from tests.run_files import COLUMNS, DUPLICATES, FILES, TIES, blocks

from poolwise.collection.files._native import Options, Scanned, Scanner, is_native
from poolwise.collection.files._python_scanner import PlainScanner
from poolwise.collection.files._sources import Report

pytestmark = pytest.mark.usefixtures("both_readers")


def scan(raw: bytes, cuts: list[int], options: Options) -> tuple[Report, Scanned | None]:
    with (Scanner if is_native() else PlainScanner)([options]) as scanner:
        report = scanner.read(0, blocks(raw, cuts))
        return report, scanner.tables(workers=2) if not report.problem and scanner.seal() else None


def text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def plain(raw: bytes, **options: Any) -> plain_reader.Read | plain_reader.Refusal:
    try:
        return plain_reader.read(raw, **options)
    except plain_reader.Refusal as refusal:
        return refusal


def assert_same(scanned: Scanned, wanted: plain_reader.Read, *, judgments: bool) -> None:
    topics = sorted(wanted.topics)
    assert scanned.topics == tuple(map(text, topics))
    ids = list(scanned.documents)
    for t, topic in enumerate(topics):
        entries = wanted.topics[topic]
        rows = ids[scanned.document_starts[t] : scanned.document_starts[t + 1]]
        assert rows == [text(d) for d in sorted(e.document for e in entries)]
        values = {text(e.document): e.value for e in entries}
        if judgments:
            graded = scanned.values[scanned.document_starts[t] : scanned.document_starts[t + 1]]
            assert dict(zip(rows, graded.tolist(), strict=True)) == values
        else:
            listed = slice(*scanned.list_starts[t : t + 2])
            assert [rows[c] for c in scanned.rankings[listed]] == [
                text(e.document) for e in entries
            ]
            tied = [False] + [a.value == b.value for a, b in pairwise(entries)]
            assert scanned.tied[listed].tolist() == tied


@given(
    raw=FILES | COLUMNS,
    cuts=st.lists(st.integers(0, 300), max_size=6),
    judgments=st.booleans(),
    ties=st.sampled_from(TIES),
    duplicates=st.sampled_from(DUPLICATES),
    skip=st.booleans(),
)
def test_scanner_agrees_with_plain_reader(
    raw: bytes, cuts: list[int], *, judgments: bool, ties: str, duplicates: str, skip: bool
) -> None:
    """Rankings, grades, problems, their lines and every count are those of the plain reader."""
    options = Options(judgments, 0, TIES.index(ties), DUPLICATES.index(duplicates), skip)
    report, scanned = scan(raw, cuts, options)
    wanted = plain(raw, judgments=judgments, ties=ties, duplicates=duplicates, skip=skip)
    if isinstance(wanted, plain_reader.Refusal):
        assert report.problem is not None
        problem = (report.problem.code, report.problem.line, report.problem.other)
        assert problem == (wanted.code, wanted.line, wanted.other)
        return
    assert report.problem is None
    assert scanned is not None
    assert_same(scanned, wanted, judgments=judgments)
    assert report.tag == text(wanted.tag)
    assert ("", "ranks", "scores")[report.guessed] == wanted.guessed
    assert (report.skipped, report.repeated) == (len(wanted.skipped), len(wanted.repeated))
    assert report.first_skipped == min(wanted.skipped, default=0)
    assert report.first_repeated == min(wanted.repeated, default=0)


@given(
    entries=st.dictionaries(
        st.sampled_from([*"abcdef", "clueweb09-en0000-00-00000", "clueweb09-en0000-00-00001"]),
        st.tuples(st.integers(1, 2), st.sampled_from(["1", "2", "16777216", "16777217"])),
        min_size=2,
    ),
    ties=st.sampled_from(TIES),
)
def test_ties_are_broken_as_the_rule_says(entries: dict[str, tuple[int, str]], ties: str) -> None:
    """Score decides, then rank where it counts, then the id, up or down."""
    lines = [f"1 Q0 {d} {rank} {score} x\n" for d, (rank, score) in entries.items()]
    raw = "".join(lines).encode()
    report, scanned = scan(raw, [], Options(0, 0, TIES.index(ties), 0, 0))
    wanted = plain(raw, judgments=False, ties=ties, duplicates="error", skip=False)
    assert report.problem is None
    assert scanned is not None
    assert isinstance(wanted, plain_reader.Read)
    assert_same(scanned, wanted, judgments=False)


@given(
    raw=st.binary(max_size=400),
    cuts=st.lists(st.integers(0, 400), max_size=8),
    judgments=st.booleans(),
)
def test_any_bytes_end_in_a_result_or_a_problem(
    raw: bytes, cuts: list[int], *, judgments: bool
) -> None:
    """Random bytes never crash, and where they are cut does not matter."""
    options = Options(judgments, 0, 0, 0, 0)
    assert scan(raw, cuts, options)[0] == scan(raw, [], options)[0]


@given(
    whole=st.text("0123456789", max_size=17),
    point=st.sampled_from(["", "."]),
    decimals=st.text("0123456789", max_size=17),
    sign=st.sampled_from(["", "-", "+"]),
    behind=st.sampled_from(["", "\n" + "#" * 120]),
)
def test_a_decimal_is_read_to_the_last_bit(
    whole: str, point: str, decimals: str, sign: str, behind: str
) -> None:
    """Python reads the same double, wherever in the file the number stands."""
    number = whole + point + decimals
    assume(number.strip("."))
    report, scanned = scan(f"1 0 a {sign}{number}{behind}".encode(), [], Options(1, 0, 0, 0, 0))
    assert report.problem is None
    assert scanned is not None
    assert scanned.values.tolist() == [float(sign + number)]


@over("topics", [1, 3, 40])
def test_interleaved_topics_are_brought_together(topics: int) -> None:
    """A topic whose lines are scattered over the file gets the list of a file in order."""
    rng = np.random.default_rng(7)
    rows = [(t, d, rng.integers(20)) for d in range(50) for t in range(topics)]
    scattered = "".join(f"{t} Q0 d{d} 0 {s} x\n" for t, d, s in rows).encode()
    ordered = "".join(f"{t} Q0 d{d} 0 {s} x\n" for t, d, s in sorted(rows)).encode()
    options = Options(0, 0, 0, 0, 0)
    first, second = scan(scattered, [100, 2000], options)[1], scan(ordered, [], options)[1]
    assert first is not None
    assert second is not None
    assert np.array_equal(first.rankings, second.rankings)
    assert list(first.documents) == list(second.documents)


def test_topics_that_alternate_are_read_in_linear_time() -> None:
    """A file in order of ranks, not of topics, does not rebuild its tables line by line."""
    raw = "".join(f"{t} Q0 d{d} 0 {-d} x\n" for d in range(20000) for t in range(3)).encode()
    started = time.process_time()
    scanned = scan(raw, [], Options(0, 0, 0, 0, 0))[1]
    assert time.process_time() - started < 1  # milliseconds; half a minute if tables are rebuilt
    assert scanned is not None
    assert scanned.list_starts.tolist() == [0, 20000, 40000, 60000]


def test_ids_made_to_share_a_hash_are_read_in_linear_time() -> None:
    """Ids that a multiplication and a shift take to one number, whatever it starts from, do not."""
    # Its highest bit turned over turns over bits 63 and 34 of what a word becomes; the next word
    # turns them back, so that any of these pairs may stand for any other.
    pairs = b"aaaaaaaaaaaaaaaa", b"aaaaaaa\xe1aaaaeaa\xe1"
    ids = [b"".join(words) + b"end" for words in product(pairs, repeat=14)]
    raw = b"".join(b"1 Q0 %s 0 1 x\n" % name for name in ids)
    started = time.process_time()
    scanned = scan(raw, [], Options(0, 0, 0, 0, 0))[1]
    assert time.process_time() - started < 1  # milliseconds; two seconds if they share a hash
    assert scanned is not None
    assert len(scanned.documents) == len(ids)


def test_a_long_line_is_refused_before_it_fills_the_memory() -> None:
    """A line of more than 16 MiB is a problem, told with its line."""
    block = memoryview(bytes(b"x" * (1 << 22)))
    with (Scanner if is_native() else PlainScanner)([Options(0, 0, 0, 0, 0)]) as scanner:
        problem = scanner.read(0, [memoryview(b"\n"), *[block] * 5]).problem
    assert problem is not None
    assert (problem.code, problem.line) == (10, 2)
