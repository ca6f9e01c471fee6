"""The engine: seeds, batches, workers, and how a p value is counted."""

import joblib
import numpy as np
import pytest

from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison import _resampling
from poolwise.findings.comparison._compare import compare_scores
from poolwise.findings.comparison._resampling import (
    Resamples,
    bootstrap_differences,
    bootstrap_ts,
    randomization_pvalues,
)
from poolwise.findings.comparison._samples import paired_sample
from poolwise.findings.comparison._significance import run_test
from poolwise.scores._score_table import ScoreTable

RANDOMIZED = ["randomization", "bootstrap", "studentized"]


def some_table(systems: int = 5, topics: int = 20) -> ScoreTable:
    """Return random scores of one decimal, so that resampled means tie with the observed ones."""
    values = np.random.default_rng(2).random((systems, topics)).round(1)
    names = [f"s{i}" for i in range(systems)]
    return ScoreTable.from_matrix(
        values, systems=names, topics=[str(t) for t in range(topics)], measure="AP"
    )


@pytest.mark.parametrize("test", RANDOMIZED)
def test_workers_do_not_change_the_result(test: str) -> None:
    """One worker and two give the same p values."""
    table = some_table()
    alone = run_test(table, test=test, resamples=1700, rng=5).pvalue
    with joblib.parallel_config(n_jobs=2):
        shared = run_test(table, test=test, resamples=1700, rng=5).pvalue
    np.testing.assert_array_equal(alone, shared)


@pytest.mark.parametrize("test", RANDOMIZED)
def test_blocks_of_pairs_do_not_change_the_result(
    test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many pairs are held at once is a matter of memory alone."""
    table = some_table()
    whole = run_test(table, test=test, resamples=700, rng=5).pvalue
    monkeypatch.setattr("poolwise.findings.comparison._samples.CELLS", 1)
    monkeypatch.setattr(_resampling, "UNTHREADED", 1)
    np.testing.assert_array_equal(whole, run_test(table, test=test, resamples=700, rng=5).pvalue)


def test_a_seed_repeats_and_a_generator_goes_on() -> None:
    """The same seed gives the same p values; a Generator gives new ones on every call."""
    table = some_table()

    def run(rng: int | np.random.Generator) -> list[float]:
        return run_test(table, test="randomization", resamples=300, rng=rng).pvalue.tolist()

    generator = np.random.default_rng(9)
    assert run(9) == run(9) == run(np.random.default_rng(9)) == run(generator)
    assert run(generator) != run(9)


def test_no_p_value_is_zero() -> None:
    """The observed arrangement counts among the resamples: (b + 1)/(m + 1)."""
    apart = ScoreTable.from_matrix(
        [np.linspace(0.8, 0.9, 40), np.linspace(0.2, 0.1, 40)],
        systems="ab",
        topics=[str(t) for t in range(40)],
        measure="AP",
    )
    for test in RANDOMIZED:
        assert run_test(apart, test=test, resamples=999, rng=1).pvalue == [1 / 1000]
    tukey = compare_scores(apart, correction="tukey", resamples=999, rng=1)
    assert tukey.p_adjusted == [1 / 1000]


def test_ties_with_the_observed_value_count_as_extreme() -> None:
    """Sums that are equal but for rounding are equal: one topic of weight flips to a tie."""
    # ±0.1 ±0.2 ±0.3 reaches |0.6| in two of eight arrangements, whatever the rounding.
    table = ScoreTable.from_matrix(
        [[0.4, 0.9, 0.7], [0.3, 0.7, 0.4]], systems="ab", topics="123", measure="AP"
    )
    sample = paired_sample(table, Pairs.of_all(table.systems))
    plan = Resamples.plan(40_000, rng=1)
    assert randomization_pvalues(sample, "two-sided", plan) == pytest.approx([0.25], abs=0.01)


def test_null_statistics_follow_the_central_limit() -> None:
    """Bootstrapped means have mean 0 and the plug-in standard error; t has about unit spread."""
    deltas = np.random.default_rng(3).normal(0.1, 0.2, 100)
    plan = Resamples.plan(20_000, rng=1)
    table = ScoreTable.from_matrix(
        [deltas, 0 * deltas], systems="ab", topics=map(str, range(100)), measure="AP"
    )
    sample = paired_sample(table, Pairs.of_all(table.systems))
    ((_, means),) = bootstrap_differences(sample, plan)
    ((_, ts),) = bootstrap_ts(sample, plan)
    assert means.mean() == pytest.approx(0, abs=4 * 0.02 / np.sqrt(20_000))
    assert means.std() == pytest.approx(deltas.std() / 10, rel=0.03)
    assert ts.std() == pytest.approx(1, abs=0.05)
