"""Without the native library everything is the same, and takes longer."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise import native_loading
from poolwise.collection._identifiers import IdTable
from poolwise.collection.files import _native
from poolwise.collection.files._python_scanner import PlainScanner
from poolwise.measures.bounds.kernels import _native as kernels

LIBRARIES = _native.library, kernels.library


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return judgments and a folder of runs, with ties, unjudged documents and two endings."""
    made = pw.simulate(systems=4, topics=6, depth=40, pool_depth=8, rng=2)
    (tmp_path / "runs").mkdir()
    pw.write_judgments(made.judgments, tmp_path / "qrels.txt")
    for system, ending in zip(made.runs.systems, ("", ".gz", ".xz", ""), strict=True):
        pw.write_run(made.runs, system, tmp_path / "runs" / f"{system}.trec{ending}")
    return tmp_path / "qrels.txt", tmp_path / "runs"


def without_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native_loading.SWITCH, "0")
    for library in LIBRARIES:
        library.cache_clear()


@pytest.fixture(autouse=True)
def _forget_libraries() -> Iterator[None]:
    """Let every test, and those after it, look for the libraries anew."""
    yield
    for library in LIBRARIES:
        library.cache_clear()


def test_scores_and_bounds_are_the_same(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values are equal to the last bit, and ranges to 1e-12, with reader and kernels in Python."""
    names = ["AP", "nDCG", "Rprec", "RBP(p=0.8)", "RR", "Q", "Q@10", "R@20", "ERR@10"]
    native = pw.evaluate(*files, names)
    without_native(monkeypatch)
    assert not _native.is_native()
    assert kernels.library() is None
    plain = pw.evaluate(*files, names)
    assert plain.provenance == native.provenance
    for name in names:
        assert np.array_equal(plain[name].value, native[name].value, equal_nan=True)
        for end in ("lower", "upper"):
            np.testing.assert_allclose(
                getattr(plain[name], end), getattr(native[name], end), rtol=0, atol=1e-12
            )


def test_differences_are_the_same(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can be said of every pair does not depend on the library."""
    differences = []
    for _ in range(2):
        evidence = pw.align(pw.read_judgments(files[0]), pw.read_runs(files[1]))
        differences.append(pw.findings.all_differences(evidence, "AP@10"))
        without_native(monkeypatch)
    for end in ("lower", "upper"):
        np.testing.assert_allclose(
            getattr(differences[1], end), getattr(differences[0], end), rtol=0, atol=1e-12
        )


def test_rows_are_matched_alike() -> None:
    """Both find ids in another table, and leave out topics that have no pair there."""
    first, other = IdTable.from_strings("abdacx"), IdTable.from_strings("acdbx")
    arguments = first, np.array([0, 3, 4, 6]), np.array([1, -1, 0]), other, np.array([0, 3, 5])
    wanted = [-1, 3, -1, -1, 1, -1]
    assert _native.match_rows(*arguments).tolist() == wanted
    assert _native.match_rows_in_python(*arguments).tolist() == wanted


def test_a_library_that_is_not_there_or_is_none_is_done_without(tmp_path: Path) -> None:
    """What the system cannot load is no library, and no error."""
    beside = str(tmp_path / "module.py")
    assert native_loading.load_library(beside, "scanner") is None
    for suffix in ("so", "dylib", "dll"):
        (tmp_path / f"_scanner.{suffix}").write_bytes(b"no library")
    assert native_loading.load_library(beside, "scanner") is None


@pytest.mark.parametrize(("switch", "said"), [("1", "is in use"), ("0", "is not in use")])
def test_the_version_says_whether_the_library_is_in_use(
    switch: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow program tells why."""
    if switch == "1" and not _native.is_native():
        pytest.skip("no native library could be built here")
    monkeypatch.setenv(native_loading.SWITCH, switch)
    command = [sys.executable, "-m", "poolwise", "--version"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 -- ours
    assert said in ran.stdout


def test_a_stopped_scanner_reads_no_further() -> None:
    """After an interruption no block is asked for that was not read yet."""
    scanner = PlainScanner([_native.Options()])
    scanner.stop()
    left = iter([memoryview(b"1 Q0 a 1 2.0 run\n"), memoryview(b"no line")])
    assert scanner.read(0, left).problem is None
    assert next(left).tobytes() == b"no line"


def test_a_second_byte_order_mark_is_refused_without_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the first line of a file may begin with is an error in any other."""
    without_native(monkeypatch)
    file = tmp_path / "marks.run"
    file.write_bytes(b"\xef\xbb\xbf1 Q0 a 1 2.0 run\n\xef\xbb\xbf1 Q0 b 2 1.0 run\n")
    with pytest.raises(pw.InputError, match=r"marks\.run:2"):
        pw.read_runs(file)
    read = pw.read_runs(file, malformed="skip")
    assert list(read.ranking("run", "1")) == ["a"]
