"""Similarity of runs: by topic, by pair, by their first ranks, and as a tree."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from poolwise.collection._runs import Runs
from poolwise.errors import InputError, OptionError
from poolwise.findings.similarity import _rbo
from poolwise.findings.similarity._clusters import LINKAGES, cluster_runs
from poolwise.findings.similarity._run_similarity import (
    average_overlap_matrix,
    kendall_distance_matrix,
    overlap_matrix,
    run_overlap,
    topic_similarities,
)
from poolwise.findings.similarity._two_rankings import (
    average_overlap,
    kendall_distance,
    rank_biased_overlap,
)

RUNS = Runs.from_rankings(
    {
        "a": {"1": ["d1", "d2", "d3"], "2": ["d1", "d5"]},
        "b": {"1": ["d2", "d1"], "2": ["d1", "d5"]},
        "c": {"1": ["d3", "d4", "d1", "d2"]},
        "d": {"2": ["d7"]},
    }
)


@st.composite
def run_sets(draw: st.DrawFn) -> Runs:
    """Return a few runs on two topics, with ties, and with lists missing."""
    documents = [f"d{i}" for i in range(8)]
    a_list = st.lists(st.sampled_from(documents), unique=True, max_size=6)
    lists = draw(st.lists(st.tuples(a_list, a_list), min_size=2, max_size=4))
    runs = Runs.from_rankings({f"s{i}": {"1": x, "2": y} for i, (x, y) in enumerate(lists)})
    size = len(runs.rankings)
    tied = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_)
    # The first document of a list is never tied with one before it.
    tied[runs.list_starts[:-1][runs.lengths.ravel() > 0]] = False
    return replace(runs, tied=tied)


@given(run_sets(), st.sampled_from([0.0, 0.3, 0.9]), st.sampled_from(["broken", "w", "a", "b"]))
def test_every_pair_is_the_pair_on_its_own(runs: Runs, p: float, ties: str) -> None:
    """The matrix holds, for each pair, the mean over topics of the two lists' overlap."""
    matrix = overlap_matrix(runs, p=p, tied=ties)
    for i, j in np.ndindex(matrix.ext.shape):
        mean = run_overlap(runs, runs.systems[i], runs.systems[j], p=p, tied=ties).mean()
        cell = (matrix.min[i, j], matrix.ext[i, j], matrix.max[i, j])
        assert cell == pytest.approx((mean.min, mean.ext, mean.max), abs=1e-12, nan_ok=True)


@given(run_sets(), st.sampled_from(["broken", "w", "a", "b"]))
def test_a_topic_is_two_lists(runs: Runs, ties: str) -> None:
    """The overlap of two runs on a topic is that of their lists, with the runs' ties."""
    both = run_overlap(runs, "s0", "s1", p=0.8, tied=ties)
    overlap = partial(rank_biased_overlap, p=0.8, tied=ties)
    for bound in ("min", "ext", "max"):
        by_list = topic_similarities(
            runs, "s0", "s1", lambda a, b, bound=bound: getattr(overlap(a, b), bound)
        )
        assert getattr(both, bound) == pytest.approx(by_list, abs=1e-12, nan_ok=True)


def test_depth_cuts_the_lists() -> None:
    """With a depth, only the first documents are compared."""
    shallow = run_overlap(RUNS, "a", "c", depth=2)
    by_list = rank_biased_overlap(["d1", "d2"], ["d3", "d4"])
    assert (shallow.min[0], shallow.ext[0], shallow.max[0]) == pytest.approx(
        (by_list.min, by_list.ext, by_list.max)
    )
    with pytest.raises(OptionError, match=r"^depth: "):
        overlap_matrix(RUNS, depth=0)


def test_ranks_too_light_to_matter_are_skipped() -> None:
    """Cutting lists where ranks weigh less than rounding changes nothing that can be printed."""
    rng = np.random.default_rng(4)
    lists = {s: {"1": [f"d{i}" for i in rng.permutation(3000)[:900]]} for s in "ab"}
    runs = Runs.from_rankings(lists)
    both = run_overlap(runs, "a", "b", p=0.8)
    whole = rank_biased_overlap(lists["a"]["1"], lists["b"]["1"], p=0.8)
    assert (both.min[0], both.ext[0]) == pytest.approx((whole.min, whole.ext), abs=1e-15)


def test_unanswered_topics_are_left_out() -> None:
    """A topic that one run lacks enters no mean, and the count says so."""
    matrix = overlap_matrix(RUNS)
    assert matrix.topics.tolist() == [[2, 2, 1, 1], [2, 2, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1]]
    assert np.isnan(matrix.ext[2, 3])
    pair = run_overlap(RUNS, "a", "c")
    assert np.isnan(pair.ext).tolist() == [False, True]
    assert pair.mean().ext == pytest.approx(pair.ext[0])
    assert "mean over 1 of 2 topics" in str(pair)
    assert np.isnan(run_overlap(RUNS, "c", "d").mean().ext)


