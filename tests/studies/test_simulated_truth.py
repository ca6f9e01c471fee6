"""What estimates and ranges are worth on collections whose truth is known."""

import numpy as np
import pytest

from poolwise.collection._pools import Nominations, nominate
from poolwise.collection._simulation import Simulated, simulate
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.scores._scoring import score
from poolwise.scores.treatments._bias import BiasFromTopics
from poolwise.scores.treatments._drawn_scores import bootstrap

DEPTH = 10


@pytest.fixture(scope="module")
def made() -> Simulated:
    """Return thirty runs on sixty topics, eight of which came after a pool of depth 10."""
    return simulate(systems=30, topics=60, depth=50, unpooled=8, pool_depth=DEPTH, rng=21)


@pytest.fixture(scope="module")
def found(made: Simulated) -> Nominations:
    """Return who retrieved what, of all documents."""
    return nominate(made.truth, made.runs)


@pytest.fixture(scope="module")
def aligned(made: Simulated) -> Evidence:
    """Return the runs met with the truth."""
    return align(made.truth, made.runs)


def test_bias_from_topics_has_no_bias_of_its_own(
    made: Simulated, found: Nominations, aligned: Evidence
) -> None:
    """Over random common topics the adjusted means are right on average; raw ones are too low."""
    late = [made.runs.systems.index(s) for s in made.unpooled]
    truth = score(aligned, "P@10").means()[late]
    rng = np.random.default_rng(4)
    pooled = found.best_ranks(made.pooled) <= DEPTH
    everyone = found.best_ranks() <= DEPTH
    raw, adjusted = [], []
    for _ in range(30):
        common = rng.choice(len(aligned.topics), 15, replace=False)
        on_common = np.isin(made.truth.topic_of_row, common)
        evidence = aligned.regrade(made.truth.keep(pooled | (on_common & everyone)))
        names = tuple(aligned.topics[t] for t in common.tolist())
        treatment = BiasFromTopics(common=names, pooled=made.pooled, depth=DEPTH)
        each = treatment.adjustments(evidence, "P@10").values()
        raw.append(np.array([a.raw for a in each]) - truth)
        adjusted.append(np.array([a.adjusted for a in each]) - truth)
    assert np.mean(raw) < -0.05
    assert abs(np.mean(adjusted)) < 0.005


@pytest.mark.parametrize("measure", ["P@10", "RBP(p=0.8)@10", "RR@10", "ERR@10", "SDCG@10"])
def test_exact_ranges_of_late_runs_hold_the_truth(
    made: Simulated, aligned: Evidence, measure: str
) -> None:
    """No true score of a weighted precision leaves its range, on any run and topic."""
    truth = score(aligned, measure, bounds="none").value
    ranges = score(aligned.regrade(made.judgments), measure)
    assert ((ranges.lower <= truth + 1e-12) & (truth <= ranges.upper + 1e-12)).all()
    assert (ranges.upper > ranges.lower + 0.1).any()


def test_drawn_ranges_cover_late_runs_that_resemble_pooled_ones(
    made: Simulated, aligned: Evidence
) -> None:
    """Ranges to the 95th percentile hold the truth of ordinary late runs in 95% of cases or more.

    The maverick finds relevant documents that nobody else does, so that no prior from the pool
    foresees them: its ranges hold the truth less often.
    """
    late = [made.runs.systems.index(s) for s in made.unpooled]
    truth = score(aligned, "RBP(p=0.8)@10", bounds="none").value[late]
    drawn = bootstrap(aligned.regrade(made.judgments), "RBP(p=0.8)@10", rng=2, prior="pool+run")
    ranges = drawn.table(percentile=95)
    covered = (ranges.lower[late] <= truth + 1e-12) & (truth <= ranges.upper[late] + 1e-12)
    assert made.unpooled[-1].startswith("maverick")
    assert covered[:-1].mean() >= 0.95
    assert covered[-1].mean() < covered[:-1].mean()
