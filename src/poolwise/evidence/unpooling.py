"""Evidence as it would be, had some runs not been pooled."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poolwise.evidence.alignment import UNJUDGED, Evidence

__all__ = ["unpool"]

Indices = NDArray[np.intp]


def unpool(
    evidence: Evidence,
    systems: Indices,
    units: Indices,
    *,
    depth: int,
    beside: Indices | None = None,
    joining: int | None = None,
) -> Evidence:
    """Leave out each system (with its unit) in turn: its own documents become unjudged.

    What is taken away are the judgments of documents that, of all pooled runs, only those of the
    system's unit have in their first ``depth`` ranks (W10 fig. 6.3).

    Parameters
    ----------
    systems : int array
        The systems to leave out, one at a time.
    units : int array, systems of the evidence
        Systems with the same number are left out together.
    depth : int
        Depth of the pool.
    beside : int array, optional
        The systems that were pooled; by default ``systems``.
    joining : int, optional
        A system that joins the pool as another leaves it: what it has in common with the one left
        out stays judged.

    Returns
    -------
    Evidence
        One system; its topics are the lists of each left-out system, one after another, since
        each has judgments of its own.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}})
    >>> evidence = align(runs, Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 1}}))
    >>> reduced = unpool(evidence, np.array([0, 1]), np.array([0, 1]), depth=2)
    >>> reduced.codes[0].tolist(), reduced.pool.tolist()
    ([[-2, 0], [0, -2]], [[1, 1], [1, 1]])
    """
    pooled = systems if beside is None else np.concatenate([systems, beside])
    owner = _owners(evidence, pooled, units[pooled], depth)
    if joining is not None:
        owner[_rows(evidence, np.array([joining]), depth)] = -1
    shape = (1, len(systems) * len(evidence.topics), evidence.depth)
    return replace(
        evidence,
        systems=("left out",),
        topics=evidence.topics * len(systems),
        codes=_hide(evidence, systems, units, owner).reshape(shape),
        pool=_pools(evidence, pooled, units[systems], owner, depth),
        documents=evidence.documents[systems].reshape(shape),
        document_starts=np.tile(evidence.document_starts[:-1], len(systems) + 1)[: shape[1] + 1],
    )


def _rows(evidence: Evidence, systems: Indices, depth: int) -> NDArray[np.int64]:
    """Return the document rows in the first ranks of these systems."""
    documents = evidence.documents[systems, :, :depth]
    return (evidence.document_starts[:-1, None] + documents)[documents >= 0]


def _owners(evidence: Evidence, pooled: Indices, units: Indices, depth: int) -> NDArray[np.int64]:
    """Return the one unit that nominates each document; −1 where none or several do."""
    inside = evidence.documents[pooled, :, :depth] >= 0
    rows = _rows(evidence, pooled, depth)
    unit_of_row = np.broadcast_to(units[:, None, None], inside.shape)[inside]
    lowest = np.full(len(evidence.document_ids), np.iinfo(np.int64).max)
    highest = np.full(len(lowest), -1)
    np.minimum.at(lowest, rows, unit_of_row)
    np.maximum.at(highest, rows, unit_of_row)
    return np.where(lowest == highest, highest, -1)


def _hide(
    evidence: Evidence, systems: Indices, units: Indices, owner: NDArray[np.int64]
) -> NDArray[np.integer]:
    """Return the lists of the systems, unjudged where the system's own unit owns the document."""
    documents = evidence.documents[systems]
    rows = evidence.document_starts[:-1, None] + np.maximum(documents, 0)
    codes = evidence.codes[systems]
    own = owner[np.minimum(rows, len(owner) - 1)] == units[systems, None, None]
    return np.where(own & (codes >= 0), UNJUDGED, codes).astype(codes.dtype)


def _pools(
    evidence: Evidence, pooled: Indices, units: Indices, owner: NDArray[np.int64], depth: int
) -> NDArray[np.int64]:
    """Return the pool of each list: the topic's, without what the unit owns."""
    # Owned documents are among the first ranks of the pooled, so these are all that is read.
    codes = np.full(len(owner), -1, np.int64)
    inside = evidence.documents[pooled, :, :depth] >= 0
    codes[_rows(evidence, pooled, depth)] = evidence.codes[pooled, :, :depth][inside]
    topics = np.repeat(np.arange(len(evidence.topics)), np.diff(evidence.document_starts))
    gone = np.zeros((int(units.max(initial=0)) + 1, *evidence.pool.shape), np.int64)
    owned = (owner >= 0) & (codes >= 0) & (owner < len(gone))
    np.add.at(gone, (owner[owned], topics[owned], codes[owned]), 1)
    return (evidence.pool - gone[units]).reshape(-1, evidence.pool.shape[1])
