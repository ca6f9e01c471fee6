"""What one core takes for a line where topics are scored on many machines, and 10⁹ lines with it.

Run as ``python -m bench.by_topic``. It times ``score_batches``, which Spark, Ray and Dask call for
each topic, on batches as ``groupBy("topic")`` hands them over: all runs of one topic, as Arrow
tables. What an engine adds, to read, to shuffle and to start, is not in it.
"""

import time

import numpy as np
import pyarrow as pa

import poolwise as pw

RUNS, TOPICS, DEPTH, JUDGED = 10, 100, 1000, 100
MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)")
LINES, CORES = 10**9, 100
ROUNDS = 3


def main() -> None:
    """Print nanoseconds a line, with exact bounds and without, and what 10⁹ lines take."""
    batches, judgments, names = made_batches()
    lines = sum(len(batch) for batch in batches)
    for bounds in ("exact", "none"):
        each = min(_seconds(batches, judgments, names, bounds) for _ in range(ROUNDS)) / lines
        hours = each * LINES / 3600
        print(
            f"bounds {bounds}: {1e9 * each:.0f} ns a line and core; {LINES:,} lines take "
            f"{hours:.2f} hours of one core, {60 * hours / CORES:.1f} minutes of {CORES}",
            flush=True,
        )


def _seconds(
    batches: list[pa.Table], judgments: pw.Judgments, names: list[str], bounds: str
) -> float:
    started = time.process_time()
    for batch in batches:
        pw.workflows.score_batches(batch, judgments, MEASURES, runs=names, bounds=bounds)
    return time.process_time() - started


def made_batches(topics: int = TOPICS) -> tuple[list[pa.Table], pw.Judgments, list[str]]:
    """Make up whole topics: ten runs of a thousand documents, a hundred of them judged."""
    rng = np.random.default_rng(1)
    names = [f"run{r}" for r in range(RUNS)]
    judged, batches = {}, []
    for t in range(topics):
        documents = np.array([f"D{t:04d}x{d:07d}" for d in range(2 * DEPTH)])
        judged[str(t)] = {d: int(i % 5 == 0) for i, d in enumerate(documents[:JUDGED].tolist())}
        lists = [rng.permutation(documents)[:DEPTH] for _ in names]
        batches.append(
            pa.table(
                {
                    "run": np.repeat(names, DEPTH),
                    "topic": [str(t)] * (RUNS * DEPTH),
                    "document": np.concatenate(lists),
                    "score": np.tile(np.arange(DEPTH, 0, -1.0), RUNS),
                }
            )
        )
    return batches, pw.Judgments.from_dict(judged), names


if __name__ == "__main__":
    main()
