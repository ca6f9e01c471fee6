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
    relevance_by_multiplicity,
)
from poolwise.collection.pools.nominations import Nominations, nominate
from poolwise.collection.runs import Runs


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


def test_an_empty_band_has_no_rate() -> None:
    """Nothing over nothing is undefined, not 0."""
    assert np.isnan(MultiplicityBand(1, 1, 0, 0).rate)


def test_a_grade_below_0_is_no_judgment() -> None:
    """A document that was pooled and not judged adds to no count."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q"]}})
    found = nominate(Judgments.from_dict({"1": {"p": -1, "q": 0}}), runs)
    assert total(relevance_by_multiplicity(found, 2)) == (1, 0)


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
