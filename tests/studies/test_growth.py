"""What pools hold as they become deeper, and what a deeper one would find."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

import poolwise as pw
from poolwise import Judgments, Runs, nominate, simulate
from poolwise.errors import OptionError
from poolwise.studies._growth import PoolGrowth, extrapolate_relevant, pool_growth, relevant_beyond


def test_a_grade_below_0_is_no_judgment() -> None:
    """A document that was pooled and not judged adds to no count."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q"]}})
    nominations = nominate(Judgments.from_dict({"1": {"p": -1, "q": 0}}), runs)
    assert pool_growth(nominations, [1, 2]).judged.tolist() == [[0], [1]]


def test_growth_counts_the_pools() -> None:
    """Judged and relevant documents per topic are those of the pool of each depth."""
    made = simulate(systems=6, topics=5, depth=40, rng=3)
    nominations = nominate(made.truth, made.runs)
    growth = pool_growth(nominations, [20, 5, 10], systems=made.pooled, rel=2)
    assert growth.depths == (5, 10, 20)
    for d, depth in enumerate(growth.depths):
        pool = list(nominations.depth_pool(depth, systems=made.pooled))
        for t, topic in enumerate(made.truth.topics):
            graded = [g for name, _, g in pool if name == topic]
            assert growth.judged[d, t] == len(graded)
            assert growth.relevant[d, t] == sum(g >= 2 for g in graded)


def test_rates_are_those_of_the_new_documents() -> None:
    """A step's rate counts what the step adds; where it adds nothing there is none."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q", "r", "x"]}})
    nominations = nominate(Judgments.from_dict({"1": {"p": 1, "q": 0, "r": 1}}), runs)
    rates = pool_growth(nominations, [1, 3, 4]).rates()
    assert rates[:2].tolist() == [1, 0.5]
    assert np.isnan(rates[2])


def test_depths_beyond_the_lists_are_refused() -> None:
    """Growth is asked for only where lists go."""
    runs = Runs.from_rankings({"a": {"1": ["p"]}})
    nominations = nominate(Judgments.from_dict({"1": {"p": 1}}), runs)
    with pytest.raises(OptionError, match="got 2"):
        pool_growth(nominations, [1, 2])


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
    nominations = nominate(Judgments.from_dict({"1": {"p": 1, "q": 1}}), runs)
    growth = pool_growth(nominations, [1], systems=(name for name in ["b"]))
    assert growth.judged.tolist() == [[1]]
    assert dict(growth.provenance.options)["systems"] == ("b",)
    assert dict(pool_growth(nominations, [1]).provenance.options)["systems"] == "all"


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


def growth(added: np.ndarray) -> PoolGrowth:
    """Return pools of all depths whose ranks add these relevant documents."""
    topics = tuple(str(t) for t in range(added.shape[1]))
    relevant = added.cumsum(axis=0)
    return PoolGrowth(tuple(range(1, len(added) + 1)), topics, relevant, relevant)


def poisson_fit(added: np.ndarray) -> tuple[float, float]:
    """Return c and s of the most likely c·d^s."""
    ranks = np.arange(1, len(added) + 1)

    def unlikeliness(x: np.ndarray) -> float:
        mean = np.exp(x[0]) * ranks ** x[1]
        return float((mean - added * np.log(mean)).sum())

    log_c, s = optimize.minimize(unlikeliness, [0.0, -0.5], tol=1e-10).x
    return float(np.exp(log_c)), float(s)


def test_each_fit_is_the_most_likely_one() -> None:
    """Expected documents are those of a Poisson regression on the logarithm of the rank."""
    ranks = np.arange(1, 41)
    added = np.random.default_rng(1).poisson(4.0 * ranks[:, None] ** np.array([-0.4, -0.9, -0.6]))
    beyond = extrapolate_relevant(growth(added), target=200, fit="topics")
    for t in range(3):
        c, s = poisson_fit(added[:, t])
        assert beyond.exponents[t] == pytest.approx(s, abs=1e-4)
        assert beyond.expected[t] == pytest.approx((c * np.arange(1, 201) ** s).sum(), rel=1e-3)
    together = extrapolate_relevant(growth(added), target=200)
    assert together.exponents == pytest.approx(poisson_fit(added.sum(axis=1))[1], abs=1e-4)
    assert together.expected / together.found == pytest.approx(
        together.expected.sum() / together.found.sum()
    )


def test_a_power_law_is_continued_exactly() -> None:
    """Where ranks add just what the law says, it goes on as the law says."""
    law = 10_000 * np.arange(1, 101)[:, None] ** -0.7
    beyond = extrapolate_relevant(growth(law.round().astype(np.int64)), target=1000)
    assert beyond.expected.item() == pytest.approx(
        (10_000 * np.arange(1, 1001) ** -0.7).sum(), rel=1e-3
    )
    assert beyond.from_half.item() == pytest.approx(beyond.found.item(), rel=1e-3)


def test_a_rate_never_rises() -> None:
    """A topic whose relevant documents come late is continued at a constant rate, no more."""
    added = np.zeros((10, 1), np.int64)
    added[9] = 5
    assert extrapolate_relevant(growth(added), target=20).expected.item() == pytest.approx(10)


def test_topics_without_relevant_documents_expect_none() -> None:
    """Nothing found is nothing extrapolated, and all at the first rank is all there is."""
    added = np.zeros((10, 2), np.int64)
    added[0, 1] = 7
    beyond = extrapolate_relevant(growth(added), fit="topics")
    assert beyond.expected.tolist() == pytest.approx([0, 7], abs=0.01)


def test_trec8_as_w10_has_it(data_dir: Path) -> None:
    """W10 §3.4.2: 95 relevant documents of 200 or so found per topic, about half of them."""
    folder = data_dir / "trec8"
    if not folder.is_dir():
        pytest.skip(f"no TREC-8 at {data_dir}")
    with (folder / "runs.tsv").open() as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        pooled = [row["run"] for row in rows if row["judged_to_depth100"] == "yes"]
    runs = pw.read_runs(folder / "runs").select(pooled)
    nominations = pw.nominate(pw.read_judgments(folder / "qrels.gz"), runs)
    beyond = relevant_beyond(nominations, 100, target=1000)
    assert beyond.found.mean() == pytest.approx(95, abs=0.5)
    assert beyond.expected.mean() == pytest.approx(200, abs=20)
    assert beyond.share_found == pytest.approx(0.5, abs=0.07)
    # Half of the ranks say within a tenth what the other half brings.
    assert beyond.from_half.mean() == pytest.approx(beyond.found.mean(), rel=0.1)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"depth": 1}, "2 ranks or more"), ({"depth": 5, "target": 5}, "deeper than the pool, 5")],
)
def test_what_cannot_be_extrapolated_is_refused(options: dict[str, int], said: str) -> None:
    """A rate takes two ranks, and an extrapolation goes further than the pool."""
    made = pw.simulate(systems=3, topics=2, depth=10, rng=1)
    with pytest.raises(OptionError, match=said):
        relevant_beyond(pw.nominate(made.truth, made.runs), **options)
