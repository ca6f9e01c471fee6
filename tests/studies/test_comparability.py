"""Comparisons between collections: κ, false positives and negatives, as in W10 §4.5–4.6."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from poolwise.errors import OptionError
from poolwise.scores._factor_files import load_factors
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import standardize
from poolwise.studies._comparability import (
    ComparabilityStudy,
    _missed,
    comparability,
    false_negatives,
    repartition,
)
from poolwise.studies._references import reference_stability
from poolwise.studies._swaps import random_subsets

Parts = dict[str, ScoreTable]

COLLECTIONS = {
    "trec7.adhoc": (351, 400),
    "trec8.adhoc": (401, 450),
    "trec2003.rob": (601, 650),
    "trec2004.rob": (651, 700),
}
PAIRS = [(a, b) for i, a in enumerate(COLLECTIONS) for b in list(COLLECTIONS)[i + 1 :]]


def table_of(values: np.ndarray, measure: str = "AP") -> ScoreTable:
    systems, topics = values.shape
    names = [f"s{i}" for i in range(systems)], [str(t) for t in range(topics)]
    return ScoreTable.from_matrix(values, systems=names[0], topics=names[1], measure=measure)


@pytest.fixture(scope="module")
def raw(data_dir: Path) -> Parts:
    """Return AP of the Robust 2004 systems on each of its sub-collections."""
    table = read_score_matrix(data_dir / "scores/newbestsub/R04.csv", rows="systems")
    return {
        name: table.select(topics=[t for t in table.topics if first <= int(t) <= last])
        for name, (first, last) in COLLECTIONS.items()
    }


@pytest.fixture(scope="module")
def standardized(data_dir: Path, raw: Parts) -> Parts:
    """Return the same, standardized by the original runs of each sub-collection."""
    folder = data_dir / "standardization-factors"
    return {
        name: standardize(table, load_factors(folder / f"{name}.mn.csv", measure="AP"))
        for name, table in raw.items()
    }


def together(parts: Parts) -> ScoreTable:
    """Return the 100 topics of TREC 7 and TREC 8 as one collection."""
    seven, eight = parts["trec7.adhoc"], parts["trec8.adhoc"]
    value = np.hstack([seven.value, eight.value])
    return ScoreTable.from_matrix(
        value,
        systems=seven.systems,
        topics=seven.topics + eight.topics,
        measure=seven.measure,
    )


def test_w10_tables_4_9_and_4_11(raw: Parts, standardized: Parts) -> None:
    """κ between the sub-collections is the printed one, raw and standardized."""
    kappas = {
        str(parts["trec7.adhoc"].measure): [
            round(comparability(parts[a], parts[b]).kappa, 3) for a, b in PAIRS
        ]
        for parts in (raw, standardized)
    }
    np.testing.assert_allclose(
        kappas["AP"], [0.627, 1.857, 1.285, 1.387, 0.859, 0.583], atol=0.0011
    )
    np.testing.assert_allclose(
        kappas["sAP"], [0.349, 0.396, 0.452, 0.464, 0.462, 0.394], atol=0.0011
    )


def test_w10_tables_4_10_and_4_12(raw: Parts, standardized: Parts) -> None:
    """As many systems are better than themselves as W10 counts, in either direction."""

    def counts(parts: Parts) -> list[tuple[int, int]]:
        compared = [comparability(parts[a], parts[b]) for a, b in PAIRS]
        return [(f.higher_on_first, f.higher_on_second) for f in compared]

    assert counts(raw) == [(0, 2), (0, 103), (0, 61), (0, 57), (0, 8), (2, 0)]
    assert counts(standardized) == [(4, 2), (5, 4), (14, 3), (5, 13), (13, 8), (12, 1)]


def test_w10_section_4_6_3_repartition(raw: Parts, standardized: Parts) -> None:
    """TREC 7 and 8 could be one collection (p 0.353), TREC 7 and Robust 2003 could not."""
    seven, eight = raw["trec7.adhoc"], raw["trec8.adhoc"]
    assert repartition(seven, eight, rng=1).pvalue == pytest.approx(0.353, abs=0.05)
    assert repartition(seven, raw["trec2003.rob"], rng=1).pvalue < 0.005
    both = standardized["trec7.adhoc"], standardized["trec2004.rob"]
    assert repartition(*both, rng=1).pvalue < 0.03


def test_w10_figure_4_9(raw: Parts, standardized: Parts) -> None:
    """Standardizing keeps false positives at 0.05 and takes away their extremes."""
    plain = repartition(together(raw), rng=1, partitions=2000).false_positives
    ours = repartition(together(standardized), rng=1, partitions=2000).false_positives
    assert plain.mean() == pytest.approx(0.05, abs=0.012)
    assert ours.mean() == pytest.approx(0.05, abs=0.006)
    assert (np.median(plain), round(float(np.median(ours)), 3)) == (0, 0.036)
    assert np.percentile(plain, 97.5) > 0.4
    assert np.percentile(ours, 97.5) == pytest.approx(0.15, abs=0.02)


def test_w10_figure_4_11(raw: Parts, standardized: Parts) -> None:
    """Raw AP misses more than a quarter of sure differences, sAP a twentieth."""
    missed = false_negatives([together(raw), together(standardized)], rng=1)
    assert missed.rates["AP"] > 0.25
    assert missed.rates["sAP"] < 0.08


def test_w10_figure_4_8(data_dir: Path, raw: Parts) -> None:
    """Five reference systems give τ 0.888 half the time, ten nearly always, twenty always."""
    path = data_dir / "scores/urbano/irj2015-reliability/robust2003.csv"
    published = load_factors(data_dir / "standardization-factors/trec2003.rob.mn.csv", measure="AP")
    references = replace(read_score_matrix(path, measure="AP"), topics=published.topics)
    stability = reference_stability(
        raw["trec2003.rob"], references, sizes=[5, 10, 20, 78], rng=1, samples=400
    )
    reached = stability.lowest(0.5)[0], stability.lowest(0.95)[1], stability.lowest(0.99)[2]
    np.testing.assert_allclose(reached, 0.888, atol=0.025)
    assert stability.taus[3].min() > 0.999  # two of the runs are identical


def test_kappa_by_hand() -> None:
    """κ is twice the error of means over the sum of deviations of means (W10 eq. 4.9, 4.10)."""
    first, second = table_of(np.array([[0.1, 0.3], [0.4, 0.6]])), np.array([[0.2, 0.4], [0.5, 0.9]])
    compared = comparability(first, table_of(second))
    assert compared.rmse == pytest.approx(np.sqrt((0.1**2 + 0.2**2) / 2))
    assert compared.kappa == pytest.approx(2 * compared.rmse / ((0.3 + 0.4) / np.sqrt(2)))


@given(scale=st.floats(0.1, 10), shift=st.floats(-1, 1))
def test_kappa_has_no_unit(scale: float, shift: float) -> None:
    """κ and the verdicts do not change with the scale of the measure."""
    rng = np.random.default_rng(1)
    first, second = rng.random((5, 8)), rng.random((5, 6)) ** 2
    one = comparability(table_of(first), table_of(second))
    other = comparability(table_of(first * scale + shift), table_of(second * scale + shift))
    assert other.kappa == pytest.approx(one.kappa)
    assert other.false_positives == one.false_positives


def test_false_positives_are_scipys() -> None:
    """The verdicts are those of scipy's two-sample t test."""
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(4)
    first, second = rng.random((60, 12)), rng.random((60, 15)) ** 1.6
    ours = comparability(table_of(first), table_of(second), alpha=0.1)
    theirs = ttest_ind(first, second, axis=1)
    significant = theirs.pvalue < 0.1
    assert ours.higher_on_first == int((significant & (theirs.statistic > 0)).sum()) > 0
    assert ours.higher_on_second == int((significant & (theirs.statistic < 0)).sum())


