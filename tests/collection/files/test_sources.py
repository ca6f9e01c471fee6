"""A file is read as a whole and as it stands, or refused; nothing is read in part."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from poolwise import Reading, evaluate, read_judgments, read_runs
from poolwise.collection.files._native import Options, Scanner, required_library
from poolwise.collection.files._sources import FileBytes, FilePart, find_files
from poolwise.errors import InputError, OptionError

LINES = [f"{topic} Q0 d{i} {i} {1000 - i} x\n" for topic in range(9) for i in range(60)]
RUN = "".join(LINES).encode()
QRELS = {"1": {"d3": 1}}
NATIVE_NAMES = [
    f"poolwise_{name}"
    for name in (
        *("reader_new", "input_new", "input_feed", "input_finish"),
        *("input_free", "input_report", "stop"),
    )
]


def flushed_zst(raw: bytes) -> bytes:
    """Compress in many blocks, each of which ends with a line."""
    packer = zstandard.ZstdCompressor().compressobj()
    parts = [
        packer.compress(line) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for line in raw.splitlines(keepends=True)
    ]
    return b"".join(parts) + packer.flush()


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.compress,
    "zst in blocks": flushed_zst,
}


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_compressed_file_that_breaks_off_is_never_a_shorter_run(
    compression: str, tmp_path: Path
) -> None:
    """Wherever it is cut, also after a whole line and with lenient reading, it is refused."""
    packed = COMPRESSIONS[compression](RUN)
    path = tmp_path / "run"
    path.write_bytes(packed)
    assert len(read_runs(path).rankings) == len(LINES)
    for cut in range(12, len(packed), max(1, len(packed) // 40)):
        path.write_bytes(packed[:cut])
        with pytest.raises(InputError, match="the file must be readable"):
            read_runs(path, malformed="skip")
        with pytest.raises(InputError, match="the file must be readable"):
            evaluate(QRELS, path, "AP", reading=Reading(malformed="skip"))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_damaged_file_is_one_sentence(compression: str, tmp_path: Path) -> None:
    """A byte that was turned over ends in an error of ours that names the file, nearly always."""
    packed = COMPRESSIONS[compression](RUN)
    path = tmp_path / "run"
    refused = 0
    places = range(11, len(packed), max(1, len(packed) // 60))
    for at in places:
        damaged = bytearray(packed)
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        try:
            read_runs(path)
        except InputError as error:
            refused += 1
            assert str(path) in str(error)  # noqa: PT017 -- most places are refused, not all
    assert refused > len(places) // 2


def test_a_file_of_parquet_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    """What pyarrow says of it becomes part of an error of ours, which names the file."""
    path = tmp_path / "runs.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"runs\.parquet: the file must be intact Parquet: "):
        read_runs(path)


class GrowingFile(FileBytes):
    """A file that somebody writes to when its first block has been read."""

    def __iter__(self) -> Iterator[memoryview]:
        blocks = super().__iter__()
        yield next(blocks)
        with Path(self.path).open("ab") as file:
            file.write(b"\n")
        yield from blocks


@pytest.mark.parametrize("packed", [RUN, gzip.compress(RUN)], ids=["plain", "gzip"])
def test_a_file_that_changes_while_it_is_read_is_refused(packed: bytes, tmp_path: Path) -> None:
    """The file's size and time are compared again when it has been read."""
    path = tmp_path / "run"
    path.write_bytes(packed)
    with pytest.raises(InputError, match="the file must not change while it is read"):
        list(GrowingFile(str(path)))


