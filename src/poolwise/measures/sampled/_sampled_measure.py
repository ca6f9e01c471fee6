"""Measures that are estimates from a sample, and how far another sample could move them."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.errors import MeasureError
from poolwise.evidence._evidence import UNSAMPLED, DocumentBlock, Evidence, Pairs, SampledDocuments
from poolwise.evidence._grades import BEYOND, Block
from poolwise.measures._measure import Measure
from poolwise.measures._ranges import Bounds, RangeKind, no_bounds

__all__ = ["Influence", "OpenDocuments", "SampledLists", "SampledMeasure", "shared_covariances"]


class SampledLists:
    """A block of lists, and how the documents in them were sampled.

    Parameters
    ----------
    block : Block
        Whose judgments are a sample, or an error says that they must be.
    measure : str
        For whom.
    needs_strata : bool
        Whether probabilities alone are not enough, since they do not say what was not drawn.
    """

    def __init__(self, block: Block, measure: str, *, needs_strata: bool = False) -> None:
        if not isinstance(block, DocumentBlock) or block.sample is None:
            raise MeasureError(
                f"{measure}: it needs judgments that say how they were sampled; these do not. "
                "Hint: read qrels of five columns (topic, 0, document, stratum, grade; `poolwise "
                "sample` writes them), or use a measure such as nDCG@10, whose range says what the "
                "unjudged documents leave open."
            )
        if needs_strata and not block.sample.strata:
            raise MeasureError(
                f"{measure}: it needs judgments that list the documents of each stratum, sampled "
                "or not; these have probabilities alone. Hint: use statAP or HT(RBP(p=0.95)), "
                "which probabilities are enough for."
            )
        self.block: DocumentBlock = block
        self.sample: SampledDocuments = block.sample
        # Where a list has ended, any row will do: no cell is read there.
        self._rows = block.rows(block.documents)
        self._beyond = block.codes == BEYOND

    @property
    def stratum(self) -> NDArray[np.int16]:
        """The stratum of each document, systems × topics × ranks."""
        return np.where(self._beyond, np.int16(UNSAMPLED), self.sample.stratum[self._rows])

    @property
    def probability(self) -> Floats:
        """The probability with which each document was judged; 0 where it could not be."""
        return np.where(self._beyond, 0.0, self.sample.probability[self._rows])

    @property
    def weights(self) -> Floats:
        """1/π of each judged document, 0 of any other."""
        judged = self.block.codes >= 0
        return np.divide(1.0, self.probability, out=np.zeros(judged.shape), where=judged)

    @property
    def never_drawn(self) -> Booleans:
        """Which documents have no grade and could not have got one: those stay unknown."""
        return self.block.ungraded & (self.probability == 0)


class Influence(NamedTuple):
    """What each judged document adds to an estimate, per unit of its weight 1/π.

    An estimate is a sum of these, or so nearly: the design says how far such a sum varies from
    sample to sample.
    """

    lists: SampledLists
    cells: Floats
    """Of the documents in the lists, systems × topics × ranks; only judged ones count."""
    lacking: Floats
    """Of a judged document that a list lacks, systems × topics × grades."""

    def over(self, divisor: Floats) -> "Influence":
        """Divide by a number per topic; NaN where that is 0, as the estimate itself is."""
        divisors = np.where(divisor > 0, divisor, np.nan)[:, None]
        return self._replace(cells=self.cells / divisors, lacking=self.lacking / divisors)


class SampledMeasure(Measure):
    """A measure whose score is an estimate from judgments that are a sample."""

    range_kind: ClassVar[RangeKind] = "none"
    no_range: ClassVar[str] = (
        "it estimates what was not sampled, so that its value need not be one that complete "
        "judgments could give"
    )

    @abstractmethod
    def influence_block(self, block: Block) -> Influence | None:
        """Return what each judged document adds; None where that is not worked out."""

    def never_drawn_block(self, block: Block) -> Floats:
        """Return what documents that could not be drawn might add, systems × topics.

        NaN where that is not worked out.
        """
        return np.full(block.shape, np.nan)

    def never_drawn_difference_block(self, block: DocumentBlock, pairs: Pairs) -> Bounds:
        """Return by how much such documents might change differences, pairs × topics."""
        return no_bounds((len(pairs), block.shape[1]))

    def covariances(self, evidence: Evidence) -> Iterator[Floats]:
        """Go through the topics: the covariances of the estimates over samples, systems × systems.

        NaN where one document stands for a stratum, whose spread then nobody knows.
        """
        for block in evidence.blocks:
            influence = self.influence_block(block)
            for topic in range(block.shape[1]):
                yield _unknown(block) if influence is None else _covariance(influence, topic)

    def interval_covariances(self, evidence: Evidence) -> Iterator[Floats]:
        """Go through the topics: the covariances that intervals of means over samples are by.

        NaN where no interval was seen to hold the truth as often as it says, as for ratios: they
        have a bias, and to first order their variance is too small.
        """
        for block in evidence.blocks:
            yield from (_unknown(block) for _ in range(block.shape[1]))


def _unknown(block: Block) -> Floats:
    return np.full((block.shape[0], block.shape[0]), np.nan)


class _Judged(NamedTuple):
    """The judged documents of one topic that some list holds."""

    values: Floats
    """What each adds to the estimate of each system, systems × documents."""
    codes: NDArray[np.integer]
    stratum: NDArray[np.integer]
    probability: Floats


def _covariance(influence: Influence, topic: int) -> Floats:
    seen = _judged(influence, topic)
    if influence.lists.sample.strata:
        return _by_strata(influence, topic, seen)
    return _by_probabilities(influence, topic, seen)


def _judged(influence: Influence, topic: int) -> _Judged:
    """Gather what is known of the judged documents of a topic, one column for each."""
    block, sample = influence.lists.block, influence.lists.sample
    first, past = block.document_starts[topic : topic + 2]
    codes = block.codes[:, topic]
    systems, ranks = np.nonzero(codes >= 0)
    documents = block.documents[systems, topic, ranks]
    of_document = np.full(past - first, -1)
    of_document[documents] = codes[systems, ranks]
    judged = np.flatnonzero(of_document >= 0)
    values = influence.lacking[:, topic][:, of_document[judged]]
    column = np.cumsum(of_document >= 0) - 1
    values[systems, column[documents]] = influence.cells[systems, topic, ranks]
    rows = first + judged
    return _Judged(values, of_document[judged], sample.stratum[rows], sample.probability[rows])


def _by_strata(influence: Influence, topic: int, seen: _Judged) -> Floats:
    """Return Σ_c N²(1/n − 1/N) s², with the documents that no list holds (Cochran 1977 eq. 5.7)."""
    sample, lacking = influence.lists.sample, influence.lacking[:, topic]
    total = np.zeros((len(lacking), len(lacking)))
    for c, (N, n) in enumerate(zip(sample.sizes[topic], sample.drawn[topic], strict=True)):
        if n in (0, N):
            continue  # nothing was drawn, or everything: no other sample could differ
        if n == 1:
            return np.full_like(total, np.nan)
        here = seen.stratum == c
        unseen = sample.judged[topic, c] - np.bincount(seen.codes[here], minlength=len(lacking.T))
        values = np.concatenate([seen.values[:, here], lacking], axis=1)
        counts = np.concatenate([np.ones(int(here.sum())), unseen])
        centred = values - (values @ counts / n)[:, None]
        total += N**2 * (1 / n - 1 / N) * ((centred * counts) @ centred.T) / (n - 1)
    return total


def _by_probabilities(influence: Influence, topic: int, seen: _Judged) -> Floats:
    """Return Σ (1 − π) z²/π², as if each document were drawn by itself: else too large."""
    lacking = influence.lacking[:, topic]
    own = (1 - seen.probability) / seen.probability**2
    rest = influence.lists.sample.spread[topic] - np.bincount(
        seen.codes, own, minlength=len(lacking.T)
    )
    return np.asarray((seen.values * own) @ seen.values.T + (lacking * rest) @ lacking.T)


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
        yield from (_open_covariance(part.block, spreads, topic) for topic in range(block.shape[1]))


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


def _open_covariance(block: DocumentBlock, spreads: Floats, topic: int) -> Floats:
    """Return the covariances on one topic; what two lists share moves both."""
    first, past = block.document_starts[topic : topic + 2]
    here = spreads[:, topic]
    systems, ranks = np.nonzero(here)
    of_document = np.zeros((len(here), past - first))
    of_document[systems, block.documents[systems, topic, ranks]] = here[systems, ranks]
    return np.asarray(of_document @ of_document.T)
