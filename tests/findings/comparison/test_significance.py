"""Tests against scipy, theory and brute force."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from tests.each import over

from poolwise.collection.files._readers import read_judgments, read_runs
from poolwise.errors import OptionError
from poolwise.evidence._meeting import align
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.comparison._compare import compare_pair, compare_scores
from poolwise.findings.comparison._significance import TESTS, run_test
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score

SIDES = ["two-sided", "greater", "less"]
NAN = float("nan")


def table_of(scores: NDArray[np.float64] | list[list[float]]) -> ScoreTable:
    """Return a table whose systems are named s0, s1, … and topics t0, t1, …."""
    values = np.asarray(scores, np.float64)
    systems = [f"s{i}" for i in range(len(values))]
    topics = [f"t{i}" for i in range(values.shape[1])]
    return ScoreTable.from_matrix(values, systems=systems, topics=topics, measure="AP")


def some_table(systems: int = 6, topics: int = 20, *, seed: int = 1, digits: int = 9) -> ScoreTable:
    """Return random scores; few digits make ties and zero differences."""
    rng = np.random.default_rng(seed)
    return table_of(rng.beta(1, 2, (systems, topics)).round(digits))


def by_scipy(table: ScoreTable, test: str, sided: str) -> list[float]:
    """Return the p values of all pairs by a loop over scipy."""
    oracle = {
        "t": stats.ttest_rel,
        "wilcoxon": stats.wilcoxon,
        "sign": _sign_by_scipy,
        "pooled-t": stats.ttest_ind,
        "welch-t": lambda a, b, alternative: stats.ttest_ind(
            a, b, equal_var=False, alternative=alternative
        ),
    }[test]
    pairs = zip(*np.triu_indices(len(table.systems), 1), strict=True)
    return [oracle(table.value[i], table.value[j], alternative=sided).pvalue for i, j in pairs]


def _sign_by_scipy(a: NDArray[np.float64], b: NDArray[np.float64], alternative: str) -> object:
    return stats.binomtest(int((a > b).sum()), int((a != b).sum()), alternative=alternative)


@over("sided", SIDES)
@over("test", ["t", "wilcoxon", "sign", "pooled-t", "welch-t"])
@over("topics, digits", [(12, 9), (7, 1), (50, 9), (50, 1), (60, 9)])
def test_equal_to_scipy(test: str, sided: str, topics: int, digits: int) -> None:
    """Every test that scipy has gives scipy's p value, with ties and zeros or without.

    scipy gets the scores as whole numbers, of which it sees all ties.
    """
    table = some_table(systems=4, topics=topics, digits=digits)
    whole = replace(table, value=np.rint(table.value * 10**digits))
    pvalues = run_test(table, test=test, alternative=sided).pvalue
    np.testing.assert_allclose(pvalues, by_scipy(whole, test, sided), rtol=1e-10, atol=0)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization"])
def test_rounding_error_decides_nothing(test: str) -> None:
    """Scores summed in another order give the same p value, wins, ties and losses."""
    tenths = np.random.default_rng(3).integers(0, 11, (4, 40))
    summed = np.cumsum(np.full(11, 0.1))[tenths - 1] * (tenths > 0)
    exact, noisy = (run_test(table_of(v), test=test, rng=1) for v in (tenths * 1.0, summed))
    assert (summed != tenths / 10).any()
    np.testing.assert_allclose(noisy.pvalue, exact.pvalue, rtol=1e-9)
    for counts in ("wins", "ties", "losses"):
        assert getattr(noisy.sample, counts).tolist() == getattr(exact.sample, counts).tolist()


def test_no_pair_of_trec_8_is_decided_by_rounding(p_at_10: ScoreTable) -> None:
    """Wilcoxon's p of every two runs by P@10 is that of whole numbers of relevant documents."""
    pvalues = run_test(p_at_10, test="wilcoxon").pvalue
    counts = replace(p_at_10, value=np.rint(10 * p_at_10.value))
    np.testing.assert_array_equal(pvalues, run_test(counts, test="wilcoxon").pvalue)


