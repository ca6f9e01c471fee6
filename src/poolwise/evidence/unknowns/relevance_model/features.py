"""What is known of a document before anyone judges it: who ranks it where, and how good they are.

Ranks are best ranks in groups of runs, since runs of one group repeat each other. A new run's own
group counts as any other, so that judged documents of one group alone show what those of the new
group may be like.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.unknowns.relevance_model.pooled_documents import PooledDocuments
from poolwise.evidence.unknowns.relevance_model.rank_profile import RANK_FEATURES

__all__ = ["AGREEMENT", "FEATURES", "QUALITY", "document_features", "group_quality"]

FEATURES = (
    *RANK_FEATURES,
    "quality of the groups that hold it",
    "log of the topic's judged documents",
)
"""What the columns of :func:`document_features` are."""

AGREEMENT, QUALITY = 0, len(RANK_FEATURES)
"""The columns whose effect differs by topic, and whose product is a further column."""

_PSEUDO_DOCUMENTS = 20
"""Documents of average precision that a group starts with."""
_PART = 1 << 9
"""Documents at a time: what is made of their ranks stays in the cache."""


def document_features(documents: PooledDocuments, relevant: Booleans) -> tuple[Floats, ...]:
    """Return documents × features, in the order of ``FEATURES``, for each threshold.

    Parameters
    ----------
    documents : PooledDocuments
    relevant : bool array, thresholds × documents
        Which judged documents are relevant: have at least the grade of each threshold.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.evidence.unknowns.relevance_model.pool_shape import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model.pooled_documents import gather_documents
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> found = gather_documents(evidence, find_pool(evidence, depth=2))
    >>> document_features(found, found.codes[None] > 0)[0][:, 1].round(2).tolist()
    [0.0, 0.69, 1.1]
    """
    of_group = group_quality(documents, relevant).T
    quality = np.concatenate([_mean_quality(ranks, of_group) for ranks in _parts(documents.ranks)])
    judged = np.bincount(
        documents.topics[documents.judged], minlength=len(documents.evidence.topics)
    )
    of_topic = np.log1p(judged)[documents.topics]
    return tuple(np.column_stack([documents.profile, of, of_topic]) for of in quality.T)


def _parts(rows: NDArray[Any]) -> list[NDArray[Any]]:
    return np.split(rows, range(_PART, len(rows), _PART))


def _mean_quality(ranks: NDArray[np.float32], of_group: Floats) -> Floats:
    """Return the mean quality of the groups that hold each document, those on top most."""
    weights = 1 / ranks
    return np.asarray(weights @ of_group / weights.sum(axis=1, keepdims=True))


def group_quality(documents: PooledDocuments, relevant: Booleans) -> Floats:
    """Return the log odds of relevance of what each group holds together with another pooled one.

    What a group alone holds was judged only if it was pooled, and what it shares with a new group
    only if one of the two was; what it shares with another pooled group was judged in any case,
    so that pooled and new groups compare.

    Parameters
    ----------
    documents : PooledDocuments
    relevant : bool array, thresholds × documents
        Which judged documents are relevant.

    Returns
    -------
    float array, thresholds × groups
    """
    counted = documents.judged & _held_by_two(documents)
    chosen = np.stack([counted, *(relevant & counted)])
    shared, known = _held_with_another(documents, chosen), np.count_nonzero(chosen, axis=1)[:, None]
    # Half a document of each kind keeps the rate inside 0 and 1.
    usual = (known[1:] + 0.5) / (known[0] + 1)
    precision = (shared[1:] + _PSEUDO_DOCUMENTS * usual) / (shared[0] + _PSEUDO_DOCUMENTS)
    return np.asarray(np.log(precision / (1 - precision)))


def _held_by_two(documents: PooledDocuments) -> Booleans:
    """Tell which documents one pooled group nominates, any where none is, and another holds."""
    nominators = documents.nominators if documents.nominators.any() else documents.holders
    return np.asarray((nominators > 0) & (documents.holders > 1))


def _held_with_another(documents: PooledDocuments, chosen: Booleans) -> Floats:
    """Count what each group holds of chosen documents that another nominates, choices × groups.

    All that it holds is, but for what it alone nominates.
    """
    parts = zip(_parts(documents.ranks), _parts(chosen.T), strict=True)
    depth = documents.pool.depth
    held = sum(some.T.astype(np.float32) @ (ranks <= depth) for ranks, some in parts)
    owners = documents.owner + 1
    alone = [np.bincount(owners[some], minlength=len(documents.pool.groups) + 1) for some in chosen]
    return np.asarray(held - np.array(alone)[:, 1:], np.float64)
