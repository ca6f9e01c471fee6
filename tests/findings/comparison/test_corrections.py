"""Corrections against statsmodels, and Tukey's HSD against brute force."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from tests.each import over

from poolwise.errors import OptionError
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.comparison._significance import CORRECTIONS, adjust_pvalues, run_test
from poolwise.scores._score_table import ScoreTable

NAN = float("nan")
TABLE = ScoreTable.from_matrix(
    np.random.default_rng(4).random((5, 25)) + np.linspace(0, 0.4, 5)[:, None],
    systems="abcde",
    topics=[str(t) for t in range(25)],
    measure="AP",
)


@pytest.mark.parametrize(
    ("correction", "theirs"),
    [
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("bonferroni", "bonferroni"),
        ("sidak", "sidak"),
        ("holm-sidak", "holm-sidak"),
        ("bh", "fdr_bh"),
        ("by", "fdr_by"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")  # statsmodels takes the log of 0 for p = 1
@settings(max_examples=10, deadline=None)  # statsmodels collects garbage on every call
@given(pvalues=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_are_statsmodels(correction: str, theirs: str, pvalues: list[float]) -> None:
    """Corrected p values are those of statsmodels, ties and all."""
    expected = multipletests(pvalues, method=theirs)[1]
    ours = adjust_pvalues(pvalues, correction=correction)
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-300)


def test_a_missing_p_value_is_not_in_the_family() -> None:
    """A pair that was not tested is no test to correct for."""
    np.testing.assert_array_equal(
        adjust_pvalues([0.01, NAN, 0.02], correction="bonferroni"), [0.02, NAN, 0.04]
    )


def test_the_family_is_named_with_its_size() -> None:
    """What was corrected for is printed: correction, family, number of comparisons."""
    assert compare_scores(TABLE).correction == "Holm; all pairs of 5 systems: 10 comparisons"
    against = compare_scores(TABLE, baseline="c", correction="bh")
    assert against.correction == "Benjamini–Hochberg; 4 systems against c: 4 comparisons"
    assert against.correction in str(against)
    assert against.correction in str(against[0])


def test_twins_leave_the_family_and_are_counted() -> None:
    """Two identical systems make one comparison fewer, and the summary says so."""
    twins = ScoreTable.from_matrix(
        np.where(np.arange(25) == 3, NAN, TABLE.value[[0, 0, 1]]),
        systems="xyz",
        topics=TABLE.topics,
        measure="AP",
    )
    result = compare_scores(twins)
    assert result.size == 2
    assert result.reasons()[:2] == (
        "1 pair has no p value, since nothing varies over topics.",
        "1 topic with an undefined score is left out.",
    )
    assert np.isnan(result.p_adjusted[0])


def test_iteration_gives_findings_with_both_p_values() -> None:
    """Each finding carries its own p value and the corrected one."""
    result = compare_scores(TABLE, correction="bonferroni")
    raw = run_test(TABLE).pvalue
    assert [f.pvalue for f in result] == raw.tolist()
    assert [f.p_adjusted for f in result] == np.minimum(1, 10 * raw).tolist()
    assert result.to_frame()["p_adjusted"].tolist() == result.p_adjusted.tolist()
    assert list(result.columns())[6:9] == ["interval", "p", "p_adjusted"]


def test_tukey_approaches_all_permutations() -> None:
    """With three systems and four topics, all 1,296 permutations give what random ones approach."""
    scores = np.array([[0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.4, 0.5], [0.5, 0.3, 0.4, 0.6]])
    orders = np.array(list(permutations(range(3))))
    columns = [scores[orders, t] for t in range(4)]  # orders × systems, per topic
    ranges = [
        np.ptp(np.mean([columns[t][choice[t]] for t in range(4)], axis=0))
        for choice in product(range(6), repeat=4)
    ]
    table = ScoreTable.from_matrix(scores, systems="abc", topics="1234", measure="AP")
    result = compare_scores(table, correction="tukey", resamples=40_000, rng=1)
    differences = np.abs(result.difference)
    exact = [np.mean(np.array(ranges) >= d - 1e-12) for d in differences]
    np.testing.assert_allclose(result.p_adjusted, exact, atol=0.01)


def test_tukey_of_two_systems_is_the_randomization_test() -> None:
    """With two systems a permutation of labels is a flip of sign."""
    two = ScoreTable.from_matrix(TABLE.value[:2], systems="ab", topics=TABLE.topics, measure="AP")
    tukey = compare_scores(two, correction="tukey", resamples=20_000, rng=1).p_adjusted
    flips = run_test(two, test="randomization", resamples=20_000, rng=2).pvalue
    np.testing.assert_allclose(tukey, flips, atol=0.015)


def test_tukey_is_paired_by_topic() -> None:
    """A small difference that holds on every topic is found though topics differ far more."""
    topics = np.linspace(0, 1, 40)
    noise = np.random.default_rng(1).normal(0, 0.002, (3, 40))
    scores = topics + noise + np.array([[0.0], [0.0], [0.01]])
    table = ScoreTable.from_matrix(
        scores, systems="abc", topics=[str(t) for t in range(40)], measure="AP"
    )
    result = compare_scores(table, correction="tukey", resamples=999, rng=1)
    assert result.significant().tolist() == [False, True, True]


def test_tukey_controls_the_family_wise_error() -> None:
    """Among systems that differ by chance alone, one family in twenty has a finding at 0.05."""
    rng = np.random.default_rng(8)
    count = 0
    for _ in range(200):
        table = ScoreTable.from_matrix(
            rng.random((6, 15)), systems="abcdef", topics="123456789abcdef", measure="AP"
        )
        result = compare_scores(table, correction="tukey", resamples=199, rng=rng)
        count += bool(result.significant().any())
    # Binomial(200, 0.05): 2 to 20 holds with probability above 0.99.
    assert 2 <= count <= 20


@over(
    "options, message",
    [
        ({"correction": "dunn"}, "correction: 'dunn' is not known"),
        ({"correction": "tukey", "baseline": "a", "rng": 1}, "compares all pairs"),
        ({"correction": "tukey", "alternative": "less", "rng": 1}, "two-sided"),
        ({"correction": "tukey", "rng": None}, "rng: "),
        ({"baseline": "x"}, "baseline: 'x' is not known"),
    ],
)
def test_wrong_options_are_told(options: dict[str, object], message: str) -> None:
    """What cannot be corrected is refused, with the remedy."""
    with pytest.raises(OptionError, match=message):
        compare_scores(TABLE, **options)  # type: ignore[arg-type]


def test_tukey_needs_scores() -> None:
    """Tukey's HSD cannot be had from p values alone."""
    with pytest.raises(OptionError, match="does not work on p values alone"):
        adjust_pvalues([0.1], correction="tukey")


