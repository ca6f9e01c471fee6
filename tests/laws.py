"""How many examples a heavy law is tried on: a sixth of them in CI, all of them in ``make soak``.

A law that takes no time keeps the number that Hypothesis or the law itself says.
"""

import os

__all__ = ["SOAK", "heavy"]

SOAK = os.environ.get("POOLWISE_SOAK") == "1"


def heavy(examples: int) -> int:
    """Return how many of these examples are tried here.

    Examples
    --------
    >>> heavy(150) in (25, 150)
    True
    """
    return examples if SOAK else -(-examples // 6)
