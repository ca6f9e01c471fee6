"""Random numbers by name."""

import numpy as np
import pytest

from poolwise.evidence.unknowns.keyed_chance import Chance, fine_uniform


def test_uniforms_are_those_of_splitmix64() -> None:
    """The published test vector of SplitMix64 for seed 1234567 comes out."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    found = fine_uniform(np.array([1234567], np.uint64), 3)[0]
    assert found.tolist() == [(n >> 11) * 2.0**-53 for n in published]


def test_uniforms_fill_the_unit_interval_evenly() -> None:
    """Over names and over draws, mean and variance are those of the uniform distribution."""
    found = fine_uniform(Chance(1).keys("401", map(str, range(400))), 500)
    assert found.mean() == pytest.approx(0.5, abs=0.003)
    assert found.var() == pytest.approx(1 / 12, abs=0.001)
    assert np.abs(np.corrcoef(found[:20])[~np.eye(20, dtype=bool)]).max() < 0.2
