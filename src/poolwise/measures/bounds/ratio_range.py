"""How large a normalized gain can become as grades are unknown: a small fractional programme."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Integers, distinct
from poolwise.measures.bounds.ranges import Bounds

__all__ = ["Ideal", "gain_levels", "largest_ratio", "ratio_bounds"]


@dataclass(frozen=True, eq=False)
class Ideal:
    """What the best possible ranking is worth, by the number of documents at each gain level.

    Attributes
    ----------
    levels : float array, levels
        The distinct gains above 0, ascending.
    judged : int array, … × levels
        How many judged documents have at least each gain.
    table : float array
        ``table[m]`` is the weight of the first ``m`` ranks of the ideal ranking; concave in ``m``.
    """

    levels: Floats
    judged: Integers
    table: Floats

    @property
    def steps(self) -> Floats:
        """Return how much each level adds to the one below it."""
        return np.diff(self.levels, prepend=0.0)

    def weight(self, level: int, added: Integers) -> Floats:
        """Return the ideal weight of one level when so many documents are added to it."""
        return self.table[self.judged[..., level, None] + added]

    def repeated(self, shape: tuple[int, ...]) -> "Ideal":
        """Return the ideals of the topics once more for each system, or for chosen ones."""
        judged = np.broadcast_to(self.judged, (*shape, len(self.levels)))
        return Ideal(self.levels, judged, self.table)


def gain_levels(gains: Floats) -> Floats:
    """Return the distinct gains above 0: what an unjudged document may have besides nothing.

    Examples
    --------
    >>> gain_levels(np.array([0.0, 1.0, 1.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    return distinct(gains[gains > 0])


def ratio_bounds(
    known: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Bounds:
    """Return the range of a normalized gain, from running sums with the heaviest documents first.

    The lower bound is minus the largest value of minus the ratio, the lightest documents first.
    """
    lost = gained[..., ::-1] - gained[..., -1:]
    lightest = added[..., -1:] - added[..., ::-1]
    return Bounds(
        lower=0.0 - largest_ratio(-known, lost, lightest, ideal),
        upper=largest_ratio(known, gained, added, ideal),
    )


def largest_ratio(
    known: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Floats:
    """Return the largest (known + gain of unjudged documents) / ideal over all their grades.

    Parameters
    ----------
    known : float array, …
        What the judged documents are worth; may be negative (a difference of two runs).
    gained, added : arrays, … × choices
        ``gained[…, j]`` is the weight that ``added[…, j]`` unjudged documents have together when
        they are chosen for the largest weight; the first choice is (0, 0). Choices that lie
        between two others of the same weight may be left out.
    ideal : Ideal
        The denominator. It counts the added documents too.

    Notes
    -----
    With m_h unjudged documents of gain at least level h, m_1 ≥ m_2 ≥ …, and Δ_h the steps between
    the levels, the ratio is (known + Σ Δ_h C(m_h)) / Σ Δ_h D(J_h + m_h): for given numbers the
    heaviest documents are best at every level at once. C and D are concave. Call the largest
    ratio λ; it is reached where Σ Δ_h f_h(m_h) is largest, f_h(m) = C(m) − λ D(J_h + m)
    (Dinkelbach 1967). Since J_1 ≥ J_2 ≥ … and D is concave,

    - if λ ≥ 0, f_h(m + 1) − f_h(m) falls as h rises, so the separate maxima of the levels already
      obey m_1 ≥ m_2 ≥ …, and each level is one scan;
    - if λ < 0, every f_h is concave and the separate maxima stand in the opposite order, so under
      the chain they all fall together: m_1 = m_2 = …, that is, each unjudged document has either
      the highest grade or none.

    So scan the second form first; where it gives λ ≥ 0 and there are several levels, start
    Dinkelbach's iteration from it. Gradings without any relevant document have no score and are
    left out; where there is no other grading the result is NaN. (If nothing judged is relevant,
    all f_h are the same function and the second form is exact again.)
    """
    best = _best_extreme(known, gained, added, ideal)
    if len(ideal.levels) > 1:
        rising = best > 0
        best[rising] = _climb(
            best[rising],
            known[rising],
            gained[rising],
            added[rising],
            Ideal(ideal.levels, ideal.judged[rising], ideal.table),
        )
    return best


def _best_extreme(
    known: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Floats:
    """Return the largest ratio when each unjudged document has the highest grade or none."""
    if not len(ideal.levels):
        return np.full(known.shape, np.nan)
    worth = known[..., None] + ideal.levels[-1] * gained
    total = ideal.steps[0] * ideal.weight(0, added)
    for h, step in enumerate(ideal.steps[1:], start=1):
        total += step * ideal.weight(h, added)
    ratio = np.divide(worth, total, out=np.full(worth.shape, np.nan), where=total > 0)
    return np.fmax.reduce(ratio, axis=-1)


def _climb(
    ratio: Floats,
    known: Floats,
    gained: Floats,
    added: Integers,
    ideal: Ideal,
) -> Floats:
    """Raise the ratio by Dinkelbach's iteration until no grading gives more."""
    while True:
        worth, total = known.copy(), np.zeros_like(known)
        for h, step in enumerate(ideal.steps):
            weight = ideal.weight(h, added)
            at = np.argmax(gained - ratio[..., None] * weight, axis=-1, keepdims=True)
            worth += step * np.take_along_axis(gained, at, axis=-1)[..., 0]
            total += step * np.take_along_axis(weight, at, axis=-1)[..., 0]
        reached = np.divide(worth, total, out=ratio.copy(), where=total > 0)
        if not (reached > ratio).any():
            return ratio
        ratio = np.maximum(ratio, reached)
