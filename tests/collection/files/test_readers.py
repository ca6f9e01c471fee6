"""Files, dicts and frames become the same runs and judgments, or an error that names its place."""

import bz2
import gzip
import hashlib
import io
import lzma
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval
import zstandard
from tests.each import over
from tests.oracles import plain_reader

from poolwise import Judgments, Runs, read_judgments, read_runs
from poolwise.collection.files._native import is_native
from poolwise.errors import InputError, OptionError

pytestmark = pytest.mark.usefixtures("both_readers")

RUN = "2 Q0 b 1 2.5 bm25\n2 Q0 a 2 2.5 bm25\n10 Q0 a 1 -1e3 bm25\n"
PACKERS = {
    "plain": lambda raw: raw,
    "gz": gzip.compress,
    "gz in two members": lambda raw: gzip.compress(raw[:20]) + gzip.compress(raw[20:]),
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": lambda raw: zstandard.compress(raw[:20]) + zstandard.compress(raw[20:]),
}


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "bm25.run"
    path.write_text(RUN)
    return path


def lists(runs: Runs) -> dict[tuple[str, str], list[str]]:
    return {(s, t): runs.ranking(s, t) for s in runs.systems for t in runs.topics}


WANTED = {("bm25", "2"): ["b", "a"], ("bm25", "10"): ["a"]}


