"""The grading at an end of a range, found by asking the range for it, document after document."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.evidence._evidence import DocumentBlock, Evidence, Pairs
from poolwise.evidence._ungraded import Universe

if TYPE_CHECKING:
    from poolwise.measures._measure import Measure

__all__ = ["Extreme", "extreme_gradings"]

_ROUNDING = 1e-13
"""By how much, at most, ends of the same range differ that are summed in another order."""


class Extreme(NamedTuple):
    """A grading of a topic's unjudged documents: their rows in the evidence, and grade codes."""

    rows: Integers
    codes: Integers


def extreme_gradings(
    evidence: Evidence,
    measure: "Measure",
    systems: Indices,
    *,
    high: bool,
    topics: Booleans,
    universe: Universe,
) -> Iterator[Extreme]:
    """Yield for each topic the grading at which a score, or a difference, is at an end.

    Where a range is exact, the grading reaches it. Where it is only valid, the range is the guide
    of a search that ends near to it. All documents of a topic that is not marked get the lowest
    grade, and so do those of one that no grading gives a score.

    Parameters
    ----------
    systems
        Positions of one run, or of two whose difference (first − second) counts.
    high
        Whether the upper end is wanted.
    topics
        The topics whose end is wanted.

    Examples
    --------
    >>> from poolwise import AP, Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["u", "x", "v"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> (low,) = extreme_gradings(evidence, AP, np.array([0]), high=False,
    ...                           topics=np.array([True]), universe=Universe())
    >>> [evidence.document_ids[row] for row in low.rows.tolist()], low.codes.tolist()
    (['u', 'v'], [0, 0])
    """
    for here, block in zip(evidence.slices, evidence.blocks, strict=True):
        lists = _OpenLists.of(block, measure, systems, universe)
        wanted = topics[here] & measure.can_rise(block.scale)
        codes = _Search(lists, measure, high=high).run(wanted)
        for t, documents in enumerate(lists.documents):
            rows = block.document_starts[t] + documents
            yield Extreme(rows, codes[t, : len(documents)])


@dataclass(frozen=True, eq=False)
class _OpenLists:
    """One run, or two, on some topics, and the documents to grade, in the order of grading.

    First come those of the lists, as they stand there, and then those that only raise R and the
    ideal, which are all alike.
    """

    seen: DocumentBlock
    """The ranks that the measure looks at."""
    documents: list[Integers]
    """The documents to grade by topic, as codes of the block."""
    place: NDArray[np.int32]
    """Where in that order the document of a cell is; −1 if it is not among them."""
    listed: Integers
    """How many of them are in the lists, by topic."""
    counted: Integers
    """How many the measure takes note of: all, or those of the lists."""

    @classmethod
    def of(
        cls, block: DocumentBlock, measure: "Measure", systems: Indices, universe: Universe
    ) -> "_OpenLists":
        reach = universe.reach(measure.depth)
        reached = block if reach is None else block.truncate(reach)
        reached = reached.take(systems) if universe.kind == "run" else reached
        seen = measure.cut(block).take(systems)
        place = np.full(seen.documents.shape, -1, np.int32)
        documents, listed = [], []
        for t, size in enumerate(np.diff(block.document_starts).tolist()):
            own = _first_met(seen.documents[:, t], seen.ungraded[:, t])
            every = np.unique(reached.documents[:, t][reached.ungraded[:, t]])
            documents.append(np.concatenate([own, np.setdiff1d(every, own)]))
            listed.append(len(own))
            at = np.full(size + 1, -1, np.int32)
            at[own] = np.arange(len(own))
            place[:, t] = at[seen.documents[:, t]]
        lengths = np.array([len(of_topic) for of_topic in documents], np.int64)
        inside = np.array(listed, np.int64)
        counted = lengths if measure.has_ideal else inside
        return cls(seen, documents, place, inside, counted)


def _first_met(documents: NDArray[np.int32], open_cells: Booleans) -> Integers:
    """Return the open documents of some lists, as they are met list after list, once each."""
    met = documents[open_cells]
    _, first = np.unique(met, return_index=True)
    return met[np.sort(first)].astype(np.int64)


