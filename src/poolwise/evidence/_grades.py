"""Runs met with judgments, as the codes of their grades, in blocks of topics."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers, distinct
from poolwise.collection._identifiers import CELLS, cut_topics, indices_of, positions
from poolwise.collection._judgments import Judgments
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = [
    "BEYOND",
    "POOLED",
    "UNJUDGED",
    "Block",
    "Graded",
    "Grades",
    "beside",
    "code_type",
    "codes_of_rows",
    "count_by_grade_and_topic",
    "grade_scale",
    "join_topics",
    "map_grades",
    "numbered",
    "whole_scale",
    "without_grade",
]

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False, kw_only=True)
class Block:
    """All runs on consecutive topics: what a formula of a measure sees.

    Attributes
    ----------
    codes : int8 (or int16) array, systems × topics × ranks
        An index into ``scale``; or ``POOLED``, ``UNJUDGED`` or ``BEYOND``, all negative. It is as
        deep as the longest list of the block.
    scale : float array
        The grades a judged document can have, ascending, none negative.
    pool : int array, topics × grades
        How many judged documents of each grade a topic has, retrieved or not.
    counted_ranks : unsigned int array, topics × ranks, optional
        The ``best_ranks``, where a reader counted them, who alone knew the documents.

    Examples
    --------
    >>> (block,) = Grades.from_grades([[1, 0, None, 2]], judged=[0, 1, 2, 2]).blocks
    >>> block.codes.tolist(), block.pool.tolist()
    ([[[1, 0, -2, 2]]], [[1, 1, 2]])
    """

    codes: NDArray[np.integer]
    scale: Floats
    pool: Integers
    counted_ranks: NDArray[np.unsignedinteger] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be derived again out of what is sent to other processes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def memo(self) -> dict[object, Any]:
        """Arrays that measures derived from the codes and may share, by a key of their own."""
        return {}

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of systems and of topics."""
        return self.codes.shape[0], self.codes.shape[1]

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return int(self.codes.shape[2])

    @cached_property
    def lengths(self) -> Integers:
        """Number of documents retrieved, systems × topics."""
        return (self.codes != BEYOND).sum(axis=2)

    @cached_property
    def ungraded(self) -> Booleans:
        """Which cells hold a document without a grade, systems × topics × ranks."""
        return without_grade(self.codes)

    @cached_property
    def ungraded_counts(self) -> Integers:
        """Number of documents without a grade in each list, systems × topics."""
        return self.ungraded.sum(axis=2)

    @cached_property
    def best_ranks(self) -> NDArray[np.unsignedinteger]:
        """How many documents without a grade have each rank as their best, topics × ranks.

        A document counts once, at the best rank that any run gives it; so the sum over the first
        ranks is the number of distinct documents without a grade there: the universe at that
        depth.
        """
        if self.counted_ranks is not None:
            return self.counted_ranks
        if len(self.codes) > 1:
            raise RuntimeError(
                "the distinct documents without a grade were not counted when these runs "
                "were read. This is a fault of poolwise: please report it."
            )
        return _by_rank(self.ungraded)

    def relevant(self, rel: float) -> Integers:
        """Return the number of judged documents of at least this grade, per topic (``R``)."""
        return self.pool[:, self.scale >= rel].sum(axis=1)

    def lookup(
        self,
        values: Floats,
        *,
        unjudged: float = 0.0,
        beyond: float = 0.0,
        pooled: float | None = None,
    ) -> Floats:
        """Return ``values[code]`` for every cell, with values for the unknowns.

        A document that was pooled and not judged counts as unjudged unless told otherwise.
        """
        pooled = unjudged if pooled is None else pooled
        # Negative codes index from the end: BEYOND is −3, UNJUDGED −2, POOLED −1.
        table = np.concatenate([values, [beyond, unjudged, pooled]])
        return table[self.codes]

    def truncate(self, depth: int) -> Self:
        """Return the first ranks only."""
        if depth >= self.depth:
            return self
        # Kept, since all measures with this cut-off ask for it, and share what they derive from it.
        if ("truncated", depth) not in self.memo:
            self.memo["truncated", depth] = self._truncated(depth)
        return self.memo["truncated", depth]

    def _truncated(self, depth: int) -> Self:
        counted_ranks = self.counted_ranks
        return replace(
            self,
            codes=self.codes[:, :, :depth],
            counted_ranks=None if counted_ranks is None else counted_ranks[:, :depth],
        )

    def condensed(self) -> Self:
        """Return the lists without the documents that have no grade, closed up."""
        order, dropped = self._closing_order()
        codes = np.take_along_axis(self.codes, order, axis=2)
        # Past the end of a list nothing is unknown, so the dropped documents end up behind it.
        codes[dropped] = BEYOND
        return replace(self, codes=codes, counted_ranks=None)

    def _closing_order(self) -> tuple[Indices, Booleans]:
        """Return the ranks in an order that puts what is dropped last, and what that is."""
        order = np.argsort(self.ungraded, axis=2, kind="stable")
        return order, np.take_along_axis(self.ungraded, order, axis=2)

    def take(self, systems: Indices) -> Self:
        """Return some systems, perhaps several times."""
        return self.part(systems, slice(0, self.shape[1]))

    def part(self, systems: Indices, topics: slice) -> Self:
        """Return some systems, perhaps several times, on some topics."""
        return replace(
            self,
            codes=self.codes[systems, topics],
            pool=self.pool[topics],
            # Who else retrieved a document is not known without the documents.
            counted_ranks=self.counted_ranks[topics]
            if self.counted_ranks is not None and _is_all(systems, len(self.codes))
            else None,
        )

    @classmethod
    def joined(cls, parts: Sequence[Self], depth: int) -> Self:
        """Put the topics of several blocks together, down to the depth of their longest list."""
        if len(parts) == 1 and parts[0].depth == depth:
            return parts[0]
        counts = [part.counted_ranks for part in parts]
        present = [count for count in counts if count is not None]
        return replace(
            parts[0],
            codes=beside([part.codes for part in parts], depth, BEYOND, axis=1),
            pool=np.concatenate([part.pool for part in parts]),
            counted_ranks=beside(present, depth, 0, axis=0)
            if len(present) == len(counts)
            else None,
        )