def test_other_measures_by_topic() -> None:
    """Average overlap and Kendall's distance are to be had for each topic."""
    assert topic_similarities(RUNS, "a", "b", average_overlap).tolist() == [0.5, 1.0]
    at_one = partial(average_overlap, depth=1)
    assert topic_similarities(RUNS, "a", "b", at_one).tolist() == [0.0, 1.0]
    assert topic_similarities(RUNS, "a", "b", kendall_distance) == pytest.approx([1 / 6, 0])


def test_near_duplicates_are_flagged() -> None:
    """Pairs at or above the threshold are named, the most similar first."""
    twins = replace(RUNS.select(["a", "c", "a"]), systems=("a", "c", "twin"))
    matrix = overlap_matrix(twins)
    assert [pair[:2] for pair in matrix.near_duplicates()] == [("a", "twin")]
    everything = matrix.near_duplicates(at_least=0)
    assert [s for *_, s in everything] == sorted((s for *_, s in everything), reverse=True)
    assert len(everything) == 3


@pytest.mark.parametrize("linkage", LINKAGES)
def test_tree_groups(linkage: str) -> None:
    """Cutting the tree gives the groups that scipy cuts."""
    rng = np.random.default_rng(8)
    lists = {f"s{i}": {"1": [f"d{j}" for j in rng.permutation(12)[:8]]} for i in range(7)}
    similarity = overlap_matrix(Runs.from_rankings(lists))
    tree = cluster_runs(similarity, linkage=linkage)
    assert sorted(tree.order) == sorted(similarity.systems)
    merges = hierarchy.linkage(squareform(similarity.distances(), checks=False), linkage)
    for within in (0.0, 0.3, 0.5, 2.0):
        labels = hierarchy.fcluster(merges, within, "distance")
        expected = {
            frozenset(np.array(similarity.systems)[labels == label].tolist()) for label in labels
        }
        groups = tree.groups(within=within)
        assert {frozenset(g) for g in groups} == expected
        assert tuple(name for g in groups for name in g) == tree.order


@pytest.mark.parametrize("linkage", LINKAGES)
def test_two_runs_are_joined_as_scipy_joins_them(linkage: str) -> None:
    """The tree of two runs is one step, whichever the linkage."""
    similarity = overlap_matrix(RUNS.select(["a", "b"]))
    between = squareform(similarity.distances(), checks=False)
    expected = hierarchy.linkage(between, linkage, optimal_ordering=True)
    tree = cluster_runs(similarity, linkage=linkage)
    assert tree.merges.tolist() == expected.tolist()
    leaves = hierarchy.leaves_list(expected).tolist()
    assert tree.order == tuple(similarity.systems[i] for i in leaves)


@given(run_sets())
def test_how_many_topics_are_compared_at_a_time_changes_no_bit(runs: Runs) -> None:
    """Topic by topic, the matrix is that of all topics together."""
    at_once = overlap_matrix(runs)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_rbo, "_CELLS", 1)
        one_by_one = overlap_matrix(runs)
    for name in ("min", "ext", "max"):
        assert getattr(at_once, name).tobytes() == getattr(one_by_one, name).tobytes()


def test_trees_of_few_runs() -> None:
    """One run is a tree of its own; runs without a common topic cannot be joined."""
    assert cluster_runs(overlap_matrix(RUNS.select(["a"]))).groups(within=1) == (("a",),)
    with pytest.raises(InputError, match="c, d"):
        cluster_runs(overlap_matrix(RUNS))
    with pytest.raises(OptionError, match=r"^linkage: 'ward'"):
        cluster_runs(overlap_matrix(RUNS.select(["a", "b"])), linkage="ward")


a_list = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


@given(st.lists(st.tuples(a_list, a_list), min_size=2, max_size=4), st.integers(1, 8))
def test_every_pair_by_its_first_ranks_is_the_pair_on_its_own(
    lists: list[tuple[list[str], list[str]]], depth: int
) -> None:
    """Both matrices hold the mean over the topics that both runs answer."""
    runs = Runs.from_rankings({f"s{i}": {"1": x, "2": y} for i, (x, y) in enumerate(lists)})
    overlap, distance = (
        average_overlap_matrix(runs, depth=depth),
        kendall_distance_matrix(runs, depth=depth),
    )
    for i, j in np.ndindex(len(lists), len(lists)):
        both = [(a[:depth], b[:depth]) for a, b in zip(lists[i], lists[j], strict=True) if a and b]
        for matrix, measure in (
            (overlap, partial(average_overlap, depth=depth)),
            (distance, kendall_distance),
        ):
            expected = np.mean([measure(a, b) for a, b in both]) if both else np.nan
            assert matrix[i, j] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("matrix", [average_overlap_matrix, kendall_distance_matrix])
def test_depth_out_of_range(matrix: object) -> None:
    """A depth without ranks is refused."""
    with pytest.raises(OptionError, match=r"^depth: "):
        matrix(Runs.from_rankings({"a": {"1": ["x"]}}), depth=0)
