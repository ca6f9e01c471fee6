"""Whether ranges around estimates hold, if they are made of the errors on other groups."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.scores.treatments._calibration import (
    FEWEST_GROUPS,
    conformal_factor,
    group_quantile,
    promised_level,
)

__all__ = ["MeanCalibration", "calibrate_means", "calibrate_topics"]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class MeanCalibration:
    """How wide the ranges of estimated means must be, and whether they hold.

    Attributes
    ----------
    mean_coverage, mean_half_width : float
        The share of left-out groups whose means lie in a range that the errors on the other groups
        ask for, and the half of its width on average; NaN with too few groups. A treatment with
        smaller errors, or one that knows where they are large, has narrower ranges.
    range_level : float
        The level of these ranges.
    topic_coverage, topic_half_width : float
        The same of ranges of scores on single topics, of those with an unjudged document that
        counts; their level is the wanted one.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = calibrate_means(rng.standard_normal(40), np.ones(40), np.arange(40))
    >>> round(found.mean_half_width, 1), round(found.mean_coverage, 3)
    (2.1, 0.95)
    """

    mean_coverage: float = float("nan")
    mean_half_width: float = float("nan")
    range_level: float = float("nan")
    topic_coverage: float = float("nan")
    topic_half_width: float = float("nan")


def calibrate_means(
    errors: Floats, deviations: Floats, units: Indices, *, level: float = 0.95
) -> MeanCalibration:
    """Leave each group out of its own calibration, and see whether its range holds.

    Parameters
    ----------
    errors : float array, runs
        Estimated minus true mean of each left-out run.
    deviations : float array, runs
        How unsure the treatment is of each mean: 1 where it does not say, 0 where nothing is
        unjudged, which leaves a run out.
    units : int array, runs
        Which runs were left out together.
    level : float
        The wanted level of the ranges.

    Returns
    -------
    MeanCalibration
        The share of left-out groups whose ranges hold, and how wide the ranges are.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = calibrate_means(rng.standard_normal(40), np.ones(40), np.arange(40))
    >>> round(found.mean_coverage, 3), found.range_level
    (0.95, 0.95)
    """
    kept = ~np.isnan(errors) & (deviations > _ROUNDING)
    groups = len(np.unique(units[kept]))
    if groups <= FEWEST_GROUPS:
        return MeanCalibration()
    promised = promised_level(groups - 1, level)
    held, width = _left_out_in_turn(
        errors[kept],
        deviations[kept],
        units[kept],
        lambda scaled, others: conformal_factor(scaled, others, promised),
    )
    return MeanCalibration(held, width, promised)


def calibrate_topics(
    errors: Floats, deviations: Floats, units: Indices, *, level: float = 0.95
) -> tuple[float, float]:
    """Return how often, and how wide, ranges of single scores hold by the errors on other groups.

    Parameters and meaning are those of :func:`calibrate_means`, with one entry per run and topic;
    the rule is that of :func:`~poolwise.scores.treatments.calibrated_ranges.calibrate`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> held, width = calibrate_topics(rng.standard_normal(900), np.ones(900), np.arange(900) % 9)
    >>> round(held, 2), round(width, 1)
    (0.95, 1.9)
    """
    kept = ~np.isnan(errors) & (deviations > _ROUNDING)
    if len(np.unique(units[kept])) <= FEWEST_GROUPS:
        return float("nan"), float("nan")
    return _left_out_in_turn(
        errors[kept],
        deviations[kept],
        units[kept],
        lambda scaled, others: group_quantile(scaled, others, level),
    )


def _left_out_in_turn(
    errors: Floats, deviations: Floats, units: Indices, rule: Callable[[Floats, Indices], float]
) -> tuple[float, float]:
    """Return how often ranges by the errors on other groups hold, and half of their width."""
    scaled = np.abs(errors) / deviations
    held, widths = [], []
    for group in np.unique(units).tolist():
        own = units == group
        factor = rule(scaled[~own], units[~own])
        held.append(float((scaled[own] <= factor).mean()))
        widths.append(float((factor * deviations[own]).mean()))
    return float(np.mean(held)), float(np.mean(widths))
