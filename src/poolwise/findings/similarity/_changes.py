"""On which date rankings changed more than they do from date to date (W10 §7.4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices

__all__ = ["FEWEST", "StepSeries", "UnusualSteps", "find_steps", "log_odds", "shared_direction"]

FEWEST = 8
"""Steps that a series needs: with fewer, a change cannot be told from what is usual."""
_SAME = 1e-4
"""Distances between rankings below this are none."""
_SIMULATED = 400_000
"""Steps without a change that are simulated, for the tails of what is usual."""
_TO_DEVIATION = 1.4826
"""What makes the median of absolute deviations the standard deviation of normal numbers."""
_CLIP = 2.5
_OWN = 0.01
"""The chance of an engine's own step that tells which of two changed, where their agreement did."""
_TAIL = (0.9, 0.96)
"""Between these quantiles of steps it is seen how fast their tail falls off; changes lie above."""
_BEYOND = 3
"""Steps beyond the second of these quantiles that are needed, lest one change be all of them."""
_SEED = 20
_DAYS_OF_YEAR = 365.25


def log_odds(overlap: Floats) -> Floats:
    """Return how far each date is from the one before: log odds of the mean distance, 1 − RBO.

    On this scale the shocks of days are about as large in both directions.

    Examples
    --------
    >>> log_odds(np.array([[0.9, 0.9], [0.5, 0.5]])).round(3).tolist()
    [-2.197, 0.0]
    """
    distance = np.clip(1 - np.nanmean(overlap, axis=1), _SAME, 1 - _SAME)
    return np.asarray(np.log(distance / (1 - distance)))


def shared_direction(change: Floats) -> Floats:
    """Return how far queries change in one direction: the t of each date's changes.

    Two engines that drift change their overlap up on some queries and down on others, on days with
    large shocks more than on others; the t takes that out.

    Examples
    --------
    >>> shared_direction(np.array([[0.1, -0.1, 0.2], [0.5, 0.6, 0.7]])).round(2).tolist()
    [0.76, 10.39]
    """
    count = np.maximum((~np.isnan(change)).sum(axis=1), 2)
    spread = np.nanstd(change, axis=1) * np.sqrt(count / (count - 1))
    # Queries that all change alike would have no spread: it is no less than what counts as none.
    return np.asarray(np.nanmean(change, axis=1) * np.sqrt(count) / np.maximum(spread, _SAME))


@dataclass(frozen=True, eq=False)
class StepSeries:
    """The steps of an engine (``other`` is empty), or of the overlap of two, from date to date.

    ``dates`` are those that steps lead to; ``value`` is what is tested.
    """

    system: str
    other: str
    dates: tuple[str, ...]
    value: Floats

    @property
    def is_pair(self) -> bool:
        """Whether it is about two engines."""
        return bool(self.other)

    @property
    def standardized(self) -> Floats:
        """The steps less their median, in robust deviations; 0 where nothing varies."""
        return np.asarray(_standardized(self.value[None])[0])


def _standardized(values: Floats) -> Floats:
    """Return rows less their medians, in deviations that a few changes do not move."""
    off = values - np.median(values, axis=1, keepdims=True)
    scale = _TO_DEVIATION * np.median(np.abs(off), axis=1, keepdims=True)
    # An engine that mostly stays as it is has no usual step: whatever moves stands out.
    return np.asarray(np.where(np.abs(off) > 1e-12, off / np.maximum(scale, 1e-12), 0.0))


def _autocorrelation(series: Sequence[StepSeries]) -> float:
    """Return the median over series of the correlation of a step with the next, outliers cut."""
    correlations = []
    for one_series in series:
        z = np.clip(one_series.standardized, -_CLIP, _CLIP)
        off = z - z.mean()
        if off.any():
            correlations.append(float(off[1:] @ off[:-1] / (off @ off)) + 1 / len(off))
    return float(np.clip(np.median(correlations), -0.9, 0.9)) if correlations else 0.0