class Graded(Protocol):
    """Runs met with judgments, whether all blocks are there or come one after another."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The runs."""

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that count."""

    @property
    def slices(self) -> tuple[slice, ...]:
        """Which topics each block holds."""

    @property
    def blocks(self) -> Iterable[Block]:
        """Consecutive topics, each block with all runs."""

    @property
    def scale(self) -> Floats:
        """The grades a judged document can have, ascending, none negative."""

    @property
    def provenance(self) -> Provenance:
        """What the grades were made of."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Grades:
    """Runs met with judgments, as measures need them: grade codes in blocks of topics.

    It does not know which document is which; :class:`~poolwise.Evidence` does.

    Attributes
    ----------
    systems, topics : tuple of str
        The runs, and the topics.
    blocks : tuple of Block
        Consecutive topics, each block with all runs; there is always one.
    provenance : Provenance
        What the grades were made of.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 0, None, 2], [2]], judged=[0, 1, 2, 2])
    >>> grades
    Grades(2 systems, 1 topic, lists of at most 4 documents, 1 block)
    >>> grades.pool.tolist(), grades.lengths.tolist()
    ([[1, 1, 2]], [[4], [1]])
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    blocks: tuple[Block, ...]
    provenance: Provenance = Provenance()

    @classmethod
    def from_grades(
        cls,
        rankings: Sequence[Sequence[float | None]],
        *,
        judged: Sequence[float] = (),
        scale: Sequence[float] = (),
    ) -> Self:
        """Build from the grades of rankings for one topic; None is an unjudged document.

        ``judged`` lists the grade of every judged document of the topic, retrieved or not, and
        defaults to the judged ones of the first ranking; of a relevant grade there are as many as
        any ranking holds, at least. ``scale`` adds grades that no document has. The documents of
        the rankings are taken to be distinct.
        """
        grades = [g for ranking in rankings for g in ranking if g is not None]
        judged = judged or [g for g in rankings[0] if g is not None]
        # The scale has every grade that is met, so that searching it below always hits.
        levels = whole_scale(grades, judged, scale)
        codes = np.full((len(rankings), 1, max(map(len, rankings))), BEYOND, code_type(levels))
        for s, ranking in enumerate(rankings):
            codes[s, 0, : len(ranking)] = [
                UNJUDGED if g is None else np.searchsorted(levels, g) for g in ranking
            ]
        pool = np.array([[int((np.asarray(judged) == level).sum()) for level in levels]])
        held = (codes[:, 0, :, None] == np.arange(len(levels))).sum(axis=1).max(axis=0, initial=0)
        np.maximum(pool, np.where(levels > 0, held, 0), out=pool)
        return cls._of_ranking_codes(codes, levels, pool)

    @classmethod
    def _of_ranking_codes(cls, codes: NDArray[np.integer], scale: Floats, pool: Integers) -> Self:
        return cls(
            systems=numbered(len(codes)),
            topics=("1",),
            blocks=(
                Block(
                    codes=codes,
                    scale=scale,
                    pool=pool,
                    counted_ranks=_by_rank(without_grade(codes)),
                ),
            ),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be derived again out of what is sent to other processes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({counted(len(self.systems), 'system')}, "
            f"{counted(len(self.topics), 'topic')}, lists of at most "
            f"{counted(self.depth, 'document')}, {counted(len(self.blocks), 'block')})"
        )

    @property
    def scale(self) -> Floats:
        """The grades a judged document can have, ascending, none negative."""
        return self.blocks[0].scale

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return max(block.depth for block in self.blocks)

    @cached_property
    def pool(self) -> Integers:
        """How many judged documents of each grade a topic has, topics × grades."""
        return np.concatenate([block.pool for block in self.blocks])

    @cached_property
    def lengths(self) -> Integers:
        """Number of documents retrieved, systems × topics."""
        return join_topics(block.lengths for block in self.blocks)

    def relevant(self, rel: float) -> Integers:
        """Return the number of judged documents of at least this grade, per topic (``R``)."""
        return np.concatenate([block.relevant(rel) for block in self.blocks])

    def universe(self, depth: int) -> Integers:
        """Return how many distinct documents without a grade any run has in its first ranks.

        Examples
        --------
        >>> Grades.from_grades([[1, None, 0, None]]).universe(3).tolist()
        [1]
        """
        counts = [block.best_ranks[:, :depth].sum(axis=1, dtype=np.int64) for block in self.blocks]
        return np.concatenate(counts)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Which topics each block holds."""
        edges = accumulate((block.shape[1] for block in self.blocks), initial=0)
        return tuple(slice(*ends) for ends in pairwise(edges))

    def locate(self, topic: int) -> tuple[int, int]:
        """Return the number of the block that holds a topic, and its place there."""
        number = bisect_right(self.slices, topic, key=lambda topics: topics.stop)
        return number, topic - self.slices[number].start

    def of_topic(self, topic: int) -> Self:
        """Return one topic alone, by its position; documents keep their rows.

        Examples
        --------
        >>> grades = Grades.from_grades([[1, None], [0]])
        >>> grades.of_topic(0).lengths.tolist()
        [[2], [1]]
        """
        number, place = self.locate(topic)
        systems = np.arange(len(self.systems))
        block = self.blocks[number].part(systems, slice(place, place + 1))
        return replace(self, topics=(self.topics[topic],), blocks=(block,))

    def with_blocks(self, blocks: Iterable[Any]) -> Self:
        """Return the same runs and topics with other blocks of the same kind."""
        return replace(self, blocks=tuple(blocks))

    def truncate(self, depth: int) -> Self:
        """Return the first ranks only."""
        if depth >= self.depth:
            return self
        return self.with_blocks(block.truncate(depth) for block in self.blocks)

    @recorded
    def select(self, runs: str | Iterable[str] | Indices) -> Self:
        """Return these runs only, in the order given.

        Parameters
        ----------
        runs : str, iterable of str or int array
            Names, or positions.

        Examples
        --------
        >>> grades = Grades.from_grades([[1], [0], [1, 1]])
        >>> grades.select(["run3", "run1"]).lengths.tolist()
        [[2], [1]]
        >>> grades.select(np.array([1, 1])).systems
        ('run2', 'run2')
        """
        at = self._positions(runs)
        origin = self.provenance
        if len(origin.runs) == len(self.systems):
            origin = replace(origin, runs=tuple(origin.runs[s] for s in at.tolist()))
        return replace(
            self,
            systems=tuple(self.systems[s] for s in at.tolist()),
            blocks=tuple(self._laid_out(at)),
            provenance=origin,
        )

    def recut(self, cells: int = CELLS) -> Self:
        """Return the same with blocks of another size, in runs × topics × ranks.

        Examples
        --------
        >>> grades = Grades.from_grades([[1], [0], [1, 1]])
        >>> grades.recut(cells=1).lengths.tolist() == grades.lengths.tolist()
        True
        """
        return self.with_blocks(self._laid_out(np.arange(len(self.systems)), cells))

    def _positions(self, runs: str | Iterable[str] | Indices) -> Indices:
        if isinstance(runs, np.ndarray):
            return runs.astype(np.intp)
        return indices_of(runs, self.systems, what="runs")

    def _laid_out(self, systems: Indices, cells: int = CELLS) -> Iterator[Block]:
        """Lay these systems out as if there were no others."""
        # A block is as deep as its longest list: long lists of other runs must not deepen it.
        longest = self.lengths[systems].max(axis=0, initial=0)
        for topics in cut_topics(longest, len(systems), cells=cells):
            parts = [
                block.part(systems, slice(max(topics.start - first, 0), topics.stop - first))
                for first, block in self._overlapping(topics)
            ]
            yield type(parts[0]).joined(parts, int(longest[topics].max(initial=0)))

    def _overlapping(self, topics: slice) -> Iterator[tuple[int, Block]]:
        """Go through the blocks that hold some of these topics, and where each starts."""
        empty = topics.start == topics.stop
        for here, block in zip(self.slices, self.blocks, strict=True):
            if empty or (here.start < topics.stop and topics.start < here.stop):
                yield here.start, block


