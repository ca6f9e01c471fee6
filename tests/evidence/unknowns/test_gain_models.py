"""Gain models fitted topic by topic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.each import over

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence.unknowns._gain_models import (
    GAIN_CURVES,
    GAIN_MODELS,
    ConstantGain,
    GainCurve,
    GainFit,
    LinearGain,
    StaticGain,
    WeibullGain,
    ZipfGain,
    empirical_gains,
    fit_gains,
)

GAINS = np.array([0.0, 1.0])


def test_the_empirical_gain_is_the_mean_over_runs() -> None:
    """At each rank the empirical gain is the mean over the runs (G16 eq. 1)."""
    evidence = Evidence.from_grades([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    assert empirical_gains(evidence, GAINS).tolist() == [[0.75, 0.5, 0.0]]


def test_a_run_counts_down_to_its_first_gap() -> None:
    """A judged document below an unjudged one says what others found, and is left out."""
    evidence = Evidence.from_grades([[1, None, 1], [0, 0, 0]])
    assert empirical_gains(evidence, GAINS, depth=3).tolist() == [[0.5, 0.0, 0.0]]


def test_ranks_past_the_pool_depth_are_unknown() -> None:
    """By default the depth is that to which half of the runs are judged."""
    evidence = Evidence.from_grades([[1, 1, 1, 1], [1, 0, None, 1], [1, 1, None, 1]])
    assert empirical_gains(evidence, GAINS).round(2).tolist() == [[1.0, 0.67]]
    assert empirical_gains(evidence, GAINS, depth=1).tolist() == [[1.0]]


def test_topics_judged_to_different_depths() -> None:
    """Where one topic is judged deeper than another, the latter is unknown there."""
    deep, shallow = ["a", "b", "c"], ["a", "x", "c"]
    runs = Runs.from_rankings({"r": {"1": deep, "2": shallow}})
    judged = {"a": 1, "b": 0, "c": 1}
    mean_gains = empirical_gains(
        align(Judgments.from_dict({"1": judged, "2": judged}), runs), GAINS
    )
    assert mean_gains[0].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(mean_gains[1]).tolist() == [False, True, True]


def test_the_hybrid_is_the_best_of_the_others() -> None:
    """On each topic the hybrid has the smallest error of all models (G16 §4)."""
    random = np.random.default_rng(1)
    lists = (random.random((30, 20)) < 0.7 / np.arange(1, 21) ** 0.5).astype(int).tolist()
    evidence = Evidence.from_grades(lists, judged=[0, 1])
    errors = {m: fit_gains(evidence, GAINS, model=m).rmse[0] for m in GAIN_MODELS}
    assert errors["hybrid"] == min(errors.values())
    assert errors["static"] > errors["hybrid"]


@over("model", GAIN_MODELS)
def test_predicted_gains_are_gains(model: str) -> None:
    """However far a curve is carried on, its gains stay between 0 and 1."""
    rising = Evidence.from_grades([[0, 0, 0, 1, 1, 1, None], [0, 0, 1, 1, 1, 1, None]])
    predicted = fit_gains(rising, GAINS, model=model).predict(500)
    assert predicted.shape == (1, 500)
    assert predicted.min() >= 0
    assert predicted.max() <= 1


@pytest.mark.parametrize(("model", "gain"), [("static", 0.5), ("weibull", 0.0), ("hybrid", 0.0)])
def test_a_topic_without_judgments_is_not_fitted(model: str, gain: float) -> None:
    """Where no rank is judged there is no error of fit; only the static model has a guess."""
    evidence = Evidence.from_grades([[None, None]], judged=[0, 1])
    fit = fit_gains(evidence, GAINS, model=model)
    assert np.isnan(fit.rmse).all()
    assert fit.predict(2).tolist() == [[gain, gain]]


def test_parameters_are_reported_by_topic() -> None:
    """Each topic has a row with its model, parameters and error."""
    evidence = Evidence.from_grades([[1, 0, 0, 0]])
    columns = fit_gains(evidence, GAINS, model="weibull").columns()
    assert list(columns) == ["topic", "model", "total", "decay", "shape", "rmse"]
    assert (columns["topic"], columns["model"]) == (["1"], ["weibull"])


def test_models_of_different_parameters_share_a_table() -> None:
    """A topic has no value for what its model does not have, and no model where none was fitted."""
    models = (ConstantGain(rate=0.5, last=3), None, ZipfGain(total=1.5, exponent=0.7, ranks=50))
    fit = GainFit(("1", "2", "3"), models, np.array([0.1, np.nan, 0.3]))
    columns = fit.columns()
    assert columns["model"] == ["constant", None, "zipf"]
    assert columns["rate"] == [0.5, None, None]
    assert columns["exponent"] == [None, None, 0.7]
    first, second = fit.sentences()
    assert "2 of 3 topics: constant to 1, zipf to 1" in first
    assert "0.2000" in second


def test_an_unknown_model_is_refused() -> None:
    """The error names the models there are."""
    with pytest.raises(OptionError, match=r"'cubic' is not known.*weibull, hybrid"):
        fit_gains(Evidence.from_grades([[1]]), GAINS, model="cubic")


Floats = NDArray[np.float64]
RANKS = np.arange(1.0, 51.0)
gain_vectors = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


def squared_error(curve: GainCurve, gains: Floats) -> float:
    return float(((curve.at(np.arange(1.0, len(gains) + 1)) - gains) ** 2).sum())


@pytest.mark.parametrize(
    "curve",
    [
        ConstantGain(rate=0.4, last=20),
        LinearGain(slope=0.02, intercept=0.6),
        LinearGain(slope=0.0, intercept=0.3),
        ZipfGain(total=1.5, exponent=0.7, ranks=50),
        WeibullGain(total=15.0, decay=0.04, shape=0.9),
        WeibullGain(total=9.0, decay=0.01, shape=1.6),
    ],
    ids=repr,
)
def test_a_curve_is_found_again(curve: GainCurve) -> None:
    """Gains that lie on a curve of the family are fitted without error, there and beyond."""
    fitted = type(curve).fit(RANKS, curve.at(RANKS))
    deeper = np.arange(1.0, 201.0)
    assert fitted.at(deeper) == pytest.approx(curve.at(deeper), abs=1e-5)


@given(gains=gain_vectors)
@settings(deadline=None)
def test_no_constant_curve_fits_better(gains: Floats) -> None:
    """The constant model is the least-squares one over every last rank and rate."""
    least = squared_error(ConstantGain.fit(np.arange(1.0, len(gains) + 1), gains), gains)
    for last in range(1, len(gains) + 1):
        for rate in np.linspace(0, 1, 21):
            assert least <= squared_error(ConstantGain(float(rate), last), gains) + 1e-12


@given(gains=gain_vectors)
@settings(deadline=None)
def test_no_linear_curve_fits_better(gains: Floats) -> None:
    """The linear model is the least-squares one over all falling lines cut off at 0."""
    ranks = np.arange(1.0, len(gains) + 1)
    least = squared_error(LinearGain.fit(ranks, gains), gains)
    slopes, intercepts = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 2, 60))
    curves = np.maximum(intercepts[..., None] - slopes[..., None] * ranks, 0)
    assert least <= ((curves - gains) ** 2).sum(axis=-1).min() + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_no_weibull_curve_fits_better(seed: int) -> None:
    """A global search over the Weibull model's parameters finds nothing better."""
    from scipy.optimize import differential_evolution

    random = np.random.default_rng(seed)
    gains = np.clip(0.8 * RANKS ** -random.uniform(0.1, 1) + random.normal(0, 0.05, 50), 0, 1)

    def error(parameters: Floats) -> float:
        total, scale, shape = parameters
        decay = -np.expm1(-(np.exp(scale) ** -shape))
        return squared_error(WeibullGain(total, float(decay), shape), gains)

    limits = [(0.0, 200.0), (np.log(0.3), np.log(1500.0)), (0.15, 5.0)]
    optimum = differential_evolution(error, limits, rng=1, tol=1e-10, maxiter=300)
    assert squared_error(WeibullGain.fit(RANKS, gains), gains) <= optimum.fun * (1 + 1e-4)


