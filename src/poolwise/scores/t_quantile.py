"""The one quantile that every score table needs."""

import math

__all__ = ["t_quantile"]

_MOST_STEPS = 1000
_PRECISION = 1e-15


def t_quantile(degrees: int, level: float) -> float:
    """Return ``t`` such that Student's t lies within ±t with this probability.

    ``scipy.special`` has it for any degrees of freedom; importing that takes longer than all else
    that ``poolwise evaluate`` does to a run.

    Examples
    --------
    >>> round(t_quantile(49, 0.95), 6)
    2.009575
    """
    if level >= 1:
        return math.inf
    # With t = √ν tan θ the probability is concave in θ: Newton's steps from 0 never pass the root.
    gammas = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
    slope = 2 / math.sqrt(math.pi) * gammas
    angle = 0.0
    for _ in range(_MOST_STEPS):
        step = (level - _within(angle, degrees)) / (slope * math.cos(angle) ** (degrees - 1))
        angle += step
        if step <= angle * _PRECISION:
            break
    return math.sqrt(degrees) * math.tan(angle)


def _within(angle: float, degrees: int) -> float:
    """Return the probability of ±√ν tan θ for whole ν (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    odd = degrees % 2
    term = total = 1.0
    square = math.cos(angle) ** 2
    for j in range(1, (degrees - odd) // 2):
        term *= square * (2 * j - 1 + odd) / (2 * j + odd)
        total += term
    if not odd:
        return math.sin(angle) * total
    series = math.sin(angle) * math.cos(angle) * total if degrees > 1 else 0.0
    return 2 / math.pi * (angle + series)