@pytest.fixture(scope="module")
def p_at_10(data_dir: Path) -> ScoreTable:
    """Return P@10 of all runs of TREC-8."""
    folder = data_dir / "trec8"
    evidence = align(read_judgments(folder / "qrels.gz"), read_runs(folder / "runs"))
    return score(evidence, "P@10", bounds="none")


def test_level_means_make_no_order(p_at_10: ScoreTable) -> None:
    """The 129 means of TREC-8 have 90 values, and equal ones stay in the order given."""
    counts = np.rint(10 * p_at_10.value).sum(axis=1)
    assert len(np.unique(counts)) == 90
    assert p_at_10.order().tolist() == np.argsort(-counts, kind="stable").tolist()
    whole = correlate(counts, np.arange(129.0))
    assert float(correlate(p_at_10.means(), np.arange(129.0))) == float(whole)


@pytest.mark.parametrize(("sided", "p"), [("greater", 0.0033), ("two-sided", 0.0066)])
def test_sign_test_of_the_thesis(sided: str, p: float) -> None:
    """35 wins of 50 are significant at 0.0033 one-sided, 0.0066 two-sided (W10 §3.3.3)."""
    table = table_of([[1.0] * 35 + [0.0] * 15, [0.5] * 50])
    pair = compare_pair(table, "s0", "s1", test="sign", alternative=sided)
    assert round(pair.pvalue, 4) == p


@pytest.mark.parametrize("sided", SIDES)
def test_randomization_approaches_the_exact_test(sided: str) -> None:
    """With ten topics, all 1,024 sign vectors give what random ones approach."""
    table = some_table(systems=2, topics=10, digits=1, seed=5)
    deltas = table.value[0] - table.value[1]
    sums = np.array(list(product([-1, 1], repeat=10))) @ deltas
    turn = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[sided]
    exact = np.mean(turn(sums) >= turn(deltas.sum()) - 1e-12)
    pair = compare_pair(
        table, "s0", "s1", test="randomization", alternative=sided, resamples=100_000, rng=3
    )
    assert pair.pvalue == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 100_000))


@pytest.mark.parametrize("sided", SIDES)
@pytest.mark.parametrize("test", ["bootstrap", "studentized"])
def test_bootstrap_approaches_all_resamples(test: str, sided: str) -> None:
    """With five topics, all 3,125 resamples give what random ones approach."""
    deltas = np.array([0.3, 0.1, 0.25, -0.1, 0.07])
    drawn = (deltas - deltas.mean())[np.array(list(product(range(5), repeat=5)))]
    null, observed = drawn.mean(axis=1), deltas.mean()
    if test == "studentized":
        errors = drawn.std(axis=1, ddof=1) / np.sqrt(5)
        single = errors < 1e-9
        observed = deltas.mean() / (deltas.std(ddof=1) / np.sqrt(5))
        null = np.where(single, np.sign(null) * np.inf, null / np.where(single, 1, errors))
    turn = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[sided]
    exact = np.mean(turn(null) >= turn(observed) - 1e-12)
    pair = compare_pair(
        table_of([deltas.tolist(), [0.0] * 5]),
        "s0",
        "s1",
        test=test,
        alternative=sided,
        resamples=100_000,
        rng=3,
    )
    assert pair.pvalue == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 100_000))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomization", "bootstrap", "studentized"])
def test_uniform_under_the_null(test: str) -> None:
    """Between systems that differ by chance alone, p values are uniform."""
    rng = np.random.default_rng(11)
    table = table_of(rng.normal(size=(200, 60)))
    pvalues = run_test(table, test=test, resamples=999, rng=4).pvalue
    independent = [i * 200 - i * (i + 1) // 2 for i in range(0, 200, 2)]  # s0–s1, s2–s3, …
    assert stats.kstest(pvalues[independent], "uniform").pvalue > 0.01


@over("test", list(TESTS))
def test_one_pair_is_a_row_of_all_pairs(test: str) -> None:
    """A pair tested alone has the p value it has among all, from the same seed."""
    table = some_table()
    alone = compare_pair(table, "s1", "s3", test=test, rng=7, resamples=1200)
    among = next(
        f
        for f in compare_scores(table, test=test, correction="none", rng=7, resamples=1200)
        if (f.a, f.b) == ("s1", "s3")
    )
    assert (alone.pvalue, alone.difference) == (among.pvalue, among.difference)


@pytest.mark.parametrize("test", list(TESTS))
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), topics=st.integers(2, 15), digits=st.integers(0, 3))
def test_turning_a_pair_round_turns_the_answer(
    test: str, seed: int, topics: int, digits: int
) -> None:
    """Swapping the systems negates the difference, swaps the sides, and keeps two-sided p."""
    table = some_table(2, topics, seed=seed, digits=digits)
    for sided, other in (("two-sided", "two-sided"), ("greater", "less")):
        forth = compare_pair(table, "s0", "s1", test=test, alternative=sided, resamples=99, rng=1)
        two = compare_pair(table, "s1", "s0", test=test, alternative=other, resamples=99, rng=1)
        assert forth.difference == -two.difference
        assert (forth.wins, forth.losses) == (two.losses, two.wins)
        np.testing.assert_allclose(forth.pvalue, two.pvalue, rtol=1e-12)
        assert 0 <= forth.pvalue <= 1 or forth.reason


