"""Ranges that hold for a stated share of groups, from the errors that were made on known groups."""

import numpy as np

from poolwise.arrays import Floats, Indices

__all__ = ["FEWEST_GROUPS", "conformal_factor", "group_quantile", "promised_level"]

FEWEST_GROUPS = 5
"""With fewer groups no level is worth a promise."""


def promised_level(groups: int, wanted: float = 0.95) -> float:
    """Return the level that so many groups can promise, at most the wanted one.

    A new group is as likely to be the worst of m + 1 as any other: m/(m + 1) is the most.

    Examples
    --------
    >>> promised_level(40), round(promised_level(9), 3), promised_level(19)
    (0.95, 0.9, 0.95)
    """
    return min(wanted, groups / (groups + 1))


def conformal_factor(scaled: Floats, units: Indices, level: float) -> float:
    """Return by how much a standard deviation must be stretched for ranges to hold at a level.

    It is the smallest q for which the sum over groups of the share of their runs with a scaled
    error of at most q reaches level × (groups + 1) (the rank rule of split conformal prediction;
    a group counts once, however many runs it has).

    Parameters
    ----------
    scaled : float array, runs
        |error| / standard deviation of each left-out run.
    units : int array, runs
        The group of each.
    level : float
        The share of new groups for which the range is to hold.

    Returns
    -------
    float
        ∞ where there are too few groups for the level.

    Examples
    --------
    >>> conformal_factor(np.arange(1.0, 20.0), np.arange(19), 0.95)
    19.0
    >>> conformal_factor(np.arange(1.0, 19.0), np.arange(18), 0.95)
    inf
    """
    groups = len(np.unique(units))
    return group_quantile(scaled, units, level * (groups + 1) / groups)


def group_quantile(values: Floats, units: Indices, share: float) -> float:
    """Return the smallest value that this share of all does not exceed, if a group counts once.

    Examples
    --------
    >>> group_quantile(np.array([1.0, 2.0, 3.0, 9.0]), np.array([0, 0, 0, 1]), 0.5)
    3.0
    >>> group_quantile(np.array([1.0, 2.0]), np.array([0, 1]), 1.1)
    inf
    """
    _, which, sizes = np.unique(units, return_inverse=True, return_counts=True)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(1 / sizes[which][order])
    # A sum of shares such as 1/3 may fall short of a whole number by rounding.
    enough = np.flatnonzero(reached >= share * len(sizes) - 1e-9)
    return float(values[order][enough[0]]) if len(enough) else float("inf")
