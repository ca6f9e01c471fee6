"""Exact bounds of all of TREC-8 at depth 1000, beside a loop that scores every number anew.

Run as ``python -m bench.bounds``. The collection is that of ``bench.pools``. The loop is told which
documents to make relevant, the top-most or the bottom-most, and still has to score each list once
for every number of them; trying all gradings is out of the question. It is timed on a sample.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

import poolwise as pw
from bench.pools import collection
from poolwise.evidence._grades import BEYOND

MEASURES = ("AP", "aAP@10", "nDCG", "nDCG@10", "R@100", "Rprec", "Q@10")
SAMPLE = 8

T = TypeVar("T")
Scorer = Callable[[np.ndarray, int], float]


def main() -> None:
    """Time both, check that they agree, and print times and ratios."""
    judgments, runs = collection()
    evidence = pw.align(judgments, runs)
    lists = len(evidence.systems) * len(evidence.topics)
    print(f"{len(evidence.systems)} runs, {len(evidence.topics)} topics, {evidence.depth} ranks")
    tables = {}
    for name in MEASURES:
        seconds, tables[name] = timed(partial(pw.score, evidence, name))
        print(f"{name}: scores and bounds {seconds:.2f} s", flush=True)
        if name in SCORERS:
            slow = lists / SAMPLE * loop(evidence, tables[name], SCORERS[name])
            print(f"  loop, by {SAMPLE} lists: {slow:.0f} s; ratio {slow / seconds:.0f}×")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds and the result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def loop(evidence: pw.Evidence, table: pw.ScoreTable, score: Scorer) -> float:
    """Return the seconds that a sample of lists takes; the bounds must be the same."""
    rng = np.random.default_rng(1)
    level = evidence.scale[evidence.scale > 0].min()
    spent = 0.0
    for _ in range(SAMPLE):
        s, t = rng.integers(len(evidence.systems)), rng.integers(len(evidence.topics))
        number, place = evidence.locate(int(t))
        block = evidence.blocks[number]
        codes, judged = block.codes[s, place], int(block.relevant(level)[place])
        seconds, (low, high) = timed(partial(extremes, codes, judged, score))
        spent += seconds
        np.testing.assert_allclose([table.lower[s, t], table.upper[s, t]], [low, high], atol=1e-12)
    return spent


def extremes(codes: np.ndarray, judged: int, score: Scorer) -> tuple[float, float]:
    """Return the smallest and the largest score over every number of relevant documents."""
    unknown = np.flatnonzero((codes < 0) & (codes != BEYOND))
    scores = []
    for number in range(len(unknown) + 1):
        for chosen in (unknown[:number], unknown[len(unknown) - number :]):
            relevant = codes > 0
            relevant[chosen] = True
            scores.append(score(relevant, judged + number))
    return min(scores), max(scores)


def average_precision(relevant: np.ndarray, R: int) -> float:
    """Return AP."""
    ranks = np.flatnonzero(relevant) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum() / R)


def ndcg(relevant: np.ndarray, R: int) -> float:
    """Return nDCG."""
    ranks = np.flatnonzero(relevant) + 1
    return float((1 / np.log2(ranks + 1)).sum() / (1 / np.log2(np.arange(R) + 2)).sum())


SCORERS: dict[str, Scorer] = {"AP": average_precision, "nDCG": ndcg}

if __name__ == "__main__":
    main()
