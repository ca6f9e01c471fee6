"""Power of the TREC collections as W10 has it, and of small tables as it must be."""

from pathlib import Path

import numpy as np
import pytest

from poolwise.errors import OptionError
from poolwise.findings.planning._collection_power import (
    baseline_pairs,
    collection_power,
    dispersion_test,
)
from poolwise.scores._score_matrix import read_score_matrix
from poolwise.scores._score_table import ScoreTable


def table_of(values: np.ndarray) -> ScoreTable:
    systems, topics = values.shape
    names = [f"s{i}" for i in range(systems)], [str(t) for t in range(topics)]
    return ScoreTable.from_matrix(values, systems=names[0], topics=names[1], measure="AP")


@pytest.fixture(scope="module")
def robust(data_dir: Path) -> ScoreTable:
    """Return AP of the 78 Robust 2004 runs that are not description-only, on topics 301–450."""
    folder = data_dir / "scores/urbano/sigir2018-simulation"
    return read_score_matrix(folder / "robust2004(noD)_ap.csv", measure="AP")


@pytest.mark.parametrize(
    ("year", "sigmas", "deltas"),
    [
        (5, (0.170, 0.241), (0.069, 0.097)),
        (6, (0.199, 0.259), (0.080, 0.105)),
        (7, (0.151, 0.207), (0.061, 0.084)),
        (8, (0.159, 0.226), (0.064, 0.091)),
    ],
)
def test_w10_table_5_2(
    data_dir: Path, year: int, sigmas: tuple[float, float], deltas: tuple[float, float]
) -> None:
    """TREC 5 to 8 have the deviations and detectable differences that W10 prints."""
    folder = data_dir / "scores/urbano/sigir2019-statistical"
    power = collection_power(read_score_matrix(folder / f"adhoc{year}_ap.csv"))
    assert (round(power.sigma_median, 3), round(power.sigma_95, 3)) == sigmas
    assert (round(power.detectable_median, 3), round(power.detectable_95, 3)) == deltas


def test_w10_section_5_2_on_trec_8(data_dir: Path) -> None:
    """TREC-8: median difference 0.082; baselines: 0.032 with σ 0.136, so 145 topics."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    power = collection_power(read_score_matrix(path))
    assert round(power.delta_median, 3) == 0.082
    assert (round(power.baseline_delta, 3), round(power.baseline_sigma, 3)) == (0.032, 0.136)
    assert np.ceil(power.topics_needed) == 145


@pytest.mark.parametrize(
    ("year", "delta", "sigma"), [(5, 0.045, 0.171), (6, 0.042, 0.207), (7, 0.038, 0.149)]
)
def test_w10_table_5_3_baselines(data_dir: Path, year: int, delta: float, sigma: float) -> None:
    """Baseline pairs of TREC 5 to 7 come near W10's medians, but for which runs are taken."""
    path = data_dir / f"scores/urbano/sigir2019-statistical/adhoc{year}_ap.csv"
    power = collection_power(read_score_matrix(path))
    assert power.baseline_delta == pytest.approx(delta, rel=0.12)
    assert power.baseline_sigma == pytest.approx(sigma, rel=0.02)


def test_w10_section_5_3_1(data_dir: Path) -> None:
    """Planning for the 95th percentile of past σ takes nearly twice the topics of the median."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    median, cautious = collection_power(read_score_matrix(path)).topics_for(0.05)
    assert median == pytest.approx(81, abs=1)
    assert cautious / median == pytest.approx((0.2255 / 0.1590) ** 2, rel=0.02)


def test_w10_figure_5_4(robust: ScoreTable) -> None:
    """On Robust 2004 σ rises with the difference from 0.131, by 0.233 of it."""
    power = collection_power(robust)
    assert (round(power.intercept, 3), round(power.slope, 3)) == (0.131, 0.233)


def test_w10_algorithm_5_1(robust: ScoreTable) -> None:
    """Robust 2004's σ disperse by 0.030 over pairs, where one σ would give 0.015."""
    dispersion = dispersion_test(robust, rng=1, resamples=40)
    assert (dispersion.pairs, round(dispersion.observed, 3), round(dispersion.expected, 3)) == (
        3003,
        0.030,
        0.015,
    )
    assert dispersion.pvalue == 1 / 41


