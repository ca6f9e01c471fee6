"""What is drawn for a run or a document depends on its name and the seed, on nothing else."""

import numpy as np
import pytest
from scipy import stats
from tests.each import over

from poolwise import align, simulate
from poolwise.collection._identifiers import HashedRandom, fine_uniform, uniform
from poolwise.scores.treatments._drawn_scores import bootstrap


def test_numbers_are_uniform_and_independent_over_keys_and_draws() -> None:
    """Kolmogorov and Smirnov, and correlations between neighbours, find nothing (fixed seed)."""
    keys = HashedRandom(7).keys("401", (f"doc{i}" for i in range(400)))
    numbers = uniform(keys, 500)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert stats.kstest(numbers.ravel(), "uniform").pvalue > 0.01
    for axis in (0, 1):
        mean = stats.norm(0.5, 1 / np.sqrt(12 * numbers.shape[axis]))
        assert stats.kstest(numbers.mean(axis=axis), mean.cdf).pvalue > 0.01
    for left, right in ((numbers[1:], numbers[:-1]), (numbers[:, 1:], numbers[:, :-1])):
        assert abs(np.corrcoef(left.ravel(), right.ravel())[0, 1]) < 4 / np.sqrt(left.size)


def test_other_seeds_topics_and_names_give_other_numbers() -> None:
    """A name is told from a topic that ends as it begins."""
    all_keys = [
        HashedRandom(1).keys("40", ["1x"]),
        HashedRandom(1).keys("401", ["x"]),
        HashedRandom(2).keys("401", ["x"]),
        HashedRandom(1).keys("401", ["y"]),
    ]
    assert len({int(keys[0]) for keys in all_keys}) == len(all_keys)


@over("joint", [False, True])
@over("prior", ["pool", "pool+run", "multiplicity"])
def test_the_order_of_runs_changes_no_estimate(prior: str, *, joint: bool) -> None:
    """The same seed with the files in another order gives the same bootstrapped scores."""
    made = simulate(systems=6, topics=4, depth=20, rng=3)
    names = made.runs.systems
    turned = made.runs.select(names[::-1])
    options = {"rng": 5, "prior": prior, "draws": 50, "joint": joint}
    values = bootstrap(align(made.judgments, made.runs), "nDCG@10", **options).values
    again = bootstrap(align(made.judgments, turned), "nDCG@10", **options).values
    assert np.array_equal(values, again[::-1])


def test_a_run_that_is_added_changes_no_other_run() -> None:
    """What is drawn for a list does not depend on who else retrieved."""
    made = simulate(systems=6, topics=4, depth=20, rng=3)
    fewer = made.runs.select(made.runs.systems[2:])
    values = bootstrap(align(made.judgments, made.runs), "nDCG@10", rng=5, draws=50).values
    alone = bootstrap(align(made.judgments, fewer), "nDCG@10", rng=5, draws=50).values
    assert np.array_equal(values[2:], alone)


def test_uniforms_are_those_of_splitmix64() -> None:
    """The published test vector of SplitMix64 for seed 1234567 comes out."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    uniforms = fine_uniform(np.array([1234567], np.uint64), 3)[0]
    assert uniforms.tolist() == [(n >> 11) * 2.0**-53 for n in published]


def test_uniforms_fill_the_unit_interval_evenly() -> None:
    """Over names and over draws, mean and variance are those of the uniform distribution."""
    uniforms = fine_uniform(HashedRandom(1).keys("401", map(str, range(400))), 500)
    assert uniforms.mean() == pytest.approx(0.5, abs=0.003)
    assert uniforms.var() == pytest.approx(1 / 12, abs=0.001)
    assert np.abs(np.corrcoef(uniforms[:20])[~np.eye(20, dtype=bool)]).max() < 0.2