@over("test", [name for name in TESTS if not name.endswith("-t")])
def test_identical_systems_have_no_p_value(test: str) -> None:
    """Where all differences are zero there is no p value, and the reason is given (U18 §3.5)."""
    pair = compare_pair(table_of([[0.1, 0.5, 0.4]] * 2), "s0", "s1", test=test, rng=1)
    assert np.isnan(pair.pvalue)
    assert pair.reason == "the scores are the same on every topic"
    assert np.isnan([pair.effect_size, *pair.interval()]).all()
    assert (pair.difference, pair.ties) == (0.0, 3)


@pytest.mark.parametrize("test", ["t", "bootstrap", "studentized"])
def test_a_constant_difference_has_no_spread(test: str) -> None:
    """A difference that is the same on every topic, up to rounding, gives no t and no bootstrap."""
    scores = np.array([0.1, 0.5, 0.4, 0.9, 0.7])
    pair = compare_pair(table_of([scores + 0.1, scores]), "s0", "s1", test=test, rng=1)
    assert np.isnan(pair.pvalue)
    assert "no spread" in pair.reason
    assert np.isnan([pair.effect_size, *pair.interval()]).all()


@over("test", list(TESTS))
def test_one_topic_has_no_spread(test: str) -> None:
    """One topic leaves no p value, or one near 1, no interval, no effect size, and says why."""
    pair = compare_pair(table_of([[0.3], [0.1]]), "s0", "s1", test=test, rng=1)
    assert np.isnan(pair.pvalue) or pair.pvalue == 1
    assert pair.reason == "one topic has no spread"
    assert np.isnan([pair.effect_size, *pair.interval()]).all()
    assert "95% interval  –\n" in str(pair)


def test_an_undefined_topic_leaves_both_sides() -> None:
    """A topic undefined for one system is left out for both, and counted."""
    pair = compare_pair(table_of([[0.3, NAN, 0.4, 0.9], [0.1, 0.9, 0.3, 0.2]]), "s0", "s1")
    expected = stats.ttest_rel([0.3, 0.4, 0.9], [0.1, 0.3, 0.2])
    assert pair.pvalue == pytest.approx(expected.pvalue)
    assert (pair.n, pair.omitted) == (3, 1)
    assert "left out      1 topic with an undefined score" in str(pair)


def test_two_samples_keep_their_own_topics() -> None:
    """A two-sample test uses every score, so the topic sets may differ."""
    table = table_of([[0.3, 0.5, 0.4, NAN, NAN], [NAN, NAN, 0.1, 0.2, 0.4]])
    pair = compare_pair(table, "s0", "s1", test="welch-t")
    expected = stats.ttest_ind([0.3, 0.5, 0.4], [0.1, 0.2, 0.4], equal_var=False)
    assert pair.pvalue == pytest.approx(expected.pvalue)
    assert (pair.n, pair.wins) == (6, 1)
    np.testing.assert_allclose(pair.interval(0.9), expected.confidence_interval(0.9))


