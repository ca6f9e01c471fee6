"""Random sets of topics, and what the same systems score on two of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError, require_choice
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_alpha
from poolwise.words import counted

__all__ = [
    "SETS",
    "TwoSets",
    "checked_size",
    "chunks",
    "draw_sets",
    "joined_topics",
    "pair_differences",
    "random_subsets",
    "two_sample_verdict",
    "weighted_means",
]

Number = TypeVar("Number", np.float64, np.int64)

SETS = {
    "disjoint": "topics are split at random, so that no topic is in both (Voorhees & Buckley 2002)",
    "independent": "each set is drawn anew, with replacement (Sanderson & Zobel 2005)",
}

_NUMBERS_AT_ONCE = 1 << 22
"""Numbers that one temporary array holds at most."""


def draw_sets(
    rng: np.random.Generator, draws: int, topics: int, *, size: int, sets: str
) -> tuple[Floats, Floats]:
    """Return the share of each topic in the first set and in the second, draws × topics.

    Examples
    --------
    >>> first, second = draw_sets(np.random.default_rng(1), 3, 8, size=4, sets="disjoint")
    >>> bool((first * second == 0).all()), first.sum(axis=1).tolist()
    (True, [1.0, 1.0, 1.0])
    """
    if sets == "independent":
        even = np.full(topics, 1 / topics)
        first, second = rng.multinomial(size, even, size=(2, draws)) / size
        return first, second
    places = _shuffled(rng, draws, topics)
    return (places < size) / size, ((places >= size) & (places < 2 * size)) / size


def random_subsets(rng: np.random.Generator, draws: int, count: int, size: int) -> Booleans:
    """Return which of so many topics, or systems, are in a random set, draws × count.

    Examples
    --------
    >>> random_subsets(np.random.default_rng(1), 3, 8, 5).sum(axis=1).tolist()
    [5, 5, 5]
    """
    return _shuffled(rng, draws, count) < size


def _shuffled(rng: np.random.Generator, draws: int, count: int) -> NDArray[np.integer]:
    """Return the places of so many things in a random order, draws × count."""
    return rng.permuted(np.broadcast_to(np.arange(count), (draws, count)), axis=1)


def weighted_means(values: Floats, shares: Floats) -> Floats:
    """Return mean scores per draw: ``values`` … × topics and draws × topics give draws × ….

    Means that differ by rounding alone are made equal.
    """
    means = shares @ values.reshape(-1, values.shape[-1]).T
    return means.reshape(len(shares), *values.shape[:-1]).round(12)


def pair_differences(means: NDArray[Number]) -> NDArray[Number]:
    """Return the difference of every pair of systems, along the last axis."""
    left, right = np.triu_indices(means.shape[-1], k=1)
    return means[..., left] - means[..., right]


def chunks(draws: int, numbers: int) -> Iterator[slice]:
    """Yield slices of the draws so small that an array of ``numbers`` per draw stays bounded."""
    step = max(1, _NUMBERS_AT_ONCE // max(1, numbers))
    for start in range(0, draws, step):
        yield slice(start, min(start + step, draws))


def checked_size(systems: int, topics: int, *, size: int | None, sets: str) -> int:
    """Return the number of topics in each set, half of all by default."""
    require_choice("sets", sets, SETS)
    chosen = topics // 2 if size is None else size
    most = topics // 2 if sets == "disjoint" else topics
    if systems < 2 or not 1 <= chosen <= most:
        raise OptionError(
            f"size: two sets of {counted(chosen, 'topic')}, for {counted(systems, 'system')}, "
            f"cannot be drawn from {topics}. Hint: give two systems or more, and a size from 1 to "
            f"{most}."
        )
    return chosen


def joined_topics(first: ScoreTable, second: ScoreTable | None) -> tuple[Floats, int]:
    """Return the scores on the topics of both tables, and how many belong to the first.

    Half of its topics belong to a first table that comes alone. Topics with an undefined score
    are left out.
    """
    values = first.value[:, first.defined]
    size = values.shape[1] if second is not None else values.shape[1] // 2
    if second is not None:
        _check_same_systems(first, second)
        values = np.hstack([values, second.value[:, second.defined]])
    if len(values) < 2 or min(size, values.shape[1] - size) < 2:
        raise OptionError(
            f"first, second: {counted(len(values), 'system')} on {size} and "
            f"{counted(values.shape[1] - size, 'topic')} "
            "cannot be compared. Hint: use two systems and two topics each, or more."
        )
    return values, size


def _check_same_systems(first: ScoreTable, second: ScoreTable) -> None:
    if first.systems != second.systems or first.measure != second.measure:
        raise OptionError(
            f"first, second: {first.measure} of {counted(len(first.systems), 'system')} and "
            f"{second.measure} of {len(second.systems)} must be of the same systems and measure. "
            "Hint: select the systems that both have, in one order."
        )


@dataclass(frozen=True, eq=False)
class TwoSets:
    """Means, and sums of squared deviations, of each system on two sets that make up all topics."""

    first: Floats
    second: Floats
    first_squares: Floats
    second_squares: Floats
    sizes: tuple[int, int]

    @classmethod
    def of(cls, values: Floats, in_first: Booleans) -> "TwoSets":
        """Sum over topics by matrix product: ``values`` systems × topics, draws × topics."""
        size = int(in_first[0].sum())
        sizes = size, values.shape[1] - size
        centre = values.mean(axis=1)
        off = values - centre[:, None]
        weights = in_first / size, ~in_first / sizes[1]
        means = [w @ off.T for w in weights]
        squares = [
            n * (w @ (off**2).T - m**2) for n, w, m in zip(sizes, weights, means, strict=True)
        ]
        return cls(means[0] + centre, means[1] + centre, squares[0], squares[1], sizes)

    def rmse(self) -> Floats:
        """Return the root mean squared difference of means over systems (W10 eq. 4.9)."""
        return np.sqrt(((self.first - self.second) ** 2).mean(axis=1))

    def kappa(self) -> Floats:
        """Return κ of each draw; infinite if the means do not vary (W10 eq. 4.10)."""
        spread = self.first.std(axis=1, ddof=1) + self.second.std(axis=1, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return 2 * self.rmse() / spread

    def significant(self, alpha: float) -> NDArray[np.int8]:
        """Return where a system is higher on the first (1), the second (−1), or neither (0)."""
        n, m = self.sizes
        error = np.sqrt((self.first_squares + self.second_squares) / (n + m - 2) * (1 / n + 1 / m))
        return two_sample_verdict(self.first - self.second, error, n + m - 2, alpha)


def two_sample_verdict(
    difference: Floats, error: Floats, freedom: int, alpha: float
) -> NDArray[np.int8]:
    """Return the sign of each difference that a two-sided t test finds, else 0."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: slow to import

    check_alpha(alpha)
    found = np.abs(difference) > stdtrit(freedom, 1 - alpha / 2) * error
    return (np.sign(difference) * found).astype(np.int8)