@pytest.mark.usefixtures("native_reader")
def test_a_plain_file_that_changed_behind_the_native_reader_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no byte passes through Python."""
    path = tmp_path / "run"
    path.write_bytes(RUN)
    reading = Scanner.read_files

    def read_and_change(scanner: Scanner, parts: list[FilePart], *, workers: int) -> object:
        reports = reading(scanner, parts, workers=workers)
        path.write_bytes(RUN + b"\n")
        return reports

    monkeypatch.setattr(Scanner, "read_files", read_and_change)
    with pytest.raises(InputError, match="the file must not change while it is read"):
        read_runs(path)


@pytest.mark.usefixtures("native_reader")
def test_a_file_shorter_than_it_was_is_refused(tmp_path: Path) -> None:
    """A read that ends before the end that the file had is an error, not the end of the run."""
    path = tmp_path / "run"
    path.write_bytes(RUN)
    part = FilePart(str(path), 0, len(RUN) + 100)
    with (
        Scanner([Options(0, 0, 0, 0, 0)]) as scanner,
        pytest.raises(InputError, match="readable to the end it had when reading began"),
    ):
        scanner.read_files([part], workers=1)


def test_a_dash_is_the_standard_input_also_where_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file called - is read as ./-."""
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("1 Q0 from-file 1 1 x\n")

    def type_in(text: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    type_in(b"1 Q0 d3 1 1 y\n")
    assert read_runs("-").systems == ("y",)
    type_in(b"1 Q0 d3 1 1 y\n")
    assert evaluate(QRELS, "-", "AP").scores[0].systems == ("y",)
    type_in(b"1 0 d3 1\n")
    assert read_judgments("-").topics == ("1",)
    assert read_runs("./-").systems == ("x",)


@pytest.mark.parametrize("compression", ["gz", "xz", "bz2", "zst"])
def test_a_file_that_unfolds_without_measure_is_refused(compression: str, tmp_path: Path) -> None:
    """What grows a thousandfold is no run; more can be allowed."""
    path = tmp_path / "run"
    path.write_bytes(COMPRESSIONS[compression](b"1 Q0 d1 1 1 x\n" + b"\n" * 10_000_000))
    if compression == "gz":  # can hardly grow so much, so it gets less room
        assert read_runs(path, max_ratio=2000).topics == ("1",)
    ratio = 900 if compression == "gz" else 1000
    with pytest.raises(InputError, match=f"may unfold to {ratio:,} times its size; got 'more than"):
        read_runs(path, max_ratio=ratio)
    with pytest.raises(InputError, match=r"max_ratio \(--max-ratio\)"):
        evaluate(QRELS, path, "AP", reading=Reading(max_ratio=ratio))


@pytest.mark.parametrize("column", ["a text that repeats", "a list of them", "a number"])
def test_parquet_that_unfolds_without_measure_is_refused(column: str, tmp_path: Path) -> None:
    """What repeats takes no room in Parquet: it is counted before it is read."""
    path, rows = tmp_path / "run.parquet", 400_000
    values = {
        "a text that repeats": pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["y" * 99]),
        "a list of them": pa.array([["y" * 99]] * rows),
        "a number": pa.array([0.0] * (10 * rows)),
    }[column]
    columns = {"score": values, "qid": pa.repeat("1", len(values))}
    columns["docno"] = pa.repeat("a", len(values))
    pq.write_table(pa.table(columns), path, compression="zstd")
    assert 50 * path.stat().st_size < len(values) * 8
    for read in (read_runs, read_judgments):
        with pytest.raises(InputError, match=r"run\.parquet: a compressed file may unfold to 50 "):
            read(str(path), max_ratio=50)
    with pytest.raises(InputError, match="a compressed file may unfold"):
        evaluate(QRELS, str(path), "AP", reading=Reading(max_ratio=50))
    folder = tmp_path / "run=x"
    folder.mkdir()
    path.rename(folder / "0.parquet")
    with pytest.raises(InputError, match="a compressed file may unfold"):
        evaluate(QRELS, str(folder), "AP", reading=Reading(max_ratio=50))


def test_a_small_file_may_unfold_as_it_likes(tmp_path: Path) -> None:
    """A megabyte does no harm, however small it was."""
    path = tmp_path / "run"
    path.write_bytes(zstandard.compress(b"1 Q0 d1 1 1 x\n" + b"\n" * 1_000_000))
    assert read_runs(path).topics == ("1",)
    with pytest.raises(OptionError, match="max_ratio: must be above 0"):
        read_runs(path, max_ratio=0)


def test_equal_lines_are_found_as_they_come(tmp_path: Path) -> None:
    """Three million equal lines stop at the second, and counted they take no memory."""
    path = tmp_path / "run.zst"
    path.write_bytes(zstandard.compress(b"1 Q0 d1 1 1 x\n" * 3_000_000))
    with pytest.raises(InputError, match=r"run\.zst:2: a document may occur once"):
        evaluate(QRELS, path, "AP", reading=Reading(max_ratio=1e9))
    runs = read_runs(path, max_ratio=1e9, duplicates="first")
    assert runs.ranking("x", "1") == ["d1"]
    assert runs.notices[0].count == 3_000_000 - 1


