"""Tests of Kendall's τ and of differences of τ, and weighted τ, against scipy and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import poolwise as pw
from poolwise.errors import InputError
from poolwise.findings import tau_difference, tau_error, tau_pvalue, weighted_tau

ORDERS = st.permutations(range(8))


@given(ORDERS, ORDERS)
def test_weights_of_melucci_give_tau_ap(first: list[int], second: list[int]) -> None:
    """W10 §3.3.6: τ_AP is the weighted τ whose pairs weigh 1 / (lower rank − 1)."""
    found = weighted_tau(first, second, weight=lambda _, lower: 1 / (lower - 1))
    assert found == pytest.approx(pw.correlate(first, second, method="tau_ap"))
    even = weighted_tau(first, second, weight=lambda upper, _: upper * 0 + 1)
    assert even == pytest.approx(pw.correlate(first, second, method="tau"))


@given(ORDERS, ORDERS)
def test_weighted_tau_is_that_of_scipy(first: list[int], second: list[int]) -> None:
    """Hyperbolic weights, multiplied, in the ranks of the second order."""
    ranks = 7 - np.array(second)
    expected = stats.weightedtau(first, second, rank=ranks, additive=False)
    assert pw.correlate(first, second, method="tau_w") == pytest.approx(expected.statistic)


def test_unrelated_orders_are_as_rare_as_all_permutations_say() -> None:
    """Two of 120 orders of five have |τ| = 1, and eight more have one pair turned round."""
    assert tau_pvalue(range(5), range(5)) == pytest.approx(2 / 120)
    assert tau_pvalue(range(5), [0, 1, 2, 4, 3]) == pytest.approx(10 / 120)


def samples(count: int, n: int) -> np.ndarray:
    """Return a reference and two orders that follow it unequally, count × 3 × n."""
    rng = np.random.default_rng(5)
    base = rng.normal(size=(count, 1, n))
    noise = rng.normal(size=(count, 2, n)) * [[[0.5], [0.9]]]
    return np.concatenate([base, base + noise], axis=1)


def test_errors_are_the_spread_over_samples_of_systems() -> None:
    """Cliff's standard errors are near the deviation over samples, of τ and of a difference."""
    drawn = samples(600, 30)
    errors = [tau_error(one[0], one[1]) for one in drawn]
    found = [tau_difference(*one) for one in drawn]
    taus = [one.first for one in found]
    assert taus[0] == pytest.approx(pw.correlate(drawn[0, 0], drawn[0, 1], method="tau"))
    assert np.mean(errors) == pytest.approx(np.std(taus), rel=0.1)
    spread = np.std([one.difference for one in found])
    assert np.mean([one.error for one in found]) == pytest.approx(spread, rel=0.1)


def test_equal_orders_do_not_differ() -> None:
    """An order is no nearer than itself."""
    assert tau_difference([1, 2, 3, 4], [2, 1, 3, 4], [2, 1, 3, 4]).pvalue == 1


def tables(noise: tuple[float, ...]) -> list[pw.ScoreTable]:
    """Return a reference and tables that follow it with this noise by system."""
    rng = np.random.default_rng(1)
    rows = rng.random((20, 40)) * 0.3 + np.linspace(0, 0.5, 20)[:, None]
    made = [rows, *(rows + rng.normal(size=(20, 1)) * scale for scale in noise)]
    names = ("AP", "P@10", "P@20")
    places = {"systems": [f"s{i}" for i in range(20)], "topics": [str(i) for i in range(40)]}
    return [
        pw.ScoreTable.from_matrix(m, measure=n, **places) for m, n in zip(made, names, strict=False)
    ]


def test_a_noisy_measure_is_behind_an_exact_one() -> None:
    """The lag, its p value over topics and that over systems are of the two correlations."""
    found = pw.findings.measure_orders(tables((0.0, 0.5)), rng=1)
    exact, noisy = found.lags
    assert (exact.difference, exact.over_topics, exact.over_systems) == (0, 1, 1)
    assert noisy.difference == pytest.approx(1 - found.correlations[1].value)
    assert noisy.over_topics < 0.001
    assert noisy.over_systems < 0.05
    assert "1 of 1 other measure is significantly behind" in " ".join(found.sentences())


def test_orders_are_printed_for_people() -> None:
    """No p value is written as 0, and nothing is significant of measures that are alike."""
    found = pw.findings.measure_orders(tables((0.0, 0.001, 0.002)), rng=1, resamples=100)
    (printed,) = found.tables()
    titles = [column.title for column in printed.columns]
    unrelated = [row[titles.index("p unrelated")] for row in printed.texts()]
    assert all(float(text.lstrip("<")) > 0 for text in unrelated)
    assert "No other measure is significantly behind it over topics" in found.sentences()[1]


def test_one_measure_has_nothing_to_be_compared_with() -> None:
    """A reference alone is refused, and so are other topics."""
    first, second = tables((0.1,))
    for given_tables in ([first], [first, second.select(topics=second.topics[:5])]):
        with pytest.raises(InputError, match="same systems and topics"):
            pw.findings.measure_orders(given_tables)