def join_topics(parts: Iterable[NDArray[Number]]) -> NDArray[Number]:
    """Put what was found block by block, systems × topics, together.

    Examples
    --------
    >>> join_topics([np.array([[1], [2]]), np.array([[3, 4], [5, 6]])]).tolist()
    [[1, 3, 4], [2, 5, 6]]
    """
    return np.concatenate(list(parts), axis=1)


def numbered(runs: int) -> tuple[str, ...]:
    """Return names for runs that have none."""
    return tuple(f"run{s + 1}" for s in range(runs))


def _by_rank(ungraded: Booleans) -> NDArray[np.unsignedinteger]:
    """Count documents by rank, where no two of them are the same."""
    return ungraded.sum(axis=0, dtype=np.min_scalar_type(len(ungraded)))


def _is_all(systems: Indices, count: int) -> bool:
    return len(np.unique(systems)) == count


def beside(arrays: Sequence[NDArray[Any]], depth: int, padding: int, *, axis: int) -> NDArray[Any]:
    """Put arrays of different depth side by side along an axis, padded to one depth."""
    shape = list(arrays[0].shape)
    shape[axis], shape[-1] = sum(array.shape[axis] for array in arrays), depth
    whole = np.full(shape, padding, np.result_type(*arrays))
    edges = accumulate((array.shape[axis] for array in arrays), initial=0)
    for (first, past), array in zip(pairwise(edges), arrays, strict=True):
        kept = min(depth, array.shape[-1])
        np.moveaxis(whole, axis, 0)[first:past, ..., :kept] = np.moveaxis(array, axis, 0)[
            ..., :kept
        ]
    return whole


