"""What is known of a document before anyone judges it: who ranks it where, and how good they are.

Ranks are best ranks in groups of runs, since runs of one group repeat each other. A new run's own
group counts as any other, so that judged documents of one group alone show what those of the new
group may be like.
"""

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
    """Return the log odds of relevance of what each group nominates together with another.

    What a group alone nominates was judged only if the group was pooled; what it shares was judged
    in any case, so that pooled and new groups compare.
    """
    judged = np.flatnonzero(documents.judged)
    nominated = documents.ranks[judged] <= documents.pool.depth
    shared = np.count_nonzero(nominated, axis=1) > 1
    # Counts as float32 are exact far beyond the size of any pool.
    of_group, found = nominated[shared].astype(np.float32), relevant[judged][shared]
    # Half a document of each kind keeps the rate inside 0 and 1.
    usual = (found.sum() + 0.5) / (len(found) + 1)
    precision = (of_group[found].sum(axis=0, dtype=np.float64) + _PSEUDO_DOCUMENTS * usual) / (
        of_group.sum(axis=0, dtype=np.float64) + _PSEUDO_DOCUMENTS
    )
    return np.asarray(np.log(precision / (1 - precision)))
