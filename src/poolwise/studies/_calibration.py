"""Whether estimates keep what they promise: ranges of means, and probabilities of relevance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.errors import OptionError
from poolwise.evidence.unknowns.relevance_model._features import FEWEST_KINDS
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores.treatments._calibration import (
    conformal_factor,
    group_quantile,
    promised_level,
)
from poolwise.words import counted

__all__ = ["MeanCalibration", "Reliability", "calibrate_means"]

# A mean with nothing unjudged varies by less than this between draws, and has an error of 0: it
# would calibrate ranges by 0/0.
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
    >>> calibration = calibrate_means(rng.standard_normal(40), np.ones(40), np.arange(40))
    >>> round(calibration.mean_half_width, 1), round(calibration.mean_coverage, 3)
    (2.1, 0.95)
    """

    mean_coverage: float = float("nan")
    mean_half_width: float = float("nan")
    range_level: float = float("nan")
    topic_coverage: float = float("nan")
    topic_half_width: float = float("nan")


@recorded
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
    >>> calibration = calibrate_means(rng.standard_normal(40), np.ones(40), np.arange(40))
    >>> round(calibration.mean_coverage, 3), calibration.range_level
    (0.95, 0.95)
    """
    if not errors.shape == deviations.shape == units.shape:
        raise OptionError(
            "errors, deviations, units: must be as many of each; got "
            f"{errors.size}, {deviations.size} and {units.size}. Hint: leave none out."
        )
    kept = ~np.isnan(errors) & (deviations > _ROUNDING)
    groups = len(np.unique(units[kept]))
    # Each group is calibrated by the others, so that it takes one more than a calibration does.
    if groups <= FEWEST_KINDS:
        return MeanCalibration()
    promised = promised_level(groups - 1, level)
    covered, width = _left_out_in_turn(
        errors[kept],
        deviations[kept],
        units[kept],
        lambda scaled, others: conformal_factor(scaled, others, promised),
    )
    return MeanCalibration(covered, width, promised)


def calibrate_topics(
    errors: Floats, deviations: Floats, units: Indices, *, level: float = 0.95
) -> tuple[float, float]:
    """Return how often, and how wide, ranges of single scores hold by the errors on other groups.

    Parameters and meaning are those of :func:`calibrate_means`, with one entry per run and topic;
    the rule is that of :func:`~poolwise.scores.treatments.calibrated_ranges.calibrate`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> errors, groups = rng.standard_normal(900), np.arange(900) % 9
    >>> covered, width = calibrate_topics(errors, np.ones(900), groups)
    >>> round(covered, 2), round(width, 1)
    (0.95, 1.9)
    """
    kept = ~np.isnan(errors) & (deviations > _ROUNDING)
    if len(np.unique(units[kept])) <= FEWEST_KINDS:
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
    covered, widths = [], []
    # Runs of a group err alike: a group counts once, as it does in the rules.
    for group in np.unique(units).tolist():
        own = units == group
        factor = rule(scaled[~own], units[~own])
        covered.append(float((scaled[own] <= factor).mean()))
        widths.append(float((factor * deviations[own]).mean()))
    return float(np.mean(covered)), float(np.mean(widths))


Forecasts = tuple[Floats, Floats]
"""Probabilities of relevance, and 1 where the document is relevant, else 0."""

_EDGES = np.array([0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
"""Most unjudged documents are hardly ever relevant, so that small probabilities have more bins."""


def brier_score(forecasts: Sequence[Forecasts]) -> float:
    """Return the mean squared difference of probability and outcome; NaN without any document.

    Examples
    --------
    >>> brier_score([(np.array([0.5, 1.0]), np.array([1.0, 1.0]))])
    0.125
    """
    squares = [(said - true) ** 2 for said, true in forecasts]
    # The empty array is there for concatenate, which refuses to join none.
    whole = np.concatenate([*squares, np.empty(0)])
    return float(whole.mean()) if len(whole) else float("nan")


@finding
class Reliability(Finding):
    """Predicted and observed shares of relevant documents, by predicted probability.

    The documents are those that only one group nominates, predicted while its judgments are away.

    Attributes
    ----------
    documents : int array, bins
        How many documents have a probability in each bin.
    predicted, observed : float array, bins
        Their mean probability, and the share of relevant ones.
    brier, usual : float
        The Brier score of the model, and that of the topic's share of relevant documents.

    Examples
    --------
    >>> said, true = np.array([0.125, 0.125, 0.5, 0.5]), np.array([0.0, 0.0, 0.0, 1.0])
    >>> reliability = Reliability.of([(said, true)], [(np.full(4, 0.25), true)])
    >>> reliability.predicted.tolist(), reliability.observed.tolist()
    ([0.125, 0.5], [0.0, 0.5])
    >>> reliability.brier < reliability.usual
    True
    """

    documents: Floats
    predicted: Floats
    observed: Floats
    brier: float
    usual: float

    @classmethod
    def of(
        cls,
        forecasts: Sequence[Forecasts],
        rates: Sequence[Forecasts],
        provenance: Provenance = Provenance(),
    ) -> "Reliability":
        """Put the forecasts of all left-out groups into bins.

        Examples
        --------
        >>> said, true = np.array([0.0, 0.25, 0.25]), np.array([0.0, 0.0, 1.0])
        >>> print(Reliability.of([(said, true)], [(said, true)]).columns()["observed"])
        [0.0, 0.5]
        """
        said, true = (np.concatenate(part) for part in zip(*forecasts, strict=True))
        # The last bin is closed: a probability of 1 belongs to it.
        bins = np.clip(np.searchsorted(_EDGES, said, side="right") - 1, 0, len(_EDGES) - 2)
        counts = np.bincount(bins, minlength=len(_EDGES) - 1).astype(np.float64)
        some = counts > 0
        return cls(
            documents=counts[some],
            predicted=np.bincount(bins, said, len(counts))[some] / counts[some],
            observed=np.bincount(bins, true, len(counts))[some] / counts[some],
            brier=brier_score(forecasts),
            usual=brier_score(rates),
            provenance=provenance,
        )

    def columns(self) -> Columns:
        """Return one row per bin."""
        return {
            "documents": self.documents.astype(int).tolist(),
            "predicted": self.predicted.tolist(),
            "observed": self.observed.tolist(),
            "brier": [self.brier] * len(self.documents),
            "brier_of_pool_rate": [self.usual] * len(self.documents),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how good the probabilities are."""
        documents = counted(int(self.documents.sum()), "document")
        return (
            (
                f"The relevance model's Brier score on {documents} whose judgments were away is "
                f"{self.brier:.4f}; the topic's share of relevant documents has {self.usual:.4f}."
            ),
        )
