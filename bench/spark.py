"""Runs as lines of Parquet, scored by topic on local Spark: seconds of all processors for a line.

Run as ``python -m bench.spark``; it needs Spark and a Java. The recipe is that of the page on many
machines. Two sizes tell what starting takes, and what each further line does.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from bench.by_topic import CORES, LINES, MEASURES, made_batches

TOPICS = (100, 400)
_RECIPE = """
import os, sys
from contextlib import suppress
from pathlib import Path
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

# What this process and all below it have used: Java, and the workers that it started.
used, parents = {}, {}
for path in Path("/proc").glob("[0-9]*/stat"):
    with suppress(OSError):
        fields = path.read_text().rpartition(")")[2].split()
        used[int(path.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        parents[int(path.parent.name)] = int(fields[1])
below, grown = {os.getpid()}, True
while grown:
    more = {one for one, parent in parents.items() if parent in below} - below
    below, grown = below | more, bool(more)
print(sum(used.get(one, 0) for one in below))
spark.stop()
"""


def main() -> None:
    """Print what each size took, and what 10⁹ lines would."""
    seconds, lines = zip(*map(_measured, TOPICS), strict=True)
    each = (seconds[1] - seconds[0]) / (lines[1] - lines[0])
    hours = each * LINES / 3600
    print(
        f"{1e9 * each:.0f} ns of processors a line; {LINES:,} lines take {hours:.1f} hours of one "
        f"core, and {60 * hours / CORES:.1f} minutes of {CORES}"
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
        command = [sys.executable, "-c", _RECIPE, name, str(topics), ",".join(MEASURES)]
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    lines, taken = sum(len(batch) for batch in batches), float(done.stdout.split()[-1])
    print(f"{lines:,} lines: {taken:.1f} s of processors", flush=True)
    return taken, lines


if __name__ == "__main__":
    main()
