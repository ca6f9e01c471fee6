"""Correlation and overlap of system orders, tests of Kendall's τ: against scipy and simulation."""

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from tests.each import over

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.findings import tau_difference, tau_error, tau_pvalue, weighted_tau
from poolwise.findings.agreement._rank_correlation import (
    _STATISTICS,
    CORRELATIONS,
    correlate,
    order_overlap,
)
from poolwise.findings.agreement._system_orders import correlate_orders
from poolwise.findings.similarity._two_rankings import rank_biased_overlap
from poolwise.scores._score_table import ScoreTable
from poolwise.workflows._evaluate import evaluate

# The data and coefficients with which the R package ircor (Urbano & Marrero) tests itself.
SETS = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
    ),
]
TIED = [
    (
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
    ),
    (
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
    ),
    (
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
    ),
]

scores = st.lists(st.integers(0, 5), min_size=2, max_size=7)


@pytest.mark.parametrize("method", [m for m in CORRELATIONS if m not in ("pearson", "tau_ap")])
@given(first=scores, data=st.data())
def test_scores_that_differ_by_rounding_are_tied(
    method: str, first: list[int], data: st.DataObject
) -> None:
    """A correlation of orders is the same for sums of tenths as for whole numbers."""
    second = data.draw(st.lists(st.integers(0, 5), min_size=len(first), max_size=len(first)))
    noise = data.draw(st.lists(st.integers(-4, 4), min_size=len(first), max_size=len(first)))
    noisy = np.array(first) + np.array(noise) * 1e-16 * max(first)
    correlation, exact = (
        correlate(noisy, second, method=method),
        correlate(first, second, method=method),
    )
    assert float(correlation) == pytest.approx(float(exact), nan_ok=True)


def test_the_sum_of_tenths_ties_with_its_value() -> None:
    """0.1 + 0.2 is 0.3."""
    assert float(correlate([0.1 + 0.2, 0.3, 0.5], [1, 1, 2])) == 1.0
    with pytest.raises(InputError, match="must not have ties"):
        correlate([0.1 + 0.2, 0.3, 0.5], [1, 1, 2], method="tau_ap")


@over(
    "method, tied_first, tied_second, expected",
    [
        ("tau", False, False, [0.9111, 0.2889, -0.6889]),
        ("tau", False, True, [0.8889, 0.3333, -0.6222]),
        ("tau_b", False, False, [0.9111, 0.2889, -0.6889]),
        ("tau_b", True, True, [0.9398, 0.3765, -0.6510]),
        ("tau_ap", False, False, [0.8519, 0.2504, -0.6971]),
        ("tau_ap", False, True, [0.7454, 0.2692, -0.5558]),
        ("tau_ap_b", False, False, [0.8333, 0.2880, -0.6680]),
        ("tau_ap_b", True, True, [0.7321, 0.2970, -0.7047]),
    ],
)
def test_published_coefficients(
    method: str, *, tied_first: bool, tied_second: bool, expected: list[float]
) -> None:
    """Every variant of τ gives the coefficients that its authors' package is tested with."""
    for plain, tied, value in zip(SETS, TIED, expected, strict=True):
        x = (tied if tied_first else plain)[0]
        y = (tied if tied_second else plain)[1]
        assert correlate(x, y, method=method) == pytest.approx(value, abs=5.1e-5)


