"""Significance of Kendall's τ, and of a difference of two τ, over systems (W10 §3.3.6)."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, levels, tolerances
from poolwise.findings.agreement.rank_correlation import checked_scores

__all__ = ["TauDifference", "tau_difference", "tau_error", "tau_pvalue"]


@dataclass(frozen=True)
class TauDifference:
    """Which of two orders is nearer to a reference, were other systems drawn (Cliff 1996).

    Attributes
    ----------
    first, second : float
        Kendall's τ of each order with the reference.
    error : float
        Standard error of their difference over samples of systems.

    Examples
    --------
    >>> found = tau_difference([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], [2, 1, 3, 5, 4])
    >>> round(found.first, 3), round(found.second, 3), round(found.difference, 3)
    (0.8, 0.6, 0.2)
    >>> found.pvalue > 0.05  # one pair of five systems is no evidence
    True
    """

    first: float
    second: float
    error: float

    @property
    def difference(self) -> float:
        """The first τ less the second."""
        return self.first - self.second

    @property
    def pvalue(self) -> float:
        """Two-sided p value of no difference; 1 for none, NaN where the pairs have no spread."""
        if self.difference == 0:
            return 1.0
        if not self.error > 0:
            return float("nan")
        return 2 * NormalDist().cdf(-abs(self.difference) / self.error)


def tau_pvalue(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p value of Kendall's τ if the two orders were unrelated.

    It seldom means much: two measures over the same systems are never unrelated (W10 §3.3.6). It
    is exact for few systems without ties, and normal otherwise.

    Parameters
    ----------
    first, second : array_like
        Scores of the same systems, higher is better, as for :func:`correlate`.

    Returns
    -------
    float
        The probability of a τ at least as far from 0, were every second order equally likely.

    Examples
    --------
    >>> round(tau_pvalue([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]), 3)
    0.083
    """
    from scipy.stats import kendalltau  # noqa: PLC0415 -- late: scipy is slow to import

    x, y = _ordered(first, second)
    return float(kendalltau(x, y).pvalue)


def tau_error(first: ArrayLike, second: ArrayLike) -> float:
    """Return Cliff's standard error of Kendall's τ over samples of systems.

    Cliff, Ordinal Methods for Behavioral Data Analysis (1996), chapter 3.

    Parameters
    ----------
    first, second : array_like
        Scores of the same systems, higher is better, as for :func:`correlate`.

    Returns
    -------
    float
        The standard error, from the pairs that share a system; NaN for fewer than four systems.

    Examples
    --------
    >>> round(tau_error([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]), 3)
    0.234
    """
    return _error(_concordances(*_ordered(first, second)))


def tau_difference(reference: ArrayLike, first: ArrayLike, second: ArrayLike) -> TauDifference:
    """Compare the τ of two orders with the same reference (Cliff 1996, ch. 3).

    The systems count as a random sample, which they seldom are: what is to be generalized over is
    the topics, and intervals over topics say that. Significance is hard to reach.

    Parameters
    ----------
    reference : array_like
        Scores of the systems by which the two orders are measured.
    first, second : array_like
        Scores of the same systems that give the two orders.

    Returns
    -------
    TauDifference
        Both correlations, the standard error of their difference, and its p value.

    Examples
    --------
    >>> found = tau_difference([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], [5, 4, 3, 2, 1])
    >>> round(found.difference, 3), found.pvalue < 0.05
    (1.8, True)
    """
    one, other = (_concordances(*_ordered(reference, scores)) for scores in (first, second))
    return TauDifference(_mean(one), _mean(other), _error(one - other))


def _ordered(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    x, y = checked_scores(first, second)
    one, other = (levels(scores, tolerances(scores)).astype(np.float64) for scores in (x, y))
    return one, other


def _concordances(x: Floats, y: Floats) -> Floats:
    """Return 1 for each concordant pair of systems, −1 for a discordant and 0 for a tied one."""
    return np.sign(x[:, None] - x) * np.sign(y[:, None] - y)


def _mean(pairs: Floats) -> float:
    n = len(pairs)
    return float(pairs.sum() / (n * (n - 1))) if n > 1 else float("nan")


def _error(pairs: Floats) -> float:
    """Return the standard error of the mean over pairs: that of a U statistic of degree two.

    The variance is the square of the mean less what estimates the square of the true mean without
    bias: the mean product of two pairs that share no system. With few systems that may exceed
    the square; the variance is then estimated from above, as Cliff does first.
    """
    n = len(pairs)
    if n < 4:
        return float("nan")
    mean, every, squares = _mean(pairs), n * (n - 1), float((pairs**2).sum())
    apart = pairs.sum() ** 2 - 4 * (pairs.sum(axis=1) ** 2).sum() + 2 * squares
    variance = mean**2 - apart / (every * (n - 2) * (n - 3))
    if variance <= 0:
        by_system = (pairs.sum(axis=1) / (n - 1)).var(ddof=1)
        by_pair = (squares - every * mean**2) / (every - 1)
        # Cliff 1996: [4(n − 2)·s²(systems) + 2·s²(pairs)] / n(n − 1).
        variance = (4 * (n - 2) * by_system + 2 * by_pair) / every
    return float(np.sqrt(max(0.0, variance)))