@pytest.fixture(scope="module")
def large_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run that takes a while to read."""
    path = tmp_path_factory.mktemp("large") / "run"
    with path.open("wb") as file:
        block = b"".join(b"%%d Q0 d%d 1 1 x\n" % i for i in range(20_000))
        for topic in range(200):
            file.write(block.replace(b"%d", b"%d" % topic))
    return path


def output_of(script: str, *words: object) -> str:
    """Run a script in a process that may crash, and return what it prints."""
    done = subprocess.run(  # noqa: S603 -- a script of our own
        [sys.executable, "-c", script, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    return done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interruption_ends_a_native_read_within_half_a_second(large_run: Path) -> None:
    """Ctrl-C is not kept waiting until a large file has been read."""
    script = """
import os, signal, sys, threading, time
from poolwise import read_runs
def strike():
    time.sleep(0.2)
    print(time.process_time(), flush=True)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=strike).start()
try:
    read_runs(sys.argv[1])
except KeyboardInterrupt:
    print(time.process_time())
"""
    # The processor's time, since other tests may take the clock's.
    struck, ended = map(float, output_of(script, large_run).split())
    assert ended - struck < 0.5


@pytest.mark.usefixtures("native_reader")
@pytest.mark.parametrize("moment", ["before it starts", "while it starts", "while it is ended"])
def test_an_interruption_at_any_moment_leaves_a_native_read_its_memory(
    large_run: Path, moment: str
) -> None:
    """What threads still read into is not freed, however often and early they are interrupted."""
    script = """
import sys, threading, types
from poolwise import read_runs
from poolwise.collection.files import _native
path, moment = sys.argv[1:]
class Thread(threading.Thread):
    def start(self):
        if moment != "before it starts":
            super().start()
        if moment != "while it is ended":
            raise KeyboardInterrupt
class Event(threading.Event):
    def wait(self, timeout=None):
        if moment == "while it is ended":
            raise KeyboardInterrupt
        return super().wait(timeout)
_native.threading = types.SimpleNamespace(Thread=Thread, Event=Event, Lock=threading.Lock)
for _ in range(3):
    try:
        read_runs(path)
    except KeyboardInterrupt:
        print("interrupted")
"""
    assert output_of(script, large_run, moment).split() == ["interrupted"] * 3


@pytest.mark.usefixtures("native_reader")
@pytest.mark.parametrize("begun", [False, True])
def test_an_interruption_stops_the_scanner(
    begun: bool,  # noqa: FBT001 -- drawn
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether the thread that reads has begun or not, the next file is read as if nothing was."""
    path, stops = tmp_path / "mine.run", list[Scanner]()
    path.write_bytes(RUN)
    stop = Scanner.stop
    monkeypatch.setattr(Scanner, "stop", lambda self: stops.append(self) or stop(self))

    class Interrupted(Thread):
        def start(self) -> None:
            if begun:
                super().start()
            raise KeyboardInterrupt

    threads = SimpleNamespace(Thread=Interrupted, Event=Event, Lock=Lock)
    with monkeypatch.context() as patch:
        patch.setattr("poolwise.collection.files._native.threading", threads)
        with pytest.raises(KeyboardInterrupt):
            read_runs(path)
    assert len(stops) == 1
    assert read_runs(path).systems == ("x",)


@pytest.mark.usefixtures("native_reader")
def test_a_scanner_is_freed_when_nobody_reads_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that was left behind goes on with memory that is there, and then gives it back."""
    native, freed = required_library(), list[str]()
    free = native.poolwise_reader_free
    library = SimpleNamespace(**{name: getattr(native, name) for name in NATIVE_NAMES})
    library.poolwise_reader_free = lambda pointer: freed.append(free(pointer))
    monkeypatch.setattr("poolwise.collection.files._native.required_library", lambda: library)
    more, waiting = Event(), Event()

    def blocks() -> Iterator[memoryview]:
        yield memoryview(RUN)
        waiting.set()
        more.wait()
        yield memoryview(RUN.replace(b" d", b" e"))

    with Scanner([Options(0, 0, 0, 0, 0)]) as scanner:
        reader = Thread(target=scanner.read, args=(0, blocks()), daemon=True)
        reader.start()
        waiting.wait()
    assert freed == []
    more.set()
    reader.join()
    del reader
    assert freed == [None]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="devices of Linux")
def test_a_named_pipe_is_a_file_to_read(tmp_path: Path) -> None:
    """What other programs write into is read like a file, and is no folder and no pattern."""
    os.mkfifo(tmp_path / "runs")
    assert find_files(tmp_path / "runs") == [str(tmp_path / "runs")]