POOLED = -1
"""Code of a document that was pooled and not judged: a negative grade in the qrels."""
UNJUDGED = -2
"""Code of a document that nobody graded."""
BEYOND = -3
"""Code of a rank past the end of the list, where there is no document."""


def without_grade(codes: NDArray[np.integer]) -> Booleans:
    """Return which codes stand for a document without a grade: unjudged, or pooled and not judged.

    Examples
    --------
    >>> without_grade(np.array([1, UNJUDGED, POOLED, BEYOND])).tolist()
    [False, True, True, False]
    """
    return (codes < 0) & (codes != BEYOND)


def grade_scale(judgments: Judgments) -> Floats:
    """Return the grades that a document can have: those of the file, or those declared.

    Examples
    --------
    >>> grade_scale(Judgments.from_dict({"1": {"a": 2, "b": -1}})).tolist()
    [0.0, 2.0]
    >>> grade_scale(Judgments.from_dict({"1": {"b": -1}})).tolist()
    [0.0, 1.0]
    """
    return whole_scale(judgments.scale, judgments.declared)


def whole_scale(*grades: ArrayLike) -> Floats:
    """Return 0 and the positive ones of these grades, ascending; 1 where there are none.

    Examples
    --------
    >>> whole_scale([3, 1], [-1]).tolist(), whole_scale([0]).tolist()
    ([0.0, 1.0, 3.0], [0.0, 1.0])
    """
    # 0 is always a grade, since an unjudged document can turn out not relevant; a negative one is
    # none: it says that a document was pooled and not judged.
    every = np.concatenate([np.asarray(some, np.float64).ravel() for some in grades])
    positive = distinct(every[every > 0])
    return np.append(0.0, positive if len(positive) else 1.0)


