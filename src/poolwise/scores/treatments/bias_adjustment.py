"""How much a run loses by not having been pooled, and scores adjusted for it (W10 ch. 6)."""

import math

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, signed

__all__ = ["Adjustment", "adjust_from_systems", "adjust_from_topics"]


@finding
class Adjustment(Finding):
    """The bias-adjusted mean score of an unpooled run.

    Attributes
    ----------
    raw : float
        Mean score with the judgments of a pool without the run (``u``).
    factor : float
        Estimated bias, which is added (``a``).
    standard_error : float
        Of the adjusted mean, as an estimate of the true one; NaN with a single observation.
    biases : float array
        The observed biases (``β``): by left-out run or group, or by common topic.
    estimates : float array, topics
        Scores by topic whose mean is the adjusted mean.
    sampled, sampled_error : float
        From topics only: the mean over the common topics alone, and its standard error.

    Examples
    --------
    >>> pooled, unpooled = np.array([[0.5, 0.3], [0.4, 0.2]]), np.array([[0.4, 0.2], [0.4, 0.2]])
    >>> found = adjust_from_systems(pooled, unpooled, np.array([0.6, 0.2]))
    >>> round(found.raw, 3), round(found.factor, 3), round(found.adjusted, 3)
    (0.4, 0.05, 0.45)
    >>> print(found.sentences()[0])
    The mean score of 0.4000 is adjusted to 0.4500, by a bias of +0.0500 from 2 observations.
    """

    raw: float
    factor: float
    standard_error: float
    biases: Floats
    estimates: Floats
    sampled: float = float("nan")
    sampled_error: float = float("nan")

    @property
    def adjusted(self) -> float:
        """The adjusted mean, u + a."""
        return self.raw + self.factor

    def columns(self) -> Columns:
        """Return one row."""
        return {
            "raw": [self.raw],
            "factor": [self.factor],
            "adjusted": [self.adjusted],
            "standard_error": [self.standard_error],
            "observations": [len(self.biases)],
            "sampled": [self.sampled],
            "sampled_error": [self.sampled_error],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what the mean was, what it is adjusted to, and how sure that is."""
        adjusted = (
            f"The mean score of {self.raw:.4f} is adjusted to {self.adjusted:.4f}, by a bias of "
            f"{signed(self.factor)} from {counted(len(self.biases), 'observation')}."
        )
        if np.isnan(self.standard_error):
            return adjusted, "One observation gives no standard error."
        return adjusted, f"The standard error of the adjusted mean is {self.standard_error:.4f}."


def adjust_from_systems(
    pooled: Floats, unpooled: Floats, raw: Floats, *, units: Indices | None = None
) -> Adjustment:
    """Infer the bias against a run from what pooled runs lose when they are left out.

    W10 algorithm 6.1.

    Parameters
    ----------
    pooled, unpooled : float array, systems × topics
        Scores of the pooled runs with all judgments, and with those that their being pooled
        brought in taken away.
    raw : float array, topics
        Scores of the unpooled run.
    units : int array, systems
        Which runs were left out together; by default each alone. Each unit counts once.

    Returns
    -------
    Adjustment
        The raw mean, the bias that is added to it, and the standard error of the sum.

    Examples
    --------
    >>> pooled = np.array([[0.5, 0.3], [0.4, 0.2]])
    >>> unpooled = np.array([[0.4, 0.2], [0.4, 0.2]])
    >>> found = adjust_from_systems(pooled, unpooled, np.array([0.6, 0.2]))
    >>> found.biases.round(3).tolist(), round(found.adjusted, 3)
    ([0.1, 0.0], 0.45)
    """
    units = np.arange(len(pooled)) if units is None else units
    lost = np.nanmean(pooled - unpooled, axis=1)
    biases = np.array([lost[units == unit].mean() for unit in np.unique(units)])
    factor = float(biases.mean())
    return Adjustment(
        raw=float(np.nanmean(raw)),
        factor=factor,
        # The run's own bias varies about the mean bias, which is itself the mean of n.
        standard_error=_standard_error(biases) * math.sqrt(len(biases) + 1),
        biases=biases,
        estimates=raw + factor,
    )


def adjust_from_topics(pooled: Floats, unpooled: Floats, common: Booleans) -> Adjustment:
    """Infer the bias against a run from common topics, on which it is fully judged.

    W10 algorithm 6.2 and equations 6.2 to 6.7, with the variances over all topics estimated from
    the common ones.

    Parameters
    ----------
    pooled, unpooled : float array, topics
        Scores of the run with all judgments (read on the common topics only), and with those that
        only it brought in taken away.
    common : bool array, topics

    Returns
    -------
    Adjustment
        The raw mean over all topics, the bias added to it, and the standard error of the sum.

    Examples
    --------
    >>> pooled = np.array([0.6, 0.4, 0.5, np.nan, np.nan])
    >>> unpooled = np.array([0.5, 0.4, 0.3, 0.2, 0.6])
    >>> found = adjust_from_topics(pooled, unpooled, ~np.isnan(pooled))
    >>> found.biases.round(3).tolist(), round(found.raw, 3)
    ([0.1, 0.0, 0.2], 0.4)
    >>> found.adjusted > found.raw
    True
    """
    use = common & ~np.isnan(pooled) & ~np.isnan(unpooled)
    N, n = int((use | (~common & ~np.isnan(unpooled))).sum()), int(use.sum())
    biases = (pooled - unpooled)[use]
    factor = float(biases.mean())  # W10 eq. 6.2
    finite = np.sqrt((N - n) / N)
    return Adjustment(
        raw=float(np.nanmean(unpooled[use | ~common])),
        factor=factor,
        standard_error=float(finite * _standard_error(biases)),  # W10 eq. 6.5
        biases=biases,
        # Over the common topics Σt = Σ(u + a), so known scores leave the mean of eq. 6.3 as it is.
        estimates=np.where(common, pooled, unpooled + factor),
        sampled=float(pooled[use].mean()),
        sampled_error=float(finite * _standard_error(pooled[use])),  # W10 eq. 6.7
    )


def _standard_error(values: Floats) -> float:
    """Return the standard error of the mean; NaN with fewer than two values."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
