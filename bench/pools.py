"""A thousand depth pools with RBP scored anew, beside the loop over sets one would write first.

Run as ``python -m bench.pools``. It takes TREC-8 from ``POOLWISE_DATA`` or from beside the
checkout, and a made-up collection of the same size where neither is there.
"""

import time
from collections.abc import Callable

import numpy as np

import poolwise as pw
from bench.trec8 import trec8_folder

POOLS = 1000
NAIVE_POOLS = 3
PERSISTENCE = 0.95

Rankings = dict[tuple[str, str], list[str]]


def main() -> None:
    """Time both, check that they agree, and print times and ratio."""
    judgments, runs = collection()
    print(f"{len(runs.systems)} runs, {len(runs.topics)} topics, {len(judgments)} judgments")
    started = time.perf_counter()
    evidence, nominations = pw.align(judgments, runs), pw.nominate(judgments, runs)
    print(f"align and look up ranks once: {time.perf_counter() - started:.2f} s")
    depths = np.linspace(1, min(100, nominations.longest), POOLS).astype(int).tolist()
    fast = timed(lambda d: masked(evidence, nominations, d), depths)
    grades = {(t, d): g for t, d, g in judgments}
    rankings = {(s, t): runs.ranking(s, t) for s in runs.systems for t in evidence.topics}
    sample = depths[:: POOLS // NAIVE_POOLS][:NAIVE_POOLS]
    slow = timed(lambda d: naive(rankings, grades, d), sample)
    for depth in sample[:2]:
        a, b = masked(evidence, nominations, depth), naive(rankings, grades, depth)
        np.testing.assert_allclose(a.ravel(), b, atol=1e-12)
    print(f"{POOLS} depth pools, RBP({PERSISTENCE}) of all runs and topics: {fast * POOLS:.1f} s")
    print(f"sets and dictionaries, by {NAIVE_POOLS} pools: {slow * POOLS:.0f} s")
    print(f"ratio: {slow / fast:.0f}×")


def collection() -> tuple[pw.Judgments, pw.Runs]:
    """Return TREC-8, or a collection of its size."""
    folder = trec8_folder()
    if folder:
        runs = pw.read_runs(folder / "runs", ties="rank")
        return pw.read_judgments(folder / "qrels.gz"), runs
    made = pw.simulate(systems=129, topics=50, depth=1000, pool_depth=100, rng=1)
    return made.judgments, made.runs


def timed(work: Callable[[int], object], depths: list[int]) -> float:
    """Return the seconds that one pool takes."""
    started = time.perf_counter()
    for depth in depths:
        work(depth)
    return (time.perf_counter() - started) / len(depths)


def masked(evidence: pw.Evidence, nominations: pw.collection.Nominations, depth: int) -> np.ndarray:
    """Score under the pool of a depth, as poolwise does it."""
    return pw.RBP(p=PERSISTENCE).score(evidence.regrade(nominations.depth_pool(depth)))


def naive(rankings: Rankings, grades: dict[tuple[str, str], float], depth: int) -> list[float]:
    """Score under the pool of a depth with sets and dictionaries."""
    pool = {(t, d) for (_, t), ranking in rankings.items() for d in ranking[:depth]}
    reduced = {key: grade for key, grade in grades.items() if key in pool}
    return [
        (1 - PERSISTENCE)
        * sum(PERSISTENCE**i for i, d in enumerate(ranking) if reduced.get((t, d), 0) >= 1)
        for (_, t), ranking in rankings.items()
    ]


if __name__ == "__main__":
    main()
