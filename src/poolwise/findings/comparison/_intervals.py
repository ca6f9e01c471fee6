"""Confidence intervals of differences: each belongs to a test, and says of what it is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.findings.comparison._resampling import (
    Resamples,
    Statistics,
    bootstrap_differences,
    bootstrap_ts,
    subset_means,
)
from poolwise.findings.comparison._samples import Sample
from poolwise.findings.comparison._signed_ranks import hodges_lehmann_ends, median_ends
from poolwise.scores._uncertainty import Uncertainty, check_level

__all__ = ["INTERVALS", "IntervalMethod", "Spread", "interval_ends"]

Ends = tuple[Floats, Floats]


@dataclass(frozen=True)
class IntervalMethod:
    """An interval: what it is called in a sentence, and how it gets from a sample to its ends.

    ``ends`` takes a sample, a plan of resamples and a level, and returns the lower and the upper
    ends, one per pair; NaN where the sample leaves none.
    """

    name: str
    words: str
    ends: Callable[[Sample, Resamples | None, float], Ends]
    needs_spread: bool = True


def interval_ends(sample: Sample, method: str, resamples: Resamples | None, level: float) -> Ends:
    """Return the lower and upper ends of the intervals of a sample, by a key of ``INTERVALS``."""
    check_level(level)
    chosen = INTERVALS[method]
    answered = sample.tells(needs_spread=chosen.needs_spread)
    low, high = chosen.ends(sample, resamples, level)
    return np.where(answered, low, np.nan), np.where(answered, high, np.nan)


@dataclass(frozen=True, eq=False)
class Spread:
    """What the intervals of one difference are made from.

    Attributes
    ----------
    sample : Sample
        The scores of the one pair.
    methods : tuple of str
        The intervals that can be had after the test, the one that is shown first; keys of
        ``INTERVALS``.
    resamples : Resamples or None
        The plan of a randomized test.
    """

    sample: Sample
    methods: tuple[str, ...]
    resamples: Resamples | None = None

    @property
    def method(self) -> str:
        """The interval that is shown."""
        return self.methods[0]

    def interval(self, level: float, method: str | None = None) -> Uncertainty:
        """Return the interval of a level, by the shown method or a named one."""
        chosen = method or self.method
        ends = interval_ends(self.sample, chosen, self.resamples, level)
        return Uncertainty("topics", *ends, level=level, kind=chosen)

    def resampled(self) -> Floats:
        """Return the bootstrap's statistics under the null hypothesis; none after other tests."""
        known = [_NULL_STATISTICS[name] for name in self.methods if name in _NULL_STATISTICS]
        if not known or self.resamples is None:
            return np.empty(0)
        (_, found), *_ = known[0](self.sample, self.resamples)
        return found[0]


def _t_ends(sample: Sample, _: Resamples | None, level: float) -> Ends:
    """Return difference ± t·error (W10 §3.3.5)."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- late: scipy is slow to import

    half = stdtrit(np.maximum(sample.degrees, 1), (1 + level) / 2) * sample.standard_error
    return sample.difference - half, sample.difference + half


def _basic_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    """Take the tails of the centred bootstrap the other way round: the shifted test, inverted."""
    low, high = _tails(bootstrap_differences, sample, resamples, level)
    return sample.difference - high, sample.difference - low


def _percentile_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    low, high = _tails(bootstrap_differences, sample, resamples, level)
    return sample.difference + low, sample.difference + high


def _studentized_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    low, high = _tails(bootstrap_ts, sample, resamples, level)
    error = np.where(sample.standard_error > 0, sample.standard_error, np.nan)
    return sample.difference - high * error, sample.difference - low * error


def _randomization_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    """Invert the randomization test: order statistics of means over random subsets of topics.

    With the signs of the topics of a set A turned, the mean of d − θ is at least the observed one
    where the mean of d over A is at most θ (the typical values of Hartigan 1969). The empty set,
    which turns nothing, is so for every θ: with too few topics there is no interval.
    """
    ends = _tails(subset_means, sample, resamples, level)
    low, high = (np.where(np.isfinite(end), end, np.nan) for end in ends)
    unknown = np.isnan(low) | np.isnan(high)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def _bca_ends(sample: Sample, resamples: Resamples | None, level: float) -> Ends:
    """Correct the percentiles for bias and acceleration (Efron 1987; W10 §3.3.5)."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 -- late: scipy is slow to import

    ends = np.empty((2, len(sample.pairs)))
    z = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    for block, null in bootstrap_differences(sample, _planned(resamples)):
        null.sort(axis=1)
        # Means of a few topics tie with the observed one: half of the ties count on either side.
        below = (np.sum(null < 0, axis=1) + np.sum(null <= 0, axis=1)) / (2 * null.shape[1])
        bias = ndtri(below)[:, None] + z
        acceleration = _acceleration(sample.deltas(block))[:, None]
        with np.errstate(invalid="ignore"):
            shares = ndtr(bias - z + bias / (1 - acceleration * bias))
        ends[:, block] = np.take_along_axis(null, _places(shares, null.shape[1]), axis=1).T
    return sample.difference + ends[0], sample.difference + ends[1]


