"""Random numbers by name."""

import numpy as np
import pytest

from poolwise.evidence.unknowns.relevance_model.keyed_numbers import key_of, keyed_uniforms


def test_uniforms_are_those_of_splitmix64() -> None:
    """The published test vector of SplitMix64 for seed 1234567 comes out."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    found = keyed_uniforms([1234567], 3)[0]
    assert found.tolist() == [(n >> 11) * 2.0**-53 for n in published]


def test_uniforms_fill_the_unit_interval_evenly() -> None:
    """Over names and over draws, mean and variance are those of the uniform distribution."""
    keys = [key_of(1, "topic", str(i)) for i in range(400)]
    found = keyed_uniforms(keys, 500)
    assert found.mean() == pytest.approx(0.5, abs=0.003)
    assert found.var() == pytest.approx(1 / 12, abs=0.001)
    assert np.abs(np.corrcoef(found[:20])[~np.eye(20, dtype=bool)]).max() < 0.2


def test_names_and_seeds_make_keys_of_their_own() -> None:
    """No two of many names share a key, nor do seeds, nor names cut elsewhere."""
    keys = {key_of(seed, f"t{i}", f"d{j}") for seed in (1, 2) for i in range(30) for j in range(30)}
    assert len(keys) == 1800
    assert key_of(1, "ab", "c") != key_of(1, "a", "bc")
