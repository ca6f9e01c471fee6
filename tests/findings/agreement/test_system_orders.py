"""d_rank against theory (the t test, isotonic regression) and a general solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.findings import order_distance

ORDERS = st.permutations(range(5))


def table(scores: np.ndarray, measure: str = "AP") -> pw.ScoreTable:
    """Return scores of systems × topics, with made-up names."""
    systems, topics = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in
                       zip("st", scores.shape, strict=True))  # fmt: skip
    return pw.ScoreTable.from_matrix(scores, systems=systems, topics=topics, measure=measure)


def ordered(order: list[int], topics: int) -> pw.ScoreTable:
    """Return scores by another measure that put systems in this order, the last one first."""
    return table(np.repeat(np.array(order, float)[:, None], topics, axis=1), "RR")


def distance(scores: np.ndarray, order: list[int], **options: float) -> float:
    """Return d_rank of an order from scores."""
    return order_distance(
        table(scores), ordered(order, scores.shape[1]), resamples=1, **options
    ).value


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, None]))
def test_two_systems_that_swap_are_as_far_as_the_t_test_says(
    seed: int, shrinkage: float | None
) -> None:
    """Turning two systems round costs |t| of the paired t test, and leaving them costs nothing."""
    scores = np.random.default_rng(seed).random((2, 10))
    t = stats.ttest_rel(*scores).statistic
    up, down = (distance(scores, order, shrinkage=shrinkage) for order in ([1, 0], [0, 1]))
    assert sorted([up, down]) == pytest.approx([0, abs(t)])
    assert (up > down) == (t < 0)


@given(ORDERS)
def test_independent_systems_need_isotonic_regression(order: list[int]) -> None:
    """With equal variances and no covariance, the nearest ordered means are those of PAVA."""
    scores = np.random.default_rng(3).random((5, 12))
    apart = distance(scores, order, shrinkage=1)
    means = scores.mean(axis=1)[np.argsort(order)]
    fitted = optimize.isotonic_regression(means).x
    off = scores - scores.mean(axis=0)
    variance = ((off - off.mean(axis=1, keepdims=True)) ** 2).sum() / 11 / 4
    assert apart == pytest.approx(np.sqrt(12 / variance * ((fitted - means) ** 2).sum()))


@given(ORDERS)
def test_a_general_solver_finds_no_nearer_means(order: list[int]) -> None:
    """The distance is the least Mahalanobis distance to means in the other order."""
    scores = np.random.default_rng(4).random((5, 12)) + np.random.default_rng(5).random(12)
    ascending = scores[np.argsort(order)]
    steps = np.diff(ascending, axis=0)
    inverse = np.linalg.inv(np.cov(steps) / 12)
    mean = steps.mean(axis=1)
    best = optimize.minimize(
        lambda s: (s - mean) @ inverse @ (s - mean),
        np.maximum(mean, 0),
        bounds=[(0, None)] * 4,
        tol=1e-12,
    )
    assert distance(scores, order, shrinkage=0) ** 2 == pytest.approx(best.fun, rel=1e-4, abs=1e-6)


def test_swapping_systems_that_go_up_and_down_together_costs_more() -> None:
    """W10 §3.3.6: swaps between systems with highly correlated topic scores weigh more."""
    random = np.random.default_rng(6)
    base = random.random(30)
    alike = np.stack([base + 0.05, base + random.normal(0, 0.02, 30)])
    unlike = np.stack([base + 0.05, random.permutation(base)])
    assert distance(alike, [0, 1]) > distance(unlike, [0, 1])


def test_swapping_dissimilar_systems_costs_more() -> None:
    """W10 §3.3.6: a swap of two systems far apart weighs more than one of neighbours."""
    scores = np.random.default_rng(7).random((4, 40)) / 5 + np.array([[0.4], [0.3], [0.2], [0.1]])
    neighbours, ends = distance(scores, [2, 3, 1, 0]), distance(scores, [0, 2, 1, 3])
    assert ends > neighbours > 0


def test_the_p_value_is_that_of_other_topics() -> None:
    """The order by another half of the topics is seldom further off than chance has it."""
    random = np.random.default_rng(8)
    true = np.linspace(0.2, 0.4, 8)[:, None]
    pvalues = []
    for _ in range(40):
        here, there = true + random.normal(0, 0.2, (2, 8, 40))
        pvalues.append(order_distance(table(here), table(there, "RR"), resamples=99).pvalue)
    # Topics drawn from those seen vary less than new ones, so small p values are too many.
    assert 0 < np.mean(np.array(pvalues) <= 0.05) < 0.35
    assert np.mean(pvalues) > 0.2


def test_equal_orders_are_at_no_distance() -> None:
    """Ties of the second order stand as the first has them, which costs nothing."""
    scores = np.random.default_rng(9).random((6, 10))
    apart = order_distance(table(scores), ordered([0] * 6, 10), resamples=9)
    assert (apart.value, apart.pvalue) == (0, 1)


def test_more_systems_than_topics() -> None:
    """Without shrinkage the covariance has no inverse, and the remedy says so; with it, it has."""
    scores = np.random.default_rng(10).random((12, 6))
    order = list(range(12))
    assert distance(scores, order) > 0
    with pytest.raises(OptionError, match="leave out the shrinkage"):
        distance(scores, order, shrinkage=0)


def test_differences_that_do_not_vary_have_no_distance() -> None:
    """Without any spread over topics there is nothing to measure a distance in."""
    apart = order_distance(table(np.array([[0.5, 0.7], [0.3, 0.5]])), ordered([0, 1], 2))
    assert np.isnan(apart.value)
    assert "do not vary" in apart.sentences()[0]
    assert np.isnan(apart.pvalue)


def test_tables_of_other_systems_are_refused() -> None:
    """An order of other systems has no distance."""
    scores = np.random.default_rng(11).random((3, 4))
    with pytest.raises(InputError, match="same systems"):
        order_distance(table(scores), table(scores[:2]))
