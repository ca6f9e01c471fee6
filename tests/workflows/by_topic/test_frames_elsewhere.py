"""Frames where they live: one call with any engine's table gives the bits of reading it whole."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from tests.workflows.by_topic.batch_examples import MEASURES, assert_as_evaluated, lines, qrels

import poolwise as pw
from poolwise.collection._identifiers import cut_topics
from poolwise.collection.formats import _lines
from poolwise.errors import InputError
from poolwise.evidence import _meeting
from poolwise.workflows import _evaluate

Make = Callable[[pa.Table], Any]


def duckdb_relation(table: pa.Table) -> Any:
    """Return a relation of DuckDB."""
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_arrow(table)


def dask_frame(table: pa.Table) -> Any:
    """Return a frame of Dask, in three parts that cut topics."""
    frames = pytest.importorskip("dask.dataframe")
    return frames.from_pandas(table.to_pandas(), npartitions=3)


def daft_frame(table: pa.Table) -> Any:
    """Return a frame of Daft."""
    daft = pytest.importorskip("daft", reason="daft is not installed: poolwise[daft]")
    return daft.from_arrow(table)


HERE: dict[str, Make] = {
    "polars": lambda table: pl.from_arrow(table).lazy(),  # type: ignore[union-attr] # a table
    "duckdb": duckdb_relation,
    "dask": dask_frame,
    "daft": daft_frame,
    "arrow": ds.dataset,
}
"""Engines of one process, or that need no server."""


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """Make blocks small, so that few lines have several, and return which topics were fetched."""
    monkeypatch.setattr(_meeting, "cut_topics", partial(cut_topics, cells=60))
    fetched: list[list[Any]] = []
    of_topics = _lines.Lines.of_topics

    def counted(self: _lines.Lines, values: Any, words: str) -> Any:
        fetched.append(list(values))
        return of_topics(self, values, words)

    monkeypatch.setattr(_lines.Lines, "of_topics", counted)
    return fetched


@pytest.mark.parametrize("make", HERE.values(), ids=HERE)
def test_an_engine_gives_the_same_bits(make: Make, small_blocks: list[list[Any]]) -> None:
    """Whatever the engine, by blocks of topics, each fetched once, with the same notices."""
    evaluation = pw.evaluate(qrels(), make(lines()), MEASURES)
    assert_as_evaluated(evaluation)
    whole = pw.evaluate(qrels(), lines(), MEASURES)
    assert evaluation["AP"].provenance.notices == whole["AP"].provenance.notices
    for one, other in zip(evaluation.beside, whole.beside, strict=True):
        np.testing.assert_array_equal(one.value, other.value)
    assert len(small_blocks) > 2
    every = [topic for block in small_blocks for topic in block]
    assert sorted(every) == ["1", "10", "2", "a-topic", "unjudged"]


@pytest.mark.parametrize("make", HERE.values(), ids=HERE)
@pytest.mark.usefixtures("small_blocks")
def test_columns_have_the_names_that_people_give_them(make: Make) -> None:
    """Topics may be numbers, and a table without a column for the run is one run."""
    table = lines()
    of_r2 = table.filter(pa.compute.equal(table["run"], "r2")).drop_columns(["run"])
    of_r2 = of_r2.filter(pa.compute.is_in(of_r2["topic"], pa.array(["1", "10", "2"])))
    numbers = of_r2.set_column(0, "qid", of_r2["topic"].cast(pa.int64()))
    by_engine, whole = (pw.evaluate(qrels(), t, "AP")["AP"] for t in (make(numbers), numbers))
    assert by_engine.systems == whole.systems == ("run",)
    np.testing.assert_array_equal(by_engine.value, whole.value)


@pytest.mark.usefixtures("small_blocks")
def test_options_and_refusals_are_those_of_a_whole_frame() -> None:
    """Common topics, duplicates kept and counted, duplicates refused."""
    whole = pl.DataFrame(pl.from_arrow(lines()))
    frame, again = whole.lazy(), whole.filter(pl.col("document") == "d3")
    assert_as_evaluated(pw.evaluate(qrels(), frame, MEASURES, topics="common"), topics="common")
    twice = pl.concat([frame, again.lazy()])
    first = pw.Reading(duplicates="first")
    evaluation = pw.evaluate(qrels(), twice, MEASURES, reading=first)
    assert_as_evaluated(evaluation)
    notices = {notice.what: notice.count for notice in evaluation["AP"].provenance.notices}
    assert notices["duplicate documents, first kept"] == again.height
    with pytest.raises(InputError, match=r"<frame> \(topic.*\).* a document may occur once"):
        pw.evaluate(qrels(), twice, MEASURES)
    with pytest.raises(InputError, match="there must be a column for the topic"):
        pw.evaluate(qrels(), frame.rename({"topic": "t"}), MEASURES)


def test_a_lazy_frame_is_never_collected_whole(
    small_blocks: list[list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest part that is in memory has the lines of one block of topics."""
    sizes: list[int] = []
    arrow = _lines._arrow

    def measured(frame: Any) -> Any:
        table = arrow(frame)
        sizes.append(table.num_rows)
        return table

    monkeypatch.setattr(_lines, "_arrow", measured)
    pw.evaluate(qrels(), pl.from_arrow(lines()).lazy(), "AP")  # type: ignore[union-attr] # as above
    counts, *blocks = sizes
    assert counts == 12  # runs and topics, each pair once
    assert sum(blocks) == lines().num_rows
    assert max(blocks) < sum(blocks) / 2
    assert len(blocks) == len(small_blocks)


