"""Each gain curve is fitted as well as it can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from poolwise.evidence.unknowns.gain_curves import (
    GAIN_CURVES,
    ConstantGain,
    GainCurve,
    LinearGain,
    StaticGain,
    WeibullGain,
    ZipfGain,
)

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
    found = differential_evolution(error, limits, rng=1, tol=1e-10, maxiter=300)
    assert squared_error(WeibullGain.fit(RANKS, gains), gains) <= found.fun * (1 + 1e-4)


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