def test_one_sigma_is_not_rejected() -> None:
    """Systems of the same deviation are about as dispersed as the test expects."""
    dispersion = dispersion_test(table_of(np.random.default_rng(5).normal(0, 1, (8, 60))), rng=3)
    assert dispersion.pvalue > 0.05
    assert dispersion.observed == pytest.approx(dispersion.expected, rel=0.5)


def test_results_do_not_depend_on_the_call() -> None:
    """The same seed gives the same result, another seed another."""
    table = table_of(np.random.default_rng(5).random((5, 20)))
    first, again, other = (dispersion_test(table, rng=s, resamples=60) for s in (1, 1, 2))
    assert first.columns() == again.columns()
    assert first.expected != other.expected


def test_quartiles() -> None:
    """Baselines are the second quarter by mean; experimental systems are as asked."""
    table = table_of(np.array([[m] for m in (8, 7, 6, 5, 4, 3, 2, 1)]) / 10.0)
    better, upper = baseline_pairs(table), baseline_pairs(table, experimental="upper")
    assert set(better.right) == set(upper.right) == {2, 3}
    assert sorted(zip(better.left, better.right, strict=True)) == [
        *((0, 2), (0, 3), (1, 2), (1, 3), (2, 3)),
    ]
    assert len(upper) == 2 * 5


def test_few_systems() -> None:
    """Three systems have no second quartile; the rest is answered, and the gap is said."""
    power = collection_power(table_of(np.random.default_rng(1).random((3, 10))))
    assert power.baseline_pairs == 0
    assert "four systems" in str(power)
    assert power.detectable_median > 0


def test_identical_systems_need_nothing() -> None:
    """Systems that never differ have σ 0 and a detectable difference of 0."""
    power = collection_power(table_of(np.full((5, 10), 0.5)))
    assert (power.sigma_median, power.detectable_95, power.slope) == (0, 0, 0)


def test_wrong_use_is_refused() -> None:
    """One system, one topic and unknown kinds of pair are refused with a remedy."""
    table = table_of(np.eye(4))
    calls = [
        lambda: collection_power(table.select(runs=["s0"])),
        lambda: collection_power(table.select(topics=["0"])),
        lambda: dispersion_test(table.select(topics=["0"]), rng=1),
        lambda: baseline_pairs(table, experimental="worse"),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="Hint"):
            call()


def test_what_past_systems_say(data_dir: Path) -> None:
    """W10 §5.2 on TREC-8, in words: detectable differences, both deviations, the baseline."""
    path = data_dir / "scores/urbano/sigir2019-statistical/adhoc8_ap.csv"
    power = collection_power(read_score_matrix(path, measure="AP"))
    detectable, test, spread, baseline = power.sentences()
    assert "50 topics detect a difference of 0.064 in AP" in detectable
    assert "of 0.091 between unlike ones" in detectable
    assert test == "The test is two-sided, with a power of 0.8 at alpha 0.05."
    assert "is 0.159, the median of 8,256 pairs of 129 systems, and 0.226 at the 95th" in spread
    assert "are 0.032 better, with a sigma of 0.136 (medians of 1,520 pairs)" in baseline
    assert "takes 145 topics to detect" in baseline


def test_baselines_that_nothing_beats_by_a_constant() -> None:
    """Without any spread no number of topics follows, and the sentence says so."""
    power = collection_power(table_of(np.arange(8)[:, None] / 8 + np.zeros((8, 10))))
    assert power.topics_needed == np.inf
    assert "which no number of topics detects" in power.sentences()[-1]


def test_what_a_test_of_dispersion_says() -> None:
    """The sentence has both dispersions and the p value, and the seed is remembered."""
    dispersion = dispersion_test(
        table_of(np.random.default_rng(5).random((5, 20))), rng=1, resamples=60
    )
    assert f"by {dispersion.observed:.4f}, where one" in dispersion.sentences()[0]
    assert (
        f"vary by {dispersion.expected:.4f} (p = {dispersion.pvalue:.4f} by 60"
        in dispersion.sentences()[0]
    )
    assert "10 pairs of systems on 20 topics" in dispersion.sentences()[1]
    assert dict(dispersion.provenance.options) == {"resamples": 60, "seed": 1}
