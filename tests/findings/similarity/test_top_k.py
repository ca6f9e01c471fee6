"""Distances of top-k lists, against their definitions written out, and W10 fig. 7.2."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.findings import TOP_K, top_k_similarity

LISTS = st.permutations("abcdefgh").map(lambda items: "".join(items[:4]))
"""Four of eight items, so that lists share from none to all."""


def place(items: str, item: str) -> int:
    """Return the rank of an item, k + 1 where the list lacks it."""
    return items.index(item) + 1 if item in items else len(items) + 1


@given(LISTS, LISTS)
def test_footrule_and_rho_are_sums_over_the_union(first: str, second: str) -> None:
    """Fagin et al.: absolute and squared differences of ranks, over those of disjoint lists."""
    off = [place(first, i) - place(second, i) for i in set(first + second)]
    apart = [place("abcd", i) - place("wxyz", i) for i in "abcdwxyz"]
    footrule = sum(map(abs, off)) / sum(map(abs, apart))
    rho = np.sqrt(sum(d * d for d in off) / sum(d * d for d in apart))
    assert pw.findings.footrule_distance(first, second) == pytest.approx(footrule)
    assert pw.findings.spearman_distance(first, second) == pytest.approx(rho)


@given(LISTS, LISTS)
def test_gamma_ignores_pairs_that_a_list_lacks(first: str, second: str) -> None:
    """γ counts the pairs in the same and in the opposite order, and no others."""
    same = opposite = 0
    for i, j in combinations(sorted(set(first + second)), 2):
        if not ({i, j} & set(first) and {i, j} & set(second)):
            continue
        one, other = (place(x, i) - place(x, j) for x in (first, second))
        same, opposite = same + (one * other > 0), opposite + (one * other < 0)
    assert pw.findings.gamma_correlation(first, second) == (same - opposite) / (same + opposite)


@given(LISTS, LISTS)
def test_condensed_lists_are_those_of_the_shared_items(first: str, second: str) -> None:
    """Bar-Ilan: what one list lacks is left out, and the rest is ranked anew."""
    shared = [i for i in first if i in second]
    rho = pw.findings.condensed_spearman(first, second)
    rule = pw.findings.condensed_footrule(first, second)
    if len(shared) < 2:
        assert np.isnan(rho)
        assert np.isnan(rule)
        return
    other = [[j for j in second if j in shared].index(i) for i in shared]
    assert rho == pytest.approx(spearmanr(range(len(shared)), other)[0])
    off = sum(abs(i - j) for i, j in enumerate(other))
    assert rule == pytest.approx(1 - off / (len(shared) ** 2 // 2))


def test_w10_condensing_loses_information() -> None:
    """W10 §7.2.1: ab???? and a????b are the same once condensed, and not otherwise."""
    first, second = "abcdef", "avwxyb"
    assert top_k_similarity(first, second, method="condensed_rho") == 1
    assert top_k_similarity(first, second, method="tau") < 0


def test_m_has_the_published_maximum() -> None:
    """Bar-Ilan et al. 2006: for lists of ten, the sum of differences is at most 4.03975."""
    ten = [str(i) for i in range(10)]
    swapped = [ten[1], ten[0], *ten[2:]]
    assert pw.findings.reciprocal_rank_similarity(ten, swapped) == pytest.approx(1 - 1 / 4.03975)


@given(LISTS, LISTS)
def test_all_are_symmetric_and_1_for_equal_lists(first: str, second: str) -> None:
    """No list is the reference, and a list is as similar to itself as can be."""
    for method in TOP_K:
        one, other = (
            top_k_similarity(a, b, method=method) for a, b in ((first, second), (second, first))
        )
        assert one == pytest.approx(other, nan_ok=True)
        assert top_k_similarity(first, first, method=method) == pytest.approx(1)


def test_w10_figure_7_2() -> None:
    """Agreement and average overlap of the two lists, to each depth."""
    runs = pw.Runs.from_rankings({"S": {"1": list("abcdefg")}, "T": {"1": list("zcavwxy")}})
    curve = pw.findings.agreement_curve(runs, "S", "T", depths=range(1, 8))
    agreement = [0.000, 0.000, 0.667, 0.500, 0.400, 0.333, 0.286]
    overlap = [0.000, 0.000, 0.222, 0.292, 0.313, 0.317, 0.312]
    assert curve.agreement.round(3).tolist() == agreement
    assert curve.average_overlap == pytest.approx(overlap, abs=0.0006)


def test_rbo_bounds_close_with_depth() -> None:
    """The deeper two runs are seen, the nearer are the least and the largest RBO."""
    made = pw.simulate(systems=2, topics=5, depth=60, rng=3)
    curve = pw.findings.agreement_curve(made.runs, *made.runs.systems)
    assert (np.diff(curve.rbo_min) >= -1e-12).all()
    assert (np.diff(curve.rbo_max) <= 1e-12).all()
    whole = pw.findings.run_overlap(made.runs, *made.runs.systems).mean()
    assert curve.rbo_ext[-1] == pytest.approx(whole.ext, abs=0.01)


def test_further_similarities_are_means_over_topics() -> None:
    """A topic without a value is left out, and what is shown anyway is not shown twice."""
    lists = {"a": {"1": list("abc"), "2": list("xyz")}, "b": {"1": list("bac"), "2": list("uvx")}}
    runs = pw.Runs.from_rankings(lists)
    curve = pw.findings.agreement_curve(
        runs, "a", "b", depths=[3], also=["M", "condensed_rho", "tau"]
    )
    both = [top_k_similarity(lists["a"][t], lists["b"][t], method="M") for t in "12"]
    assert curve.also == ("M", "condensed_rho")
    assert curve.others[:, 0] == pytest.approx([np.mean(both), 0.5])
    assert curve.columns()["M"] == pytest.approx([np.mean(both)])


def test_curves_by_persistence_are_those_of_the_matrix() -> None:
    """Each point is the mean RBO of two runs."""
    made = pw.simulate(systems=4, topics=5, depth=30, rng=3)
    run, other = made.runs.systems[0], made.runs.systems[2]
    curves = pw.findings.persistence_curves(made.runs, run, persistences=(0.5, 0.9))
    (table,) = curves.tables()
    assert [column.title for column in table.columns] == ["other", "p = 0.5", "p = 0.9"]
    assert [row[1:] for row in table.rows] == [tuple(row) for row in curves.rbo.tolist()]
    for column, p in enumerate(curves.persistences):
        expected = pw.findings.run_overlap(made.runs, run, other, p=p).mean().ext
        assert curves.rbo[curves.others.index(other), column] == pytest.approx(expected)


def test_what_cannot_be_compared_is_refused() -> None:
    """Items twice, runs without a topic in common, and unknown runs are refused."""
    runs = pw.Runs.from_rankings({"a": {"1": ["x"]}, "b": {"2": ["x"]}})
    with pytest.raises(InputError, match="one place"):
        pw.findings.footrule_distance("aab", "abc")
    with pytest.raises(OptionError, match="Hint"):
        pw.findings.agreement_curve(runs, "a", "b")
    with pytest.raises(OptionError, match="Hint"):
        pw.findings.persistence_curves(runs, "c")
    assert np.isnan(pw.findings.footrule_distance("", ""))