@pytest.mark.parametrize(("test", "equal"), [("welch-t", False), ("pooled-t", True)])
def test_two_samples_of_unequal_size_are_scipys(test: str, equal: bool) -> None:  # noqa: FBT001
    """P value and interval of two samples are scipy's where one has many more scores."""
    first, second = [0.31, 0.52, 0.44], [0.1, 0.2, 0.9, 0.45, 0.3, 0.75, 0.6]
    nan = [NAN] * 7
    table = table_of([[*first, *nan], [*nan[:3], *second]])
    pair = compare_pair(table, "s0", "s1", test=test)
    expected = stats.ttest_ind(first, second, equal_var=equal)
    assert pair.pvalue == pytest.approx(expected.pvalue)
    np.testing.assert_allclose(pair.interval(0.9), expected.confidence_interval(0.9))
    assert (pair.n, pair.wins, pair.losses) == (10, 0, 0)


@over(
    "options, message",
    [
        ({"test": "z"}, "test: 'z' is not known"),
        ({"alternative": "more"}, "alternative: 'more' is not"),
        ({"baseline": "bm25"}, "baseline: 'bm25' is not known"),
        ({"baseline": ["s0", "s1"]}, "a system other than the baselines"),
        ({"test": "bootstrap"}, "rng: a randomized test needs a seed"),
        ({"test": "bootstrap", "rng": -1}, "rng: a seed is a whole number from 0 up"),
        ({"test": "bootstrap", "rng": 1, "resamples": 0}, "resamples: at least 1"),
    ],
)
def test_wrong_options_are_told(options: dict[str, object], message: str) -> None:
    """An argument that cannot be is refused, with the values that can."""
    with pytest.raises(OptionError, match=message):
        run_test(some_table(2), **options)  # type: ignore[arg-type]


def test_too_little_to_compare_is_told() -> None:
    """One system, or no common topic, is an error."""
    with pytest.raises(OptionError, match="needs two systems"):
        run_test(some_table(1))
    with pytest.raises(OptionError, match="needs a topic"):
        run_test(table_of([[0.1, NAN], [NAN, 0.2]]))


def test_baselines_are_on_the_right() -> None:
    """Every other system is compared with each baseline, better is positive."""
    table = some_table(4)
    comparisons = compare_scores(table, baseline=["s2", "s0"])
    assert [(f.a, f.b) for f in comparisons] == [
        ("s1", "s2"),
        ("s3", "s2"),
        ("s1", "s0"),
        ("s3", "s0"),
    ]
    means = dict(zip(table.systems, table.means(), strict=True))
    assert comparisons.difference == pytest.approx([means[f.a] - means[f.b] for f in comparisons])


def test_wilcoxon_is_exact_where_few_differences_are_not_zero() -> None:
    """Five wins and 45 ties have p = 2/2⁵, by counting the signs of five ranks and no others."""
    values = np.zeros((2, 50))
    values[0, :5] = 0.2, 0.4, 0.6, 0.7, 0.9
    assert run_test(table_of(values), test="wilcoxon").pvalue.tolist() == [0.0625]
    values[0, :5] = 0.2
    assert run_test(table_of(values), test="wilcoxon").pvalue.tolist() == [0.0625]


@pytest.mark.parametrize("wins", [20, 25, 26])
def test_wilcoxon_counts_the_signs_of_tied_ranks(wins: int) -> None:
    """To 25 differences the law is exact, also of tied ones among zeros; beyond, it is normal."""
    random = np.random.default_rng(wins)
    values = np.zeros((2, 60))
    values[0, :wins] = random.choice([-0.1, 0.1, 0.2, 0.3], wins)
    (pvalue,) = run_test(table_of(values), test="wilcoxon").pvalue.tolist()
    deltas = values[0, :wins]
    ranks = stats.rankdata(np.abs(deltas))
    upper = ranks[deltas > 0].sum()
    signs = random.random((200_000, wins)) < 0.5
    sums = signs @ ranks
    drawn = 2 * min((sums >= upper - 1e-9).mean(), (sums <= upper + 1e-9).mean())
    z = (upper - ranks.sum() / 2) / np.sqrt((ranks**2).sum() / 4)
    normal = 2 * stats.norm.sf(abs(z))
    if wins <= 25:
        assert pvalue == pytest.approx(min(drawn, 1.0), abs=0.005)
    else:
        assert pvalue == pytest.approx(normal, abs=1e-12)
