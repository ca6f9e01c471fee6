"""How far two sets of scores put the same systems in the same order, and how surely."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, levels, tolerances
from poolwise.errors import InputError, require_choice
from poolwise.findings.similarity._rbo import (
    Placements,
    checked_persistence,
    checked_tied,
    overlap_one_to_many,
)
from poolwise.provenance._recorded import recorded

__all__ = [
    "CORRELATIONS",
    "TauDifference",
    "checked_scores",
    "correlate",
    "correlate_within",
    "order_overlap",
    "tau_difference",
    "tau_error",
    "tau_pvalue",
    "tau_where_known",
    "weighted_tau",
]

PairWeight = Callable[[Floats, Floats], Floats]
"""The weight of a pair from the upper and the lower of its two ranks, counted from 1."""


CORRELATIONS = {
    "tau": "Kendall's τ (W10 eq. 3.16); a tied pair is neither concordant nor discordant",
    "tau_b": "Kendall's τ_b: as τ, over the pairs that are not tied",
    "tau_ap": "τ_AP (Yilmaz et al. 2008), weighted to the top of the second order; where that "
    "has ties, the mean over all ways to break them (τ_AP,a of Urbano & Marrero 2017)",
    "tau_ap_b": "τ_AP,b (Urbano & Marrero 2017): symmetric, over the pairs that are not tied",
    "tau_w": "weighted τ (Shieh 1998): a pair weighs the reciprocal of both ranks in the second "
    "order; a tied pair is neither concordant nor discordant",
    "spearman": "Spearman's ρ: Pearson's r of the ranks",
    "footrule": "Spearman's footrule (Diaconis & Graham 1977), 1 for equal orders and 0 for the "
    "largest distance, ⌊n²/2⌋",
    "pearson": "Pearson's r of the scores themselves (W10 eq. 3.15)",
}


@recorded
def correlate(first: ArrayLike, second: ArrayLike, *, method: str = "tau_b") -> Floats:
    """Return the correlation of two orders, or of many, along the last axis.

    Parameters
    ----------
    first, second
        Scores of the same systems, higher is better. Leading axes broadcast, so that one vector
        meets many: ``(n,)`` with ``(m, n)`` gives ``(m,)``. Scores that differ by no more than
        1e-12 of the largest are tied: that much is rounding error.
    method
        A key of ``CORRELATIONS``. Under ``tau_ap`` the first order is the reference, which must
        not have ties, and the second one sets the weights.

    Returns
    -------
    array of float
        NaN where the correlation has no value: fewer than two systems, or all tied.

    Examples
    --------
    >>> float(correlate([0.5, 0.4, 0.3, 0.2], [0.5, 0.3, 0.4, 0.1]))
    0.6666666666666666
    >>> correlate([3, 2, 1], [[3, 2, 1], [1, 2, 3], [2, 2, 2]]).tolist()
    [1.0, -1.0, nan]
    >>> round(float(correlate([4, 3, 2, 1], [4, 3, 1, 2], method="tau_ap")), 3)
    0.778
    >>> float(correlate([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]))
    1.0
    """
    x, y = checked_scores(first, second)
    return correlate_within(x, y, method, (tolerances(x), tolerances(y)))


@recorded
def weighted_tau(first: ArrayLike, second: ArrayLike, *, weight: PairWeight) -> Floats:
    """Return τ with a weight for every pair of ranks in the second order (Shieh 1998).

    With weights that depend on the lower rank only it is τ_* of Melucci (2009), and with
    1 / (lower − 1) it is τ_AP (W10 §3.3.6). Scores are as in :func:`correlate`.

    Parameters
    ----------
    first, second : array_like
        Scores of the same systems; the weights follow the ranks in the second order.
    weight : callable
        From the upper and the lower ranks of pairs, counted from 1, to the weights of the pairs.

    Returns
    -------
    array of float
        The weighted share of concordant less that of discordant pairs; NaN where it has no value.

    Examples
    --------
    >>> orders = [4, 3, 2, 1], [4, 3, 1, 2]
    >>> round(float(weighted_tau(*orders, weight=lambda upper, lower: 1 / (lower - 1))), 3)
    0.778
    """
    x, y = checked_scores(first, second)
    x, y = (levels(scores, tolerances(scores)).astype(np.float64) for scores in (x, y))
    shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    if x.shape[-1] < 2:
        return np.full(shape, np.nan)
    return _weighted(_columns(x, shape), _columns(y, shape), weight).reshape(shape)


def correlate_within(
    x: Floats, y: Floats, method: str, within: tuple[float | Floats, float | Floats]
) -> Floats:
    """Correlate orders in which scores that differ by no more than ``within`` are tied."""
    require_choice("method", method, CORRELATIONS)
    if method != "pearson":
        x, y = (
            levels(scores, w).astype(np.float64) for scores, w in zip((x, y), within, strict=True)
        )
    if method == "tau_ap":
        _refuse_ties(x)
    shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    if x.shape[-1] < 2:
        return np.full(shape, np.nan)
    return _STATISTICS[method](_columns(x, shape), _columns(y, shape)).reshape(shape)


def checked_scores(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Return both as arrays, if each holds a score for every system."""
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[-1]:
        raise InputError(
            "first, second",
            "both must hold one score per system",
            value=(x.shape, y.shape),
            remedy="give the scores of the same systems in the same order",
        )
    if np.isnan(x).any() or np.isnan(y).any():
        raise InputError(
            "first, second",
            "every system needs a score",
            value=float("nan"),
            remedy="leave out systems or topics without one",
        )
    return x, y


