"""Scores under completions: gradings of all unjudged documents that a relevance model draws."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, Indices, Integers
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._grades import Block
from poolwise.evidence.unknowns.relevance_model._relevance import TopicGrades
from poolwise.measures._gains import per_relevant
from poolwise.measures._measure import Measure
from poolwise.measures.families._normalized import NormalizedSum, ideal_sums
from poolwise.measures.families._recall_based import AveragePrecision
from poolwise.measures.families._static_weights import StaticWeights
from poolwise.results._progress import counting

__all__ = ["OpenLists", "score_completions"]

_CELLS = 1 << 22
"""Lists × draws × ranks that are scored at a time."""


def score_completions(
    evidence: Evidence,
    measure: Measure,
    completions: Iterable[TopicGrades],
    *,
    draws: int,
    depth: int,
    shared: bool,
) -> Floats:
    """Score every run under every drawn assignment of grades, systems × topics × draws.

    R and the ideal ranking are those of the assignment. A score that the judgments leave undefined
    stays so.

    Parameters
    ----------
    evidence : Evidence
        Runs and what is judged.
    measure : Measure
    completions : iterable of TopicGrades
        Drawn grades of unjudged documents.
    draws : int
        How many assignments were drawn.
    depth : int
        The pool's depth: unjudged documents below it count as not relevant. They do so below the
        measure's cut-off, too, where they could matter only as a part of R or of the ideal.
    shared : bool
        Whether the documents of all runs count, as if all had been pooled together; else each run
        is scored as if it alone had been pooled.
    """
    plain = measure.score(evidence)
    values = np.repeat(plain[:, :, None], draws, axis=2)
    reach = min(depth, getattr(measure, "cutoff", None) or depth)
    for drawn in counting(completions, "topics completed", len(evidence.topics)):
        if not (shared or (drawn.best <= reach).any()):
            continue  # No drawn document of this topic stands high enough to count.
        number, place = evidence.locate(drawn.topic)
        block = evidence.blocks[number].part(np.arange(len(plain)), slice(place, place + 1))
        lists = OpenLists.of(block, drawn, reach, shared=shared)
        if len(lists.systems):
            values[lists.systems, drawn.topic] = lists.scores(measure, plain[:, drawn.topic])
    values[np.isnan(plain)] = np.nan
    return values


@dataclass(frozen=True, eq=False)
class OpenLists:
    """The lists of one topic whose scores differ between drawn gradings.

    Attributes
    ----------
    block : DocumentBlock
        All systems on this one topic.
    systems : int array, lists
        Which systems' lists these are.
    lists, ranks, documents : int array, entries
        Where drawn documents stand: an index into ``systems``, ascending, a rank from 0, ascending
        in a list, and a row of ``labels``.
    labels : int array, documents × draws
        Grade codes.
    shared : bool
        Whether documents count that the run does not hold.
    """

    block: DocumentBlock
    systems: Indices
    lists: Indices
    ranks: Indices
    documents: Indices
    labels: NDArray[np.integer]
    shared: bool

    @classmethod
    def of(
        cls, block: DocumentBlock, drawn: TopicGrades, depth: int, *, shared: bool
    ) -> "OpenLists":
        """Find where the drawn documents stand in the lists of a topic."""
        kept = drawn.best <= depth
        first, past = block.document_starts.tolist()
        # The last entry is for document code −1, past the end of a list.
        place = np.full(past - first + 1, -1)
        place[drawn.rows[kept] - first] = np.arange(kept.sum())
        found = place[block.documents[:, 0, : None if shared else depth]]
        at, ranks = np.nonzero(found >= 0)
        systems = np.arange(len(found)) if shared else np.unique(at)
        lists = np.searchsorted(systems, at)
        return cls(block, systems, lists, ranks, found[at, ranks], drawn.labels[kept], shared)

    @property
    def draws(self) -> int:
        """How many gradings were drawn."""
        return int(self.labels.shape[1])

    @cached_property
    def pools(self) -> Integers:
        """How many documents of each grade the topic has, lists × draws × grades."""
        grades = len(self.block.scale)
        added = np.stack([self._count(grade) for grade in range(grades)], axis=2)
        return self.block.pool[0] + added

    def _count(self, grade: int) -> Integers:
        """Count the drawn documents of a grade, lists × draws."""
        if self.shared:
            of_topic = (self.labels == grade).sum(axis=0)
            return np.broadcast_to(of_topic, (len(self.systems), self.draws))
        every = np.arange(len(self.lists))
        return self._summed(every, lambda some: self.labels[self.documents[some]] == grade, int)

    def _summed(
        self, entries: Indices, value: Callable[[Indices], NDArray[Any]], kind: type = float
    ) -> NDArray[Any]:
        """Add up the values of entries, rows × draws, by list: lists × draws, rank after rank.

        Few long lists are added up one by one, many short ones side by side.
        """
        total: NDArray[Any] = np.zeros((len(self.systems), self.draws), kind)
        starts = np.searchsorted(self.lists[entries], np.arange(len(total) + 1))
        counts = np.diff(starts)
        if len(total) < counts.max(initial=0):
            for one, (first, past) in enumerate(pairwise(starts.tolist())):
                value(entries[first:past]).sum(axis=0, out=total[one])
            return total
        for nth in range(counts.max(initial=0)):
            more = np.flatnonzero(counts > nth)
            total[more] += value(entries[starts[more] + nth])
        return total

    def _in_turn(self) -> Iterable[tuple[Indices, Indices]]:
        """Go down the lists together: those that have an n-th drawn document, and which it is."""
        first = np.searchsorted(self.lists, np.arange(len(self.systems)))
        counts = np.bincount(self.lists, minlength=len(first))
        for nth in range(counts.max(initial=0)):
            more = np.flatnonzero(counts > nth)
            yield more, first[more] + nth

    @cached_property
    def divisors(self) -> Block:
        """The pools as a block without ranks, one topic per list and draw, for ideals and R."""
        pool = self.pools.reshape(-1, len(self.block.scale))
        nothing = np.empty((1, len(pool), 0), self.block.codes.dtype)
        return Block(codes=nothing, scale=self.block.scale, pool=pool)

    def scores(self, measure: Measure, plain: Floats) -> Floats:
        """Return the scores, lists × draws; ``plain`` are those of all systems as judged."""
        if isinstance(measure, StaticWeights):
            return plain[self.systems, None] + self._gained(measure)
        shape = (len(self.systems), self.draws)
        if isinstance(measure, NormalizedSum):
            known = measure.raw().score_block(self.block)[self.systems]
            ideal = ideal_sums(measure.ideal(), self.divisors).reshape(shape)
            return per_relevant(known + self._gained(measure), ideal)
        if isinstance(measure, AveragePrecision):
            divisor = measure.divisor(self.divisors).reshape(shape)
            return per_relevant(self._precision_sums(measure), divisor)
        return self._scored_whole(measure)

    def _gained(self, measure: StaticWeights | NormalizedSum) -> Floats:
        """Return Σ weight × gain of the drawn documents, lists × draws."""
        gains, weights = measure.gain_table(self.block.scale), measure.weights(self.block.depth)
        of_entry = weights[self.ranks]

        def value(some: Indices) -> Floats:
            return gains[self.labels[self.documents[some]]] * of_entry[some, None]

        return self._summed(np.flatnonzero(of_entry > 0), value)

    def _precision_sums(self, measure: AveragePrecision) -> Floats:
        """Return the sum of precisions at relevant documents, lists × draws.

        A drawn document at rank u adds its own precision, and 1/i to each judged relevant
        document at a rank i below; drawn ones above it are counted on the way down.
        """
        cut = measure.cut(self.block)
        level = int(np.searchsorted(cut.scale, measure.rel))
        known = cut.codes[self.systems, 0] >= level
        place = np.arange(1, cut.depth + 1)
        above = np.cumsum(known, axis=1)
        below = np.cumsum((known / place)[:, ::-1], axis=1)[:, ::-1]
        sums = np.repeat((known * above / place).sum(axis=1)[:, None], self.draws, axis=1)
        met = np.zeros(sums.shape)
        for lists, entries in self._in_turn():
            seen = self.ranks[entries] < cut.depth
            at, ranks = lists[seen], self.ranks[entries[seen]]
            relevant = self.labels[self.documents[entries[seen]]] >= level
            alone = (1 + above[at, ranks]) / place[ranks] + below[at, ranks]
            sums[at] += relevant * (alone[:, None] + met[at] / place[ranks, None])
            met[at] += relevant
        return sums

    def _scored_whole(self, measure: Measure) -> Floats:
        """Return the scores of whole lists, a few lists at a time, lists × draws."""
        step = max(1, _CELLS // max(1, self.draws * self.block.depth))
        parts = [
            measure.score_block(self._filled(slice(first, first + step))).reshape(-1, self.draws)
            for first in range(0, len(self.systems), step)
        ]
        return np.concatenate(parts)

    def _filled(self, part: slice) -> Block:
        """Return lists with their drawn grades: one system, one topic per list and draw."""
        chosen = np.arange(len(self.systems))[part]
        codes = np.repeat(self.block.codes[self.systems[chosen], 0][:, None], self.draws, axis=1)
        inside = np.isin(self.lists, chosen)
        lists, ranks = self.lists[inside] - chosen[0], self.ranks[inside]
        codes[lists, :, ranks] = self.labels[self.documents[inside]]
        pool = self.pools[chosen].reshape(-1, len(self.block.scale))
        flat = codes.reshape(1, -1, self.block.depth)
        return Block(codes=flat, scale=self.block.scale, pool=pool)