def _acceleration(deltas: Floats) -> Floats:
    """Return a of the mean, from the jackknife: Σd³ / 6(Σd²)^1.5 of centred differences."""
    centred = deltas - deltas.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1)
    cubes = (centred**3).sum(axis=1)
    return np.divide(cubes, 6 * squares**1.5, out=np.zeros(len(cubes)), where=squares > 0)


def _places(shares: Floats, resamples: int) -> Indices:
    """Return the order statistics, counted from 0, outside of which these shares lie."""
    low, high = np.floor(shares[:, :1] * (resamples + 1)), np.ceil(shares[:, 1:] * (resamples + 1))
    places = np.nan_to_num(np.concatenate([low, high], axis=1), nan=1.0)
    return np.clip(places, 1, resamples).astype(np.intp) - 1


def _tails(
    statistics: Statistics, sample: Sample, resamples: Resamples | None, level: float
) -> Ends:
    """Return the order statistics that leave half of 1 − level on each side, one per pair.

    They are not interpolated, since a t from few topics may be infinite, and stand as far from
    the lowest as from the highest, so that a − b has the interval of b − a turned round.
    """
    planned = _planned(resamples)
    outside = _places(np.array([[(1 - level) / 2, (1 + level) / 2]]), planned.count)[0, 0]
    ends = np.empty((2, len(sample.pairs)))
    for block, rows in statistics(sample, planned):
        # A statistic without a value speaks against neither end.
        undefined = np.isnan(rows)
        for end, sign in zip(ends, (1, -1), strict=True):
            signed = np.where(undefined, -np.inf, sign * rows)
            end[block] = sign * np.partition(signed, outside, axis=1)[:, outside]
    return ends[0], ends[1]


def _planned(resamples: Resamples | None) -> Resamples:
    if resamples is None:
        raise TypeError("an interval by resampling needs the resamples of its test")
    return resamples


INTERVALS: dict[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod("t", "interval", _t_ends),
        IntervalMethod("basic", "basic bootstrap interval", _basic_ends),
        IntervalMethod("percentile", "bootstrap percentile interval", _percentile_ends),
        IntervalMethod("bca", "BCa bootstrap interval", _bca_ends),
        IntervalMethod("studentized", "studentized bootstrap interval", _studentized_ends),
        IntervalMethod("randomization", "randomization interval", _randomization_ends, False),
        IntervalMethod("median", "interval of the median", median_ends, False),
        IntervalMethod("hodges-lehmann", "Hodges–Lehmann interval", hodges_lehmann_ends, False),
    )
}
"""The intervals by name."""

_NULL_STATISTICS: dict[str, Statistics] = {
    "basic": bootstrap_differences,
    "studentized": bootstrap_ts,
}
"""What a bootstrap test resamples, by the interval that belongs to it."""