@given(gains=gain_vectors)
@settings(deadline=None, max_examples=40)
def test_fits_never_fail(gains: Floats) -> None:
    """Any gains can be fitted, without a warning, to finite curves."""
    for family in GAIN_CURVES:
        curve = family.fit(np.arange(1.0, len(gains) + 1), gains)
        assert np.isfinite(curve.at(np.arange(1.0, 1001.0))).all()


def test_the_zipf_model_holds_the_constant_one() -> None:
    """With exponent 0 the Zipf curve is flat, so it fits flat gains."""
    assert ZipfGain.fit(RANKS, np.full(50, 0.3)).at(RANKS) == pytest.approx(np.full(50, 0.3))


def test_the_weibull_model_with_shape_1_is_geometric() -> None:
    """With shape 1 each gain is the same share of the one before (G16 §3)."""
    gains = WeibullGain(total=10.0, decay=0.1, shape=1.0).at(RANKS)
    assert gains[1:] / gains[:-1] == pytest.approx(np.full(49, 0.9))


def test_the_static_model_is_one_half() -> None:
    """The static model is 1/2 at every rank, whatever the gains are (G16 §4)."""
    assert StaticGain.fit(RANKS, np.zeros(50)).at(RANKS).tolist() == [0.5] * 50


def test_the_weibull_model_reaches_a_power_of_the_rank() -> None:
    """A gain of k^c − (k−1)^c is its limit for large scales: the search goes far enough for it."""
    ranks = np.arange(1.0, 51.0)
    for power in (0.1, 0.4, 0.7):
        gains = 0.9 * (ranks**power - (ranks - 1) ** power)
        model = WeibullGain.fit(ranks, gains)
        assert np.sqrt(((model.at(ranks) - gains) ** 2).mean()) < 2e-4
