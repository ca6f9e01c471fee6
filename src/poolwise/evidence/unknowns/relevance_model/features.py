"""What is known of a document before anyone judges it: who ranks it where, and how good they are.

Ranks are best ranks in groups of runs, since runs of one group repeat each other. A new run's own
group counts as any other, so that judged documents of one group alone show what those of the new
group may be like.
"""

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
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
_PART = 1 << 13
"""Documents at a time."""


def document_features(documents: PooledDocuments, relevant: Booleans) -> Floats:
    """Return documents × features, in the order of ``FEATURES``.

    Parameters
    ----------
    documents : PooledDocuments
    relevant : bool array, documents
        Which judged documents are relevant.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.evidence.unknowns.relevance_model.pool_shape import find_pool
    >>> from poolwise.evidence.unknowns.relevance_model.pooled_documents import gather_documents
    >>> evidence = Evidence.from_grades([[1, None, 0]])
    >>> found = gather_documents(evidence, find_pool(evidence, depth=2))
    >>> document_features(found, found.codes > 0)[:, 1].round(2).tolist()
    [0.0, 0.69, 1.1]
    """
    of_group = group_quality(documents, relevant)
    # A part at a time stays in the cache.
    parts = np.split(documents.ranks, range(_PART, len(documents), _PART))
    quality = np.concatenate([_mean_quality(ranks, of_group) for ranks in parts])
    judged = np.bincount(
        documents.topics[documents.judged], minlength=len(documents.evidence.topics)
    )
    return np.column_stack([documents.profile, quality, np.log1p(judged)[documents.topics]])


def _mean_quality(ranks: NDArray[np.float32], of_group: Floats) -> Floats:
    """Return the mean quality of the groups that hold each document, those on top most."""
    weights = 1 / ranks
    return np.asarray(weights @ of_group / weights.sum(axis=1))


def group_quality(documents: PooledDocuments, relevant: Booleans) -> Floats:
    """Return the log odds of relevance of what each group holds together with another pooled one.

    What a group alone holds was judged only if it was pooled, and what it shares with a new group
    only if one of the two was; what it shares with another pooled group was judged in any case,
    so that pooled and new groups compare.
    """
    judged = np.flatnonzero(documents.judged)
    shared, found = _held_by_another(documents, judged), relevant[judged]
    known = shared.any(axis=1)
    # Half a document of each kind keeps the rate inside 0 and 1.
    usual = (np.count_nonzero(found[known]) + 0.5) / (np.count_nonzero(known) + 1)
    precision = (np.count_nonzero(shared[found], axis=0) + _PSEUDO_DOCUMENTS * usual) / (
        np.count_nonzero(shared, axis=0) + _PSEUDO_DOCUMENTS
    )
    return np.asarray(np.log(precision / (1 - precision)))


def _held_by_another(documents: PooledDocuments, rows: Indices) -> Booleans:
    """Tell what each group holds that another pooled one nominates; any other, where none is."""
    held = documents.ranks[rows] <= documents.pool.depth
    nominated = documents.nominated[rows] if documents.nominated.any() else held
    count = np.count_nonzero(nominated, axis=1)[:, None]
    return np.asarray(held & ((count > 1) | ((count == 1) & ~nominated)))
