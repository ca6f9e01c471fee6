"""How far sums over sampled documents vary, where documents that would weigh alike share gains.

The variance of a design is a sum over relevant documents of small chances. Few of them are drawn,
so that its plain estimate is too small in most samples, and far too large in some. Here it is a sum
over all documents that could have been drawn or not, relevant or not: each has the mean squared
gain of the documents of its list that would weigh about as much as it. That is a little too large
where relevant documents weigh less than others, and hardly moves from sample to sample.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.evidence.evidence import DocumentBlock, Evidence

__all__ = ["OpenDocuments", "shared_covariances"]

_LOWEST, _CLASSES = -40, 64
"""The lightest class, as a power of two, and how many there are."""
_BORROWED = 7.0
"""As how many documents the class below counts: on TREC-8, intervals hold with 5 to 7."""


class OpenDocuments(NamedTuple):
    """The documents of a block of lists that the sample might have drawn or not.

    Attributes
    ----------
    block : DocumentBlock
        The lists.
    weights : float array, ranks
        What a gain of 1 adds to a score.
    squares : float array, systems × topics × ranks
        The squared gains of judged documents.
    probability : float array, systems × topics × ranks
        The chance of each document; 0 where it is not known.
    by_strata : bool
        Whether the chances of documents that were not drawn are known, too.
    highest : float
        The highest squared gain.
    """

    block: DocumentBlock
    weights: Floats
    squares: Floats
    probability: Floats
    by_strata: bool
    highest: float

    @property
    def known(self) -> Booleans:
        """Whose chance is known, and neither 0 nor 1."""
        return (self.probability > 0) & (self.probability < 1)

    @property
    def drawn(self) -> Booleans:
        """Which of them were drawn."""
        return self.known & (self.block.codes >= 0)

    @property
    def classes(self) -> Integers:
        """By how much each would weigh: the whole part of log2(weight/π)."""
        chance = np.where(self.known, self.probability, 1.0)
        # Deep weights may be 0 in floating point.
        power = np.log2(np.maximum(self.weights / chance, 2.0**_LOWEST))
        return np.clip(np.floor(power).astype(np.int64) - _LOWEST, 0, _CLASSES - 1)

    def tally(self) -> tuple[Floats, Floats]:
        """Return how many were drawn, and the sum of their squares, systems × classes."""
        systems = len(self.squares)
        cell = (np.arange(systems)[:, None, None] * _CLASSES + self.classes)[self.drawn]
        counts = np.bincount(cell, minlength=systems * _CLASSES)
        sums = np.bincount(cell, self.squares[self.drawn], minlength=systems * _CLASSES)
        shape = (systems, _CLASSES)
        return counts.reshape(shape).astype(np.float64), sums.reshape(shape).astype(np.float64)

    def spreads(self, shared: Floats) -> Floats:
        """Return the standard deviation that each document adds, given the squares of classes."""
        chance = np.where(self.known, self.probability, 1.0)
        # Of Σ (1 − π) (w g)²/π over all documents, or its estimate from those drawn.
        if self.by_strata:
            share = (1 - chance) / chance
        else:
            share = np.where(self.drawn, (1 - chance) / chance**2, 0.0)
        squares = np.take_along_axis(shared[:, None, :], self.classes, axis=2)
        return self.weights * np.sqrt(share * squares)


def shared_covariances(
    evidence: Evidence, documents: Callable[[DocumentBlock], OpenDocuments]
) -> Iterator[Floats]:
    """Go through the topics: covariances of estimates over samples, systems × systems.

    A system's own variance depends on its own lists alone.
    """
    shared = _shared(evidence, documents)
    for block in evidence.blocks:
        part = documents(block)
        spreads = part.spreads(shared)
        yield from (_covariance(part.block, spreads, topic) for topic in range(block.shape[1]))


def _shared(evidence: Evidence, documents: Callable[[DocumentBlock], OpenDocuments]) -> Floats:
    """Return the mean squared gain of each class, systems × classes.

    A class borrows from the next lighter one, and the lightest from all of them: what weighs much
    has a small chance, so that few of it are drawn.
    """
    counts = sums = np.zeros((len(evidence.systems), _CLASSES))
    highest = 1.0
    for part in map(documents, evidence.blocks):
        more, squares = part.tally()
        counts, sums, highest = counts + more, sums + squares, part.highest
    # Half a document more, so that no gain is impossible.
    lighter = (sums.sum(axis=1) + highest / 2) / (counts.sum(axis=1) + 1)
    shared = np.empty_like(counts)
    for c in range(_CLASSES):
        lighter = (sums[:, c] + _BORROWED * lighter) / (counts[:, c] + _BORROWED)
        shared[:, c] = lighter
    return shared


def _covariance(block: DocumentBlock, spreads: Floats, topic: int) -> Floats:
    """Return the covariances on one topic; what two lists share moves both."""
    first, past = block.document_starts[topic : topic + 2]
    here = spreads[:, topic]
    systems, ranks = np.nonzero(here)
    of_document = np.zeros((len(here), past - first))
    of_document[systems, block.documents[systems, topic, ranks]] = here[systems, ranks]
    return np.asarray(of_document @ of_document.T)
