"""How far two orders of systems agree at the top."""

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats, levels, tolerances
from poolwise.errors import InputError
from poolwise.findings.agreement.rank_correlation import checked_scores
from poolwise.findings.similarity.rank_agreement import (
    Placements,
    checked_persistence,
    checked_ties,
    overlap_one_to_many,
)

__all__ = ["order_overlap"]


def order_overlap(
    first: ArrayLike, second: ArrayLike, *, p: float = 0.9, ties: str = "w"
) -> Floats:
    """Return the rank-biased overlap of one order of systems with one or many others.

    The orders hold the same systems, so the overlap is complete past their end (U18 §3.3).

    Parameters
    ----------
    first
        Scores of the systems, higher is better.
    second
        Scores of the same systems along the last axis; leading axes are other orders.
    p, ties
        As in :func:`~poolwise.rank_biased_overlap`; level scores are ties.

    Returns
    -------
    float array
        The overlap with each of the other orders, 1 where the two are the same.

    Examples
    --------
    >>> order_overlap([0.3, 0.2, 0.1], [[0.5, 0.4, 0.3], [0.1, 0.2, 0.3]], p=0.5).tolist()
    [1.0, 0.375]
    """
    x, y = checked_scores(first, second)
    if x.ndim > 1:
        raise InputError(
            "first",
            "one order is compared with many",
            value=x.shape,
            remedy="compare each of its rows in turn",
        )
    p, ties = checked_persistence(p), checked_ties(ties)
    scores = np.vstack([x, y.reshape(int(np.prod(y.shape[:-1])), len(x))])
    scores = levels(scores, tolerances(scores))
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    tied = np.zeros(ranked.shape, np.bool_)
    tied[:, 1:] = (ranked[:, 1:] == ranked[:, :-1]) & (ties != "broken")
    lists = Placements.from_lists(list(order), list(tied), documents=len(x))
    found = overlap_one_to_many(lists, 0, slice(1, None), p=p, ties=ties)
    return found.ext.reshape(y.shape[:-1])
