"""The recipes of docs/many-machines.md run as they stand, and give the numbers of evaluate."""

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.workflows.by_topic.batch_examples import assert_as_evaluated, lines, qrels

import poolwise as pw

PAGE = Path(__file__).resolve().parents[3] / "docs" / "many-machines.md"
BLOCK = re.compile(r"^```python ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLUSTER = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "silence_logs": 50}


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """Return what runs the block of an engine, after the one that all share, on some files."""
    (tmp_path / "lines").mkdir()
    table = lines()
    for i, half in enumerate((table.slice(0, 100), table.slice(100))):
        pq.write_table(half, tmp_path / "lines" / f"{i}.parquet")
    pw.write_judgments(qrels(), tmp_path / "qrels")
    monkeypatch.chdir(tmp_path)
    blocks = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))

    def run(engine: str) -> dict[str, Any]:
        # As a script: what it defines goes to other processes by value.
        names: dict[str, Any] = {"__name__": "__main__"}
        for block in (blocks[""], blocks[engine]):
            exec(block, names)  # noqa: S102  (our own page)
        return names

    return run


@pytest.mark.filterwarnings("ignore")  # those of the engines are not ours
class TestRecipes:
    """Each recipe, on the machine that runs the tests."""

    def test_two_processes(self, recipe: Callable[[str], dict[str, Any]]) -> None:
        """Two processes by joblib."""
        assert_as_evaluated(recipe("joblib")["found"])

    def test_dask_without_a_cluster(self, recipe: Callable[[str], dict[str, Any]]) -> None:
        """Threads of one process."""
        pytest.importorskip("dask")
        assert_as_evaluated(recipe("dask")["found"])

    def test_a_dask_cluster(self, recipe: Callable[[str], dict[str, Any]]) -> None:
        """Two processes of a cluster."""
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(**CLUSTER, dashboard_address=":0") as cluster,
            distributed.Client(cluster),
        ):
            assert_as_evaluated(recipe("dask")["found"])

    def test_a_worker_that_is_killed(
        self, recipe: Callable[[str], dict[str, Any]], tmp_path: Path
    ) -> None:
        """A process that dies amid its work changes no number: its tasks are done again."""
        distributed = pytest.importorskip("distributed")
        names = recipe("dask")
        score, killed = names["score"], tmp_path / "killed"

        def dies_once(batch: pa.Table) -> pa.Table:
            if not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return score(batch)

        with (
            distributed.LocalCluster(**CLUSTER, dashboard_address=":0") as cluster,
            distributed.Client(cluster) as client,
        ):
            batches = [
                names["lines"].to_table(filter=names["ds"].field("topic") == topic)
                for topic in names["qrels"].topics
            ]
            tables = client.gather(client.map(dies_once, batches))
        assert killed.exists()
        joined = pw.workflows.join_batches(
            tables, names["qrels"], names["measures"], runs=names["names"]
        )
        assert_as_evaluated(joined)

    @pytest.mark.usefixtures("spark_settings")
    def test_spark(self, recipe: Callable[[str], dict[str, Any]]) -> None:
        """A local Spark of two threads, with processes of Python."""
        names = recipe("spark")
        try:
            assert_as_evaluated(names["found"])
        finally:
            names["spark"].stop()

    def test_ray(self, recipe: Callable[[str], dict[str, Any]]) -> None:
        """A local Ray."""
        ray = pytest.importorskip("ray", reason="ray is not installed: poolwise[ray]")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            assert_as_evaluated(recipe("ray")["found"])
        finally:
            ray.shutdown()


@pytest.fixture
def spark_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Spark use this Python and two threads, or skip."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: poolwise[spark]")
    if not shutil.which("java"):
        pytest.skip("Spark needs a Java, and there is none on the path")
    options = (
        "--master local[2] --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2"
    )
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{options} pyspark-shell")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    return


def test_every_recipe_has_a_test() -> None:
    """A block of the page that names an engine is run here."""
    named = {name for name, _ in BLOCK.findall(PAGE.read_text(encoding="utf-8"))} - {""}
    assert named == {"joblib", "dask", "spark", "ray"}
