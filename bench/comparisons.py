"""All pairs of TREC-8's 129 runs with both uncertainties, and each part of it alone.

Run as ``python -m bench.comparisons``. It takes TREC-8 from ``POOLWISE_DATA`` or from beside the
checkout, and a made-up collection of the same size where neither is there. No other tool bounds
differences or redraws grades, so there is nothing to set beside it.
"""

import time
from collections.abc import Callable
from functools import partial

import poolwise as pw
from bench.pools import collection

MEASURES = ("P@10", "nDCG@10", "RBP(p=0.8)", "AP")
DRAWS = 200


def main() -> None:
    """Print one row per measure: the paired t tests, the bounds, the draws, all together."""
    evidence = pw.align(*collection())
    pairs = len(evidence.systems) * (len(evidence.systems) - 1) // 2
    print(f"{pairs:,} pairs, {len(evidence.topics)} topics, {DRAWS} drawn gradings")
    print(f"{'measure':<14}{'t tests':>10}{'with bounds':>13}{'with draws as well':>20}")
    for measure in MEASURES:
        tests = timed(partial(_tested, evidence, measure))
        bounds = timed(partial(pw.compare_evidence, evidence, measure, draws=0))
        draws = timed(partial(pw.compare_evidence, evidence, measure, draws=DRAWS, rng=1))
        print(f"{measure:<14}{tests:>8.2f} s{bounds:>11.1f} s{draws:>18.1f} s", flush=True)


def _tested(evidence: pw.Evidence, measure: str) -> object:
    return pw.compare_scores(pw.score(evidence, measure, bounds="none"))


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
