"""The kinds of arrays that numbers come in, and how near two numbers count as equal."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["TOLERANCE", "Booleans", "Floats", "Indices", "Integers"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
"""Positions, as numpy indexes by them."""
Booleans = NDArray[np.bool_]

TOLERANCE = 1e-12
"""Numbers that differ by less, relative to those they were computed from, are equal."""
