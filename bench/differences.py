"""The ranges of all differences between the runs of TREC-8, under a full pool and a thin one.

Run as ``python -m bench.differences``. The collection is that of ``bench.pools``; the thin pool
holds the first 10 documents of 10 of its runs. A time is the best of a few rounds; what stands in
brackets is the time that it has to stay under on two cores.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import poolwise as pw
from bench.pools import collection

MOST_SECONDS = {
    "nDCG@10": 0.5,
    "RR@10": 0.5,
    "RBP(p=0.8)": 0.5,
    "ERR@20": 1.0,
    "AP@100": 3.0,
    "AP": 15.0,
}
ROUNDS = 3
POOLED_RUNS, POOL_DEPTH = 10, 10


class Timing(NamedTuple):
    """What all ranges of one measure took: the best round, and the processors' seconds of it."""

    pool: str
    measure: str
    pairs: int
    kind: str
    seconds: float
    processor: float
    most: float


def main() -> None:
    """Time every measure under both pools."""
    for timing in timings():
        print(
            f"{timing.pool}, {timing.measure}: {timing.pairs:,} differences, {timing.kind}, "
            f"{timing.seconds:.2f} s, {timing.processor:.2f} s of processors "
            f"(under {timing.most:g} s)",
            flush=True,
        )


def timings() -> Iterator[Timing]:
    """Yield what each measure takes under each pool."""
    judgments, runs = collection()
    evidence = pw.align(judgments, runs)
    chosen = np.random.default_rng(1).choice(runs.systems, POOLED_RUNS, replace=False).tolist()
    thin = pw.nominate(judgments, runs).depth_pool(POOL_DEPTH, systems=chosen)
    for pool, judged in (("all judgments", evidence), ("thin pool", evidence.regrade(thin))):
        for name, most in MOST_SECONDS.items():
            rounds = [_timed(judged, name) for _ in range(ROUNDS)]
            seconds, processor, differences = min(rounds, key=lambda timing: timing[0])
            yield Timing(pool, name, len(differences), differences.kind, seconds, processor, most)


def _timed(judged: pw.Evidence, name: str) -> tuple[float, float, pw.findings.Differences]:
    """Return seconds, seconds of all processors, and the ranges."""
    started, worked = time.perf_counter(), time.process_time()
    differences = pw.findings.all_differences(judged, name)
    return time.perf_counter() - started, time.process_time() - worked, differences


if __name__ == "__main__":
    main()