@over("packing", PACKERS)
def test_packing_is_told_from_the_bytes(packing: str, tmp_path: Path) -> None:
    """A compressed file reads as a plain one whatever it is called; its hash is that on disk."""
    path = tmp_path / "run"
    path.write_bytes(PACKERS[packing](RUN.encode()))
    runs = read_runs(path)
    assert lists(runs) == WANTED
    assert runs.sources[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_topics_are_in_byte_order(run_file: Path) -> None:
    """Topic 10 comes before topic 2."""
    assert read_runs(run_file).topics == ("10", "2")


def test_a_file_a_glob_a_folder_and_a_list_are_the_same(run_file: Path) -> None:
    """However files are named, they are read in order of their names."""
    (run_file.parent / "a.run").write_text("1 Q0 x 1 1 zzz\n")
    (run_file.parent / ".hidden").write_text("not a run")
    folder = read_runs(run_file.parent)
    assert folder.systems == ("zzz", "bm25")
    assert lists(read_runs(f"{run_file.parent}/*.run")) == lists(folder)
    assert lists(read_runs([run_file.parent / "a.run", run_file])) == lists(folder)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is the standard input, which stays open."""
    stdin = io.TextIOWrapper(io.BytesIO(RUN.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert lists(read_runs("-")) == WANTED
    assert not stdin.closed


def test_fields_that_trec_eval_reads_are_read(tmp_path: Path) -> None:
    """Tabs, runs of spaces, CRLF, a BOM, blank and comment lines, and odd ids are all legal."""
    path = tmp_path / "odd"
    path.write_bytes(
        b"\xef\xbb\xbf1\tQ0\t#a  1 +.5 x\r\n\r\n# no entry\n"
        b'1  Q0 "b,c"\t2 5.e-1 x and more\r\n1 Q0 NA 3 1 x\n001 Q0 007 1 1e3 x'
    )
    runs = read_runs(path)
    assert runs.ranking("x", "1") == ["NA", "#a", '"b,c"']
    assert runs.ranking("x", "001") == ["007"]


def test_bytes_that_are_not_utf8_survive(tmp_path: Path) -> None:
    """An id in another encoding keeps its bytes."""
    path = tmp_path / "latin1"
    path.write_bytes(b"1 Q0 caf\xe9 1 1 x\n")
    assert read_runs(path).documents.data.tobytes() == b"caf\xe9"


def test_ms_marco_run_of_three_columns(tmp_path: Path) -> None:
    """The third column is a rank, and the system takes its file's name."""
    path = tmp_path / "dense.tsv.gz"
    path.write_bytes(gzip.compress(b"1048585\t7187155\t2\n1048585\t7187156\t1\n"))
    assert lists(read_runs(path)) == {("dense", "1048585"): ["7187156", "7187155"]}


@over(
    "text",
    [
        "1 0 a 2\n1 0 b 0\n",
        "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n",
        "1\ta\t2\n1\tb\t0\n",
        "1 a 2\n1 b 0\n",
    ],
)
def test_qrels_layouts_are_told_from_the_first_line(text: str, tmp_path: Path) -> None:
    """TREC qrels and the three columns of BEIR, with a header or without, say the same."""
    path = tmp_path / "qrels"
    path.write_text(text)
    assert list(read_judgments(path)) == [("1", "a", 2.0), ("1", "b", 0.0)]


def test_float_and_negative_grades(tmp_path: Path) -> None:
    """Grades may be fractions; a negative one stays unless it is asked to be 0, and is counted."""
    path = tmp_path / "qrels"
    path.write_text("1 0 a 0.25\n1 0 b -1\n")
    assert read_judgments(path).scale.tolist() == [-1.0, 0.25]
    raised = read_judgments(path, negative="zero")
    assert raised.scale.tolist() == [0.0, 0.25]
    assert str(raised.notices[0]) == "negative grades taken as 0: 1"


BAD_RUNS = {
    "1 Q0 a 1 2\n": (":1", "at least 6 fields", "1 Q0 a 1 2"),
    "x" * 100 + "\n": (":1", "at least 6 fields", "x" * 71 + "…"),
    "1 Q0 a 1 2 x\n\n1 Q0 b 1 high x\n": (":3", "must be a number", "high"),
    "1 Q0 a 1 NaN x\n": (":1", "must be finite", "NaN"),
    "1 Q0 a 1 -inf x\n": (":1", "must be finite", "-inf"),
    "1 Q0 a 1 1e400 x\n": (":1", "must be finite", "1e400"),
    "1 Q0 a 1 2 x\n2 Q0 a 1 2 x\n1 Q0 a 9 1 x\n": (":3", "on line 1 too", "a"),
    "": ("", "at least one entry", None),
    "\n# nothing\n": ("", "at least one entry", None),
    "1 Q0 a 1 2 x\n\0": (":2", "NUL byte", None),
    "1 Q0 a 1 2 x\r1 Q0 b 1 2 x": (":1", "CR alone", "1 Q0 a 1 2 x\r1 Q0 b 1 2 x"),
    "1\ta\t1\n1\tb\t2\textra\n": (":2", "at most 3 fields", "1\tb\t2\textra"),
}


@over("text", BAD_RUNS)
def test_a_bad_line_is_named(text: str, tmp_path: Path) -> None:
    """An error says path and line, the rule, the value, and the remedy."""
    path = tmp_path / "bad.run"
    path.write_bytes(text.encode())
    line, rule, value = BAD_RUNS[text]
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert caught.value.where == f"{path}{line}"
    assert rule in caught.value.rule
    assert caught.value.value == value
    assert "Hint: " in str(caught.value)


def test_a_rank_is_read_only_where_it_counts(tmp_path: Path) -> None:
    """A rank that is no number matters only when ties are broken by rank."""
    path = tmp_path / "run"
    path.write_text("1 Q0 a first 2 x\n")
    assert read_runs(path).ranking("x", "1") == ["a"]
    with pytest.raises(InputError, match="whole number"):
        read_runs(path, ties="rank")


@over(
    "text, rule",
    [
        ("1 0 a 1\n1 0 a 0\n", "on line 1 too"),
        ("1 0 a yes\n", "must be a number"),
        ("1 0 a 1\n1 0 b\n", "at least 4 fields"),
        ("1 0 a 1 1 1\n", "at most 4 fields"),
    ],
)
def test_bad_judgments_are_named(text: str, rule: str, tmp_path: Path) -> None:
    """Judgments meet the same rules."""
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(InputError, match=rule):
        read_judgments(path)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    """A missing file, an empty folder and a glob without a match are errors."""
    with pytest.raises(InputError, match="must exist"):
        read_runs(tmp_path / "none.run")
    with pytest.raises(InputError, match="a folder must hold files"):
        read_runs(tmp_path)
    with pytest.raises(InputError, match="a glob must match"):
        read_runs(f"{tmp_path}/*.run")
    with pytest.raises(OptionError, match="one at least"):
        read_runs()


def test_a_torn_gz_file_is_named(tmp_path: Path) -> None:
    """A compressed file that ends too early is an error, not a shorter run."""
    path = tmp_path / "torn.gz"
    path.write_bytes(gzip.compress(RUN.encode())[:-9])
    with pytest.raises(InputError, match=r"torn\.gz: the file must be readable"):
        read_runs(path)


def test_the_first_bad_file_is_named(tmp_path: Path) -> None:
    """With several bad files, the first is named, whichever thread was faster."""
    for i in range(12):
        (tmp_path / f"{i:02}.run").write_text(RUN if i < 5 else "x\n" * i)
    with pytest.raises(InputError, match=r"05\.run:1"):
        read_runs(tmp_path, workers=4)


@over("policy, wanted", [("first", ["b", "a"]), ("last", ["a", "b"]), ("best", ["a", "b"])])
def test_duplicates_follow_the_policy_and_are_counted(
    policy: str, wanted: list[str], tmp_path: Path
) -> None:
    """A repeated document takes the place of its first, last or best score."""
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 1 x\n1 Q0 b 2 2 x\n1 Q0 a 3 9 x\n")
    runs = read_runs(path, duplicates=policy)
    assert runs.ranking("x", "1") == wanted
    assert str(runs.notices[0]) == f"duplicate documents, {policy} kept: 1 (first at {path}:3)"


def test_malformed_lines_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    """The policy skip counts over all files and names the first line."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"short\n1 Q0 d 1 1 {name}\n1 Q0 e 1 nan {name}\n")
    runs = read_runs(tmp_path, malformed="skip")
    assert lists(runs) == {("a", "1"): ["d"], ("b", "1"): ["d"]}
    assert str(runs.notices[0]) == f"malformed lines left out: 4 (first at {tmp_path / 'a'}:1)"


def test_names_are_tags_where_they_tell_runs_apart(tmp_path: Path) -> None:
    """A tag that two runs share gives way to the file's name."""
    for name, tag in (("a.run.gz", "anserini"), ("b.txt", "anserini"), ("c", "own")):
        (tmp_path / name).write_text(f"1 Q0 d 1 1 {tag}\n")
    assert read_runs(tmp_path).systems == ("a", "b", "own")
    assert read_runs(tmp_path, names="file").systems == ("a", "b", "c")
    with pytest.raises(InputError, match="read once"):
        read_runs(tmp_path / "c", tmp_path / "c")


def test_an_unknown_option_lists_the_known_ones(run_file: Path) -> None:
    """Every choice is checked."""
    for option in ("ties", "duplicates", "malformed", "names", "layout"):
        with pytest.raises(OptionError, match=f"{option}: 'no' is not known"):
            read_runs(run_file, **{option: "no"})


FRAME = {
    "run": ["x", "x", "y"],
    "qid": ["1", "1", "01"],
    "docno": ["a b", "#c", "NA"],
    "score": [1.0, 2.0, 3.0],
}


@over("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_every_make_are_read(make: type) -> None:
    """Ids with spaces, ``#`` and leading zeros survive a frame."""
    runs = read_runs(make(FRAME))
    assert runs.systems == ("x", "y")
    assert runs.ranking("x", "1") == ["#c", "a b"]
    assert runs.ranking("y", "01") == ["NA"]
    grades = {"query_id": [7, 7], "doc_id": ["b", "a"], "relevance": [0, 2]}
    assert list(read_judgments(make(grades))) == [("7", "a", 2.0), ("7", "b", 0.0)]


def test_parquet_is_read(tmp_path: Path) -> None:
    """A Parquet file is a frame."""
    pl.DataFrame(FRAME).write_parquet(tmp_path / "runs.parquet")
    assert lists(read_runs(tmp_path / "runs.parquet")) == lists(read_runs(pd.DataFrame(FRAME)))


@over(
    "frame, message",
    [
        ({"qid": [1.0], "docno": ["a"], "score": [1]}, "whole number; got 1.0"),
        ({"qid": ["1"], "docno": ["a"]}, "a column for the score"),
        ({"qid": ["1"], "docno": ["a"], "score": [float("nan")]}, "<frame>:1: .*finite"),
        ({"qid": ["1"], "docno": ["a\nb"], "score": [1]}, "line break"),
        ({"qid": ["1"], "docno": ["a\x1fb"], "score": [1]}, "at most 4 fields"),
    ],
)
def test_bad_frames_are_named(frame: dict[str, list[object]], message: str) -> None:
    """A frame meets the rules that files meet."""
    with pytest.raises(InputError, match=message):
        read_runs(pd.DataFrame(frame))


def test_dicts_are_read_with_a_system_and_without() -> None:
    """Numbers of any make are scores; integer ids become text."""
    run = {1: {"a": np.float32(0.5), "b": 1}, 2: {3: True}}
    assert lists(read_runs(run)) == {("run", "1"): ["b", "a"], ("run", "2"): ["3"]}
    assert read_runs({"x": run, "y": run}).systems == ("x", "y")
    assert list(read_judgments({"1": {"a": 1}})) == [("1", "a", 1.0)]


def test_dict_ties_by_rank_keep_the_order_given() -> None:
    """The order of a dict is its ranks."""
    assert read_runs({"1": {"b": 1, "a": 1}}, ties="rank").ranking("run", "1") == ["b", "a"]


def test_frames_and_dicts_come_back(run_file: Path) -> None:
    """What was read goes out to frames and dicts and comes back in the same order."""
    runs = read_runs(run_file)
    for backend in ("pandas", "polars", "pyarrow"):
        assert lists(read_runs(runs.to_frame(backend=backend))) == lists(runs)
    assert lists(read_runs(runs.to_dict())) == lists(runs)
    qrels = Judgments.from_dict({"1": {"a": 0.5, "b": -1}, "2": {"c": 2}})
    assert list(read_judgments(qrels.to_frame(backend="polars"))) == list(qrels)
    assert list(read_judgments(qrels.to_dict())) == list(qrels)


def test_other_things_are_refused() -> None:
    """A value that is no source says what may be one."""
    with pytest.raises(OptionError, match="source: an object of the type int cannot be read"):
        read_runs(5)


def test_ties_of_trec_eval9_are_those_of_pytrec_eval() -> None:
    """Scores that differ only beyond single precision tie; oracle: pytrec_eval-terrier 0.5."""
    rng = np.random.default_rng(3)
    scores = {f"d{i}": 1 + rng.integers(4) * 1e-8 + rng.integers(3) * 1e-3 for i in range(40)}
    ranking = read_runs({"1": scores}, ties="trec_eval9").ranking("run", "1")
    # One topic for each document, in which it alone is relevant: 1/RR is its rank.
    oracle = pytrec_eval.RelevanceEvaluator({d: {d: 1} for d in scores}, {"recip_rank"})
    result = oracle.evaluate(dict.fromkeys(scores, scores))
    ranks = {d: round(1 / result[d]["recip_rank"]) for d in scores}
    assert ranking == sorted(scores, key=ranks.__getitem__)
    assert ranking != read_runs({"1": scores}).ranking("run", "1")


def test_trec8_runs_read_as_the_plain_reader_reads_them(data_dir: Path) -> None:
    """Original files with their quirks: an all-tied run, one with tabs, one out of order."""
    paths = [data_dir / "trec8" / "runs" / f"{n}.gz" for n in ("1", "8manexT3D1N0", "READWARE2")]
    runs = read_runs(paths, names="file")
    for path, system in zip(paths, runs.systems, strict=True):
        wanted = plain_reader.read(gzip.decompress(path.read_bytes()))
        for topic, entries in wanted.topics.items():
            assert runs.ranking(system, topic.decode()) == [e.document.decode() for e in entries]


def test_the_number_of_workers_changes_nothing(data_dir: Path) -> None:
    """Threads meet ids in another order; the arrays are the same."""
    if not is_native():
        pytest.skip("the twin of the native library reads with one thread")
    folder = data_dir / "trec-dl-2019" / "runs"
    single, four = read_runs(folder, workers=1), read_runs(folder, workers=4)
    assert single.systems == four.systems
    for name in ("rankings", "list_starts", "topic_starts", "tied"):
        assert np.array_equal(getattr(single, name), getattr(four, name))
    assert np.array_equal(single.documents.data, four.documents.data)