def test_topics_assigned_at_random_give_uniform_p() -> None:
    """Where collections differ by chance alone, small p values are as rare as they should be."""
    rng = np.random.default_rng(8)
    pvalues = [
        repartition(
            table_of(rng.random((6, 10))), table_of(rng.random((6, 12))), rng=i, partitions=99
        ).pvalue
        for i in range(120)
    ]
    assert np.mean(np.array(pvalues) <= 0.25) == pytest.approx(0.25, abs=0.12)
    assert np.mean(pvalues) == pytest.approx(0.5, abs=0.09)


def test_results_follow_the_seed() -> None:
    """The same seed gives the same partitions, another seed others."""
    table = table_of(np.random.default_rng(1).random((4, 12)))
    first, again, other = (repartition(table, rng=s, partitions=50).kappas for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_identical_collections() -> None:
    """The same scores on both sides have κ 0 and no false positive, and p is 1."""
    table = table_of(np.random.default_rng(1).random((4, 10)))
    compared = comparability(table, table)
    assert (compared.kappa, compared.false_positives) == (0, 0)
    assert repartition(table, table, rng=1, partitions=50).pvalue == 1


def test_wrong_use_is_refused() -> None:
    """Different systems, too few topics, no sure difference: refused with a remedy."""
    table = table_of(np.random.default_rng(1).random((4, 10)))
    calls = [
        lambda: comparability(table, table.select(runs=["s0", "s1"])),
        lambda: comparability(table, table_of(table.value, "P@5")),
        lambda: comparability(table, table.select(topics=["0"])),
        lambda: comparability(table, table, alpha=0),
        lambda: repartition(table.select(topics=["0", "1", "2"]), rng=1),
        lambda: false_negatives([table], rng=1),
        lambda: false_negatives([table, table.select(topics=["0"])], rng=1),
        lambda: false_negatives([table.select(topics=["0", "1"])], rng=1),
        lambda: reference_stability(table, table, sizes=[1], rng=1),
        lambda: reference_stability(table, table, sizes=[5], rng=1),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()


def test_comparability_says_its_numbers() -> None:
    """κ, its error and the systems that seem to differ from themselves are in the sentences."""
    rng = np.random.default_rng(4)
    first, second = rng.random((60, 12)), rng.random((60, 15)) ** 1.6
    compared = comparability(table_of(first), table_of(second), alpha=0.1)
    wrong = compared.higher_on_first + compared.higher_on_second
    said = " ".join(compared.sentences())
    assert said.startswith("Between 12 and 15 topics, the mean AP of the same system differs by")
    assert f"{compared.rmse:.4f} (root mean square), which is {compared.kappa:.3f} standard" in said
    assert f"{wrong} of 60 systems would be called" in said
    assert f"{compared.higher_on_first} better on the first collection" in said
    assert compared.columns()["false_positives"] == [wrong / 60]


def test_repartitions_say_their_numbers() -> None:
    """Rates and κ are those of the partitions; two collections add their own κ and its p value."""
    one, two = (table_of(np.random.default_rng(s).random((6, 10))) for s in (1, 2))
    alone, both = repartition(one, partitions=50), repartition(one, two, partitions=50)
    assert f"{alone.false_positives.mean():.1%} of 6 systems" in alone.sentences()[0]
    high = np.percentile(alone.false_positives, 97.5)
    assert f"97.5th percentile {high:.1%}" in alone.sentences()[0]
    assert alone.sentences()[1] == f"Kappa of AP is {alone.kappas.mean():.3f} on average."
    assert f"{both.observed:.3f} for the collections as they are" in both.sentences()[1]
    assert both.sentences()[1].endswith(f"with p = {both.pvalue:.4f}.")
    assert both.columns()["random_kappa"] == [both.kappas.mean()]
    assert both.columns()["false_positives_median"] == [np.median(both.false_positives)]


def test_the_collections_as_they_are_have_means_and_correlations(raw: Parts) -> None:
    """W10 tables 4.7 (last row), 4.10 and 4.13, in the columns of the study."""
    pair = raw["trec2003.rob"], raw["trec2004.rob"]
    columns = repartition(*pair, partitions=1).columns()
    named = ("pearson", "tau_b", "first_mean", "second_mean", "kappa")
    assert [round(columns[name][0], 3) for name in named] == [0.943, 0.742, 0.327, 0.293, 0.583]
    assert (columns["higher_on_first"], columns["higher_on_second"]) == ([2], [0])
    alone = repartition(pair[0], partitions=1)
    assert alone.real is None
    assert np.isnan(alone.columns()["tau_b"]).all()


def test_false_negatives_are_those_of_their_measure() -> None:
    """A study of several measures has each one's own rate, and none where nobody counted."""
    values = np.random.default_rng(1).random((5, 40)) + np.arange(5)[:, None] / 4
    raw, other = table_of(values), table_of(values + 0.3 * values**2, "P@5")
    missed = false_negatives([raw, other], samples=300)
    assert missed.rates == dict(zip(["AP", "P@5"], missed.missed, strict=True))
    assert f"{missed.rates['P@5']:.1%} by P@5 (300 samples)" in missed.sentences()[0]
    assert (
        missed.sentences()[1] == f"{missed.different} of 10 pairs of systems differ on all topics."
    )
    third = table_of(values, "RR")
    study = ComparabilityStudy.of([repartition(t, partitions=9) for t in (other, third)], [missed])
    assert study.columns()["false_negatives"][0] == missed.rates["P@5"]
    assert np.isnan(study.columns()["false_negatives"][1])


def test_halves_of_a_pair_share_no_topic() -> None:
    """Each pair of systems is tested on topics of its own, as two samples are (W10 §4.6)."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(2, 4, 9))
    left, right = np.array([0, 0, 1]), np.array([1, 2, 3])
    drawn = _missed(
        np.random.default_rng(1), 300, values=values, left=left, right=right, alpha=0.05
    )
    again = np.random.default_rng(1)
    pair = again.integers(0, 3, 300)
    halves = random_subsets(again, 300, 9, 4)
    missed = [
        sum(
            ttest_ind(table[left[p], half], table[right[p], ~half]).pvalue >= 0.05
            for p, half in zip(pair, halves, strict=True)
        )
        for table in values
    ]
    assert drawn.tolist() == missed