def test_parquet_is_read_by_blocks(tmp_path: Path, small_blocks: list[list[Any]]) -> None:
    """Of a file with all runs, of one file for each, and of a folder that is one table."""
    table = lines()
    pq.write_table(table, tmp_path / "lines.parquet")
    (tmp_path / "runs").mkdir()
    (tmp_path / "parts").mkdir()
    for number, name in enumerate(("r0", "r1", "r2")):
        mine = table.filter(pa.compute.equal(table["run"], name)).drop_columns(["run"])
        pq.write_table(mine, tmp_path / "runs" / f"{name}.parquet")
        pq.write_table(
            table.slice(number * 60, 60 if number < 2 else None),
            tmp_path / "parts" / f"part-{number}.parquet",
        )
    for source in ("lines.parquet", "runs", "parts"):
        small_blocks.clear()
        by_block, whole = (
            pw.evaluate(qrels(), tmp_path / source, MEASURES, stream=stream)
            for stream in (True, False)
        )
        assert small_blocks
        for name in whole:
            one, other = by_block[name], whole[name]
            assert one.systems == other.systems
            assert one.provenance.runs == other.provenance.runs
            for numbers in ("value", "lower", "upper"):
                np.testing.assert_array_equal(getattr(one, numbers), getattr(other, numbers))
    assert_as_evaluated(pw.evaluate(qrels(), tmp_path / "parts", MEASURES, stream=True))


def test_large_parquet_is_read_by_blocks_unasked(
    tmp_path: Path, small_blocks: list[list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From so many lines on; what is no Parquet is refused in the same words."""
    pq.write_table(lines(), tmp_path / "lines.parquet")
    pw.evaluate(qrels(), tmp_path / "lines.parquet", "AP")
    assert not small_blocks
    monkeypatch.setattr(_evaluate, "TABLES_FROM", 100)
    pw.evaluate(qrels(), tmp_path / "lines.parquet", "AP")
    assert small_blocks
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no more")
    for stream in (True, None):
        with pytest.raises(InputError, match="must be intact Parquet"):
            pw.evaluate(qrels(), tmp_path / "broken.parquet", "AP", stream=stream)


def test_other_functions_take_engines_too() -> None:
    """What needs all documents at once takes the table whole."""
    dataset = ds.dataset(lines())
    comparisons = pw.compare(qrels(), dataset, "AP", draws=0)["AP"]
    whole = pw.compare(qrels(), lines(), "AP", draws=0)["AP"]
    assert repr(comparisons.columns()) == repr(whole.columns())  # nan is not itself


def test_no_engine_is_imported_that_is_not_there() -> None:
    """A frame of polars brings neither DuckDB nor Dask, Spark, Ray or Daft with it."""
    code = (
        "import sys, polars as pl, poolwise as pw\n"
        "f = pl.LazyFrame({'qid': ['1'], 'docno': ['a'], 'score': [1.0]})\n"
        "pw.evaluate({'1': {'a': 1}}, f, 'AP')\n"
        "print([n for n in ('duckdb', 'dask', 'pyspark', 'ray', 'daft') if n in sys.modules])"
    )
    words = [sys.executable, "-c", code]
    shown = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603 -- our own
    assert shown.stdout == "[]\n"


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a local session of Spark with two threads, or skip."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: poolwise[spark]")
    if not shutil.which("java"):
        pytest.skip("Spark needs a Java, and there is none on the path")
    options = (
        "--master local[2] --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2"
    )
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{options} pyspark-shell")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    session = sql.SparkSession.builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore")  # those of the engines are not ours
def test_spark_scores_where_the_lines_lie(spark: Any) -> None:
    """One call groups them by topic and scores them there; whole it gives the same."""
    frame = spark.createDataFrame(lines().to_pandas())
    evaluation = pw.evaluate(qrels(), frame, MEASURES)
    assert_as_evaluated(evaluation)
    whole = pw.evaluate(qrels(), lines(), MEASURES)
    assert evaluation["AP"].provenance.notices == whole["AP"].provenance.notices
    renamed = frame.withColumnRenamed("run", "system").withColumnRenamed("topic", "qid")
    assert_as_evaluated(pw.evaluate(qrels(), renamed, MEASURES, topics="common"), topics="common")
    of_r1 = frame.where(frame.run == "r1").drop("run")
    table = pw.evaluate(qrels(), of_r1, "AP")["AP"]
    assert table.systems == ("run",)
    assert table.value.shape == (1, 5)


@pytest.mark.filterwarnings("ignore")  # as above
def test_ray_scores_where_the_lines_lie() -> None:
    """The same with a dataset of Ray."""
    ray = pytest.importorskip("ray", reason="ray is not installed: poolwise[ray]")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        dataset = ray.data.from_arrow(lines())
        assert_as_evaluated(pw.evaluate(qrels(), dataset, MEASURES))
        whole = pw.evaluate(qrels(), dataset, "AP", stream=False)["AP"]
        there = pw.evaluate(qrels(), dataset.rename_columns({"run": "system"}), "AP")["AP"]
        np.testing.assert_array_equal(there.value, whole.select(there.systems).value)
    finally:
        ray.shutdown()
