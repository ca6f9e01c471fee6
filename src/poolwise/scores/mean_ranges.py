"""The range of a mean over topics, some of which may yet enter it."""

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.measures._ranges import Bounds

__all__ = ["may_enter", "mean_range"]


def may_enter(value: Floats, lower: Floats) -> Booleans:
    """Return which topics have no score now and can get one, rows × topics.

    A topic without a known relevant document has no recall-based score; if an unjudged document
    there turns out relevant, it has.
    """
    return np.isnan(value) & ~np.isnan(lower)


def mean_range(value: Floats, lower: Floats, upper: Floats) -> Bounds:
    """Return the range of the mean of each row over the topics that count.

    Topics are graded apart from each other, so each of those defined now is at its own end. Of
    the others each may be left out, or enter with any score it could have: for the lower end those
    with the smallest scores enter, as long as the mean falls.

    Parameters
    ----------
    value : float array, rows × topics
        The scores now; a topic counts if all rows have one.
    lower, upper : float array, rows × topics
        The range of each topic; NaN where it has none.

    Examples
    --------
    Two topics at 0.5, and one that may enter with 0.2 to 0.3: the mean may fall to 0.4, and need
    not fall at all.

    >>> value = np.array([[0.5, 0.5, np.nan]])
    >>> low, high = np.array([[0.5, 0.5, 0.2]]), np.array([[0.5, 0.5, 0.3]])
    >>> [end.round(2).item() for end in mean_range(value, low, high)]
    [0.4, 0.5]
    """
    defined = np.asarray(~np.isnan(value).any(axis=0))
    counted = defined | may_enter(value, lower)
    low, high = (np.where(counted, end, np.nan) for end in (lower, upper))
    return Bounds(_lowest(low, defined), 0.0 - _lowest(0.0 - high, defined))


def _lowest(values: Floats, defined: Booleans) -> Floats:
    now, others = values[:, defined], np.sort(values[:, ~defined], axis=1)
    known = now.shape[1]
    total = now.sum(axis=1, keepdims=True) + np.cumsum(others, axis=1)
    means = total / (known + np.arange(1, others.shape[1] + 1))
    mean = now.mean(axis=1) if known else np.full(len(values), np.nan)
    # Undefined numbers come last in each row, and are passed over.
    return np.fmin.reduce(np.column_stack([mean, means]), axis=1)
