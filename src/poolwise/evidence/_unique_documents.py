"""The documents that only one pooled run has, and evidence without the grades of these."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Indices, Integers
from poolwise.evidence._evidence import DocumentBlock, Evidence
from poolwise.evidence._grades import UNJUDGED, Block, Grades

__all__ = ["UniqueDocuments", "find_unique_documents"]


@dataclass(frozen=True, eq=False)
class UniqueDocuments:
    """The documents that only one run, or group of runs, brought into the pool.

    Where :meth:`Nominations.leave_out` takes one run out of the pool and gives judgments, here
    every run is left out in turn, and its own list is all that is kept.

    Attributes
    ----------
    evidence : Evidence
    units : int array, systems
        Systems with the same number are left out of the pool together.
    depth : int
        Depth of the pool.
    owner : int32 array
        The unit that alone nominates each document row of the evidence; −1 where none or several
        do.
    rows, topics, codes : int array
        Row, topic and grade code of the documents that have an owner and a grade.
    """

    evidence: Evidence
    units: Indices
    depth: int
    owner: NDArray[np.int32]
    rows: Integers
    topics: Integers
    codes: Integers

    def leave_out(self, systems: Indices, *, joining: int | None = None) -> Grades:
        """Leave out each system, with its unit, in turn: its own documents become unjudged.

        Parameters
        ----------
        systems : int array
            The systems to leave out, one at a time.
        joining : int, optional
            A system that joins the pool as another leaves it: what it has in common with the one
            left out stays judged (W10 fig. 6.3).

        Returns
        -------
        Grades
            One system; its topics are the lists of the left-out systems, since each has judgments
            of its own: all of them on the first topic, then on the second, and so on.
        """
        owner = self.owner.copy()
        if joining is not None:
            owner[_top_rows(self.evidence, np.array([joining]), self.depth)] = -1
        evidence, pools = self.evidence, self._pools(systems, owner)
        return Grades(
            systems=("left out",),
            topics=tuple(topic for topic in evidence.topics for _ in systems),
            blocks=tuple(
                Block(
                    codes=self._hide(block, systems, owner),
                    scale=block.scale,
                    pool=pools[topics].reshape(-1, len(block.scale)),
                )
                for topics, block in zip(evidence.slices, evidence.blocks, strict=True)
            ),
            provenance=evidence.provenance,
        )

    def _hide(
        self, block: DocumentBlock, systems: Indices, owner: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Return the lists of the systems, unjudged where their own unit owns the document."""
        codes = block.codes[systems]
        rows = block.rows(block.documents[systems])
        # Past the end of a list any row will do, since nothing is judged there.
        own = owner[np.clip(rows, 0, len(owner) - 1)] == self.units[systems, None, None]
        hidden = np.where(own & (codes >= 0), UNJUDGED, codes).astype(codes.dtype)
        return np.ascontiguousarray(hidden.swapaxes(0, 1)).reshape(1, -1, block.depth)

    def _pools(self, systems: Indices, owner: NDArray[np.int32]) -> Integers:
        """Return topics × systems × grades: the topic's pool, without what the unit owns."""
        topics, grades = self.evidence.pool.shape
        gone = np.zeros((topics, int(self.units.max()) + 1, grades), np.int64)
        still = owner[self.rows]
        kept = still >= 0
        np.add.at(gone, (self.topics[kept], still[kept], self.codes[kept]), 1)
        return self.evidence.pool[:, None] - gone[:, self.units[systems]]


def find_unique_documents(
    evidence: Evidence, pooled: Indices, units: Indices, *, depth: int
) -> UniqueDocuments:
    """Find the documents that only one unit of the pooled systems nominates.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}})
    >>> evidence = align(Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 1}}), runs)
    >>> both = np.array([0, 1])
    >>> reduced = find_unique_documents(evidence, both, both, depth=2).leave_out(both)
    >>> reduced.blocks[0].codes[0].tolist(), reduced.pool.tolist()
    ([[-2, 0], [0, -2]], [[1, 1], [1, 1]])
    """
    lowest = np.full(len(evidence.document_ids), np.iinfo(np.int32).max, np.int32)
    highest = np.full(len(lowest), -1, np.int32)
    grade = np.full(len(lowest), UNJUDGED, np.int64)
    for block in evidence.blocks:
        documents = block.documents[pooled, :, :depth]
        inside = documents >= 0
        rows = block.rows(documents)[inside]
        unit = np.broadcast_to(units[pooled, None, None], inside.shape)[inside].astype(np.int32)
        np.minimum.at(lowest, rows, unit)
        np.maximum.at(highest, rows, unit)
        grade[rows] = block.codes[pooled, :, :depth][inside]
    owner = np.where(lowest == highest, highest, np.int32(-1))
    owned = np.flatnonzero((owner >= 0) & (grade >= 0))
    topics = np.searchsorted(evidence.document_starts, owned, side="right") - 1
    return UniqueDocuments(evidence, units, depth, owner, owned, topics, grade[owned])


def _top_rows(evidence: Evidence, systems: Indices, depth: int) -> Integers:
    """Return the document rows in the first ranks of these systems."""
    return np.concatenate(list(_top_rows_by_block(evidence, systems, depth)))


def _top_rows_by_block(evidence: Evidence, systems: Indices, depth: int) -> Iterator[Integers]:
    for block in evidence.blocks:
        documents = block.documents[systems, :, :depth]
        yield block.rows(documents)[documents >= 0]
