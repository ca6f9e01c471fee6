"""Confidence intervals of a difference: by t, and by the bootstrap."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from poolwise.arrays import Floats
from poolwise.findings.levels import check_level

__all__ = ["Spread", "t_interval"]


def t_interval(difference: Any, error: Any, degrees: Any, level: float) -> tuple[Floats, Floats]:
    """Return difference ± t·error, NaN where nothing varies (W10 §3.3.5).

    Examples
    --------
    >>> [end.round(3).tolist() for end in t_interval(np.array([0.1, 0.2]), 0.05, 9.0, 0.95)]
    [[-0.013, 0.087], [0.213, 0.313]]
    """
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    check_level(level)
    spread = np.where(np.greater(error, 0), error, np.nan)
    half = stdtrit(np.maximum(degrees, 1), (1 + level) / 2) * spread
    return np.asarray(difference - half), np.asarray(difference + half)


@dataclass(frozen=True, eq=False)
class Spread:
    """What the intervals of one difference are made from.

    Attributes
    ----------
    difference, standard_error, degrees : float
        The difference, its standard error, and the degrees of freedom that t has.
    method : str
        The interval that belongs to the test.
    resampled : float array
        The bootstrap's statistics under the null hypothesis, one per resample.
    turned : bool
        Whether the two systems have changed places since: the interval is then turned, too.

    Examples
    --------
    >>> spread = Spread(0.1, 0.05, 9.0)
    >>> [round(end, 3) for end in spread.interval(0.95)]
    [-0.013, 0.213]
    >>> [round(end, 3) for end in spread.turn().interval(0.95)]
    [-0.213, 0.013]
    """

    difference: float
    standard_error: float
    degrees: float
    method: str = "t"
    resampled: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    turned: bool = False

    @property
    def methods(self) -> tuple[str, ...]:
        """The intervals that can be had after the test."""
        return ("t", *_ALONGSIDE.get(self.method, ()))

    def turn(self) -> "Spread":
        """Return the spread of the difference the other way round."""
        return replace(self, turned=not self.turned)

    def interval(self, level: float, method: str | None = None) -> tuple[float, float]:
        """Return the two ends at a level, by the test's own method or a named one."""
        low, high = self._ends(level, method or self.method)
        # Not -high: that would be −0 for 0.
        return (0 - high, 0 - low) if self.turned else (low, high)

    def _ends(self, level: float, method: str) -> tuple[float, float]:
        check_level(level)
        if method == "t":
            low, high = t_interval(self.difference, self.standard_error, self.degrees, level)
            return float(low), float(high)
        # Order statistics, not interpolated: a t from few topics may be infinite.
        tails = np.quantile(
            self.resampled, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf"
        )
        return _BOOTSTRAP[method](self, *map(float, tails))


_ALONGSIDE = {"basic": ("basic", "percentile"), "studentized": ("studentized",)}
"""The bootstrap intervals that can be had after a test, by the one that belongs to it."""

# W10 §3.3.5: where the true mean is above the observed one, the lower tail matters.
_BOOTSTRAP: dict[str, Callable[[Spread, float, float], tuple[float, float]]] = {
    "basic": lambda s, low, high: (s.difference - high, s.difference - low),
    "percentile": lambda s, low, high: (s.difference + low, s.difference + high),
    "studentized": lambda s, low, high: (
        s.difference - high * s.standard_error,
        s.difference - low * s.standard_error,
    ),
}
