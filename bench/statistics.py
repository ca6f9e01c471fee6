"""Tests of all 8,256 pairs of 129 systems on 50 topics, beside a loop over scipy.

Run as ``python -m bench.statistics``. The scores are made up: the time depends on their number
alone. The loops over scipy are timed on a sample of pairs and scaled to all. Each of ours runs in
a process of its own, so that the peak memory it needs beyond the imports can be told.
"""

import multiprocessing
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import poolwise as pw
from bench.processes import peak_megabytes

SYSTEMS, TOPICS, RESAMPLES, SAMPLE = 129, 50, 10_000, 4
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2

Floats = NDArray[np.float64]


def main() -> None:
    """Print one row per test: our time, the most it should take, scipy's time, ratio, memory."""
    print(f"{PAIRS:,} pairs, {TOPICS} topics, {RESAMPLES:,} resamples")
    print(f"{'test':<28}{'poolwise':>10}{'target':>9}{'scipy loop':>12}{'ratio':>9}{'memory':>9}")
    context = multiprocessing.get_context("spawn")
    for name, (target, theirs) in ROWS.items():
        with context.Pool(1) as pool:
            ours, megabytes = pool.apply(measure, (name,))
        slow = seconds_of(theirs) * PAIRS if theirs else None
        beside = f"{slow:>10.1f} s{slow / ours:>8.0f}×" if slow else f"{'none':>12}{'':>9}"
        print(f"{name:<28}{ours:>8.3f} s{target:>7.2f} s{beside}{megabytes:>6.0f} MB")


def measure(name: str) -> tuple[float, float]:
    """Return the best of three times of one test, and the memory it took beyond its input."""
    table = made_up(SYSTEMS)
    work = OURS[name]
    work(made_up(2), 500)  # imports what is imported late
    before = peak_megabytes()
    best = min(timed(lambda: work(table, RESAMPLES)) for _ in range(3))
    grown = peak_megabytes() - before
    return best, grown


def made_up(count: int) -> pw.ScoreTable:
    """Return scores of systems on 50 topics."""
    rng = np.random.default_rng(1)
    values = rng.beta(1, 2, (1, TOPICS)) * 0.7 + rng.random((count, TOPICS)) * 0.3
    systems = [f"run{s}" for s in range(count)]
    topics = [str(t) for t in range(TOPICS)]
    return pw.ScoreTable.from_matrix(values, systems=systems, topics=topics, measure="AP")


def seconds_of(theirs: Callable[[Floats, Floats], object]) -> float:
    """Return the seconds that scipy takes for one pair."""
    rows = made_up(SAMPLE + 1).value
    started = time.perf_counter()
    for i in range(SAMPLE):
        theirs(rows[i], rows[i + 1])
    return (time.perf_counter() - started) / SAMPLE


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _test(name: str) -> Callable[[pw.ScoreTable, int], object]:
    return lambda table, m: pw.findings.run_test(table, test=name, resamples=m, rng=1)


def _permutation(a: Floats, b: Floats) -> object:
    return stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=RESAMPLES, rng=1
    )


def _bootstrap(a: Floats, b: Floats) -> object:
    return stats.bootstrap((a - b,), np.mean, n_resamples=RESAMPLES, method="basic", rng=1)


OURS: dict[str, Callable[[pw.ScoreTable, int], object]] = {
    "paired t": _test("t"),
    "Wilcoxon": _test("wilcoxon"),
    "randomization": _test("randomization"),
    "bootstrap": _test("bootstrap"),
    "studentized bootstrap": _test("studentized"),
    "randomized Tukey HSD": lambda table, m: pw.compare_scores(
        table, correction="tukey", resamples=m, rng=1
    ),
}

ROWS: dict[str, tuple[float, Callable[[Floats, Floats], object] | None]] = {
    "paired t": (0.02, stats.ttest_rel),
    "Wilcoxon": (1.0, stats.wilcoxon),
    "randomization": (1.0, _permutation),
    "bootstrap": (2.0, _bootstrap),
    "studentized bootstrap": (5.0, None),
    "randomized Tukey HSD": (3.0, None),
}

if __name__ == "__main__":
    main()