def _refuse_ties(reference: Floats) -> None:
    ordered = np.sort(reference, axis=-1)
    if (ordered[..., 1:] == ordered[..., :-1]).any():
        raise InputError(
            "first",
            "the reference order of tau_ap must not have ties",
            remedy='use method="tau_ap_b", which allows them on both sides',
        )


def _columns(scores: Floats, shape: tuple[int, ...]) -> Floats:
    """Return systems × orders; a single order stays one column, to be compared only once.

    What follows goes from system to system and meets it with all others, in all orders at once:
    memory stays at the size of the scores.
    """
    n = scores.shape[-1]
    whole = scores if scores.size == n else np.broadcast_to(scores, (*shape, n))
    return np.ascontiguousarray(whole.reshape(-1, n).T)


def _tau(x: Floats, y: Floats) -> Floats:
    n = len(x)
    return _concordance(x, y) / (n * (n - 1) / 2)


def _tau_b(x: Floats, y: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return _concordance(x, y) / np.sqrt(_untied_pairs(x) * _untied_pairs(y))


def _concordance(x: Floats, y: Floats) -> Floats:
    """Return the number of concordant pairs less that of discordant ones."""
    total = np.zeros(np.broadcast_shapes(x.shape[1:], y.shape[1:]))
    for i in range(1, len(x)):
        total += (np.sign(x[i] - x[:i]) * np.sign(y[i] - y[:i])).sum(axis=0)
    return total


def _weighted(x: Floats, y: Floats, weight: PairWeight) -> Floats:
    """Return the weights of concordant pairs less those of discordant ones, over all weights."""
    ranks = _ranks(y)
    shape = np.broadcast_shapes(x.shape[1:], y.shape[1:])
    total, every = np.zeros(shape), np.zeros(shape)
    for i in range(1, len(x)):
        pair = weight(np.minimum(ranks[i], ranks[:i]), np.maximum(ranks[i], ranks[:i]))
        total += (pair * np.sign(x[i] - x[:i]) * np.sign(y[i] - y[:i])).sum(axis=0)
        every += pair.sum(axis=0)
    return total / every


def _tau_w(x: Floats, y: Floats) -> Floats:
    return _weighted(x, y, lambda upper, lower: 1 / (upper * lower))


def _untied_pairs(scores: Floats) -> Floats:
    ordered = np.sort(scores, axis=0)
    n = len(scores)
    # The i-th of a group of equal scores is tied with the i − 1 before it.
    tied, before = np.zeros(scores.shape[1]), np.zeros(scores.shape[1])
    for i in range(1, n):
        before = np.where(ordered[i] == ordered[i - 1], before + 1, 0.0)
        tied += before
    return n * (n - 1) / 2 - tied


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    with np.errstate(invalid="ignore"):
        return np.clip(
            (x * y).sum(axis=0) / np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0)), -1, 1
        )


def _spearman(x: Floats, y: Floats) -> Floats:
    return _pearson(_ranks(x), _ranks(y))


