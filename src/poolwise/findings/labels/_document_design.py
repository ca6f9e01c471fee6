"""Which documents of all topics people should label: chances by weight and machine grade."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._first_ranks import FirstRanks

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "DocumentWeights",
    "chances",
    "classes_of_grades",
    "document_weights",
    "expected_spread",
]

_FLOOR = 0.25
"""Share of the mean chance that every document has at least."""
_STEPS = 60


@dataclass(frozen=True, eq=False)
class DocumentWeights:
    """What every document weighs in every run: one entry for each document of a list.

    Attributes
    ----------
    run, document : int array
        The run, and the document among all of all topics.
    weight : float array
    runs, documents, topics : int
        How many there are.
    topic : int array, documents
        The topic of each document.
    """

    run: Indices
    document: Indices
    weight: Floats
    runs: int
    documents: int
    topics: int
    topic: Indices

    def size(self) -> Floats:
        """Return ω: the root of the summed squared weights of each document."""
        squares = np.bincount(self.document, self.weight**2, minlength=self.documents)
        return np.asarray(np.sqrt(squares))

    def sums(self, values: Floats) -> Floats:
        """Return Σ weight × value of each run on each topic, runs × topics."""
        cell = self.run * self.topics + self.topic[self.document]
        sums = np.bincount(
            cell, self.weight * values[self.document], minlength=self.runs * self.topics
        )
        return sums.reshape(self.runs, self.topics).astype(np.float64)

    def variances(self, values: Floats) -> Floats:
        """Return Σ weight² × value of each run on each topic, runs × topics."""
        cell = self.run * self.topics + self.topic[self.document]
        parts = self.weight**2 * values[self.document]
        variances = np.bincount(cell, parts, minlength=self.runs * self.topics)
        return variances.reshape(self.runs, self.topics).astype(np.float64)

    def difference_variances(self, values: Floats, pairs: tuple[Indices, Indices]) -> Floats:
        """Return Σ (weight − other weight)² × value of each pair of runs, over all topics."""
        covariance = self.covariances(values)
        a, b = pairs
        own = np.diag(covariance)
        return np.asarray(np.maximum(own[a] + own[b] - 2 * covariance[a, b], 0.0))

    def difference_ends(
        self, open_: Booleans, pairs: tuple[Indices, Indices]
    ) -> tuple[Floats, Floats]:
        """Return how far gains from 0 to 1 of open documents could move differences, both ways."""
        if not open_.any():
            nothing = np.zeros(len(pairs[0]))
            return nothing, nothing
        table = self._table(self.weight)[:, np.flatnonzero(open_)]
        apart = table[pairs[0]] - table[pairs[1]]
        low, high = apart.minimum(0.0), apart.maximum(0.0)
        return np.asarray(low.sum(axis=1)), np.asarray(high.sum(axis=1))

    def covariances(self, values: Floats) -> Floats:
        """Return Σ weight × other weight × value of all pairs of runs, over all topics."""
        scaled = self._table(self.weight * values[self.document])
        return np.asarray((scaled @ self._table(self.weight).T).toarray())

    def _table(self, weight: Floats) -> "csr_array":
        """Return weights as runs × documents, most of which are 0."""
        from scipy.sparse import csr_array  # noqa: PLC0415, late: slow to import

        return csr_array((weight, (self.run, self.document)), (self.runs, self.documents))


def document_weights(evidence: Evidence, ranks: FirstRanks, by_rank: Floats) -> DocumentWeights:
    """Return what every document of the first ranks weighs in every run.

    Parameters
    ----------
    evidence : Evidence
    ranks : FirstRanks
        The first ranks of its runs.
    by_rank : float array
        The weight of each rank.
    """
    return DocumentWeights(
        run=ranks.run,
        document=ranks.place,
        weight=by_rank[ranks.rank],
        runs=len(evidence.systems),
        documents=len(ranks.rows),
        topics=len(evidence.topics),
        topic=ranks.topic_of_row,
    )


def expected_spread(grades: Floats, scale: Floats, *, flat: bool = False) -> Floats:
    """Return how far people's gain may be from what a machine's grade says: σ of the design.

    Examples
    --------
    >>> expected_spread(np.array([0.0, 1, 2, 3, np.nan]), np.arange(4.0)).tolist()
    [0.35, 0.45, 0.5, 0.5, 0.5]
    >>> expected_spread(np.array([0.0, 1]), np.arange(2.0)).tolist()
    [0.4, 0.5]
    """
    if flat or not len(scale):
        return np.full(len(grades), 0.5)
    place = grades / max(float(scale[-1]), 1e-12)
    lowest = 0.4 if len(scale) <= 2 else 0.35
    spread = np.select([place < 0.3, place < 0.5], [lowest, 0.45], default=0.5)
    return np.where(np.isnan(grades), 0.5, spread)


def chances(size: Floats, spread: Floats, budget: float) -> Floats:
    """Return π of each document: max(.25 m/n, min(1, c·ω·σ)), with c such that Σπ = m.

    Examples
    --------
    >>> probabilities = chances(np.array([0.1, 0.1, 0.4]), np.full(3, 0.5), 1.2)
    >>> probabilities.round(3).tolist(), round(float(probabilities.sum()), 6)
    ([0.2, 0.2, 0.8], 1.2)
    """
    n = len(size)
    if budget >= n:
        return np.ones(n)
    floor, wish = _FLOOR * budget / n, size * spread
    low, high = 0.0, 1 / max(float(wish[wish > 0].min(initial=np.inf)), 1e-300)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        total = np.maximum(floor, np.minimum(1.0, middle * wish)).sum()
        low, high = (middle, high) if total < budget else (low, middle)
    return np.maximum(floor, np.minimum(1.0, high * wish))


def classes_of_grades(grades: Floats) -> Indices:
    """Return a class for each grade that occurs, and one for documents without a label.

    Examples
    --------
    >>> classes_of_grades(np.array([0.0, 3, np.nan, 0])).tolist()
    [0, 1, 2, 0]
    """
    levels = np.unique(grades[~np.isnan(grades)])
    return np.where(np.isnan(grades), len(levels), np.searchsorted(levels, grades)).astype(np.intp)
