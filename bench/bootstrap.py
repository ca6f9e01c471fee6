"""Bootstrapped nDCG@10 of all of TREC-8, beside B23's algorithm written as it is printed.

Run as ``python -m bench.bootstrap``. It takes TREC-8 from ``POOLWISE_DATA`` or from beside the
checkout, and a made-up collection of the same size where neither is there.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

import poolwise as pw
from bench.pools import collection

T = TypeVar("T")
DRAWS = 1000
DEPTH = 5
SAMPLE = 40


def main() -> None:
    """Time both, check that they agree, and print times and ratio."""
    judgments, runs = collection()
    pool = pw.nominate(judgments, runs).depth_pool(DEPTH)
    evidence = pw.align(judgments, runs).regrade(pool)
    lists = len(evidence.systems) * len(evidence.topics)
    print(f"{len(evidence.systems)} runs, {len(evidence.topics)} topics, pool depth {DEPTH}")
    seconds, drawn = timed(lambda: pw.scores.bootstrap(evidence, "nDCG@10", rng=1, draws=DRAWS))
    summary, modes = timed(drawn.mode)
    print(f"{DRAWS} draws of nDCG@10, all runs and topics: {seconds:.2f} s; modes {summary:.2f} s")
    seconds_each = seconds / lists
    for measure in ("RBP(p=0.8)@10", "AP@10", "ERR@10", "Q@10"):
        other, _ = timed(partial(pw.scores.bootstrap, evidence, measure, rng=1, draws=DRAWS))
        print(f"{measure}: {other:.2f} s")
    joint, _ = timed(
        lambda: pw.scores.bootstrap(evidence, "nDCG@10", rng=1, draws=DRAWS, joint=True)
    )
    print(f"nDCG@10, one label per document for all runs: {joint:.2f} s")
    cells = np.random.default_rng(0).choice(lists, SAMPLE, replace=False)
    slow, scores = timed(lambda: [algorithm_1(evidence, int(cell)) for cell in cells])
    fast = drawn.values.reshape(lists, -1)[cells]
    for printed, many in zip(scores, fast, strict=True):
        tolerance = 6 * (printed.std() + 1e-9) / np.sqrt(DRAWS)
        np.testing.assert_allclose(printed.mean(), many.mean(), atol=2 * tolerance)
    print(f"algorithm 1 as printed, by {SAMPLE} lists: {slow / SAMPLE * lists:.0f} s")
    print(f"ratio: {slow / SAMPLE / seconds_each:.0f}×; mean of the modes {np.nanmean(modes):.4f}")


def algorithm_1(evidence: pw.Evidence, cell: int) -> np.ndarray:
    """Return the scores of one list, drawn document by document (B23 algorithm 1, pool+run)."""
    random = np.random.default_rng(cell)
    system, topic = divmod(cell, len(evidence.topics))
    number, place = evidence.locate(topic)
    ranking = evidence.blocks[number].codes[system, place, :10].tolist()
    pool = evidence.pool[topic]
    judged = [g for g in ranking if g >= 0]
    grades = len(evidence.scale)
    of_pool = pool / max(pool.sum(), 1)
    of_run = np.bincount(judged, minlength=grades) / len(judged) if judged else of_pool
    chances = (of_pool + of_run) / 2
    best = np.repeat(evidence.scale[::-1], pool[::-1])[:10]
    ideal = sum(gain / np.log2(i + 2) for i, gain in enumerate(best)) or np.nan
    scores = []
    for _ in range(DRAWS):
        left = pool - np.bincount(judged, minlength=grades)
        dcg = 0.0
        for i, code in enumerate(ranking):
            grade = code
            if code == -2:  # unjudged
                target = int(random.choice(grades, p=chances))
                grade = next((g for g in range(target, -1, -1) if left[g] > 0), 0)
                left[grade] -= 1
            dcg += evidence.scale[max(grade, 0)] / np.log2(i + 2)
        scores.append(dcg / ideal)
    return np.array(scores)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that the work takes, and what it returns."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
