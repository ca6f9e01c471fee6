"""Files elsewhere are read as those here: by address, through fsspec."""

import gzip
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

import poolwise as pw
from poolwise.collection.files._sources import find_addresses, is_address

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: poolwise[remote]")

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUNS = {"x": b"1 Q0 a 1 2.5 x\n1 Q0 b 2 1 x\n", "y": b"2 Q0 c 1 2.5 y\n2 Q0 z 2 1 y\n"}
FRAME = {"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]}


@pytest.fixture(params=["memory", "file"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Write qrels and runs, one of them compressed, and return the address of their folder."""
    address = "memory://shelf" if request.param == "memory" else f"file://{tmp_path}/shelf"
    system, place = fsspec.core.url_to_fs(address)
    system.makedirs(f"{place}/runs")
    for name, content in {
        "qrels.gz": gzip.compress(QRELS, mtime=0),
        "runs/x.run": RUNS["x"],
        "runs/y.run.gz": gzip.compress(RUNS["y"], mtime=0),
        "runs/README.md": b"ours",
    }.items():
        system.pipe(f"{place}/{name}", content)
    yield address
    system.rm(place, recursive=True)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Write the same files on this machine."""
    folder = tmp_path / "here"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels").write_bytes(QRELS)
    for name, content in RUNS.items():
        (folder / "runs" / f"{name}.run").write_bytes(content)
    return folder


def check_scores(root: str, here: Path, runs: str, *, stream: bool | None) -> None:
    remote = pw.evaluate(f"{root}/qrels.gz", f"{root}/{runs}", "AP", stream=stream)["AP"]
    local = pw.evaluate(here / "qrels", here / "runs", "AP")["AP"]
    assert remote.systems == local.systems == ("x", "y")
    for numbers in ("value", "lower", "upper"):
        assert getattr(remote, numbers).tolist() == getattr(local, numbers).tolist()


@pytest.mark.parametrize("runs", ["runs", "runs/*.run*"])
def test_files_elsewhere_give_the_same_scores(root: str, here: Path, runs: str) -> None:
    """A folder and a glob, plain and compressed."""
    check_scores(root, here, runs, stream=None)


@pytest.mark.usefixtures("native_reader")
@pytest.mark.parametrize("runs", ["runs", "runs/*.run*"])
def test_files_elsewhere_are_read_by_topics(root: str, here: Path, runs: str) -> None:
    """They have the same scores as files that are read whole."""
    check_scores(root, here, runs, stream=True)


def test_provenance_has_the_hash_of_what_was_read(root: str) -> None:
    """The bytes are hashed as they come: those of the compressed file, as it lies there."""
    provenance = pw.evaluate(f"{root}/qrels.gz", f"{root}/runs/y.run.gz").provenance
    assert provenance.judgments.path.endswith("shelf/qrels.gz")
    assert is_address(provenance.judgments.path)
    assert provenance.judgments.sha256 == sha256(gzip.compress(QRELS, mtime=0)).hexdigest()
    assert len(provenance.runs[0].sha256) == 64


def test_what_is_not_there_is_said(root: str) -> None:
    """The address, the rule and what to do."""
    for missing in (f"{root}/nothing.run", f"{root}/runs/*.none"):
        with pytest.raises(pw.InputError, match=r"shelf/.*: the file must exist"):
            pw.read_runs(missing)


@pytest.mark.parametrize("address", ["nosuch://bucket/x", "s3://bucket/x"])
def test_an_address_that_nothing_opens_is_one_sentence(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the scheme is unknown, or the package for it is not installed."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(pw.InputError, match="one that fsspec can open") as raised:
        pw.read_runs(address)
    assert "\n" not in str(raised.value)


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses need a package that poolwise does not bring by itself."""
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(pw.MissingExtraError, match=r"poolwise\[remote\]"):
        find_addresses("memory://x")


def test_parquet_elsewhere(root: str, tmp_path: Path) -> None:
    """A file and a folder of parts."""
    system, place = fsspec.core.url_to_fs(root)
    path = tmp_path / "frame.parquet"
    pl.DataFrame(FRAME | {"run": ["bm25"] * 2}).write_parquet(path)
    for name in ("runs.parquet", "lines/run=one/0.parquet", "lines/run=two/0.parquet"):
        system.makedirs(f"{place}/{name}".rsplit("/", 1)[0], exist_ok=True)
        pl.DataFrame(FRAME | ({"run": ["bm25"] * 2} if name[0] == "r" else {})).write_parquet(path)
        system.pipe(f"{place}/{name}", path.read_bytes())
    assert pw.read_runs(f"{root}/runs.parquet").systems == ("bm25",)
    parts = pw.read_runs(f"{root}/lines")
    assert parts.systems == ("one", "two")
    assert parts.ranking("two", "1") == ["a", "b"]
