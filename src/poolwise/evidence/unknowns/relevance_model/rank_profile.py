"""What the ranks of a document alone say of it."""

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats

__all__ = ["RANK_FEATURES", "rank_profile"]

RANK_FEATURES = (
    "log of the summed 1/(60 + rank)",
    "log of the best rank",
    "log of the second-best rank",
    "log of 1 + groups to depth 100",
    "log of 1 + groups at any depth",
)
"""What the columns of :func:`rank_profile` are."""

_SMOOTHING = 60
"""Cormack, Clarke and Büttcher's constant of reciprocal rank fusion."""
_ABSENT = 3
"""How many list lengths down a document stands in a group that does not hold it."""
_PART = 1 << 13
"""Documents at a time."""


def rank_profile(ranks: NDArray[np.float32], longest: int) -> Floats:
    """Return documents × features, in the order of ``RANK_FEATURES``.

    Parameters
    ----------
    ranks : float32 array, documents × groups
        The best rank of each document in each group; ∞ where none of its runs holds it.
    longest : int
        Length of the longest list.

    Examples
    --------
    >>> rank_profile(np.array([[1, np.inf], [2, 3]], np.float32), 10)[:, 1:3].round(2).tolist()
    [[0.0, 3.4], [0.69, 1.1]]
    """
    # A part at a time, since with many groups the ranks are most of what a model takes in memory.
    parts = np.split(ranks, range(_PART, len(ranks), _PART))
    return np.concatenate([_profile(part, float(_ABSENT * longest)) for part in parts])


def _profile(ranks: NDArray[np.float32], absent: float) -> Floats:
    nearest = np.full((len(ranks), 2), absent)
    lowest = np.partition(ranks, min(1, ranks.shape[1] - 1), axis=1)[:, :2]
    nearest[:, : lowest.shape[1]] = np.minimum(lowest, absent)
    columns = [
        np.log((1 / (_SMOOTHING + ranks.astype(np.float64))).sum(axis=1)),
        np.log(nearest[:, 0]),
        np.log(nearest[:, 1]),
        np.log1p((ranks <= 100).sum(axis=1)),
        np.log1p(np.isfinite(ranks).sum(axis=1)),
    ]
    return np.stack(columns, axis=1)
