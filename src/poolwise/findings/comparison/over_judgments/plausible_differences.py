"""Which differences are plausible by a relevance model, where that can be calibrated."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pairs import Pairs
from poolwise.findings.comparison.over_judgments.pairs_if_judged import PairBounds, PairDraws
from poolwise.measures._measure import Measure
from poolwise.scores.treatments.calibrated_ranges import ROUNDING, too_few_groups
from poolwise.scores.treatments.conformal import (
    FEWEST_GROUPS,
    conformal_factor,
    promised_level,
)
from poolwise.scores.treatments.left_out_groups import left_out_differences
from poolwise.scores.treatments.modelled import FittedModel, Modelled, fit_model
from poolwise.words import counted

__all__ = ["CALIBRATED", "NOT_CALIBRATED", "PlausibleDifferences", "plausible_differences"]

CALIBRATED, NOT_CALIBRATED = "calibrated", "not calibrated"
"""What a plausible range can be; neither where nothing was drawn, or all draws agree."""

_NO_ERRORS = "errors are known of differences between a new run and a pooled one alone"
_RIVALS = 10
"""Pooled runs that a left-out group is compared with: more say hardly more of its errors."""


@dataclass(frozen=True, eq=False)
class PlausibleDifferences:
    """Ranges of differences by the relevance model, one entry per pair.

    Attributes
    ----------
    low, high : float array
        The range of the mean difference; NaN where it is not calibrated.
    label : str array
        ``calibrated`` for a new run and a pooled one, ``not calibrated`` for others, and empty
        where the draws agree, so that nothing is guessed.
    remarks : tuple of str
        What the ranges hold, and why others are not calibrated.
    """

    low: Floats
    high: Floats
    label: NDArray[np.str_]
    remarks: tuple[str, ...] = ()

    @classmethod
    def none(cls, pairs: int) -> "PlausibleDifferences":
        """Return no ranges."""
        nothing = np.full(pairs, np.nan)
        return cls(nothing, nothing, np.full(pairs, "", "<U14"))


def plausible_differences(
    evidence: Evidence,
    measure: Measure,
    pairs: Pairs,
    *,
    drawn: PairDraws,
    bounds: PairBounds,
    options: Modelled,
    rng: int,
) -> PlausibleDifferences:
    """Calibrate differences of new and pooled runs by groups that are left out in turn.

    The range reaches as many standard deviations over draws to either side as the rank rule of
    conformal prediction asks for, by the errors of differences between left-out groups and pooled
    runs; it is cut to what is possible. Two new runs have no such errors to go by.
    """
    if not drawn.draws:
        return PlausibleDifferences.none(len(pairs))
    fitted = fit_model(evidence, measure, options)
    unsure = drawn.difference.std(axis=1) > ROUNDING
    new = ~fitted.pool.pooled
    mixed = unsure & (new[pairs.left] != new[pairs.right])
    reason = options.not_to_calibrate(evidence) or ("" if mixed.any() else _NO_ERRORS)
    rivals = _rivals(pairs, new, mixed)
    found = reason or _factor(fitted, measure, rivals, options.level, rng)
    if isinstance(found, str):
        none = PlausibleDifferences.none(len(pairs))
        return replace(none, label=_labels(unsure), remarks=_remarks(unsure, found))
    factor, level, groups = found
    low, high = _around(drawn.difference, factor, bounds)
    return PlausibleDifferences(
        np.where(mixed, low, np.nan),
        np.where(mixed, high, np.nan),
        np.where(mixed, CALIBRATED, _labels(unsure)),
        (_promise(int(mixed.sum()), level, groups), *_remarks(unsure & ~mixed, _NO_ERRORS)),
    )


def _labels(uncalibrated: Booleans) -> NDArray[np.str_]:
    return np.where(uncalibrated, NOT_CALIBRATED, "")


def _rivals(pairs: Pairs, new: Booleans, mixed: Booleans) -> Indices:
    """Return the pooled runs that new ones are compared with, some of them where there are many."""
    pooled = np.where(new[pairs.left], pairs.right, pairs.left)[mixed]
    found = np.unique(pooled)
    step = -(-len(found) // _RIVALS)
    return found[:: max(1, step)]


def _factor(
    fitted: FittedModel, measure: Measure, rivals: Indices, wanted: float, rng: int
) -> tuple[float, float, int] | str:
    """Return by how much deviations are stretched, the level, the groups; or why it is unknown."""
    left_out = fitted.left_out(rng)
    if not left_out:
        return too_few_groups(len(fitted.pool.pooled_groups))
    errors = left_out_differences(fitted.documents, left_out, measure, rivals)
    usable = errors.deviation > ROUNDING
    units = errors.groups[usable]
    groups = len(np.unique(units))
    if groups < FEWEST_GROUPS:
        return too_few_groups(groups)
    level = promised_level(groups, wanted)
    scaled = np.abs(errors.error[usable]) / errors.deviation[usable]
    return conformal_factor(scaled, units, level), level, groups


def _around(drawn: Floats, factor: float, bounds: PairBounds) -> tuple[Floats, Floats]:
    """Return ranges around the means over draws, cut to what is possible where that is known."""
    centre, half = drawn.mean(axis=1), factor * drawn.std(axis=1)
    low = np.fmax(centre - half, np.fmin(bounds.low, centre))
    return low, np.fmin(centre + half, np.fmax(bounds.high, centre))


def _promise(pairs: int, level: float, groups: int) -> str:
    return (
        f"The plausible range of {counted(pairs, 'difference')} between a new run and a pooled one "
        f"holds with a probability of about {level:.0%}, as for {counted(groups, 'group')} left "
        "out in turn."
    )


def _remarks(uncalibrated: Booleans, reason: str) -> tuple[str, ...]:
    count = int(uncalibrated.sum())
    said = f"What is plausible of {counted(count, 'difference')} is not calibrated: {reason}."
    return (said,) if count else ()