@lru_cache(maxsize=64)
def _usual(steps: int, autocorrelation: float, *, two_sided: bool) -> Floats:
    """Return standardized steps of series without a change, sorted."""
    rng = np.random.default_rng(_SEED)
    rows = -(-_SIMULATED // steps)
    drawn = rng.normal(size=(rows, steps))
    innovation = np.sqrt(1 - autocorrelation**2)
    for t in range(1, steps):
        drawn[:, t] = autocorrelation * drawn[:, t - 1] + innovation * drawn[:, t]
    standardized = _standardized(drawn).ravel()
    return np.sort(np.abs(standardized) if two_sided else standardized)


def _normal_share(one_series: StepSeries, autocorrelation: float) -> Floats:
    """Return the chance of steps as large in a series of normal shocks."""
    usual = _usual(len(one_series.value), autocorrelation, two_sided=one_series.is_pair)
    size = np.abs(one_series.standardized) if one_series.is_pair else one_series.standardized
    return np.asarray((len(usual) - np.searchsorted(usual, size)) / len(usual))


def _shares(some: Sequence[StepSeries], autocorrelation: float) -> list[Floats]:
    """Return the chance of steps as large without a change, of each series."""
    shares = [_normal_share(one_series, autocorrelation) for one_series in some]
    if not some or some[0].is_pair:
        return shares
    steps = np.concatenate([one_series.standardized for one_series in some])
    if len(steps) * (1 - _TAIL[1]) < _BEYOND:
        return shares
    both = zip(some, shares, strict=True)
    return [
        np.maximum(share, _exponential(one_series.standardized, steps))
        for one_series, share in both
    ]


def _exponential(size: Floats, steps: Floats) -> Floats:
    """Return the chance of steps as large, by a tail that falls off as that of the steps does.

    Days with heavy-tailed or skewed shocks have more large steps than normal ones. Above its ninth
    decile the tail is taken for exponential, with the scale that lies between two quantiles: a few
    changes above do not move it. From k steps, it makes the tail (1 + x/k)⁻ᵏ, x scales further on.

    Examples
    --------
    >>> usual = -np.log(np.linspace(0.999, 0.001, 999))
    >>> _exponential(np.array([1.0, 5.0, 9.0]), usual).round(4).tolist()
    [1.0, 0.0068, 0.0002]
    """
    first, last = _TAIL
    low, high = np.quantile(steps, _TAIL)
    scale = max(float(high - low) / np.log((1 - first) / (1 - last)), 1e-12)
    k = len(steps) * (last - first)
    beyond = np.maximum(size - low, 0.0) / scale
    return np.asarray(np.where(beyond > 0, (1 - first) * (1 + beyond / k) ** -k, 1.0))


@dataclass(frozen=True, eq=False)
class UnusualSteps:
    """The steps of a series that are larger than its usual ones.

    ``alarm`` says which are; ``share`` is the chance of a step as large without a change, and
    ``rate`` how many are expected per engine and year, over all engines and pairs.
    """

    series: StepSeries
    share: Floats
    alarm: Booleans
    rate: Floats

    @property
    def at(self) -> Indices:
        """The positions of alarms."""
        return np.flatnonzero(self.alarm)


def find_steps(
    series: Sequence[StepSeries], *, days: float, allowed: float
) -> tuple[list[UnusualSteps], dict[str, float]]:
    """Find the unusual steps of engines and pairs, with this many false alarms per engine-year.

    ``days`` are those of all engines together. What is usual is a series of normal shocks with the
    autocorrelation that is seen, standardized as robustly; of engines, no less than by the tail of
    all their steps, if one of them is to be expected in it. Returned with it are the
    autocorrelations, by kind.
    """
    kinds = {
        kind: [
            one_series
            for one_series in series
            if one_series.is_pair is is_pair and len(one_series.value) >= FEWEST
        ]
        for kind, is_pair in (("engines", False), ("pairs", True))
    }
    tested = sum(len(one_series.value) for some in kinds.values() for one_series in some)
    years = days / _DAYS_OF_YEAR
    unusual: list[UnusualSteps] = []
    correlation: dict[str, float] = {}
    for kind, some in kinds.items():
        correlation[kind] = round(_autocorrelation(some), 2)
        for one_series, share in zip(some, _shares(some, correlation[kind]), strict=True):
            rate = share * tested / years
            unusual.append(UnusualSteps(one_series, share, rate <= allowed, rate))
    return _with_pairs(unusual), correlation


def _with_pairs(unusual: Sequence[UnusualSteps]) -> list[UnusualSteps]:
    """Return the steps, with those of engines that changed by the evidence of a pair.

    An engine whose days vary much may take another's results without its own step being larger than
    any usual one, and their agreement shows it beyond doubt. Of the two, that one changed whose own
    step is the less usual, if it is unusual for a single step; its rate is that of the pair.
    """
    engines = {steps.series.system: steps for steps in unusual if not steps.series.is_pair}
    rates = {name: steps.rate.copy() for name, steps in engines.items()}
    for pair in (steps for steps in unusual if steps.series.is_pair):
        both = [engines[s] for s in (pair.series.system, pair.series.other) if s in engines]
        for t in pair.at.tolist():
            day = pair.series.dates[t]
            there = [
                (steps, steps.series.dates.index(day))
                for steps in both
                if day in steps.series.dates
            ]
            if not there:
                continue
            steps, at = min(there, key=lambda step: float(step[0].share[step[1]]))
            if steps.share[at] <= _OWN:
                rate = rates[steps.series.system]
                rate[at] = min(rate[at], pair.rate[t])
    return [
        steps
        if steps.series.is_pair
        else replace(
            steps,
            rate=rates[steps.series.system],
            alarm=steps.alarm | (rates[steps.series.system] < steps.rate),
        )
        for steps in unusual
    ]
