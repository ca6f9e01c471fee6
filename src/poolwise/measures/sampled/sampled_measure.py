"""Measures that are estimates from a sample, and how far another sample could move them."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats
from poolwise.evidence.evidence import DocumentBlock, Evidence
from poolwise.evidence.grades import Block
from poolwise.evidence.pairs import Pairs
from poolwise.measures.bounds.ranges import Bounds, no_bounds
from poolwise.measures.measure import Measure, RangeKind
from poolwise.measures.sampled.sampled_lists import SampledLists

__all__ = ["Influence", "SampledMeasure"]


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
        known = np.where(divisor > 0, divisor, np.nan)[:, None]
        return self._replace(cells=self.cells / known, lacking=self.lacking / known)


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
    found = np.flatnonzero(of_document >= 0)
    values = influence.lacking[:, topic][:, of_document[found]]
    column = np.cumsum(of_document >= 0) - 1
    values[systems, column[documents]] = influence.cells[systems, topic, ranks]
    rows = first + found
    return _Judged(values, of_document[found], sample.stratum[rows], sample.probability[rows])


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
