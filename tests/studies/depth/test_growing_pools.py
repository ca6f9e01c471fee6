"""Pools grow with their depth, and what is added is relevant less often."""

import numpy as np
import pytest

import poolwise as pw
from poolwise import Judgments, Runs, nominate, simulate
from poolwise.errors import OptionError
from poolwise.studies.depth.growing_pools import PoolGrowth, pool_growth


def test_a_grade_below_0_is_no_judgment() -> None:
    """A document that was pooled and not judged adds to no count."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q"]}})
    found = nominate(Judgments.from_dict({"1": {"p": -1, "q": 0}}), runs)
    assert pool_growth(found, [1, 2]).judged.tolist() == [[0], [1]]


def test_growth_counts_the_pools() -> None:
    """Judged and relevant documents per topic are those of the pool of each depth."""
    made = simulate(systems=6, topics=5, depth=40, rng=3)
    found = nominate(made.truth, made.runs)
    growth = pool_growth(found, [20, 5, 10], systems=made.pooled, rel=2)
    assert growth.depths == (5, 10, 20)
    for d, depth in enumerate(growth.depths):
        pool = list(found.depth_pool(depth, systems=made.pooled))
        for t, topic in enumerate(made.truth.topics):
            graded = [g for name, _, g in pool if name == topic]
            assert growth.judged[d, t] == len(graded)
            assert growth.relevant[d, t] == sum(g >= 2 for g in graded)


def test_rates_are_those_of_the_new_documents() -> None:
    """A step's rate counts what the step adds; where it adds nothing there is none."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q", "r", "x"]}})
    found = nominate(Judgments.from_dict({"1": {"p": 1, "q": 0, "r": 1}}), runs)
    rates = pool_growth(found, [1, 3, 4]).rates()
    assert rates[:2].tolist() == [1, 0.5]
    assert np.isnan(rates[2])


def test_depths_beyond_the_lists_are_refused() -> None:
    """Growth is asked for only where lists go."""
    runs = Runs.from_rankings({"a": {"1": ["p"]}})
    found = nominate(Judgments.from_dict({"1": {"p": 1}}), runs)
    with pytest.raises(OptionError, match="got 2"):
        pool_growth(found, [1, 2])


def test_what_growth_says() -> None:
    """The deepest pool is counted, and the last step's documents have their own rate."""
    growth = PoolGrowth(
        (5, 10), ("1", "2"), np.array([[4, 4], [8, 10]]), np.array([[3, 2], [4, 3]])
    )
    assert growth.sentences() == (
        "Down to depth 10 the pools of 2 topics hold 18 judged documents, 7 of them relevant.",
        "Of the documents added below depth 5, 20.0% are relevant.",
    )
    assert growth.columns() == {
        "depth": [5, 5, 10, 10],
        "topic": ["1", "2", "1", "2"],
        "judged": [4, 4, 8, 10],
        "relevant": [3, 2, 4, 3],
    }
    assert growth.tables()[0].rows == ((5, 8, 5, 0.625), (10, 18, 7, 0.2))


def test_pools_remember_their_options() -> None:
    """Which systems were pooled, however given, is part of where the numbers come from."""
    runs = Runs.from_rankings({"a": {"1": ["p"]}, "b": {"1": ["q"]}})
    found = nominate(Judgments.from_dict({"1": {"p": 1, "q": 1}}), runs)
    growth = pool_growth(found, [1], systems=(name for name in ["b"]))
    assert growth.judged.tolist() == [[1]]
    assert dict(growth.provenance.options)["systems"] == ("b",)
    assert dict(pool_growth(found, [1]).provenance.options)["systems"] == "all"


def test_the_spread_is_that_over_topics() -> None:
    """Boxes of U18 fig. 4 are the five numbers of the topics' pools, depth by depth."""
    growth = PoolGrowth(
        (5, 10), ("1", "2", "3"), np.array([[4, 5, 9], [8, 10, 12]]), np.zeros((2, 3), int)
    )
    judged, relevant = growth.spread()
    assert judged["lowest"].tolist() == [4, 8]
    assert judged["median"].tolist() == [5, 10]
    assert judged["highest"].tolist() == [9, 12]
    assert not relevant["highest"].any()


def test_the_bands_of_a_growth_start_below_each_other() -> None:
    """The rate of G16 fig. 3 belongs to the ranks between two depths."""
    growth = PoolGrowth((10, 20), ("1",), np.array([[4], [8]]), np.array([[2], [3]]))
    assert growth.bands() == ("1–10", "11–20")
    figure = pw.plot(growth)
    sizes, rates = figure.axes[0].child_axes
    assert rates.lines[0].get_ydata().tolist() == [50, 25]
    assert [label.get_text() for label in sizes.get_xticklabels()] == ["10", "20"]
