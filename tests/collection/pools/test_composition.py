"""What pools are made of, against U18's tables and against counting."""

from pathlib import Path

import numpy as np
import pytest

from poolwise.collection.files.readers import read_judgments, read_runs
from poolwise.collection.groups import read_groups
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.composition import (
    MultiplicityBand,
    MultiplicityRelevance,
    PoolGrowth,
    pool_growth,
    relevance_by_multiplicity,
)
from poolwise.collection.pools.nominations import Nominations, nominate
from poolwise.collection.runs import Runs
from poolwise.collection.simulation import simulate
from poolwise.errors import OptionError


@pytest.fixture(scope="module")
def trec8(data_dir: Path) -> Nominations:
    """Return TREC-8 with ties by rank, as U18 §3.1 orders runs."""
    runs = read_runs(data_dir / "trec8" / "runs", ties="rank")
    return nominate(read_judgments(data_dir / "trec8" / "qrels.gz"), runs)


def total(bands: tuple[MultiplicityBand, ...]) -> tuple[int, int]:
    return sum(b.documents for b in bands), sum(b.relevant for b in bands)


def test_u18_table_1(trec8: Nominations) -> None:
    """67 systems are deeply judged, and the first unjudged document stands at 95.8 on average."""
    assert len(trec8.deeply_judged(50)) == 67
    assert round(float(trec8.first_unjudged.mean()), 1) == 95.8


def test_u18_table_3(trec8: Nominations) -> None:
    """The depth-50 pool of the deeply judged runs, and its single-vote documents, are U18's."""
    deep = trec8.deeply_judged(50)
    bands = relevance_by_multiplicity(trec8, 50, systems=deep)
    assert total(bands) == (40_238, 3175)
    assert bands[0][2:] == (24_149, 731)
    assert len(trec8.depth_pool(50, systems=deep)) == 40_238


def test_u18_table_4(trec8: Nominations) -> None:
    """Counts and percentages by multiplicity at depth 20 are U18's, digit for digit."""
    bands = relevance_by_multiplicity(trec8, 20, systems=trec8.deeply_judged(50))
    assert [(b.label, b.documents, round(100 * b.rate, 1)) for b in bands] == [
        ("1", 10_266, 5.3),
        ("2", 2538, 11.7),
        ("3–4", 1548, 16.3),
        ("5–8", 1017, 26.6),
        ("9–16", 732, 34.0),
        ("17–32", 544, 43.6),
        ("33+", 416, 61.3),
    ]
    documents, relevant = total(bands)
    assert (documents, round(100 * relevant / documents, 1)) == (17_061, 12.3)


def test_the_official_pool_is_found_again(data_dir: Path) -> None:
    """The depth-100 pool of the 71 pooled runs, in trec_eval's order, is exactly the qrels."""
    table = (data_dir / "trec8" / "runs.tsv").read_text().splitlines()[1:]
    pooled = [line.split("\t")[0] for line in table if line.endswith("yes")]
    runs = read_runs(data_dir / "trec8" / "runs").select(pooled)
    official = read_judgments(data_dir / "trec8" / "qrels.gz")
    found = nominate(official, runs)
    assert len(pooled) == 71
    assert len(found.depth_pool(100)) == len(official) == 86_830
    assert found.first_unjudged[runs.lengths >= 100].min() > 100


def test_the_41_groups_of_trec8_are_read(data_dir: Path, trec8: Nominations) -> None:
    """Every run has a group, and a group's own documents are what its leaving hides."""
    groups = read_groups(data_dir / "trec8" / "runs.tsv").select(trec8.systems)
    assert len(groups.names) == 41
    left = trec8.leave_out(groups.members("ge"), depth=100)
    others = [s for s in trec8.systems if groups.of(s) != "ge"]
    assert 0 < len(left) < len(trec8.judgments)
    assert len(trec8.depth_pool(100, systems=others)) <= len(left)


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


def test_an_empty_band_has_no_rate() -> None:
    """Nothing over nothing is undefined, not 0."""
    assert np.isnan(MultiplicityBand(1, 1, 0, 0).rate)


def test_a_grade_below_0_is_no_judgment() -> None:
    """A document that was pooled and not judged adds to no count."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q"]}})
    found = nominate(Judgments.from_dict({"1": {"p": -1, "q": 0}}), runs)
    assert total(relevance_by_multiplicity(found, 2)) == (1, 0)
    assert pool_growth(found, [1, 2]).judged.tolist() == [[0], [1]]


def test_depths_beyond_the_lists_are_refused() -> None:
    """Growth is asked for only where lists go."""
    runs = Runs.from_rankings({"a": {"1": ["p"]}})
    found = nominate(Judgments.from_dict({"1": {"p": 1}}), runs)
    with pytest.raises(OptionError, match="got 2"):
        pool_growth(found, [1, 2])


def test_the_last_band_is_open() -> None:
    """A document that more systems nominate than any band starts with is in the last one."""
    runs = Runs.from_rankings({f"s{i}": {"1": ["p", "q"] if i else ["p"]} for i in range(40)})
    found = nominate(Judgments.from_dict({"1": {"p": 1, "q": 0, "r": 1}}), runs)
    bands = relevance_by_multiplicity(found, 2)
    assert [(b.low, b.high) for b in bands][-2:] == [(17, 32), (33, None)]
    assert (bands[-1].documents, bands[-1].relevant, len(bands)) == (2, 1, 7)
    fewer = relevance_by_multiplicity(found, 2, bands=(1, 40))
    assert [(b.low, b.high, b.documents) for b in fewer] == [(1, 39, 1), (40, None, 1)]


def test_what_votes_say_of_relevance() -> None:
    """The sentence compares the fewest with the most votes, by the rates of the bands."""
    found = MultiplicityRelevance(
        (
            MultiplicityBand(1, 1, 40, 4),
            MultiplicityBand(2, 4, 10, 3),
            MultiplicityBand(5, None, 0, 0),
        )
    )
    rates, total = found.sentences()
    assert rates.startswith("10.0% of the documents that 1 system nominates are relevant")
    assert rates.endswith("and 30.0% of those that 2 to 4 systems nominate.")
    assert total == "The bands hold 50 judged documents, of which 7 are relevant."
    assert found.columns()["high"] == [1, 4, None]


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
