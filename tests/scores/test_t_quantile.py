"""The quantile of Student's t is scipy's."""

import math

import numpy as np
import pytest
from scipy.special import betaincinv

from poolwise.scores.t_quantile import t_quantile


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9, 0.95, 0.99, 0.999])
def test_quantiles_are_scipys(level: float) -> None:
    """They agree to eleven digits for any number of topics."""
    degrees = np.array([*range(1, 300), 999, 1000, 6979, 20000])
    found = [t_quantile(d, level) for d in degrees.tolist()]
    # t² / (d + t²) is distributed as beta; scipy's own quantile of t had ten digits up to 1.16.
    share = betaincinv(0.5, degrees / 2, level)
    np.testing.assert_allclose(found, np.sqrt(degrees * share / (1 - share)), rtol=1e-11)


def test_the_ends() -> None:
    """Nothing lies within ±0, and everything within ±∞."""
    assert t_quantile(7, 0) == 0
    assert t_quantile(7, 1) == math.inf
