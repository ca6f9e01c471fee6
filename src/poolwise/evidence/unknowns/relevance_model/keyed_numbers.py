"""Random numbers that belong to a name, so that the order of files and of workers is no matter."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats
from poolwise.collection.identifiers import encode

__all__ = ["key_of", "keyed_normals", "keyed_uniforms", "seed_of"]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def seed_of(rng: int | np.random.Generator) -> int:
    """Return a seed as it is, or draw one from a generator.

    Examples
    --------
    >>> seed_of(7), seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    (7, True)
    """
    return int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else int(rng)


def key_of(seed: int, *names: str) -> int:
    """Return a number of 64 bits that stands for these names under this seed.

    Examples
    --------
    >>> key_of(1, "401", "FT911-1") == key_of(1, "401FT911", "-1")
    False
    """
    # The length before each name keeps their borders apart.
    text = b"".join(b"%d:%b" % (len(raw), raw) for raw in map(encode, names))
    return int.from_bytes(hashlib.blake2b(b"%d;%b" % (seed, text), digest_size=8).digest(), "big")


def keyed_normals(key: int, shape: tuple[int, ...]) -> Floats:
    """Return standard normals that depend on the key alone."""
    return np.random.default_rng(key).standard_normal(shape)


def keyed_uniforms(keys: Iterable[int], draws: int) -> Floats:
    """Return numbers in [0, 1), keys × draws: each row depends on its key alone.

    SplitMix64 (Steele, Lea and Flood 2014), whose n-th number costs no more than its first, so
    that all rows are made at once.

    Examples
    --------
    >>> keyed_uniforms([3, 5], 2)[1].tolist() == keyed_uniforms([5], 2)[0].tolist()
    True
    """
    starts = np.fromiter(keys, np.uint64)
    steps = np.arange(1, draws + 1, dtype=np.uint64) * _GAMMA
    mixed = starts[:, None] + steps
    _mix(mixed, 30, _FIRST)
    _mix(mixed, 27, _SECOND)
    mixed ^= mixed >> np.uint64(31)
    mixed >>= np.uint64(11)
    return np.asarray(mixed * 2.0**-53)


def _mix(numbers: NDArray[np.uint64], shift: int, factor: np.uint64) -> None:
    numbers ^= numbers >> np.uint64(shift)
    numbers *= factor
