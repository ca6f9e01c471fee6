"""The relevance model on all of TREC-8: fit, units left out, and 1,000 draws by four measures.

Run as ``python -m bench.relevance_model``. It takes TREC-8 from ``POOLWISE_DATA`` or from beside
the checkout, and a made-up collection of the same size where neither is there. Nobody else has such
a model, so that the goal stands in for a peer: about 6 s on two quiet cores, and under 500 MB.
"""

import time

import poolwise as pw
from bench.pools import collection
from bench.processes import peak_megabytes
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    complete_scores,
    fit_model,
)

MEASURES = ("P@10", "nDCG@10", "RBP(p=0.8)", "AP@100")
GOAL_SECONDS, GOAL_MEGABYTES = 6.0, 500


def main() -> None:
    """Time the fit and the completions, and print them beside the goal."""
    judgments, runs = collection()
    evidence = pw.align(judgments, runs)
    options = RelevanceModelTreatment()
    before = peak_megabytes()
    started = time.perf_counter()
    fitted = fit_model(evidence, pw.parse_measure(MEASURES[0]), options)
    fit = time.perf_counter() - started
    print(f"fit to {fitted.model.judged:,} judged documents: {fit:.2f} s")
    since = time.perf_counter()
    left_out = fitted.left_out(1)
    print(f"{len(left_out)} units left out: {time.perf_counter() - since:.2f} s")
    for name in MEASURES:
        measure, since = pw.parse_measure(name), time.perf_counter()
        complete_scores(evidence, measure, options, rng=1)
        print(f"{name}, 1,000 completions of {len(evidence.systems)} runs: "
              f"{time.perf_counter() - since:.2f} s")  # fmt: skip
    total, memory = time.perf_counter() - started, peak_megabytes()
    print(f"all: {total:.2f} s, {total / GOAL_SECONDS:.2f} of the goal of {GOAL_SECONDS:g} s")
    print(f"peak {memory:.0f} MB ({before:.0f} MB before), goal {GOAL_MEGABYTES} MB")


if __name__ == "__main__":
    main()
