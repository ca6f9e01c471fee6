"""How far another sample of documents could move the differences of estimates."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.ranges import join_bounds
from poolwise.measures.measure import Measure
from poolwise.measures.sampled.sampled_measure import SampledMeasure
from poolwise.scores.sampling_errors import normal_interval

__all__ = ["PairSampling", "sample_pairs"]


@dataclass(frozen=True, eq=False)
class PairSampling:
    """What is known of the sampling error of mean differences, one entry per pair.

    Attributes
    ----------
    low, high : float array
        The interval over samples of documents, for the topics as they are. What two runs share
        moves both, so that most of the error cancels.
    never_low, never_high : float array
        By how much the documents that could not be drawn might change the difference.
    """

    low: Floats
    high: Floats
    never_low: Floats
    never_high: Floats


def sample_pairs(
    evidence: Evidence, measure: Measure, pairs: Pairs, *, level: float
) -> PairSampling | None:
    """Return the errors of differences of estimates; None for measures that are none.

    Examples
    --------
    >>> from poolwise import P
    >>> evidence = Evidence.from_grades([[1], [0]])
    >>> sample_pairs(evidence, P @ 1, Pairs.of_all(evidence.systems), level=0.95) is None
    True
    """
    if not isinstance(measure, SampledMeasure):
        return None
    difference = pairs.difference(measure.score(evidence))
    kept = ~np.isnan(difference)
    n = np.maximum(kept.sum(axis=1), 1)
    spread = np.array([_variances(c, pairs) for c in measure.covariances(evidence)]).T
    variance = np.where(kept, np.maximum(spread, 0.0), 0.0).sum(axis=1) / n**2
    mean = np.where(kept, difference, 0.0).sum(axis=1) / n
    never = join_bounds(
        measure.never_drawn_difference_block(block, pairs) for block in evidence.blocks
    )
    ends = (np.where(kept, end, 0.0).sum(axis=1) / n for end in never)
    return PairSampling(*normal_interval(mean, variance, level), *ends)


def _variances(covariance: Floats, pairs: Pairs) -> Floats:
    """Return the variance of each difference."""
    own = np.diag(covariance)
    return own[pairs.left] + own[pairs.right] - 2 * covariance[pairs.left, pairs.right]