def _footrule(x: Floats, y: Floats) -> Floats:
    return 1 - np.abs(_ranks(x) - _ranks(y)).sum(axis=0) / (len(x) ** 2 // 2)


def _ranks(scores: Floats) -> Floats:
    """Return mean ranks, best first."""
    lead = [np.sign(scores - row).sum(axis=0) for row in scores]
    return (np.array(lead) + len(scores) + 1) / 2


def _above(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return per system how many stand above it by y, and how many of them by x as well."""
    by_y = [(y > row).sum(axis=0) for row in y]
    by_both = [((y > b) & (x > a)).sum(axis=0) for a, b in zip(x, y, strict=True)]
    return np.array(by_y, np.float64), np.array(by_both, np.float64)


def _tau_ap(x: Floats, y: Floats) -> Floats:
    """Return τ_AP,a: the mean of τ_AP over all orders inside the ties of y."""
    n = len(y)
    above, right = _above(x, y)
    tied = np.array([(y == row).sum(axis=0) for row in y])
    # Harmonic numbers; the entry before H[0] is read for the top group, which adds nothing.
    H = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n)), [0.0]])
    first = above.astype(np.int64)
    reached = H[first + tied - 1]
    # within a tied group of t that begins at rank f, the mean of 1/(rank − 1) is a difference of
    # harmonic numbers over t; half of the group's own pairs are in order by chance
    outside = right * (reached - H[first - 1]) / tied
    inside = ((tied - 1) - above * (reached - H[first])) / (2 * tied)
    return 2 * (outside + inside).sum(axis=0) / (n - 1) - 1


def _tau_ap_b(x: Floats, y: Floats) -> Floats:
    return (_top_weighted(x, y) + _top_weighted(y, x)) / 2


def _top_weighted(x: Floats, y: Floats) -> Floats:
    """Return the mean over systems, the top group left out, of the share rightly above it."""
    # Urbano & Marrero 2017: those in the top group have nobody above them to be right about
    above, right = _above(x, y)
    share = np.divide(right, above, out=np.zeros(right.shape), where=above > 0)
    with np.errstate(invalid="ignore"):
        return 2 * share.sum(axis=0) / (above > 0).sum(axis=0) - 1


_STATISTICS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "tau": _tau,
    "tau_b": _tau_b,
    "tau_ap": _tau_ap,
    "tau_ap_b": _tau_ap_b,
    "tau_w": _tau_w,
    "spearman": _spearman,
    "footrule": _footrule,
    "pearson": _pearson,
}


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
    >>> difference = tau_difference([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], [2, 1, 3, 5, 4])
    >>> round(difference.first, 3), round(difference.second, 3), round(difference.difference, 3)
    (0.8, 0.6, 0.2)
    >>> difference.pvalue > 0.05  # one pair of five systems is no evidence
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


@recorded
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


@recorded
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


@recorded
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
    >>> difference = tau_difference([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], [5, 4, 3, 2, 1])
    >>> round(difference.difference, 3), difference.pvalue < 0.05
    (1.8, True)
    """
    left, right = (_concordances(*_ordered(reference, scores)) for scores in (first, second))
    return TauDifference(_mean(left), _mean(right), _error(left - right))


def _ordered(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    x, y = checked_scores(first, second)
    left, right = (levels(scores, tolerances(scores)).astype(np.float64) for scores in (x, y))
    return left, right


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
    # the squared sum, less all products of two pairs that share one system, or both
    apart = pairs.sum() ** 2 - 4 * (pairs.sum(axis=1) ** 2).sum() + 2 * squares
    variance = mean**2 - apart / (every * (n - 2) * (n - 3))
    if variance <= 0:
        by_system = (pairs.sum(axis=1) / (n - 1)).var(ddof=1)
        by_pair = (squares - every * mean**2) / (every - 1)
        # Cliff 1996: [4(n − 2)·s²(systems) + 2·s²(pairs)] / n(n − 1).
        variance = (4 * (n - 2) * by_system + 2 * by_pair) / every
    return float(np.sqrt(max(0.0, variance)))


@recorded
def order_overlap(
    first: ArrayLike, second: ArrayLike, *, p: float = 0.9, tied: str = "w"
) -> Floats:
    """Return the rank-biased overlap of one order of systems with one or many others.

    The orders hold the same systems, so the overlap is complete past their end (U18 §3.3).

    Parameters
    ----------
    first
        Scores of the systems, higher is better.
    second
        Scores of the same systems along the last axis; leading axes are other orders.
    p, tied
        As in :func:`~poolwise.rank_biased_overlap`; level scores are ties.

    Returns
    -------
    float array
        The overlap with each of the other orders, 1 where the two are the same.

    Examples
    --------
    >>> order_overlap([0.3, 0.2, 0.1], [[0.5, 0.4, 0.3], [0.1, 0.2, 0.3]], p=0.5).tolist()
    [1.0, 0.375]
    """
    x, y = checked_scores(first, second)
    if x.ndim > 1:
        raise InputError(
            "first",
            "one order is compared with many",
            value=x.shape,
            remedy="compare each of its rows in turn",
        )
    p, tied = checked_persistence(p), checked_tied(tied)
    scores = np.vstack([x, y.reshape(int(np.prod(y.shape[:-1])), len(x))])
    scores = levels(scores, tolerances(scores))
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    joins = np.zeros(ranked.shape, np.bool_)
    joins[:, 1:] = (ranked[:, 1:] == ranked[:, :-1]) & (tied != "broken")
    lists = Placements.from_lists(list(order), list(joins), documents=len(x))
    overlaps = overlap_one_to_many(lists, 0, slice(1, None), p=p, tied=tied)
    return overlaps.ext.reshape(y.shape[:-1])


def tau_where_known(x: ArrayLike, y: ArrayLike) -> float:
    """Return Kendall's τ_b of two arrays of one shape, over the places where both have a number.

    Examples
    --------
    >>> nan = float("nan")
    >>> round(tau_where_known([1, 2, nan, 4, 3], [2, 4, 1, 6, nan]), 3)
    1.0
    """
    from scipy.stats import kendalltau  # noqa: PLC0415 -- late: scipy is slow to import

    left, right = (np.asarray(values, np.float64).ravel() for values in (x, y))
    both = ~(np.isnan(left) | np.isnan(right))
    if both.sum() < 2:
        return float("nan")  # one value has no order
    return float(kendalltau(left[both], right[both]).statistic)
