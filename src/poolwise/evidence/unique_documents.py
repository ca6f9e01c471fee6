"""The documents that only one pooled run has, and evidence without the grades of these."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Indices, Integers
from poolwise.evidence.alignment import UNJUDGED, Evidence

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

    def leave_out(self, systems: Indices, *, joining: int | None = None) -> Evidence:
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
        Evidence
            One system; its topics are the lists of each left-out system, one after another, since
            each has judgments of its own.
        """
        owner = self.owner.copy()
        if joining is not None:
            owner[_rows(self.evidence, np.array([joining]), self.depth)] = -1
        evidence = self.evidence
        lists = len(systems) * len(evidence.topics)
        shape = (1, lists, evidence.depth)
        return replace(
            evidence,
            systems=("left out",),
            topics=evidence.topics * len(systems),
            codes=self._hide(systems, owner).reshape(shape),
            pool=self._pools(systems, owner).reshape(lists, len(evidence.scale)),
            documents=evidence.documents[systems].reshape(shape),
            document_starts=np.tile(evidence.document_starts[:-1], len(systems) + 1)[: lists + 1],
        )

    def _hide(self, systems: Indices, owner: NDArray[np.int32]) -> NDArray[np.integer]:
        """Return the lists of the systems, unjudged where their own unit owns the document."""
        codes = self.evidence.codes[systems]
        rows = self.evidence.document_starts[:-1, None] + self.evidence.documents[systems]
        # Past the end of a list any row will do, since nothing is judged there.
        own = owner[np.clip(rows, 0, len(owner) - 1)] == self.units[systems, None, None]
        return np.where(own & (codes >= 0), UNJUDGED, codes).astype(codes.dtype)

    def _pools(self, systems: Indices, owner: NDArray[np.int32]) -> Integers:
        """Return the pool of each list: the topic's, without what the unit owns."""
        gone = np.zeros((int(self.units.max()) + 1, *self.evidence.pool.shape), np.int64)
        still = owner[self.rows]
        kept = still >= 0
        np.add.at(gone, (still[kept], self.topics[kept], self.codes[kept]), 1)
        return self.evidence.pool - gone[self.units[systems]]


def find_unique_documents(
    evidence: Evidence, pooled: Indices, units: Indices, *, depth: int
) -> UniqueDocuments:
    """Find the documents that only one unit of the pooled systems nominates.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}})
    >>> evidence = align(runs, Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 1}}))
    >>> both = np.array([0, 1])
    >>> reduced = find_unique_documents(evidence, both, both, depth=2).leave_out(both)
    >>> reduced.codes[0].tolist(), reduced.pool.tolist()
    ([[-2, 0], [0, -2]], [[1, 1], [1, 1]])
    """
    inside = evidence.documents[pooled, :, :depth] >= 0
    rows = _rows(evidence, pooled, depth)
    unit = np.broadcast_to(units[pooled, None, None], inside.shape)[inside].astype(np.int32)
    lowest = np.full(len(evidence.document_ids), np.iinfo(np.int32).max, np.int32)
    highest = np.full(len(lowest), -1, np.int32)
    np.minimum.at(lowest, rows, unit)
    np.maximum.at(highest, rows, unit)
    owner = np.where(lowest == highest, highest, np.int32(-1))
    codes = evidence.codes[pooled, :, :depth][inside].astype(np.int64)
    owned, first = np.unique(
        np.where((owner[rows] >= 0) & (codes >= 0), rows, -1), return_index=True
    )
    topics = np.searchsorted(evidence.document_starts, owned, side="right") - 1
    good = owned >= 0
    return UniqueDocuments(
        evidence, units, depth, owner, owned[good], topics[good], codes[first][good]
    )


def _rows(evidence: Evidence, systems: Indices, depth: int) -> Integers:
    """Return the document rows in the first ranks of these systems."""
    documents = evidence.documents[systems, :, :depth]
    return (evidence.document_starts[:-1, None] + documents)[documents >= 0]
