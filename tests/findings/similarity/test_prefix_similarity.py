"""Average overlap and Kendall's distance of every pair of runs."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.findings.similarity.prefix_similarity import (
    average_overlap_matrix,
    kendall_distance_matrix,
)
from poolwise.findings.similarity.rank_overlap import average_overlap, kendall_distance

a_list = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


@given(st.lists(st.tuples(a_list, a_list), min_size=2, max_size=4), st.integers(1, 8))
def test_every_pair_is_the_pair_on_its_own(
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
        for found, measure in (
            (overlap, partial(average_overlap, depth=depth)),
            (distance, kendall_distance),
        ):
            expected = np.mean([measure(a, b) for a, b in both]) if both else np.nan
            assert found[i, j] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("matrix", [average_overlap_matrix, kendall_distance_matrix])
def test_depth_out_of_range(matrix: object) -> None:
    """A depth without ranks is refused."""
    with pytest.raises(OptionError, match=r"^depth: "):
        matrix(Runs.from_rankings({"a": {"1": ["x"]}}), depth=0)
