"""Grading anew gives what aligning with the fewer judgments would."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.whole_arrays import codes_of

from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate, thin
from poolwise.collection._runs import Runs
from poolwise.collection._simulation import simulate
from poolwise.evidence._grades import BEYOND, POOLED, UNJUDGED
from poolwise.evidence._meeting import align

MADE = simulate(systems=5, topics=4, depth=25, rng=11)
FULL = align(MADE.truth, MADE.runs)


@given(st.floats(0.01, 1), st.integers(0, 99))
def test_regrading_is_aligning_with_what_is_left(rate: float, seed: int) -> None:
    """Codes and pool counts are those of aligning anew, and the start is left as it was."""
    before = codes_of(FULL).copy()
    fewer = thin(MADE.truth, rate, rng=seed)
    regraded, aligned = FULL.regrade(fewer), align(fewer, MADE.runs)
    assert np.array_equal(codes_of(regraded), codes_of(aligned))
    assert np.array_equal(regraded.pool, aligned.pool)
    assert np.array_equal(codes_of(FULL), before)


def test_codes_say_what_the_dictionaries_say() -> None:
    """Each cell holds its document's grade, or the reason why it has none."""
    grades = {"1": {"a": 1, "b": -1, "c": 0.5, "d": 0}, "2": {"e": 2}}
    runs = Runs.from_rankings({"s": {"1": ["c", "b", "x", "a"], "3": ["z"]}, "t": {"1": ["d"]}})
    qrels = Judgments.from_dict(grades)
    full = align(qrels, runs)
    assert full.scale.tolist() == [0, 0.5, 1, 2]
    assert codes_of(full)[0, 0].tolist() == [1, POOLED, UNJUDGED, 2]
    assert codes_of(full)[1, 0].tolist() == [0, BEYOND, BEYOND, BEYOND]
    assert (codes_of(full)[:, 1] == BEYOND).all()
    fewer = full.regrade(nominate(qrels, runs).depth_pool(1))
    assert codes_of(fewer)[0, 0].tolist() == [1, UNJUDGED, UNJUDGED, UNJUDGED]
    assert fewer.pool.tolist() == [[1, 1, 0, 0], [0, 0, 0, 0]]


def test_cut_evidence_can_be_graded_anew() -> None:
    """Truncating and grading anew can be done in either order."""
    a = FULL.truncate(7).regrade(MADE.judgments)
    b = FULL.regrade(MADE.judgments).truncate(7)
    assert np.array_equal(codes_of(a), codes_of(b))
    assert np.array_equal(a.pool, b.pool)


def test_what_is_sampled_is_joined_as_it_was_cut() -> None:
    """Topics that are laid out one by one, and then together, keep how documents were drawn."""
    grades = {"1": {"a": 1, "b": -1}, "2": {"c": 0, "d": 2, "e": -1}, "3": {"f": 1}}
    qrels = Judgments.from_dict(grades)
    qrels = qrels.with_sampling(stratum=["top", "rest", "top", "rest", "rest", "top"])
    runs = Runs.from_rankings({"s": {t: [*documents] for t, documents in grades.items()}})
    whole = align(qrels, runs)
    apart = whole.recut(cells=1)
    assert (len(whole.blocks), len(apart.blocks)) == (1, 3)
    (joined,) = apart.recut().blocks
    before, after = vars(whole.blocks[0].sample), vars(joined.sample)
    for name in ("sizes", "judged", "estimated", "spread"):
        assert np.array_equal(after[name], before[name]), name
    assert np.array_equal(joined.best_ranks, whole.blocks[0].best_ranks)
