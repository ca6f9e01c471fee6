"""Scores between two limits as numbers without limits, and back (W10 §4.7.3)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError

__all__ = ["DOMAINS", "EDGE", "Domain", "normal_share"]

EDGE = 0.01
"""How far scores of 0 and 1 are moved inwards, so that they are not infinitely far."""


@dataclass(frozen=True)
class Domain:
    """A way from the scores from 0 to 1 to all numbers, and the way back.

    Examples
    --------
    >>> logit = DOMAINS["logit"]
    >>> logit.spread(np.array([0.0, 0.5, 1.0])).round(2).tolist()
    [-4.6, 0.0, 4.6]
    >>> logit.back(np.array([0.0])).tolist()
    [0.5]
    """

    name: str
    out: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]

    def spread(self, scores: Floats) -> Floats:
        """Return scores without limits; 0 and 1 are taken as ``EDGE`` and 1 − ``EDGE``."""
        if np.nanmin(scores, initial=0.0) < 0 or np.nanmax(scores, initial=1.0) > 1:
            raise OptionError(
                f"mapping: {self.name!r} needs scores from 0 to 1; others are among these. Hint: "
                "use 'normal' or 't1'."
            )
        return self.out(EDGE + (1 - 2 * EDGE) * scores)


def _logit(share: Floats) -> Floats:
    return np.log(share) - np.log1p(-share)


def _logistic(number: Floats) -> Floats:
    from scipy.special import expit  # noqa: PLC0415 -- late: slow to import

    return np.asarray(expit(number))


def _probit(share: Floats) -> Floats:
    from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

    return np.asarray(ndtri(share))


def normal_share(number: Floats) -> Floats:
    """Return the share of a standard normal distribution below a number (W10 eq. 4.11)."""
    from scipy.special import ndtr  # noqa: PLC0415 -- late: slow to import

    return np.asarray(ndtr(number))


DOMAINS = {
    "logit": Domain("logit", _logit, _logistic),
    "probit": Domain("probit", _probit, normal_share),
}
"""Ways to standardize scores that have limits where there are none."""
