"""How far another sample of documents could move the differences of estimates."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._pairs import Pairs
from poolwise.measures._measure import Measure
from poolwise.measures._ranges import join_bounds
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.scores.sampling_errors import normal_interval

__all__ = ["PairSampling", "sample_pairs"]

_NOTHING = 1e-18
"""A variance below which it is 0 but for rounding."""


@dataclass(frozen=True, eq=False)
class PairSampling:
    """What is known of the sampling error of mean differences, one entry per pair.

    Attributes
    ----------
    low, high : float array
        The interval over samples of documents, for the topics as they are. What two runs share
        moves both, so that most of the error cancels. NaN for estimates that have none.
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
    variance = _mean_variances(evidence, measure, pairs, kept)
    mean = np.where(kept, difference, 0.0).sum(axis=1) / n
    never = join_bounds(
        measure.never_drawn_difference_block(block, pairs) for block in evidence.blocks
    )
    ends = (np.where(kept, end, 0.0).sum(axis=1) / n for end in never)
    return PairSampling(*normal_interval(mean, variance, level), *ends)


def _mean_variances(
    evidence: Evidence, measure: SampledMeasure, pairs: Pairs, kept: Booleans
) -> Floats:
    """Return the variance of each mean difference; NaN for estimates without an interval.

    What two runs share cancels, so that the plain variance of the design does for intervals. That
    of shared gains is too large here: it is for topics where the plain one is not known, and for
    pairs of which nothing was drawn that tells them apart.
    """
    plain = _variances(measure.covariances(evidence), pairs)
    shared = _variances(measure.interval_covariances(evidence), pairs)
    known = np.where(np.isnan(shared) | np.isnan(plain), shared, plain)
    found, instead = (np.where(kept, v, 0.0).sum(axis=1) for v in (known, shared))
    n = kept.sum(axis=1)
    variance = np.where(found < _NOTHING, instead, found) / np.maximum(n, 1) ** 2
    return np.where(n > 0, variance, np.nan)


def _variances(covariances: Iterable[Floats], pairs: Pairs) -> Floats:
    """Return the variance of each difference, pairs × topics."""
    found = []
    for covariance in covariances:
        own = np.diag(covariance)
        both = covariance[pairs.left, pairs.right]
        found.append(own[pairs.left] + own[pairs.right] - 2 * both)
    return np.asarray(np.maximum(np.array(found).T, 0.0))
