"""Labels by three machines of what 100 runs retrieve for 1,000 topics: agreement and estimates.

Run as ``python -m bench labels``. Nobody else says what labels make of runs, so that a goal stands
in for a peer: 20 s of processor time for what ``poolwise agree`` does.
"""

import time
from collections.abc import Callable

import poolwise as pw
from poolwise.collection import simulate_labels
from poolwise.workflows import estimate_with_labels, labelled_sample

SYSTEMS, TOPICS, SETS = 100, 1000, 3
GOAL_SECONDS = 20.0
CONFUSION = (
    *((0.7, 0.2, 0.1, 0.0), (0.3, 0.4, 0.2, 0.1)),
    *((0.1, 0.3, 0.4, 0.2), (0.0, 0.1, 0.3, 0.6)),
)


def main() -> None:
    """Time agreement, estimates and a sample, and print them beside the goal."""
    made = pw.simulate(systems=SYSTEMS, topics=TOPICS, depth=20, rng=1)
    judged = pw.Judgments.from_dict(pw.pool(made.truth, made.runs, depth=10).to_dict())
    sets = [simulate_labels(judged, CONFUSION, name=f"machine {i}", rng=i) for i in range(SETS)]
    print(f"{SYSTEMS} runs, {TOPICS:,} topics, {SETS} × {len(judged):,} labels")
    seconds = processor_seconds(lambda: pw.agree(*sets, against=judged, runs=made.runs).sentences())
    share = f"{seconds / GOAL_SECONDS:.2f} of the goal of {GOAL_SECONDS:g} s"
    print(f"agree, with effects on conclusions and favoured runs: {seconds:.2f} s, {share}")
    some = judged.select(topics=judged.topics[::5])
    timed = {
        "estimate, people on 200 topics": lambda: estimate_with_labels(
            some, made.runs, "nDCG@10", labels=sets[0], assume_random=True
        ),
        "a sample of 5,000 documents": lambda: labelled_sample(made.runs, 5000, labels=sets[0]),
    }
    for what, work in timed.items():
        print(f"{what}: {processor_seconds(work):.2f} s")


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that processors worked."""
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
