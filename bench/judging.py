"""What to judge next over TREC-8's 129 runs: 10,000 documents replayed, and one more batch.

Run as ``python -m bench.judging``. It takes TREC-8 from ``POOLWISE_DATA`` or from beside the
checkout, and a made-up collection of the same size where neither is there. No other tool has these
orders side by side, so that the goals stand in for a peer: about 10 s for the replay by any order,
and under 1 s for a new list of 100 documents once the last ones have their grades.
"""

import time
from itertools import islice

import numpy as np

import poolwise as pw
from bench.comparisons import timed
from bench.pools import collection
from poolwise.arrays import Booleans
from poolwise.judging import ORDERS, Candidates, candidates_of, next_of_evidence, replay

DOCUMENTS, DEPTH, BATCH = 10_000, 100, 100
GOAL_REPLAY, GOAL_BATCH = 10.0, 1.0
GOALS = ("relevant", "residual", "even", "leaders", "top:3")


def main() -> None:
    """Time every order, and a new list for every goal, and print them beside the goals."""
    judgments, runs = collection()
    evidence = pw.align(judgments, runs)
    candidates = candidates_of(evidence, depth=DEPTH)
    print(f"{DOCUMENTS:,} documents of {len(runs.systems)} runs, judged with their grades")
    slowest = max(_replayed(name, candidates) for name in ORDERS)
    print(f"slowest: {slowest:.2f} s, {slowest / GOAL_REPLAY:.2f} of the goal of {GOAL_REPLAY:g} s")
    some = evidence.regrade(judgments.keep(_first_rows(judgments, evidence, candidates)))
    print(f"{BATCH} more documents, after {int(some.pool.sum()):,} of them are judged")
    pair = f"pair:{','.join(sorted(runs.systems)[:2])}"
    longest = max(_listed(goal, some) for goal in (*GOALS, pair))
    print(f"longest: {longest:.2f} s, {longest / GOAL_BATCH:.2f} of the goal of {GOAL_BATCH:g} s")


def _replayed(name: str, candidates: Candidates) -> float:
    started = time.perf_counter()
    sum(1 for _ in islice(replay(ORDERS[name](candidates)), DOCUMENTS))
    seconds = time.perf_counter() - started
    print(f"{name:<16}{seconds:>8.2f} s", flush=True)
    return seconds


def _first_rows(judgments: pw.Judgments, evidence: pw.Evidence, candidates: Candidates) -> Booleans:
    """Return which rows of the judgments a quick order would have had judged first."""
    kept = np.zeros(len(judgments.codes), np.bool_)
    for step in islice(replay(ORDERS["max-mean"](candidates)), DOCUMENTS):
        row = evidence.judgment_rows[candidates.topics[step.topic].rows[step.document]]
        kept[max(int(row), 0)] |= row >= 0
    return kept


def _listed(goal: str, evidence: pw.Evidence) -> float:
    seconds = timed(lambda: next_of_evidence(evidence, goal, budget=BATCH))
    print(f"{goal:<24}{seconds:>8.2f} s", flush=True)
    return seconds


if __name__ == "__main__":
    main()
