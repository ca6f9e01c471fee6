"""The documents that a relevance model is about, and where each group of runs ranks them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.grade_codes import BEYOND, UNJUDGED
from poolwise.evidence.unknowns.relevance_model.pool_shape import PoolShape
from poolwise.evidence.unknowns.relevance_model.rank_profile import rank_profile

__all__ = ["PooledDocuments", "document_codes", "gather_documents"]


@dataclass(frozen=True, eq=False)
class PooledDocuments:
    """Judged documents, and unjudged ones down to the depth of the pool.

    Attributes
    ----------
    evidence : Evidence
        Where the documents were retrieved.
    pool : PoolShape
        How the judgments came about.
    rows, topics : int array, documents
        The row of the evidence, ascending, and the topic.
    codes : int array, documents
        The grade code; negative where there is none.
    ranks : float32 array, documents × groups
        The best rank, from 1, in the runs of each group; ∞ where none holds the document.
    profile : float array, documents × rank features
        What the ranks alone say: see
        :func:`~poolwise.evidence.unknowns.relevance_model.rank_profile.rank_profile`.
    holders : int array, documents
        How many groups hold the document within the depth of the pool.
    nominated : bool array, documents × groups
        Which groups' pooled runs do.
    nominators : int array, documents
        How many those groups are.
    owner : int array, documents
        The group that alone nominates the document; −1 where none or several do.
    counts : int array, topics × grades
        How many judged documents of each grade a topic has, retrieved or not.
    """

    evidence: Evidence
    pool: PoolShape
    rows: Integers
    topics: Indices
    codes: NDArray[np.integer]
    ranks: NDArray[np.float32]
    profile: Floats
    holders: Integers
    nominated: Booleans
    nominators: Integers
    owner: Indices
    counts: Integers

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> Booleans:
        """Which documents have a grade."""
        return np.asarray(self.codes >= 0)

    @cached_property
    def best(self) -> NDArray[np.float32]:
        """The best rank of each document in any run."""
        return np.asarray(self.ranks.min(axis=1))

    @cached_property
    def _of_judged(self) -> Self:
        """The judged documents, which is what all groups that are left out share."""
        return self.select(self.judged)

    def without_group(self, group: int) -> Self:
        """Return the same as if this group had come too late for the pool.

        What it alone brought in is unjudged, and nothing else is asked about: documents that were
        unjudged before are left out.
        """
        known = self._of_judged
        hidden, its = known.owner == group, known.nominated[:, group]
        counts = known.counts.copy()
        np.subtract.at(counts, (known.topics[hidden], known.codes[hidden]), 1)
        nominated, nominators = known.nominated.copy(), known.nominators - its
        nominated[:, group] = False
        left_to_one = np.flatnonzero(its & (nominators == 1))
        owner = np.where(hidden, -1, known.owner)
        owner[left_to_one] = nominated[left_to_one].argmax(axis=1)
        return replace(
            known,
            codes=np.where(hidden, UNJUDGED, known.codes).astype(known.codes.dtype),
            counts=counts,
            nominated=nominated,
            nominators=nominators,
            owner=owner,
        )

    def select(self, kept: Booleans) -> Self:
        """Return these documents only; the counts stay."""
        parts = {name: getattr(self, name)[kept] for name in _BY_DOCUMENT}
        return replace(self, **parts)

    def hide(self, hidden: "PooledDocuments", systems: Indices) -> Evidence:
        """Return the lists of these systems, with these documents unjudged."""
        codes = np.full(len(self.evidence.document_ids), UNJUDGED, self.codes.dtype)
        codes[self.rows] = self.codes
        codes[hidden.rows] = UNJUDGED
        chosen = self.evidence.select(systems)
        return chosen.with_blocks(
            block.regrade(codes, hidden.counts[topics])
            for topics, block in zip(chosen.slices, chosen.blocks, strict=True)
        )


_BY_DOCUMENT = (
    *("rows", "topics", "codes", "ranks", "profile"),
    *("holders", "nominated", "nominators", "owner"),
)


def gather_documents(evidence: Evidence, pool: PoolShape) -> PooledDocuments:
    """Gather the retrieved documents that are judged, or stand within the depth of the pool.

    Examples
    --------
    >>> from poolwise.evidence.unknowns.relevance_model.pool_shape import find_pool
    >>> evidence = Evidence.from_grades([[1, None, 0, None]])
    >>> found = gather_documents(evidence, find_pool(evidence, depth=2))
    >>> found.rows.tolist(), found.codes.tolist(), found.ranks[:, 0].tolist()
    ([0, 1, 2], [1, -2, 0], [1.0, 2.0, 3.0])
    """
    codes = document_codes(evidence)
    rows = np.flatnonzero((codes >= 0) | _nominated(evidence, pool.depth))
    ranks = np.empty((len(rows), len(pool.groups)), np.float32)
    nominated = np.zeros(ranks.shape, np.bool_)
    for group in range(len(pool.groups)):
        members = pool.group_of == group
        pooled = members & pool.pooled
        ranks[:, group] = _best_ranks(evidence, np.flatnonzero(members))[rows]
        if pooled.any():
            own = ranks[:, group]
            if not pooled[members].all():
                own = _best_ranks(evidence, np.flatnonzero(pooled))[rows]
            nominated[:, group] = own <= pool.depth
    nominators = np.count_nonzero(nominated, axis=1)
    return PooledDocuments(
        evidence=evidence,
        pool=pool,
        rows=rows,
        topics=np.searchsorted(evidence.document_starts, rows, side="right") - 1,
        codes=codes[rows],
        ranks=ranks,
        profile=rank_profile(ranks, evidence.depth),
        holders=np.count_nonzero(ranks <= pool.depth, axis=1),
        nominated=nominated,
        nominators=nominators,
        owner=np.where(nominators == 1, nominated.argmax(axis=1), -1),
        counts=evidence.pool,
    )


def _nominated(evidence: Evidence, depth: int) -> Booleans:
    """Return which document rows stand within the depth in some run."""
    found = np.zeros(len(evidence.document_ids), np.bool_)
    for block in evidence.blocks:
        documents = block.documents[:, :, :depth]
        found[block.rows(documents)[documents >= 0]] = True
    return found


def document_codes(evidence: Evidence) -> NDArray[np.integer]:
    """Return the grade code of each document row; BEYOND where no run holds the document."""
    codes = np.full(len(evidence.document_ids), BEYOND, evidence.blocks[0].codes.dtype)
    for block in evidence.blocks:
        retrieved = block.documents >= 0
        codes[block.rows(block.documents)[retrieved]] = block.codes[retrieved]
    return codes


def _best_ranks(evidence: Evidence, systems: Indices) -> NDArray[np.float32]:
    """Return the best rank that these systems give each document row; ∞ where they do not."""
    best = np.full(len(evidence.document_ids), np.inf, np.float32)
    for block in evidence.blocks:
        ranks = np.broadcast_to(
            np.arange(1, block.depth + 1, dtype=np.float32), block.codes.shape[1:]
        )
        for system in systems.tolist():
            documents = block.documents[system]
            retrieved = documents >= 0
            rows = block.rows(documents)[retrieved]
            # A list holds a document once, so that no row is met twice here.
            best[rows] = np.minimum(best[rows], ranks[retrieved])
    return best