def test_an_unknown_correction_is_told_with_those_that_can_be_had() -> None:
    """The error has every name of the registry, and says which of them need scores."""
    alone = [name for name, correction in CORRECTIONS.items() if not correction.family]
    hint = rf"'dunn' is not known. Hint: use one of {', '.join(alone)}; tukey and dunnett need"
    with pytest.raises(OptionError, match=hint):
        adjust_pvalues([0.1], correction="dunn")
    with pytest.raises(OptionError, match=rf"Hint: use one of {', '.join(CORRECTIONS)}\."):
        compare_scores(TABLE, correction="dunn")


@over("name", CORRECTIONS)
def test_every_correction_is_one_entry(name: str) -> None:
    """Each registered correction raises p values or leaves them, and its title is printed."""
    against = {"baseline": "c"} if CORRECTIONS[name].family == "baseline" else {}
    comparisons = compare_scores(TABLE, correction=name, resamples=200, rng=1, **against)  # type: ignore[arg-type]
    family = "4 systems against c" if against else "all pairs of 5 systems"
    assert comparisons.correction.startswith(f"{CORRECTIONS[name].title}; {family}")
    if not CORRECTIONS[name].family:
        assert (comparisons.p_adjusted >= comparisons.pvalue).all()


@pytest.mark.parametrize("baseline", [(), ("a", "b")])
def test_dunnett_is_against_one_baseline(baseline: tuple[str, ...]) -> None:
    """Without a baseline, or with several, the family is another one."""
    with pytest.raises(OptionError, match=r"with one baseline; got baseline=.*Hint: name one"):
        compare_scores(TABLE, correction="dunnett", baseline=baseline, rng=1)


@pytest.mark.parametrize("sided", ["two-sided", "greater", "less"])
def test_dunnett_of_one_system_is_the_randomization_test(sided: str) -> None:
    """One comparison needs no correction: sums of turned signs decide, by t or by the mean."""
    table = TABLE.select(["a", "b"], TABLE.topics[:9])
    deltas = table.value[1] - table.value[0]
    signs = np.array(list(product([-1, 1], repeat=9)))
    turn = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[sided]
    exact = np.mean(turn(signs @ deltas) >= turn(deltas.sum()) - 1e-12)
    comparisons = compare_scores(
        table,
        baseline="a",
        correction="dunnett",
        alternative=sided,
        resamples=20_000,
        rng=1,
    )
    assert comparisons.p_adjusted[0] == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize(("systems", "critical"), [(2, 2.21), (5, 2.51), (9, 2.69)])
def test_dunnett_has_the_critical_values_of_his_table(systems: int, critical: float) -> None:
    """With one variance and many topics, t is significant where Dunnett's 1964 table has it."""
    scores = np.random.default_rng(7).normal(0, 1, (systems + 1, 1000))
    table = ScoreTable.from_matrix(
        scores, systems="abcdefghij"[: systems + 1], topics=map(str, range(1000)), measure="AP"
    )
    error = np.sqrt(2 / 1000)
    shifted = replace(table, value=scores - scores.mean(axis=1, keepdims=True))
    shifted.value[1] += critical * error
    comparisons = compare_scores(
        shifted, baseline="a", correction="dunnett", resamples=20_000, rng=1
    )
    assert comparisons.p_adjusted[0] == pytest.approx(0.05, abs=0.006)


def test_dunnett_keeps_its_level_where_spreads_differ() -> None:
    """With no difference at all, some system is found better or worse 5% of the time."""
    rng, count = np.random.default_rng(11), 0
    spread = np.array([1, 0.1, 0.3, 1, 3, 5])[:, None]
    for trial in range(400):
        topic = rng.standard_t(5, 30)
        table = ScoreTable.from_matrix(
            topic + spread * rng.laplace(size=(6, 30)),
            systems="abcdef",
            topics=map(str, range(30)),
            measure="AP",
        )
        tested = compare_scores(table, baseline="a", correction="dunnett", resamples=499, rng=trial)
        count += bool(tested.significant().any())
    # 20 of 400 are due, with a standard deviation of 4.4.
    assert 8 <= count <= 33
