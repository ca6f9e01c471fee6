"""The p value of a design that looked at sigma on the way (W10 §5.3.3, §5.3.4)."""

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, Integers
from poolwise.findings.planning._designs import Plan, hybrid_stop

__all__ = ["stopped_deviations", "t_reached", "tails"]

PATHS = 50_000
"""Experiments that are simulated for one p value."""
_SEED = 20
"""The same experiments for every p value, so that it is a function of what was seen."""
_HALVINGS = 40


def stopped_deviations(
    sigma: float, first: int, plan: Plan, *, paths: int = PATHS, seed: int = _SEED
) -> Floats:
    """Return the deviations at which the hybrid design stops, as shares of the true one.

    Of normal differences the sum of squares is all that the design looks at, and it grows by χ²
    with the topics of each round; what the mean is has no part in it.
    """
    rng = np.random.default_rng(seed)
    squares, seen = np.zeros(paths), np.ones(paths, np.int64)

    def deviation_of(topics: Integers) -> Floats:
        nonlocal squares, seen
        new = topics > seen
        squares[new] += rng.chisquare((topics - seen)[new])
        seen = topics
        return np.asarray(sigma * np.sqrt(squares / (topics - 1)))

    hybrid_stop(np.full(paths, first), deviation_of, plan)
    return np.asarray(np.sqrt(squares / (seen - 1)))


def tails(t: ArrayLike, stopped: Floats) -> Floats:
    """Return the chance of so large a |t| or larger at the stop, where nothing differs.

    Examples
    --------
    >>> from scipy.stats import t
    >>> s = np.sqrt(np.random.default_rng(1).chisquare(20, 50_000) / 20)  # no choice: Student's t
    >>> round(float(tails(2.0, s)), 3), round(float(2 * t.sf(2.0, 20)), 3)
    (0.059, 0.059)
    """
    from scipy.special import ndtr  # noqa: PLC0415 -- late: slow to import

    # Given the deviations of all rounds, the mean is normal with σ/√n: t is normal over s/σ.
    size = np.abs(np.atleast_1d(np.asarray(t, np.float64)))
    chances = np.array([2 * ndtr(-value * stopped).mean() for value in size])
    return chances if np.ndim(t) else chances[0]


def t_reached(alpha: float, stopped: Floats) -> float:
    """Return the |t| that is reached with this chance where nothing differs."""
    low, high = 0.0, 50.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(tails(middle, stopped)) > alpha else (low, middle)
    return high
