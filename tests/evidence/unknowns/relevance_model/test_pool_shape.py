"""How the pool is read off the judgments."""

import numpy as np
import pytest

import poolwise as pw
from poolwise import Evidence, Groups
from poolwise.evidence.unknowns.relevance_model._features import find_pool


def pooled_collection(depth: int) -> Evidence:
    """Return ten runs of which six were pooled to this depth."""
    made = pw.simulate(systems=10, topics=12, depth=40, rng=5)
    found = pw.nominate(made.truth, made.runs)
    pool = found.depth_pool(depth, systems=found.systems[:6])
    return pw.align(pool, made.runs)


@pytest.mark.parametrize("depth", [5, 10, 20])
def test_depth_and_runs_of_a_pool_are_found(depth: int) -> None:
    """The depth is not smaller than the true one, and the pooled runs are among those found."""
    pool = find_pool(pooled_collection(depth))
    assert depth <= pool.depth <= depth + 2
    assert pool.source == "read off the judgments"
    assert find_pool(pooled_collection(depth), depth=depth).pooled[:6].all()


def test_what_is_told_is_taken() -> None:
    """Depth, pooled runs and groups that are given are not looked for."""
    evidence = Evidence.from_grades([[1, None], [0, 1], [1, 0]])
    groups = Groups.from_dict({"run1": "b", "run2": "a", "run3": "b"})
    pool = find_pool(evidence, depth=1, pooled=("run2",), groups=groups)
    assert (pool.depth, pool.source) == (1, "given")
    assert pool.pooled.tolist() == [False, True, False]
    assert pool.groups == ("a", "b")
    assert pool.group_of.tolist() == [1, 0, 1]


def test_a_depth_that_cannot_be_read_off_is_assumed_and_said_to_be() -> None:
    """Where no run is judged from the top on all topics, another depth stands in."""
    pool = find_pool(Evidence.from_grades([[None, 1], [None, 0]]), otherwise=2)
    assert (pool.depth, pool.source) == (2, "assumed")


def test_an_empty_run_was_not_pooled() -> None:
    """A run without any document says nothing of the pool."""
    runs = pw.Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": []}})
    evidence = pw.align(pw.Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs)
    assert find_pool(evidence).pooled.tolist() == [True, False]


def test_groups_do_not_depend_on_the_order_of_runs() -> None:
    """Groups stand in the order of their names."""
    first = Evidence.from_grades([[1, 0], [0, 1]])
    second = first.select(np.array([1, 0]))
    assert find_pool(first).groups == find_pool(second).groups
