"""The kinds of arrays that numbers come in, how near two count as equal, and what is random."""

import numpy as np
from numpy.typing import NDArray

from poolwise.errors import OptionError

__all__ = [
    "TOLERANCE",
    "Booleans",
    "Floats",
    "Indices",
    "Integers",
    "distinct",
    "generator",
    "levels",
    "rank_sums",
    "settle",
    "spread",
    "tolerance",
    "tolerances",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
"""Positions, as numpy indexes by them."""
Booleans = NDArray[np.bool_]

TOLERANCE = 1e-12
"""Numbers that differ by less, relative to those they were computed from, are equal."""


def spread(values: NDArray[np.number], axis: int = -1) -> dict[str, Floats]:
    """Return the five numbers of a box and its whiskers, along an axis; NaN is left out.

    Examples
    --------
    >>> {name: float(value) for name, value in spread(np.array([1, 2, 3, 4, 9])).items()}
    {'lowest': 1.0, 'quarter': 2.0, 'median': 3.0, 'three_quarters': 4.0, 'highest': 9.0}
    """
    names = ("lowest", "quarter", "median", "three_quarters", "highest")
    # nanquantile goes row by row, which takes long where there are many
    quantile = np.nanquantile if np.isnan(values).any() else np.quantile
    return dict(zip(names, quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=axis), strict=True))


# The type in quotes: numpy loads what is random when somebody asks for it, which takes a while.
def generator(rng: object) -> "np.random.Generator":
    """Return the generator of a seed, or the one given.

    Examples
    --------
    >>> bool(generator(1).integers(100) == generator(1).integers(100))
    True
    >>> generator(-1)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: rng: a seed is a whole number from 0 up, or a numpy Generator;
    got -1. Hint: pass rng=1, or any other number, and report it.
    """
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type] # numpy says what it takes
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"rng: a seed is a whole number from 0 up, or a numpy Generator; got {rng!r}. "
            "Hint: pass rng=1, or any other number, and report it."
        ) from error


def rank_sums(values: NDArray[np.number | np.bool_]) -> Floats:
    """Sum along the last axis, one rank after another.

    So zeros at the end change no bit of a sum, and neither do other lists: a topic has one score,
    whichever topics it is scored together with.

    Examples
    --------
    >>> rank_sums(np.array([[0.5, 0.25], [1.0, 0.0]])).tolist(), rank_sums(np.ones((2, 0))).tolist()
    ([0.75, 1.0], [0.0, 0.0])
    """
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    return np.cumsum(values, axis=-1, dtype=np.float64)[..., -1]


def distinct(numbers: Floats) -> Floats:
    """Return the distinct ones of some numbers, ascending.

    As numpy's ``unique``, which loads all of masked arrays to see whether it was given one.

    Examples
    --------
    >>> distinct(np.array([[2.0, 0.5], [0.5, 2.0]])).tolist(), distinct(np.array([])).tolist()
    ([0.5, 2.0], [])
    """
    ascending = np.sort(numbers, axis=None)
    is_first = np.ones(len(ascending), np.bool_)
    is_first[1:] = ascending[1:] != ascending[:-1]
    return ascending[is_first]


def tolerance(scores: Floats) -> float:
    """Return how far scores of one measure, or means of them, may differ and still be equal.

    Sums of the same gains in another order differ in their last bits. What decides between above,
    level and below (ranks, ties, signs) asks for more than that; what is printed is not rounded.

    Parameters
    ----------
    scores
        All scores of the measure; undefined ones (NaN) are left out.

    Examples
    --------
    >>> tolerance(np.array([[0.25, 0.5], [np.nan, -2.0]]))
    2e-12
    """
    return float(tolerances(scores.ravel()))


def tolerances(scores: Floats) -> Floats:
    """Return the tolerance of each row of scores, along the last axis.

    Examples
    --------
    >>> tolerances(np.array([[0.25, 0.5], [np.nan, -2.0]])).tolist()
    [5e-13, 2e-12]
    """
    return np.asarray(TOLERANCE * np.fmax.reduce(np.abs(scores), axis=-1, initial=0.0))


def settle(differences: Floats, within: float | Floats) -> Floats:
    """Return the differences with 0 for those that are rounding error: at most ``within``.

    Examples
    --------
    >>> settle(np.array([0.1 + 0.2 - 0.3, -0.1]), 1e-12).tolist()
    [0.0, -0.1]
    """
    return np.where(np.abs(differences) <= within, 0.0, differences)


def levels(scores: Floats, within: float | Floats) -> Integers:
    """Return the place of each score among the distinct ones of the last axis, 0 the lowest.

    In ascending order, a score is level with the one before, and shares its number, if it exceeds
    that by ``within`` at most. What rests on order alone can take the numbers for the scores.

    Examples
    --------
    >>> levels(np.array([0.1 + 0.2, 0.3, 0.5, 0.1]), 1e-12).tolist()
    [1, 1, 2, 0]
    """
    order = np.argsort(scores, axis=-1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=-1)
    numbers = np.zeros(scores.shape, np.int64)
    rises = np.diff(ascending, axis=-1) > np.asarray(within)[..., None]
    numbers[..., 1:] = np.cumsum(rises, axis=-1)
    places = np.empty_like(numbers)
    np.put_along_axis(places, order, numbers, axis=-1)
    return places