@given(st.data())
def test_against_scipy(data: st.DataObject) -> None:
    """τ_b, ρ and r equal scipy's, with ties."""
    x = data.draw(scores)
    y = data.draw(st.lists(st.integers(0, 5), min_size=len(x), max_size=len(x)))
    assume(len(set(x)) > 1 < len(set(y)))
    assert correlate(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    for method, oracle in (("spearman", stats.spearmanr), ("pearson", stats.pearsonr)):
        correlation = correlate(x, y, method=method)
        assert correlation == pytest.approx(oracle(x, y).statistic, abs=1e-12)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_pair_by_pair(x: list[int], y: list[int]) -> None:
    """Without ties, τ and τ_AP count pairs, and the footrule sums the moves."""
    pairs = [(i, j) for i in range(6) for j in range(6) if y[i] > y[j]]
    right = [(x[i] > x[j]) for i, j in pairs]
    assert correlate(x, y, method="tau") == pytest.approx(2 * np.mean(right) - 1)
    above = [sum(1 for k in range(6) if y[k] > y[j]) for _, j in pairs]
    # Yilmaz et al. 2008, eq. 6
    tau_ap = 2 / 5 * sum(r / a for r, a in zip(right, above, strict=True)) - 1
    assert correlate(x, y, method="tau_ap") == pytest.approx(tau_ap)
    moves = sum(abs(a - b) for a, b in zip(x, y, strict=True))
    assert correlate(x, y, method="footrule") == pytest.approx(1 - moves / 18)


@given(st.permutations(range(5)), st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_tau_ap_is_the_mean_over_orders(x: list[int], y: list[int]) -> None:
    """With ties in the second order, τ_AP is the mean over all ways to break them."""
    groups = [[i for i in range(5) if y[i] == level] for level in sorted(set(y), reverse=True)]
    broken = []
    for orders in product(*(permutations(g) for g in groups)):
        ranked = [i for g in orders for i in g]
        broken.append([-ranked.index(i) for i in range(5)])
    expected = correlate(x, broken, method="tau_ap").mean()
    assert correlate(x, y, method="tau_ap") == pytest.approx(expected)


@over("method", CORRELATIONS)
def test_extremes(method: str) -> None:
    """Equal orders score 1; reversed ones −1, or 0 for the footrule."""
    x = [0.9, 0.7, 0.4, 0.1]
    assert correlate(x, x, method=method) == pytest.approx(1)
    expected = 0 if method == "footrule" else -1
    assert correlate([4, 3, 2, 1], [1, 2, 3, 4], method=method) == pytest.approx(expected)


@over("method", CORRELATIONS)
def test_many_at_once(method: str) -> None:
    """One order against many, or many against many, is each of them on its own."""
    rng = np.random.default_rng(3)
    x, y = rng.permutation(8), rng.integers(0, 6, (2, 3, 8))
    z = np.array([rng.permutation(8) for _ in range(3)])
    single = correlate(x, y, method=method)
    many = correlate(z, y, method=method)
    assert single.shape == many.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert single[i, j] == pytest.approx(correlate(x, y[i, j], method=method))
        assert many[i, j] == pytest.approx(correlate(z[j], y[i, j], method=method))


@over("method", CORRELATIONS)
def test_no_order_no_correlation(method: str) -> None:
    """Fewer than two systems have no correlation."""
    assert np.isnan(correlate([0.5], [0.4], method=method))
    assert np.isnan(correlate([], [], method=method))


@pytest.mark.parametrize("method", ["tau_b", "tau_ap_b", "spearman", "pearson"])
def test_all_tied(method: str) -> None:
    """Where all systems are tied a coefficient over untied pairs has no value."""
    assert np.isnan(correlate([1, 2, 3], [2, 2, 2], method=method))


def test_methods_are_explained() -> None:
    """Every correlation that can be computed is explained, and the other way round."""
    assert list(CORRELATIONS) == list(_STATISTICS)


def test_what_is_refused() -> None:
    """Unknown methods, unequal lengths, missing scores and a tied reference are refused."""
    with pytest.raises(OptionError, match=r"^method: 'kendall' is not known"):
        correlate([1, 2], [1, 2], method="kendall")
    with pytest.raises(InputError, match="one score per system"):
        correlate([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="every system needs a score"):
        correlate([1, np.nan], [1, 2])
    with pytest.raises(InputError, match="tau_ap_b"):
        correlate([1, 1], [1, 2], method="tau_ap")


def _table(values: np.ndarray, measure: str = "AP", topics: str = "t") -> ScoreTable:
    return ScoreTable.from_matrix(
        values,
        systems=[f"s{i}" for i in range(values.shape[0])],
        topics=[f"{topics}{i}" for i in range(values.shape[1])],
        measure=measure,
    )


def test_interval_of_tables() -> None:
    """The interval holds the value, narrows with its level, and repeats with its seed."""
    rng = np.random.default_rng(5)
    skill = np.linspace(0, 1, 12)[:, None]
    first = _table(skill + rng.normal(0, 0.4, (12, 30)))
    second = _table(skill + rng.normal(0, 0.4, (12, 30)), "P@10")
    correlation = correlate_orders(first, second, rng=1, resamples=300)
    low, high = correlation.interval()
    assert low < correlation.value < high
    assert low < correlation.interval(0.5)[0] < correlation.interval(0.5)[1] < high
    again = correlate_orders(first, second, rng=1, resamples=300)
    assert np.array_equal(correlation.resampled, again.resampled)
    with pytest.raises(OptionError, match=r"^level: "):
        correlation.interval(1)


def test_what_two_tables_say_of_their_orders() -> None:
    """The sentence and the columns hold the value and the interval of 95%, by measure."""
    rng = np.random.default_rng(5)
    skill = np.linspace(0, 1, 12)[:, None]
    first, second = (_table(skill + rng.normal(0, 0.4, (12, 30)), m) for m in ("AP", "P@10"))
    correlation = correlate_orders(first, second, rng=1, resamples=300)
    (low, high), columns = correlation.interval(), correlation.columns()
    assert (columns["first"], columns["second"]) == (["AP"], ["P@10"])
    assert (columns["value"], columns["ci_low"], columns["ci_high"]) == (
        [correlation.value],
        [low],
        [high],
    )
    assert (
        f"tau_b = {correlation.value:.3f}, 95% interval {low:.3f} to {high:.3f}"
        in correlation.sentences()[0]
    )
    options = {"method": "tau_b", "resamples": 300, "seed": 1}
    assert dict(correlation.provenance.options) == options


def test_orders_without_a_correlation_say_why() -> None:
    """One system has no order, and tied systems have no τ_b."""
    for values in (np.ones((1, 4)), np.ones((3, 4))):
        correlation = correlate_orders(_table(values), _table(values), rng=1, resamples=5)
        assert np.isnan(correlation.value)
        assert "fewer than two, or all of them are tied" in str(correlation)


def test_systems_are_matched_by_name() -> None:
    """Tables that list the systems in another order compare as if they did not."""
    table = _table(np.random.default_rng(2).random((6, 9)))
    turned = table.select(table.systems[::-1])
    assert correlate_orders(table, turned, rng=1, resamples=20).value == 1


def test_undefined_topics_are_left_out() -> None:
    """A topic without scores enters neither the value nor the draws."""
    values = np.random.default_rng(2).random((6, 9))
    with_gap = values.copy()
    with_gap[:, 4] = np.nan
    less = _table(np.delete(values, 4, axis=1))
    correlation = correlate_orders(_table(with_gap), _table(values), rng=1, resamples=20)
    assert correlation.paired
    assert correlation.value == correlate_orders(less, less, rng=1, resamples=20).value


def test_topics_of_two_collections_are_drawn_apart() -> None:
    """Two topic sets vary on their own, so that a table differs from its own twin."""
    values = np.random.default_rng(2).random((6, 9))
    correlation = correlate_orders(_table(values), _table(values, topics="u"), rng=1, resamples=50)
    assert not correlation.paired
    assert correlation.value == 1
    assert correlation.resampled.min() < 1


def test_tables_that_cannot_be_compared() -> None:
    """No resample, or no topic with a score for all, is refused."""
    table = _table(np.random.default_rng(2).random((3, 4)))
    with pytest.raises(OptionError, match=r"^resamples: "):
        correlate_orders(table, table, rng=1, resamples=0)
    empty = _table(np.full((3, 4), np.nan))
    with pytest.raises(InputError, match="no such topic"):
        correlate_orders(table, empty, rng=1)


W10_TABLE_3_1 = {
    ("AP", "RBP(p=0.95)"): 0.81,
    ("AP", "nDCG(dcg='jk')"): 0.88,
    ("AP", "P@10"): 0.74,
    ("AP", "RR"): 0.52,
    ("RBP(p=0.95)", "nDCG(dcg='jk')"): 0.79,
    ("RBP(p=0.95)", "P@10"): 0.87,
    ("RBP(p=0.95)", "RR"): 0.61,
    ("nDCG(dcg='jk')", "P@10"): 0.75,
    ("nDCG(dcg='jk')", "RR"): 0.54,
    ("P@10", "RR"): 0.65,
}


def test_w10_table_3_1(data_dir: Path) -> None:
    """Measures order 102 systems of TREC-8 as alike as W10 table 3.1 says, each cell within 0.01.

    Left out are the 27 systems among the last 32 of 129 under each of the five measures. nDCG
    has the discount of Järvelin and Kekäläinen, τ is over untied pairs.
    """
    names = list(dict.fromkeys(name for pair in W10_TABLE_3_1 for name in pair))
    folder = data_dir / "trec8"
    result = evaluate(folder / "qrels.gz", folder / "runs", names, bounds="none")
    means = {name: result[name].means() for name in names}
    last = [set(np.argsort(m, kind="stable")[: len(m) // 4].tolist()) for m in means.values()]
    kept = sorted(set(range(129)) - set.intersection(*last))
    assert len(kept) == 102
    for (a, b), published in W10_TABLE_3_1.items():
        assert correlate(means[a][kept], means[b][kept]) == pytest.approx(published, abs=0.01)


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_holds_its_estimate_and_covers_as_often_as_it_says(*, paired: bool) -> None:
    """Of 100 samples of topics, some 95 cover the correlation that such samples have on average."""
    rng = np.random.default_rng(5)
    first, second = rng.normal(0, 0.06, (2, 40, 1))
    second = first + 0.3 * second
    correlations = []
    for _ in range(100):
        noise = rng.normal(0, 0.2, (2, 40, 40))
        values = first + noise[0], second + (noise.mean(axis=0) if paired else noise[1])
        tables = [
            ScoreTable.from_matrix(
                value,
                systems=map(str, range(40)),
                topics=[f"{t} {i * (not paired)}" for t in range(40)],
                measure="x",
            )
            for i, value in enumerate(values)
        ]
        correlations.append(correlate_orders(*tables, resamples=200, rng=rng))
    low, high = np.array([correlation.interval() for correlation in correlations]).T
    value = np.array([correlation.value for correlation in correlations])
    assert correlations[0].paired == paired
    assert ((low <= value) & (value <= high)).all()
    assert 0.88 <= ((low <= value.mean()) & (value.mean() <= high)).mean() <= 1


ORDERS = st.permutations(range(8))


@given(ORDERS, ORDERS)
def test_weights_of_melucci_give_tau_ap(first: list[int], second: list[int]) -> None:
    """W10 §3.3.6: τ_AP is the weighted τ whose pairs weigh 1 / (lower rank − 1)."""
    tau = weighted_tau(first, second, weight=lambda _, lower: 1 / (lower - 1))
    assert tau == pytest.approx(pw.correlate(first, second, method="tau_ap"))
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
    errors = [tau_error(sample[0], sample[1]) for sample in drawn]
    differences = [tau_difference(*sample) for sample in drawn]
    taus = [difference.first for difference in differences]
    assert taus[0] == pytest.approx(pw.correlate(drawn[0, 0], drawn[0, 1], method="tau"))
    assert np.mean(errors) == pytest.approx(np.std(taus), rel=0.1)
    spread = np.std([difference.difference for difference in differences])
    assert np.mean([difference.error for difference in differences]) == pytest.approx(
        spread, rel=0.1
    )


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
    orders = pw.findings.measure_orders(tables((0.0, 0.5)), rng=1)
    exact, noisy = orders.lags
    assert (exact.difference, exact.over_topics, exact.over_systems) == (0, 1, 1)
    assert noisy.difference == pytest.approx(1 - orders.correlations[1].value)
    assert noisy.over_topics < 0.001
    assert noisy.over_systems < 0.05
    assert "1 of 1 other measure is significantly behind" in " ".join(orders.sentences())


def test_orders_are_printed_for_people() -> None:
    """No p value is written as 0, and nothing is significant of measures that are alike."""
    orders = pw.findings.measure_orders(tables((0.0, 0.001, 0.002)), rng=1, resamples=100)
    (printed,) = orders.tables()
    titles = [column.title for column in printed.columns]
    unrelated = [row[titles.index("p unrelated")] for row in printed.texts()]
    assert all(float(text.lstrip("<")) > 0 for text in unrelated)
    assert "No other measure is significantly behind it over topics" in orders.sentences()[1]


def test_one_measure_has_nothing_to_be_compared_with() -> None:
    """A reference alone is refused, and so are other topics."""
    first, second = tables((0.1,))
    for given_tables in ([first], [first, second.select(topics=second.topics[:5])]):
        with pytest.raises(InputError, match="same systems and topics"):
            pw.findings.measure_orders(given_tables)


six_scores = st.lists(st.integers(0, 3), min_size=6, max_size=6)


def _ranking(values: list[int]) -> list[list[int]]:
    return [
        [i for i, v in enumerate(values) if v == level]
        for level in sorted(set(values), reverse=True)
    ]


@given(
    six_scores,
    st.lists(six_scores, min_size=1, max_size=3),
    st.sampled_from(["w", "a", "b", "broken"]),
)
def test_each_order_is_a_ranking(first: list[int], second: list[list[int]], ties: str) -> None:
    """The overlap of orders is that of the rankings they stand for, equal scores tied."""
    overlaps = order_overlap(first, second, p=0.8, tied=ties)
    for value, other in zip(overlaps, second, strict=True):
        expected = rank_biased_overlap(_ranking(first), _ranking(other), p=0.8, tied=ties)
        assert value == pytest.approx(expected.ext)


def test_shapes() -> None:
    """A single order gives a single number, no systems give none, and one meets many."""
    assert order_overlap([2, 1], [2, 1]).shape == ()
    assert order_overlap([2, 1], np.ones((3, 4, 2))).shape == (3, 4)
    assert np.isnan(order_overlap([], []))
    with pytest.raises(InputError, match="one order is compared with many"):
        order_overlap([[2, 1]], [2, 1])