def code_type(scale: Floats) -> np.dtype[np.integer]:
    """Return the smallest type that holds the codes of so many grades."""
    # A byte a cell keeps blocks small; hardly any collection has more than 127 grades.
    return np.dtype(np.int8 if len(scale) <= np.iinfo(np.int8).max else np.int16)


def codes_of_rows(judgments: Judgments, dtype: np.dtype[np.integer]) -> NDArray[np.integer]:
    """Return the evidence code of each judgment row."""
    of_grade = np.searchsorted(grade_scale(judgments), judgments.scale)
    of_grade[judgments.scale < 0] = POOLED
    # A hidden row has code −1, which takes the last entry.
    return np.append(of_grade, UNJUDGED).astype(dtype)[judgments.codes]


def count_by_grade_and_topic(
    judgments: Judgments, codes: NDArray[np.integer], topics: tuple[str, ...], grades: int
) -> Integers:
    """Count the judged documents of each topic by grade."""
    seen = codes >= 0
    flat = judgments.topic_of_row[seen] * grades + codes[seen]
    counts = np.bincount(flat, minlength=len(judgments.topics) * grades)
    return counts.reshape(-1, grades)[positions(topics, judgments.topics)]


@recorded
def map_grades(grades: Grades, of: Callable[[Floats], Floats]) -> Grades:
    """Return the same lists with another value for each grade; grades that become equal merge.

    Parameters
    ----------
    grades : Grades
        Lists of graded documents.
    of : callable
        Takes the scale, an array of the grades in ascending order, and returns their new values.

    Returns
    -------
    Grades
        The lists with the new scale; unjudged documents stay unjudged.

    Examples
    --------
    >>> grades = Grades.from_grades([[2, 0, None]], judged=[2, 1, 0])
    >>> swapped = map_grades(grades, lambda scale: np.where(scale == 1, 5.0, scale))
    >>> swapped.scale.tolist(), swapped.pool.tolist(), swapped.blocks[0].codes.tolist()
    ([0.0, 2.0, 5.0], [[1, 1, 1]], [[[1, 0, -2]]])
    """
    values = of(grades.scale)
    if np.array_equal(values, grades.scale):
        return grades
    scale, codes = np.unique(values, return_inverse=True)
    return grades.with_blocks(
        _mapped(block, scale, codes.astype(np.int64)) for block in grades.blocks
    )


def _mapped(block: Block, scale: Floats, codes: Integers) -> Block:
    # Negative codes index from the end, in this order.
    table = np.array([*codes, BEYOND, UNJUDGED, POOLED], code_type(scale))
    merged = codes[:, None] == np.arange(len(scale))
    return replace(block, codes=table[block.codes], scale=scale, pool=block.pool @ merged)
