"""Whether predicted probabilities of relevance are the shares of relevant documents."""

from collections.abc import Sequence

import numpy as np

from poolwise.arrays import Floats
from poolwise.provenance._provenance import Provenance
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["Forecasts", "Reliability", "brier_score"]

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
    >>> found = Reliability.of([(said, true)], [(np.full(4, 0.25), true)])
    >>> found.predicted.tolist(), found.observed.tolist()
    ([0.125, 0.5], [0.0, 0.5])
    >>> found.brier < found.usual
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
