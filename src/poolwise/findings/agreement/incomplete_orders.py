"""How alike two orders are of which some places are not known."""

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["tau_where_known"]


def tau_where_known(x: ArrayLike, y: ArrayLike) -> float:
    """Return Kendall's τ_b of two arrays of one shape, over the places where both have a number.

    Examples
    --------
    >>> nan = float("nan")
    >>> round(tau_where_known([1, 2, nan, 4, 3], [2, 4, 1, 6, nan]), 3)
    1.0
    """
    from scipy.stats import kendalltau  # noqa: PLC0415 -- late: scipy is slow to import

    one, other = (np.asarray(values, np.float64).ravel() for values in (x, y))
    known = ~(np.isnan(one) | np.isnan(other))
    if known.sum() < 2:
        return float("nan")  # one value has no order
    return float(kendalltau(one[known], other[known]).statistic)