class _Search:
    """Grades given one after another so that the end of the range stays where it is.

    The range with some documents graded is over the grades of the others; so an end is reached by
    a grading of all that is left if, and only if, the range still ends there. Many documents get
    the same grade, and are given it together where that keeps the end.
    """

    def __init__(self, lists: _OpenLists, measure: "Measure", *, high: bool) -> None:
        self.lists, self.measure, self.sign = lists, measure, 1.0 if high else -1.0
        self.codes, self.pool = lists.seen.codes.copy(), lists.seen.pool.copy()

    def run(self, topics: Booleans) -> Integers:
        """Return the grade codes of each topic's documents, topics × documents."""
        total = np.where(topics, self.lists.counted, 0)
        codes = np.zeros((len(total), max(map(len, self.lists.documents), default=0)), np.int64)
        at, step = np.zeros_like(total), np.maximum(total, 1)
        every = np.arange(len(total))
        target = self._ends(every, at, np.zeros_like(at))[:, 0]
        while len(now := np.flatnonzero((at < total) & ~np.isnan(target))):
            size = np.minimum(step[now], total[now] - at[now])
            grade, end, keeps = _best(self._ends(now, at[now], size), target[now])
            # A single document gets the best grade there is, if none keeps the end.
            target[now] = np.where(keeps | (size > 1), target[now], end)
            step[now] = np.where(keeps, 2 * size, np.maximum(size // 2, 1))
            taken = keeps | (size == 1)
            self._give(codes, now[taken], at, size[taken], grade[taken])
        return codes

    def _give(
        self, codes: Integers, topics: Indices, at: Integers, size: Integers, grade: Integers
    ) -> None:
        """Give the next documents of some topics their grades, and go on behind them."""
        start, stop = at[topics, None], (at[topics] + size)[:, None]
        numbers = np.arange(codes.shape[1])
        codes[topics] = np.where(
            (numbers >= start) & (numbers < stop), grade[:, None], codes[topics]
        )
        self.codes[:, topics], self.pool[topics] = self._graded(topics, at[topics], size, grade)
        at[topics] += size

    def _graded(
        self, topics: Indices, at: Integers, size: Integers, grade: Integers
    ) -> tuple[NDArray[np.integer], Integers]:
        """Return codes and pool of topics once so many documents have these grades."""
        place = self.lists.place[:, topics]
        inside = (place >= at[:, None]) & (place < (at + size)[:, None])
        codes = np.where(inside, grade[:, None].astype(self.codes.dtype), self.codes[:, topics])
        pool = self.pool[topics].copy()
        pool[np.arange(len(topics)), grade] += size
        return codes, pool

    def _ends(self, topics: Indices, at: Integers, size: Integers) -> Floats:
        """Return the end of the range with the next documents of each grade, topics × grades."""
        seen = self.lists.seen
        levels = len(seen.scale)
        rows = np.repeat(topics, levels)
        grade = np.tile(np.arange(levels), len(topics))
        at, size = np.repeat(at, levels), np.repeat(size, levels)
        codes, pool = self._graded(rows, at, size, grade)
        block = DocumentBlock(
            codes=np.ascontiguousarray(codes),  # as the kernels read it
            scale=seen.scale,
            pool=pool,
            documents=np.ascontiguousarray(seen.documents[:, rows]),
            document_starts=np.append(0, np.diff(seen.document_starts)[rows].cumsum()),
        )
        left = self.lists.counted[rows] - np.maximum(at + size, self.lists.listed[rows])
        ends = self._range_end(block, np.maximum(left, 0).astype(np.float64)[None])
        return self.sign * ends.reshape(len(topics), levels)

    def _range_end(self, block: DocumentBlock, unlisted: Floats) -> Floats:
        """Return the end of the score's range, or of the difference's."""
        if len(block.codes) == 1:
            lower, upper = self.measure.bounds_block(block, unlisted)
        else:
            pair = Pairs(np.array([0]), np.array([1]))
            _, lower, upper = self.measure.difference_bounds_block(block, pair, unlisted)
        return (upper if self.sign > 0 else lower)[0]


def _best(ends: Floats, target: Floats) -> tuple[Integers, Floats, Booleans]:
    """Return for each topic the grade to give, the end with it, and whether that is kept.

    It is the lowest of the grades that keep the end; where none does, the one that loses least.
    """
    filled = np.where(np.isnan(ends), -np.inf, ends)
    room = _ROUNDING * np.maximum(1.0, np.abs(target))
    kept = filled >= (target - room)[:, None]
    keeps = np.asarray(kept.any(axis=1))
    grade = np.where(keeps, kept.argmax(axis=1), filled.argmax(axis=1))
    return grade, filled[np.arange(len(filled)), grade], keeps
