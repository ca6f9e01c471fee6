"""Findings of one kind, one for each measure."""

import pytest

import poolwise as pw
from poolwise.results._columns import stack_columns

Movements = pw.studies.ByMeasure[pw.studies.ScoreMovement]


@pytest.fixture(scope="module")
def found() -> Movements:
    """Return how far two measures move."""
    made = pw.simulate(systems=6, topics=8, depth=20, rng=7)
    return pw.studies.movement(
        made.truth, made.runs, ["AP", "nDCG(dcg='jk')"], pool_depths=[3, 5], reference=20
    )


def test_the_whole_is_its_parts(found: Movements) -> None:
    """Columns, sentences and tables are those of the parts, in their order."""
    parts = list(found)
    assert len(found) == len(parts) == 2
    assert found.columns() == stack_columns([part.columns() for part in parts])
    assert found.sentences() == (*parts[0].sentences(), *parts[1].sentences())
    assert [table.title for table in found.tables()] == [
        "AP: score minus that under the pool of depth 20",
        "nDCG(dcg='jk'): score minus that under the pool of depth 20",
    ]
    assert found.provenance == parts[0].provenance


def test_a_part_is_reached_by_measure_or_name(found: Movements) -> None:
    """The canonical name, an alias and the value give the same part; another name is a KeyError."""
    assert found["AP"] is found["map"] is found[pw.AP] is found.parts[0]
    with pytest.raises(KeyError, match="RR"):
        found["RR"]


def test_standardized_scores_are_reached_by_their_name() -> None:
    """A name that is no measure of the catalogue is that of the scores."""
    table = pw.ScoreTable.from_matrix([[0.1, 0.4], [0.3, 0.2]], systems="ab", topics="12",
                                      measure="AP")  # fmt: skip
    both = [table, pw.standardize(table)]
    rates = pw.studies.ByMeasure.of(pw.studies.swap_rates(t, draws=5) for t in both)
    assert rates["sAP"] is rates.parts[1]


def test_nothing_joined_is_an_empty_finding() -> None:
    """Without any part there are no columns and nothing to say."""
    empty = pw.studies.ByMeasure.of([])
    assert (empty.columns(), empty.sentences(), empty.tables()) == ({}, (), ())
