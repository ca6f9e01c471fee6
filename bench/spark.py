"""Runs as lines of Parquet, scored by topic on local Spark: seconds of all processors for a line.

Run as ``python -m bench.spark``; it needs Spark and a Java. The recipe is that of the page on many
machines. Two sizes tell what starting takes, and what each further line does.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from bench.by_topic import CORES, LINES, MEASURES, made_batches

TOPICS = (100, 400)
_RECIPE = """
import sys
import poolwise as pw
from pyspark.sql import SparkSession

folder, topics, names = sys.argv[1], int(sys.argv[2]), [f"run{r}" for r in range(10)]
qrels, measures = pw.read_judgments(f"{folder}/qrels"), sys.argv[3].split(",")

def score(batch):
    return pw.workflows.score_batches(batch, qrels, measures, runs=names)

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
lines = spark.read.parquet(f"{folder}/lines")
scores = lines.groupBy("topic").applyInArrow(score, schema=pw.workflows.BATCH_SCHEMA)
found = pw.workflows.join_batches(scores.toArrow(), qrels, measures, runs=names)
assert len(found[measures[0]].topics) == topics
spark.stop()
"""


def main() -> None:
    """Print what each size took, and what 10⁹ lines would."""
    seconds, lines = zip(*map(_measured, TOPICS), strict=True)
    each = (seconds[1] - seconds[0]) / (lines[1] - lines[0])
    hours = each * LINES / 3600
    print(
        f"{1e9 * each:.0f} ns of processors a line; {LINES:,} lines take {hours:.1f} hours of one "
        f"core, and {60 * hours / CORES:.0f} minutes of {CORES}"
    )


def _measured(topics: int) -> tuple[float, int]:
    import poolwise as pw

    batches, judgments, _ = made_batches(topics)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lines").mkdir()
        pw.write_judgments(judgments, folder / "qrels")
        for number, batch in enumerate(batches):
            pq.write_table(batch, folder / "lines" / f"{number}.parquet")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-c", _RECIPE, name, str(topics), ",".join(MEASURES)]
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = sum(len(batch) for batch in batches)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{lines:,} lines: {taken:.1f} s of processors", flush=True)
    return taken, lines


if __name__ == "__main__":
    main()
