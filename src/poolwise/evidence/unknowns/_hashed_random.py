"""Random numbers that belong to a name: to a run's list, or to a document, of a topic.

What is drawn for one run or document is the same whatever others there are, and in whatever order
they were read. The numbers are those of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable
pseudorandom number generators"), started from a keyed hash of the names.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, generator
from poolwise.collection._identifiers import encode

__all__ = ["HashedRandom", "Keys", "fine_uniform", "following", "normals", "uniform"]

Keys = NDArray[np.uint64]

# The increment and the two factors of SplitMix64.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_BITS = 24  # as many as a float of 32 bits tells apart


@dataclass(frozen=True)
class HashedRandom:
    """A seed, from which every name gets a key of its own.

    Examples
    --------
    >>> alone, beside = (HashedRandom(1).keys("401", names) for names in (["bm25"], ["ql", "bm25"]))
    >>> bool(beside[1] == alone[0]), bool(beside[0] == alone[0])
    (True, False)
    """

    seed: int

    @classmethod
    def of(cls, rng: "int | np.random.Generator | HashedRandom") -> "HashedRandom":
        """Take a seed, or draw one from a generator; one of these stays as it is."""
        return rng if isinstance(rng, HashedRandom) else cls(int(generator(rng).integers(2**63)))

    def keys(self, topic: str, names: Iterable[str]) -> Keys:
        """Return the key of each name in a topic."""
        start = blake2b(encode(topic) + b"\0", key=self.seed.to_bytes(8, "big"), digest_size=8)
        raw = b"".join(_continued(start, name) for name in names)
        return np.frombuffer(raw, ">u8").astype(np.uint64)


def _continued(start: blake2b, name: str) -> bytes:
    hashed = start.copy()
    hashed.update(encode(name))
    return hashed.digest()


def following(keys: Keys, steps: NDArray[np.integer]) -> Keys:
    """Return the keys that come so many steps after these."""
    return _mixed(keys + (steps.astype(np.uint64) + np.uint64(1)) * _STEP)


def uniform(keys: Keys, draws: int) -> NDArray[np.float32]:
    """Return numbers from 0 up to 1, as many for each key as there are draws.

    Examples
    --------
    >>> uniform(HashedRandom(1).keys("401", ["bm25"]), 3).round(2).astype(float).round(2).tolist()
    [[0.51, 0.12, 0.52]]
    """
    numbers = following(keys[:, None], np.arange(draws))
    return (numbers >> np.uint64(64 - _BITS)).astype(np.float32) / np.float32(1 << _BITS)


def fine_uniform(keys: Keys, draws: int) -> Floats:
    """Return numbers as :func:`uniform` does, with all the digits of a float of 64 bits."""
    numbers = following(keys[:, None], np.arange(draws))
    return np.asarray((numbers >> np.uint64(11)) * 2.0**-53)


def normals(keys: Keys, draws: int) -> Floats:
    """Return standard normals, as many for each key as there are draws (Box and Muller 1958).

    Examples
    --------
    >>> keys = HashedRandom(1).keys("401", ["bm25", "ql"])
    >>> bool((normals(keys, 4)[1, :3] == normals(keys[1:], 3)[0]).all())
    True
    """
    pairs = -(-draws // 2)
    numbers = fine_uniform(keys, 2 * pairs).reshape(len(keys), pairs, 2)
    # 1 − u lies above 0, so that its logarithm is finite.
    length = np.sqrt(-2 * np.log1p(-numbers[:, :, 0]))
    angle = 2 * np.pi * numbers[:, :, 1]
    both = np.stack([length * np.cos(angle), length * np.sin(angle)], axis=2)
    return both.reshape(len(keys), 2 * pairs)[:, :draws]


def _mixed(numbers: Keys) -> Keys:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _FACTORS[0]
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _FACTORS[1]
    return numbers ^ (numbers >> np.uint64(31))
