"""What is known of a document before anyone judges it: who ranks it where, and how good they are.

Ranks are best ranks in groups of runs, since runs of one group repeat each other. A new run's own
group counts as any other, so that judged documents of one group alone show what those of the new
group may be like.
"""

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.evidence.unknowns.relevance_model.pooled_documents import PooledDocuments

__all__ = ["AGREEMENT", "FEATURES", "QUALITY", "document_features", "group_quality"]

FEATURES = (
    "log of the summed 1/(60 + rank)",
    "log of the best rank",
    "log of the second-best rank",
    "log of 1 + groups to depth 100",
    "log of 1 + groups at any depth",
    "quality of the groups that hold it",
    "log of the topic's judged documents",
)
"""What the columns of :func:`document_features` are."""

AGREEMENT, QUALITY = 0, 5
"""The columns whose effect differs by topic, and whose product is a further column."""

_SMOOTHING = 60
"""Cormack, Clarke and Büttcher's constant of reciprocal rank fusion."""
_PSEUDO_DOCUMENTS = 20
"""Documents of average precision that a group starts with."""
_ABSENT = 3
"""How many list lengths down a document stands in a group that does not hold it."""


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
    ranks, held = documents.ranks, np.isfinite(documents.ranks)
    absent = float(_ABSENT * documents.evidence.depth)
    nearest = np.sort(np.where(held, ranks, absent), axis=1)
    judged = np.bincount(
        documents.topics[documents.judged], minlength=len(documents.evidence.topics)
    )
    columns = [
        np.log((1 / (_SMOOTHING + ranks)).sum(axis=1)),
        np.log(nearest[:, 0]),
        np.log(nearest[:, 1] if nearest.shape[1] > 1 else np.full(len(ranks), absent)),
        np.log1p((ranks <= 100).sum(axis=1)),
        np.log1p(held.sum(axis=1)),
        ((1 / ranks) @ group_quality(documents, relevant)) / (1 / ranks).sum(axis=1),
        np.log1p(judged)[documents.topics],
    ]
    return np.stack(columns, axis=1)


def group_quality(documents: PooledDocuments, relevant: Booleans) -> Floats:
    """Return the log odds of relevance of what each group nominates together with another.

    What a group alone nominates was judged only if the group was pooled; what it shares was judged
    in any case, so that pooled and new groups compare.
    """
    nominated = documents.ranks <= documents.pool.depth
    shared = documents.judged & (nominated.sum(axis=1) > 1)
    of_group = nominated[shared].astype(np.float64)
    # Half a document of each kind keeps the rate inside 0 and 1.
    usual = (relevant[shared].sum() + 0.5) / (shared.sum() + 1)
    precision = (of_group.T @ relevant[shared] + _PSEUDO_DOCUMENTS * usual) / (
        of_group.sum(axis=0) + _PSEUDO_DOCUMENTS
    )
    return np.asarray(np.log(precision / (1 - precision)))
