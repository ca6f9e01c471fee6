"""RBO of every pair of runs, beside the ``rbo`` package on a sample of pairs.

Run as ``python -m bench.similarity``. The collection is that of ``bench.pools``; without the
``rbo`` package (PyPI, 0.1.3) only poolwise is timed.
"""

import importlib.util
import time

import numpy as np

import poolwise as pw
from bench.pools import collection

SAMPLE = 200
PERSISTENCES = (0.9, 0.99)


def main() -> None:
    """Time both, check that they agree, and print times and ratios."""
    _, runs = collection()
    lists = len(runs.systems) * (len(runs.systems) - 1) // 2 * len(runs.topics)
    print(f"{len(runs.systems)} runs, {len(runs.topics)} topics: {lists} pairs of lists")
    for p in PERSISTENCES:
        started = time.perf_counter()
        pw.findings.overlap_matrix(runs, p=p)
        seconds = time.perf_counter() - started
        print(f"poolwise, all pairs, p = {p}: {seconds:.2f} s")
        if importlib.util.find_spec("rbo"):
            other = peer(runs, p) * lists
            print(f"rbo, by {SAMPLE} pairs of lists, p = {p}: {other:.0f} s")
            print(f"ratio: {other / seconds:.0f}×")
    if not importlib.util.find_spec("rbo"):
        print("rbo is not installed, and left out. To compare: pip install rbo")


def peer(runs: pw.Runs, p: float) -> float:
    """Return the seconds that the rbo package takes for a pair of lists; its values are ours."""
    from rbo import RankingSimilarity

    rng = np.random.default_rng(1)
    spent, compared = 0.0, 0
    while compared < SAMPLE:
        a, b = (runs.systems[i] for i in rng.choice(len(runs.systems), 2, replace=False))
        topic = runs.topics[rng.integers(len(runs.topics))]
        first, second = runs.ranking(a, topic), runs.ranking(b, topic)
        if not first or not second:
            continue
        started = time.perf_counter()
        theirs = RankingSimilarity(first, second).rbo_ext(p=p)
        spent += time.perf_counter() - started
        compared += 1
        np.testing.assert_allclose(
            pw.rank_biased_overlap(first, second, p=p).ext, theirs, atol=1e-9
        )
    return spent / SAMPLE


if __name__ == "__main__":
    main()
