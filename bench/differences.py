"""The ranges of all differences between the runs of TREC-8, under a full pool and a thin one.

Run as ``python -m bench.differences``. The collection is that of ``bench.pools``; the thin pool
holds the first 10 documents of 10 of its runs. A time is the best of a few rounds; what stands in
brackets is the time that it has to stay under on two cores.
"""

import numpy as np

import poolwise as pw
from bench.bounds import timed
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


def main() -> None:
    """Time every measure under both pools."""
    judgments, runs = collection()
    evidence = pw.align(judgments, runs)
    chosen = np.random.default_rng(1).choice(runs.systems, POOLED_RUNS, replace=False).tolist()
    thin = pw.nominate(judgments, runs).depth_pool(POOL_DEPTH, systems=chosen)
    for pool, judged in (("all judgments", evidence), ("thin pool", evidence.regrade(thin))):
        for name, most in MOST_SECONDS.items():
            rounds = [
                timed(lambda judged=judged, name=name: pw.findings.all_differences(judged, name))
                for _ in range(ROUNDS)
            ]
            seconds, found = min(rounds, key=lambda timing: timing[0])
            print(
                f"{pool}, {name}: {len(found):,} differences, {found.kind}, {seconds:.2f} s "
                f"(under {most:g} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
