"""Topics parted into two collections, and what the same systems score on either side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError
from poolwise.findings.levels import check_alpha
from poolwise.scores.score_table import ScoreTable

__all__ = ["Halves", "joined", "random_parts", "two_sample_verdict"]


def joined(first: ScoreTable, second: ScoreTable | None) -> tuple[Floats, int]:
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
            f"first, second: {len(values)} systems on {size} and {values.shape[1] - size} topics "
            "cannot be compared. Hint: use two systems and two topics each, or more."
        )
    return values, size


def random_parts(rng: np.random.Generator, partitions: int, topics: int, size: int) -> Booleans:
    """Return which topics fall into the first part, partitions × topics."""
    base = np.broadcast_to(np.arange(topics) < size, (partitions, topics))
    return rng.permuted(base, axis=1)


@dataclass(frozen=True, eq=False)
class Halves:
    """Means, and sums of squared deviations, of each system on both sides of partitions."""

    first: Floats
    second: Floats
    first_squares: Floats
    second_squares: Floats
    sizes: tuple[int, int]

    @classmethod
    def of(cls, values: Floats, in_first: Booleans) -> "Halves":
        """Sum over topics by matrix product: ``values`` systems × topics, partitions × topics."""
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
        """Return κ of each partition; infinite if the means do not vary (W10 eq. 4.10)."""
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


def _check_same_systems(first: ScoreTable, second: ScoreTable) -> None:
    if first.systems != second.systems or first.measure != second.measure:
        raise OptionError(
            f"first, second: {first.measure} of {len(first.systems)} systems and {second.measure} "
            f"of {len(second.systems)} must be of the same systems and measure. Hint: "
            "select the systems that both have, in one order."
        )
