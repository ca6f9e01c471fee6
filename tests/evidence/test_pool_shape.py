"""How the pool is read off the judgments."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise import Evidence, Groups
from poolwise.collection._pools import thin
from poolwise.evidence._pool_shape import find_pool
from reproduce.sources import read_pooled, read_properties, read_qrels
from validate.pool_shape import Subset, subset_pools


def pooled_collection(depth: int, holes: float = 0.0) -> Evidence:
    """Return ten runs of which six were pooled to this depth, some judgments missing."""
    made = pw.simulate(systems=10, topics=12, depth=40, rng=5)
    nominations = pw.nominate(made.truth, made.runs)
    pool = nominations.depth_pool(depth, systems=nominations.systems[:6])
    return pw.align(thin(pool, 1 - holes, rng=1), made.runs)


@pytest.mark.parametrize("depth", [3, 5, 10, 20])
@pytest.mark.parametrize("holes", [0.0, 0.02])
def test_depth_and_runs_of_a_pool_are_found(depth: int, holes: float) -> None:
    """The depth is the true one, and the pooled runs are among those found, with holes, too."""
    pool = find_pool(pooled_collection(depth, holes))
    assert (pool.depth, pool.source) == (depth, "read off")
    assert pool.pooled[:6].all()


def test_what_is_printed_says_where_the_depth_comes_from() -> None:
    """Depth, shares judged at it and below, and how many runs were pooled."""
    said = find_pool(pooled_collection(10)).sentence()
    assert said.startswith("pool: depth 10, read off the judgments (share judged falls from 100% ")
    assert " at rank 10 to " in said
    assert said.endswith("of 10 runs pooled")


def test_lists_that_end_at_the_depth_of_the_pool_are_as_deep_as_it() -> None:
    """Where no list goes below the pool nothing can fall: the pool is as deep as the lists."""
    made = pw.simulate(systems=8, topics=12, depth=40, rng=5)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10)
    evidence = pw.align(pool, made.runs).truncate(10)
    shape = find_pool(evidence, cutoff=5)
    assert (shape.depth, shape.source) == (10, "lists end")
    assert shape.pooled.all()
    assert shape.sentence() == "pool: depth 10, where the lists end; 8 of 8 runs pooled"


def test_lists_that_end_there_and_are_not_judged_say_nothing() -> None:
    """With a third of the runs judged to the end, fewer than three, the cut-off stands in."""
    evidence = Evidence.from_grades([[1, 0, 0, 1], [0, 1, None, None], [None, 0, None, None]])
    shape = find_pool(evidence, cutoff=2)
    assert (shape.depth, shape.source) == (2, "assumed")
    assert shape.pooled.tolist() == [True, True, False]
    assert "no depth shows in the judgments; taken as 2, the cut-off" in shape.sentence()


def test_what_is_told_is_taken() -> None:
    """Depth, pooled runs and groups that are given are not looked for."""
    evidence = Evidence.from_grades([[1, None], [0, 1], [1, 0]])
    groups = Groups.from_dict({"run1": "b", "run2": "a", "run3": "b"})
    pool = find_pool(evidence, depth=1, pooled=("run2",), groups=groups)
    assert (pool.depth, pool.source) == (1, "given")
    assert pool.pooled.tolist() == [False, True, False]
    assert pool.groups == ("a", "b")
    assert pool.group_of.tolist() == [1, 0, 1]
    assert pool.sentence() == (
        "pool: depth 1, as given (the judgments alone show none); 1 of 3 runs pooled, 2 groups as "
        "given"
    )


def test_a_depth_that_cannot_be_read_off_is_assumed_and_said_to_be() -> None:
    """Where no run is judged from the top, another depth stands in."""
    pool = find_pool(Evidence.from_grades([[None, 1], [None, 0]]), cutoff=2)
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


REAL = {
    ("trec8", "pooled"): (100, 71, 71),
    ("trec8", "all"): (100, 104, 129),
    ("trec-dl-2019", "pooled"): (10, 37, 37),
    ("trec-dl-2019", "all"): (10, 47, 61),
    ("trec-dl-2021", "all"): (10, 62, 63),
}
"""Depth, pooled runs and runs: TREC-8 was pooled to depth 100, the Deep Learning tracks to 10."""


@pytest.mark.parametrize(("name", "which"), REAL)
def test_real_pools_are_read_off(data_dir: Path, name: str, which: str) -> None:
    """The official judgments of three tracks show their pool's depth, whatever runs are given."""
    folder = data_dir / name
    runs = pw.read_runs(folder / "runs")
    chosen = runs.select(official(folder)) if which == "pooled" else runs
    pool = find_pool(pw.align(read_qrels(folder), chosen))
    expected = REAL[name, which]
    assert (pool.depth, int(pool.pooled.sum()), len(pool.pooled)) == expected
    assert pool.source == "read off"


def official(folder: Path) -> Sequence[str]:
    """Return the runs that were pooled."""
    if folder.name == "trec8":
        return read_pooled(folder)
    answers = read_properties(folder, "official_submission")
    return [run for run, answer in answers.items() if answer == "yes"]


@pytest.mark.parametrize("name", ["trec8", "trec-dl-2019", "trec-dl-2021"])
def test_pools_of_some_runs_are_read_off(data_dir: Path, name: str) -> None:
    """Of a share of the subset pools that the validation has, every depth is right."""
    for subset in subset_pools(data_dir / name, widths=(10,), repeats=1, holes=(0.03,)):
        assert isinstance(subset, Subset)
        assert subset.right, subset
