"""Ranges around what a relevance model expects, as wide as its errors on known groups ask for."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.scores.score_table import MeanRange, ScoreTable
from poolwise.scores.treatments.conformal import (
    FEWEST_GROUPS,
    conformal_factor,
    group_quantile,
    promised_level,
)
from poolwise.scores.treatments.left_out_groups import LeftOutErrors
from poolwise.scores.treatments.score_distribution import ScoreDistribution
from poolwise.words import are, counted

__all__ = ["ADAPTIVE", "ROUNDING", "Calibration", "calibrate", "too_few_groups"]

ROUNDING = 1e-9
"""A standard deviation below this is that of equal numbers."""

ADAPTIVE = (
    "the judgments were chosen one after the other, so that groups left out of a pool say nothing "
    "of the errors"
)
"""Why ranges are not calibrated where each judgment decided what was judged next."""


@dataclass(frozen=True)
class Calibration:
    """By how much standard deviations are stretched, and what that promises.

    Attributes
    ----------
    of_means, of_topics : float
        How many standard deviations over draws the range of a mean reaches to either side, and
        that of a single score.
    level : float
        The share of new groups whose means the ranges are to hold.
    groups : int
        How many groups were left out in turn.
    """

    of_means: float
    of_topics: float
    level: float
    groups: int

    def means(self, found: ScoreDistribution, exact: ScoreTable) -> MeanRange:
        """Return ranges around the means over draws, cut to what is possible."""
        means = found.values[:, found.plain.defined].mean(axis=1)
        ends = _around(_centre(means), self.of_means * means.std(axis=1), *exact.mean_bounds())
        return MeanRange(*ends, self._meaning(), calibrated=True)

    def topics(self, found: ScoreDistribution, exact: ScoreTable) -> tuple[Floats, Floats]:
        """Return ranges around the scores of single topics, cut to what is possible."""
        half = self.of_topics * found.values.std(axis=2)
        return _around(found.mean(), half, exact.lower, exact.upper)

    def _meaning(self) -> str:
        return (
            f"The ranges by the model hold the mean of a new group with a probability of about "
            f"{self.level:.0%}, as they did for {counted(self.groups, 'group')} left out in turn."
        )


def _around(centre: Floats, half: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    reach = np.where(half > ROUNDING, half, 0.0)
    return (
        np.maximum(centre - reach, np.minimum(low, centre)),
        np.minimum(centre + reach, np.maximum(high, centre)),
    )


def _centre(means: Floats) -> Floats:
    """Return the mean over draws, exactly that of equal numbers."""
    return np.asarray((means - means[:, :1]).mean(axis=1) + means[:, 0])


def calibrate(errors: LeftOutErrors, wanted: float) -> Calibration | int:
    """Return the calibration, or how many groups there are where these are too few.

    Ranges of means follow the rank rule of conformal prediction. Those of single topics hold the
    wanted share of the scores on groups left out; a group counts once. There are so many that the
    rule's allowance for a next one, which asks for whole groups, would only make them too wide.
    """
    usable = errors.mean_deviation > ROUNDING
    groups = len(np.unique(errors.groups[usable]))
    if groups < FEWEST_GROUPS:
        return groups
    level = promised_level(groups, wanted)
    scaled = np.abs(errors.mean_error[usable]) / errors.mean_deviation[usable]
    of_means = conformal_factor(scaled, errors.groups[usable], level)
    return Calibration(of_means, _of_topics(errors, wanted), level, groups)


def _of_topics(errors: LeftOutErrors, wanted: float) -> float:
    unsure = (errors.deviation > ROUNDING) & ~np.isnan(errors.error)
    units = np.broadcast_to(errors.groups[:, None], unsure.shape)[unsure]
    return group_quantile(np.abs(errors.error[unsure]) / errors.deviation[unsure], units, wanted)


def too_few_groups(groups: int) -> str:
    """Say why ranges are not calibrated with so many groups.

    Examples
    --------
    >>> too_few_groups(1)
    'to calibrate ranges takes 5 pooled groups with documents of their own, and there is 1'
    """
    return (
        f"to calibrate ranges takes {FEWEST_GROUPS} pooled groups with documents of their own, "
        f"and there {are(groups)} {groups or 'none'}"
    )
