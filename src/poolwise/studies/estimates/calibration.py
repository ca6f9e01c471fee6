"""Whether ranges around estimated means hold, if they are made of the errors on other groups."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.scores.treatments.conformal import (
    FEWEST_GROUPS,
    conformal_factor,
    promised_level,
)

__all__ = ["MeanCalibration", "calibrate_means"]

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
    """

    mean_coverage: float = float("nan")
    mean_half_width: float = float("nan")
    range_level: float = float("nan")


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

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = calibrate_means(rng.standard_normal(40), np.ones(40), np.arange(40))
    >>> round(found.mean_coverage, 3), found.range_level
    (0.95, 0.95)
    """
    kept = ~np.isnan(errors) & (deviations > _ROUNDING)
    groups = np.unique(units[kept])
    if len(groups) <= FEWEST_GROUPS:
        return MeanCalibration()
    promised = promised_level(len(groups) - 1, level)
    scaled = np.abs(errors[kept]) / deviations[kept]
    held, widths = [], []
    for group in groups.tolist():
        own = units[kept] == group
        factor = conformal_factor(scaled[~own], units[kept][~own], promised)
        held.append(float((scaled[own] <= factor).mean()))
        widths.append(float((factor * deviations[kept][own]).mean()))
    return MeanCalibration(float(np.mean(held)), float(np.mean(widths)), promised)
