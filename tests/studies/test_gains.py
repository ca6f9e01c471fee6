"""Models of gain by rank are fitted, tested against each other, and asked to predict."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

import poolwise as pw

MADE = pw.simulate(systems=8, topics=12, depth=50, rng=3)
EVIDENCE = pw.align(MADE.truth, MADE.runs)
GAINS = (EVIDENCE.scale >= 1).astype(np.float64)
TOPIC = MADE.truth.topics[0]


def test_errors_are_those_of_the_fits() -> None:
    """Each model has the error that it has by itself, and the hybrid the smallest of all."""
    fits = pw.studies.compare_gain_models(EVIDENCE, depth=20)
    for model, errors in zip(fits.models, fits.rmse, strict=True):
        fit = pw.evidence.fit_gains(EVIDENCE, GAINS, model=model, depth=20)
        np.testing.assert_array_equal(errors, fit.rmse)
    np.testing.assert_array_equal(fits.rmse[-1], fits.rmse[:-1].min(axis=0))


def test_p_values_are_those_of_scipy_times_the_pairs() -> None:
    """G16 §4: two-tailed paired t tests over topics; here corrected for 15 pairs of models."""
    fits = pw.studies.compare_gain_models(EVIDENCE, depth=20)
    columns = fits.columns()
    for model, errors, p, adjusted in zip(
        fits.models[:-1], fits.rmse, columns["p"], columns["p_adjusted"], strict=False
    ):
        expected = ttest_rel(errors, fits.rmse[-1]).pvalue
        assert p == pytest.approx(expected, rel=1e-9), model
        assert adjusted == pytest.approx(min(1.0, 15 * expected), rel=1e-9)
    assert np.isnan(columns["p"][-1])


def test_curves_go_on_below_the_fitted_ranks() -> None:
    """G16 fig. 4, bottom row: fitted to ten ranks, and drawn over all that are known."""
    fits = pw.studies.compare_gain_models(EVIDENCE, depth=10, topic=TOPIC)
    fit = pw.evidence.fit_gains(EVIDENCE, GAINS, model="linear", depth=10)
    place = EVIDENCE.topics.index(TOPIC)
    np.testing.assert_array_equal(
        fits.curves[fits.models.index("linear")], fit.predict(len(fits.gains))[place]
    )
    assert len(fits.gains) == 50


def test_bounds_are_those_of_truncated_lists_on_each_pool() -> None:
    """G16 §3: at depth k, the score of k ranks, and with full gain for all that is not known."""
    convergence = pw.studies.converge_bounds(
        MADE.truth, MADE.runs, run="bm25-1", topic=TOPIC, pool_depths=[5, 50], depth=50, p=0.9
    )
    ranking = MADE.runs.ranking("bm25-1", TOPIC)
    pool = {d: g for t, d, g in pw.nominate(MADE.truth, MADE.runs).depth_pool(5) if t == TOPIC}
    weights = 0.1 * 0.9 ** np.arange(50)
    for k in (1, 7, 50):
        gained = sum(w for w, d in zip(weights, ranking[:k], strict=False) if pool.get(d, 0) > 0)
        judged = sum(w for w, d in zip(weights, ranking[:k], strict=False) if pool.get(d, -1) >= 0)
        assert convergence.lower[0, k - 1] == pytest.approx(gained)
        assert convergence.upper[0, k - 1] == pytest.approx(gained + 1 - judged)
    assert (np.diff(convergence.lower) >= -1e-12).all()
    assert (np.diff(convergence.upper) <= 1e-12).all()


def test_epsilon_is_the_distance_from_the_final_range() -> None:
    """Inside of it there is none (point B of G16 fig. 2), above and below it counts."""
    convergence = pw.studies.BoundConvergence(
        run="a",
        topic="1",
        p=0.9,
        pool_depths=(5, 50),
        lower=np.array([[0.1], [0.3]]),
        upper=np.array([[0.9], [0.4]]),
        predicted={"A": 0.5, "B": 0.35, "C": 0.2},
    )
    assert convergence.final == (0.3, 0.4)
    assert convergence.errors() == pytest.approx({"A": 0.1, "B": 0, "C": 0.1})
    above, inside, below = convergence.sentences()[1:]
    assert above.endswith("0.1000 above it.")
    assert inside.endswith("inside of that range.")
    assert below.endswith("0.1000 below it.")


def test_weibull_fits_trec_8_best_as_g16_table_2_has_it(data_dir: Path) -> None:
    """The Weibull model has the smallest error of the five, and the hybrid mostly takes it."""
    folder = data_dir / "trec8"
    evidence = pw.align(pw.read_judgments(folder / "qrels.gz"), pw.read_runs(folder / "runs"))
    fits = pw.studies.compare_gain_models(evidence, depth=20)
    columns = dict(zip(fits.models, fits.columns()["rmse"], strict=True))
    assert min(columns, key=lambda model: (columns[model], model == "hybrid")) == "hybrid"
    assert sorted(columns, key=columns.__getitem__)[:2] == ["hybrid", "weibull"]
    assert max(columns, key=columns.__getitem__) == "static"
    assert fits.best.count("weibull") > len(fits.topics) / 2
