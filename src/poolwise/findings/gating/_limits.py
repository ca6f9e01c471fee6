"""How far below, and above, a mean difference may truly lie: the limits that a gate decides by.

They are one-sided t limits, taken twice: of the topics as they are, and with the worst topic (for
the upper limit the best one) counted once more, or twice more if there are fewer than 50 topics;
the more careful of the two counts. A plain t limit is too sure of itself where few topics carry a
loss, as they do in real pairs of runs: on TREC-8 and DL 2019 it lets 5 to 10% of the candidates
pass that are worse by just the margin, and some pairs far more often. With the worst topic counted
again these are fewer than 5% (``validate/VALIDATION.md``).
"""

from typing import NamedTuple

import numpy as np

from poolwise.arrays import TOLERANCE, Floats
from poolwise.findings.comparison._differences import t_pvalue_range

__all__ = ["MeanLimits", "largest_pvalue", "mean_limits", "unseen_share"]

_FEW = 50
"""Topics below which the worst one is counted twice more."""


class MeanLimits(NamedTuple):
    """What a sample of differences says of their mean, one entry per row.

    ``p_pass`` is the p value of "the mean is not above −margin", ``p_fail`` that of "the mean is
    not below −margin".
    """

    low: Floats
    high: Floats
    p_pass: Floats
    p_fail: Floats


def mean_limits(deltas: Floats, margin: float, *, alpha: float = 0.05) -> MeanLimits:
    """Return one-sided limits of means, and the p values of what lies beyond the margin.

    The lower limit is above −margin where ``p_pass`` is below alpha, and the upper one below
    −margin where ``p_fail`` is. Differences are samples × topics; of one topic all is NaN.

    Examples
    --------
    >>> found = mean_limits(np.array([[0.1, 0.0, -0.1, 0.05, 0.05]]), 0.01)
    >>> [end.round(3).item() for end in found]
    [-0.077, 0.097, 0.551, 0.948]
    """
    if deltas.shape[1] < 2:
        return MeanLimits(*np.full((4, len(deltas)), np.nan))
    plain = _t_limits(deltas, margin, alpha)
    low, _, p_pass, _ = _t_limits(_with(deltas, deltas.min(axis=1)), margin, alpha)
    _, high, _, p_fail = _t_limits(_with(deltas, deltas.max(axis=1)), margin, alpha)
    return MeanLimits(
        low=np.minimum(low, plain.low),
        high=np.maximum(high, plain.high),
        p_pass=np.maximum(p_pass, plain.p_pass),
        p_fail=np.maximum(p_fail, plain.p_fail),
    )


def _with(deltas: Floats, again: Floats) -> Floats:
    """Return the differences with one of each row counted again."""
    more = 1 if deltas.shape[1] >= _FEW else 2
    return np.column_stack([deltas, *[again] * more])


def _t_limits(sample: Floats, margin: float, alpha: float) -> MeanLimits:
    """Return the one-sided limits and p values of the t test."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    n, mean = sample.shape[1], sample.mean(axis=1)
    error = sample.std(axis=1, ddof=1) / np.sqrt(n)
    # equal differences deviate by rounding error alone, which must not pass for certainty
    error = np.where(error > TOLERANCE * np.abs(sample).max(axis=1), error, 0.0)
    reach, t = float(stdtrit(n - 1, 1 - alpha)) * error, _t(mean + margin, error)
    return MeanLimits(mean - reach, mean + reach, stdtr(n - 1, -t), stdtr(n - 1, t))


def _t(distance: Floats, error: Floats) -> Floats:
    """Return distances in standard errors; without an error they are infinite, or 0."""
    certain = np.where(distance > TOLERANCE, np.inf, np.where(distance < -TOLERANCE, -np.inf, 0.0))
    return np.where(error > 0, distance / np.where(error > 0, error, 1.0), certain)


def largest_pvalue(lower: Floats, upper: Floats, margin: float) -> float:
    """Return the largest ``p_pass`` that differences between these bounds can have.

    The topic counted again is as bad as the worst bound, which no assignment of grades undercuts;
    the others move on their own. As long as every mean is above −margin, and so every p value below
    one half, a worse topic makes it larger; otherwise 1 is returned.

    Examples
    --------
    >>> round(largest_pvalue(np.array([0.0, 0.1, 0.2]), np.array([0.1, 0.1, 0.2]), 0.05), 3)
    0.061
    """
    if len(lower) < 2:
        return float("nan")
    ends, again = (lower[None] + margin, upper[None] + margin), lower[None].min(axis=1) + margin
    longer = (_with(end, again) for end in ends)
    found = [t_pvalue_range(*some, alternative="greater").high[0] for some in (ends, longer)]
    # only below one half does a worse topic always make the p value larger
    most = float(np.max(found))
    return 1.0 if most >= 0.5 else most


def unseen_share(topics: int, alpha: float = 0.05) -> float:
    """Return which share of topics may be hurt without one of them being in the sample.

    If so many of all topics are hurt, a sample holds none of them with the probability alpha.

    Examples
    --------
    >>> round(unseen_share(50), 3)
    0.058
    """
    # (1 − share)^topics = alpha, solved for the share
    return float(1 - alpha ** (1 / topics)) if topics else 1.0
