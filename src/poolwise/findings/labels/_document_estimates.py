"""People on some documents, machines on all: estimates whose intervals hold within topics.

Every document has a gain that people would give it. A machine's grade predicts it, calibrated on
the documents that people labelled, *without the document itself*: so the prediction of a document
does not depend on whether it was drawn, and the estimate is exactly unbiased under Poisson sampling
(a difference estimator, Särndal et al. 1992, ch. 6).
"""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.findings.labels._document_design import DocumentWeights

__all__ = ["Calibrated", "DocumentEstimates", "calibrate", "document_estimates", "open_variances"]

_PRIOR_MEAN = 0.3
_CELL_PRIOR = 2.0
_SPREAD_PRIOR, _CELL_SPREAD_PRIOR = 0.2, 3.0
_TERCILES = (1 / 3, 2 / 3)


@dataclass(frozen=True, eq=False)
class Calibrated:
    """What a machine's grade predicts of each document's gain, and how far it may be off.

    Attributes
    ----------
    gain : float array, documents
        The predicted gain, made without the document's own label.
    spread : float array, documents
        The variance of the true gain about it, by cell.
    """

    gain: Floats
    spread: Floats


def calibrate(
    drawn: Booleans, chance: Floats, gain: Floats, grade: Indices, size: Floats
) -> Calibrated:
    """Predict the gain of documents from their machine grade and weight, without themselves.

    Parameters
    ----------
    drawn : bool array, documents
        Which documents people labelled.
    chance : float array
        The chance that each had.
    gain : float array
        The gain by people's label, from 0 to 1; anything where there is none.
    grade : int array
        The class of the machine's grade.
    size : float array
        What the document weighs over all runs.

    Examples
    --------
    >>> made = calibrate(np.array([True, True, False]), np.full(3, 0.5), np.array([1.0, 0, 0]),
    ...                  np.zeros(3, int), np.ones(3))
    >>> made.gain.round(3).tolist()  # the first by the second, the second by the first
    [0.05, 0.883, 0.489]
    """
    b = drawn / chance
    a = np.where(drawn, gain, 0.0) * b
    tau = 1 / float(chance.mean())
    cell = grade * len((*_TERCILES, 1)) + _tercile(size)
    overall = (a.sum() - a + _PRIOR_MEAN * tau) / (b.sum() - b + tau)
    by_grade = (_total(grade, a) - a + tau * overall) / (_total(grade, b) - b + tau)
    prior = _CELL_PRIOR * tau
    gains = (_total(cell, a) - a + prior * by_grade) / (_total(cell, b) - b + prior)
    square = b * np.square(np.where(drawn, gain - gains, 0.0))
    spread = (square.sum() + _SPREAD_PRIOR) / (b.sum() + 1)
    weight = _CELL_SPREAD_PRIOR * tau
    of_grade = (_total(grade, square) + weight * spread) / (_total(grade, b) + weight)
    of_cell = (_total(cell, square) + weight * of_grade) / (_total(cell, b) + weight)
    return Calibrated(gains, of_cell)


def _total(group: Indices, values: Floats) -> Floats:
    """Return for each document the sum over its group."""
    return np.asarray(np.bincount(group, values)[group])


def _tercile(size: Floats) -> Indices:
    """Return the third of the documents, by weight, that each is of."""
    cuts = np.quantile(size[size > 0], _TERCILES) if (size > 0).any() else np.zeros(2)
    return np.searchsorted(cuts, size, side="right").astype(np.intp)


def open_variances(chance: Floats, drawn: Booleans, rest: Floats, spread: Floats) -> Floats:
    """Return what each document adds to the variance: the mean of the drawn and the modelled.

    The part that is drawn alone gives intervals without width where no drawn document weighs in a
    run; the modelled part alone trusts the cells too much.
    """
    seen = drawn * (1 - chance) / chance**2 * np.square(rest)
    modelled = (1 - chance) / chance * spread
    return np.asarray((seen + modelled) / 2)


@dataclass(frozen=True, eq=False)
class DocumentEstimates:
    """Scores of runs on topics, estimated from the documents that people labelled.

    Attributes
    ----------
    weights : DocumentWeights
    value : float array, runs × topics
        Unbiased estimates.
    calibrated : float array, runs × topics
        By the calibrated labels alone: they order runs better where labels are few, and their
        level is off.
    variance : float array, documents
        What each document adds to the variance, for a weight of 1.
    never : bool array, documents
        Which documents could not be drawn.
    spread : float array, documents
        The variance of people's gains about the prediction.
    """

    weights: DocumentWeights
    value: Floats
    calibrated: Floats
    variance: Floats
    never: Booleans
    spread: Floats

    def mean_variances(self) -> Floats:
        """Return the variance of each run's mean over topics, over samples of documents."""
        return self.weights.variances(self.variance).sum(axis=1) / self.weights.topics**2

    def never_drawn(self) -> Floats:
        """Return what documents that could not be drawn might add to the mean of each run."""
        return self.weights.sums(self.never.astype(np.float64)).mean(axis=1)

    def never_drawn_differences(self, pairs: tuple[Indices, Indices]) -> tuple[Floats, Floats]:
        """Return by how much they might lower and raise the mean difference of each pair."""
        ends = self.weights.difference_ends(self.never, pairs)
        return ends[0] / self.weights.topics, ends[1] / self.weights.topics

    def difference_variances(self, pairs: tuple[Indices, Indices]) -> Floats:
        """Return the variance of the mean difference of each pair."""
        variances = self.weights.difference_variances(self.variance, pairs)
        return np.asarray(variances / self.weights.topics**2)


def document_estimates(
    weights: DocumentWeights,
    drawn: Booleans,
    chance: Floats,
    gain: Floats,
    grade: Indices,
    *,
    known: Booleans | None = None,
) -> DocumentEstimates:
    """Estimate scores from a sample of documents with labels by people.

    Parameters
    ----------
    weights : DocumentWeights
        What every document weighs in every run.
    drawn, chance, gain, grade
        As for :func:`calibrate`; a chance of 0 is that of a document that could not be drawn.
    known : bool array, optional
        Documents that were judged before the sample was drawn: they are certain, and have no part
        in the calibration.
    """
    labelled = np.zeros(weights.documents, np.bool_) if known is None else known
    could = (chance > 0) & ~labelled
    size = weights.size()
    predicted, spread = np.where(labelled, gain, 0.0), np.zeros(weights.documents)
    variance = np.zeros(weights.documents)
    corrected = predicted.copy()
    if could.any():
        part = calibrate(drawn[could], chance[could], gain[could], grade[could], size[could])
        rest = np.where(drawn[could], gain[could] - part.gain, 0.0)
        predicted[could], spread[could] = part.gain, part.spread
        corrected[could] = part.gain + rest / chance[could]
        variance[could] = open_variances(chance[could], drawn[could], rest, part.spread)
    return DocumentEstimates(
        weights=weights,
        value=weights.sums(corrected),
        calibrated=weights.sums(predicted),
        variance=variance,
        never=~could & ~labelled,
        spread=spread,
    )
