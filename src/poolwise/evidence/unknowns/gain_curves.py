"""Curves of expected gain over ranks, and how each is fitted (G16 table 1)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, Self

import numpy as np

from poolwise.arrays import Floats

__all__ = [
    "GAIN_CURVES",
    "ConstantGain",
    "GainCurve",
    "LinearGain",
    "StaticGain",
    "WeibullGain",
    "ZipfGain",
]


class GainCurve(Protocol):
    """A curve of expected gain over ranks 1, 2, …; its fields are its parameters."""

    name: ClassVar[str]

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> Self:
        """Return the curve with the smallest squared error at these ranks."""

    def at(self, ranks: Floats) -> Floats:
        """Return the expected gain at these ranks."""


@dataclass(frozen=True)
class StaticGain:
    """Half of the full gain at every rank, whatever is judged."""

    name: ClassVar[str] = "static"

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "StaticGain":
        """Return the model, which has nothing to fit."""
        del ranks, gains
        return cls()

    def at(self, ranks: Floats) -> Floats:
        """Return 1/2."""
        return np.full(ranks.shape, 0.5)


@dataclass(frozen=True)
class ConstantGain:
    """The same gain down to a rank, 0 below it."""

    name: ClassVar[str] = "constant"

    rate: float
    last: int

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "ConstantGain":
        """Try every last rank: the best rate down to it is the mean, so this is exact."""
        sums = gains.cumsum()
        # Σg² − (Σ_{i≤m} g)²/m is the squared error; its first part is the same for all m.
        m = int(np.argmax(sums**2 / np.arange(1, len(gains) + 1)))
        return cls(rate=float(sums[m] / (m + 1)), last=int(ranks[m]))

    def at(self, ranks: Floats) -> Floats:
        """Return the rate down to the last rank."""
        return np.where(ranks <= self.last, self.rate, 0.0)


@dataclass(frozen=True)
class LinearGain:
    """A falling line, cut off where it reaches 0."""

    name: ClassVar[str] = "linear"

    slope: float
    intercept: float

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "LinearGain":
        """Fit a line to the first 1, 2, … ranks, and keep the one that is best over all.

        Exact: gains are not negative, so an optimum never lies where the line reaches 0 just at
        a rank, and where it is above 0 it is the least-squares line of those ranks.
        """
        slopes, intercepts = _lines(ranks, gains)
        curves = np.maximum(intercepts[:, None] - slopes[:, None] * ranks, 0.0)
        best = int(np.argmin(((curves - gains) ** 2).sum(axis=1)))
        return cls(slope=float(slopes[best]), intercept=float(intercepts[best]))

    def at(self, ranks: Floats) -> Floats:
        """Return max(c − λk, 0)."""
        return np.maximum(self.intercept - self.slope * ranks, 0.0)


@dataclass(frozen=True)
class ZipfGain:
    """A power of the rank, never 0: total / (k^exponent · H_n), over n fitted ranks."""

    name: ClassVar[str] = "zipf"

    total: float
    exponent: float
    ranks: int

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "ZipfGain":
        """Search the exponent from 0 to 10; the factor follows from it."""
        grid = np.linspace(0.0, 10.0, 101)[:, None]
        (exponent,), factor = _fit_shape(partial(_zipf, ranks), gains, grid)
        harmonic = float((np.arange(1, len(ranks) + 1) ** -exponent).sum())
        return cls(total=factor * harmonic, exponent=float(exponent), ranks=len(ranks))

    def at(self, ranks: Floats) -> Floats:
        """Return λ / (k^c H_{n,c})."""
        harmonic = (np.arange(1, self.ranks + 1) ** -self.exponent).sum()
        return self.total / harmonic * _zipf(ranks, np.array([self.exponent]))


@dataclass(frozen=True)
class WeibullGain:
    """A multiple of the discrete Weibull distribution: it may rise before it falls."""

    name: ClassVar[str] = "weibull"

    total: float
    decay: float
    shape: float

    @classmethod
    def fit(cls, ranks: Floats, gains: Floats) -> "WeibullGain":
        """Search scale (in ranks) and shape, in logarithms; the factor follows from them."""
        scales = np.linspace(np.log(0.3), np.log(30.0 * ranks[-1]), 25)
        shapes = np.linspace(np.log(0.15), np.log(5.0), 20)
        grid = np.stack(np.meshgrid(scales, shapes), axis=-1).reshape(-1, 2)
        (scale, shape), factor = _fit_shape(partial(_weibull, ranks), gains, grid)
        shape = float(np.exp(shape))
        # (1 − λ₁)^(k^c) = exp(−(k/scale)^c)
        decay = float(-np.expm1(-np.exp(-scale * shape)))
        return cls(total=factor, decay=decay, shape=shape)

    def at(self, ranks: Floats) -> Floats:
        """Return λ₀ ((1 − λ₁)^((k−1)^c) − (1 − λ₁)^(k^c))."""
        rate = np.log1p(-min(self.decay, 1 - 2.0**-53))  # a decay of 1 leaves rank 1 alone
        return self.total * (
            np.exp(rate * (ranks - 1) ** self.shape) - np.exp(rate * ranks**self.shape)
        )


GAIN_CURVES: tuple[type[GainCurve], ...] = (
    StaticGain,
    ConstantGain,
    LinearGain,
    ZipfGain,
    WeibullGain,
)


def _lines(ranks: Floats, gains: Floats) -> tuple[Floats, Floats]:
    """Return slope (downwards, not negative) and intercept of the line of each prefix."""
    n = np.arange(1, len(ranks) + 1)
    x, y = ranks.cumsum() / n, gains.cumsum() / n
    spread = (ranks**2).cumsum() / n - x**2
    joint = (ranks * gains).cumsum() / n - x * y
    # One rank alone is met by a line that reaches 0 at the next.
    slopes = np.divide(-joint, spread, out=np.full(len(n), gains[0]), where=n > 1)
    slopes = np.maximum(slopes, 0.0)
    return slopes, y + slopes * x


def _zipf(ranks: Floats, parameters: Floats) -> Floats:
    return ranks ** -parameters[..., :1]


def _weibull(ranks: Floats, parameters: Floats) -> Floats:
    scale, shape = np.exp(parameters[..., :1]), np.exp(parameters[..., 1:])
    return np.exp(-(((ranks - 1) / scale) ** shape)) - np.exp(-((ranks / scale) ** shape))


def _fit_shape(
    shape: Callable[[Floats], Floats], gains: Floats, grid: Floats
) -> tuple[Floats, float]:
    """Return the parameters whose curve, times the best factor, is closest to the gains.

    The factor is a linear least-squares problem, so only the parameters are searched: on a grid,
    then within its bounds from its three best points.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415 -- late: scipy is slow to import

    def misfit(parameters: Floats) -> Floats:
        curve = shape(parameters)
        return _factor(curve, gains) * curve - gains

    starts = grid[np.argsort((misfit(grid) ** 2).sum(axis=1), kind="stable")[:3]]
    limits = (grid.min(axis=0) - 1e-9, grid.max(axis=0) + 1e-9)
    found = [least_squares(misfit, start, bounds=limits) for start in starts]
    best = np.asarray(min(found, key=lambda result: float(result.cost)).x)
    return best, float(_factor(shape(best), gains)[0])


def _factor(curves: Floats, gains: Floats) -> Floats:
    """Return the least-squares factor, not negative, that takes each curve to the gains."""
    tiny = np.finfo(np.float64).tiny
    square = np.maximum((curves**2).sum(axis=-1, keepdims=True), tiny)
    return np.maximum((curves @ gains)[..., None] / square, 0.0)
