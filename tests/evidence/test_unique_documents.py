"""Evidence with runs left out of the pool."""

import numpy as np
import pytest
from tests.whole_arrays import codes_of

from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._runs import Runs
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._unique_documents import find_unique_documents


def collection(seed: int) -> tuple[Runs, Judgments]:
    """Five runs over two topics, all of their documents judged, grades 0 to 2."""
    random = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(14)]
    runs = Runs.from_rankings(
        {
            f"s{s}": {t: random.permutation(documents)[:7].tolist() for t in ("1", "2")}
            for s in range(5)
        }
    )
    grades = {t: {d: int(random.integers(0, 3)) for d in documents} for t in ("1", "2")}
    return runs, Judgments.from_dict(grades)


@pytest.mark.parametrize("seed", range(5))
def test_leaving_runs_out_agrees_with_reduced_judgments(seed: int) -> None:
    """Left-out evidence is what aligning with the reduced judgments gives, run by run."""
    runs, judgments = collection(seed)
    evidence, pool = align(judgments, runs), nominate(judgments, runs)
    systems = np.arange(5)
    reduced = find_unique_documents(evidence, systems, systems, depth=3).leave_out(systems)
    for s, name in enumerate(runs.systems):
        expected = evidence.regrade(pool.leave_out(name, depth=3))
        assert (codes_of(reduced)[0].reshape(2, 5, -1)[:, s] == codes_of(expected)[s]).all()
        assert (reduced.pool.reshape(2, 5, -1)[:, s] == expected.pool).all()


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_left_out_together(seed: int) -> None:
    """With units, what only the group has becomes unjudged, below the pool's depth too."""
    runs, judgments = collection(seed)
    evidence, pool = align(judgments, runs), nominate(judgments, runs)
    units = np.array([0, 0, 1, 1, 2])
    reduced = find_unique_documents(evidence, np.arange(5), units, depth=3).leave_out(np.arange(5))
    for s in range(5):
        mates = [name for name, unit in zip(runs.systems, units, strict=True) if unit == units[s]]
        expected = evidence.regrade(pool.leave_out(mates, depth=3))
        assert (codes_of(reduced)[0].reshape(2, 5, -1)[:, s] == codes_of(expected)[s]).all()
        assert (reduced.pool.reshape(2, 5, -1)[:, s] == expected.pool).all()


def shared() -> Evidence:
    """``s`` alone has x; ``s`` and the new run r have y; all pooled runs have z."""
    runs = Runs.from_rankings(
        {"s": {"1": ["x", "y", "z"]}, "q": {"1": ["z", "w"]}, "r": {"1": ["y", "v"]}}
    )
    return align(Judgments.from_dict({"1": {"x": 1, "y": 1, "z": 0, "w": 0}}), runs)


def test_the_joining_run_keeps_what_it_shares() -> None:
    """As s leaves the pool and r joins it, documents of both stay judged (W10 fig. 6.3)."""
    pooled = np.array([0, 1])
    nominations = find_unique_documents(shared(), pooled, np.arange(3), depth=3)
    alone, joined = nominations.leave_out(pooled), nominations.leave_out(pooled, joining=2)
    assert codes_of(alone)[0, 0].tolist() == [-2, -2, 0]
    assert codes_of(joined)[0, 0].tolist() == [-2, 1, 0]
    assert (alone.pool[0].tolist(), joined.pool[0].tolist()) == ([2, 0], [2, 1])


def test_a_left_out_run_keeps_what_others_nominate() -> None:
    """A left-out run keeps the judgments of documents that other units nominate."""
    nominations = find_unique_documents(shared(), np.arange(3), np.array([1, 1, 0]), depth=3)
    reduced = nominations.leave_out(np.array([2]))
    assert codes_of(reduced)[0, 0].tolist() == [1, -2, -3]
