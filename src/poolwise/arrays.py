"""The kinds of arrays that numbers come in."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Booleans", "Floats", "Indices", "Integers"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
"""Positions, as numpy indexes by them."""
Booleans = NDArray[np.bool_]
