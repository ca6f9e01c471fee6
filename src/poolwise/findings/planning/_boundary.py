"""When a test may be repeated as topics come in: a boundary that spends alpha (W10 §5.3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.planning._power import topics_needed, whole_topics
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Column, Table, chosen_table
from poolwise.scores._uncertainty import check_alpha
from poolwise.words import counted

__all__ = ["SequentialBoundary", "planned_looks", "sequential_boundary"]

_GRID = 401
"""Points of the density of a sum that has not crossed the boundary; odd, for Simpson's rule."""
_FAR = 15.0
"""Standard errors beyond which nothing happens by chance."""
_HALVINGS = 60


def _alpha_spent(share: ArrayLike, alpha: float) -> Floats:
    """Return the level that may be used up when a share of the topics is judged."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 -- late: slow to import

    # Lan & DeMets 1983, the spending function like O'Brien & Fleming's, half of alpha on each side
    return np.asarray(4 * ndtr(ndtri(alpha / 4) / np.sqrt(np.minimum(share, 1.0))))


@dataclass(frozen=True, eq=False)
class _Walk:
    """Where a sum of topics' differences, in units of sigma, may be that crossed no boundary yet.

    ``points`` and ``weights`` integrate over its density; ``drift`` is the mean of a topic.
    """

    topics: int = 0
    points: Floats = field(default_factory=lambda: np.zeros(1))
    weights: Floats = field(default_factory=lambda: np.ones(1))
    drift: float = 0.0

    def beyond(self, topics: int, limit: float) -> float:
        """Return the chance to be beyond a limit, on either side, after so many topics."""
        from scipy.special import ndtr  # noqa: PLC0415 -- late: slow to import

        step = np.sqrt(topics - self.topics)
        middle = self.points + self.drift * (topics - self.topics)
        outside = ndtr((-limit - middle) / step) + ndtr((middle - limit) / step)
        return float(self.weights @ outside)

    def limit_for(self, topics: int, chance: float) -> float:
        """Return the limit that is crossed with this chance."""
        low, high = 0.0, _FAR * np.sqrt(topics)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.beyond(topics, middle) > chance else (low, middle)
        return float(high)

    def within(self, topics: int, limit: float) -> "_Walk":
        """Return the walks that are within the limit after so many topics."""
        points = np.linspace(-limit, limit, _GRID)
        simpson = np.where(np.arange(_GRID) % 2, 4.0, 2.0)
        simpson[[0, -1]] = 1.0
        gone = topics - self.topics
        off = (points[:, None] - self.points - self.drift * gone) / np.sqrt(gone)
        density = np.exp(-(off**2) / 2) @ self.weights / np.sqrt(2 * np.pi * gone)
        return _Walk(topics, points, density * simpson * (points[1] - points[0]) / 3, self.drift)


@finding
class SequentialBoundary(Finding):
    """At which p value an experiment may end early, look by look.

    Attributes
    ----------
    alpha : float
        The chance, over all looks together, to find a difference where there is none.
    topics : tuple of int
        Topics judged at each look; the last number is all that are planned.
    level : float array, looks
        The p value of the paired t test at or below which the difference is significant.
    spent : float array, looks
        What of alpha is used up by this look and those before it.

    Examples
    --------
    >>> found = sequential_boundary([20, 40, 60, 80, 100])
    >>> found.level.round(5).tolist()
    [0.0, 0.00079, 0.00736, 0.02203, 0.04225]
    >>> found.sentences()[0]
    'A difference is significant at 20 topics if p ≤ 1.1e-6, at 40 if p ≤ 0.00079, at 60 if
    p ≤ 0.0074, at 80 if p ≤ 0.022, at 100 if p ≤ 0.042.'
    """

    alpha: float
    topics: tuple[int, ...]
    level: Floats
    spent: Floats

    def pvalue(self, topics: int, plain: float) -> float:
        """Return the p value of a look, the looks before it allowed for.

        The chance without a difference to cross the boundary at an earlier look, or to be as far
        from 0 at this one (stagewise ordering). It is at most alpha where the boundary is reached.

        Examples
        --------
        >>> found = sequential_boundary([20, 40, 60])
        >>> round(found.pvalue(20, 0.2), 6), 0.2 < found.pvalue(60, 0.2) < 0.22
        (0.2, True)
        """
        from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

        at = self._position(topics)
        walk, limits = _Walk(), self._limits()
        for n, limit in zip(self.topics[:at], limits[:at], strict=True):
            walk = walk.within(n, limit)
        before = float(self.spent[at - 1]) if at else 0.0
        seen = -float(ndtri(max(plain, 1e-300) / 2)) * np.sqrt(topics)
        return min(before + walk.beyond(topics, seen), 1.0)

    def crossing(self, drift: float) -> float:
        """Return the chance to find a difference of so many deviations per topic: the power."""
        walk, chance = _Walk(drift=drift), 0.0
        for n, limit in zip(self.topics, self._limits(), strict=True):
            chance += walk.beyond(n, limit)
            walk = walk.within(n, limit)
        return chance

    def _limits(self) -> list[float]:
        from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

        return (-ndtri(self.level / 2) * np.sqrt(self.topics)).tolist()

    def _position(self, topics: int) -> int:
        if topics not in self.topics:
            looks = ", ".join(map(str, self.topics))
            raise OptionError(
                f"topics: {topics} is not one of the looks that were planned: {looks}. Hint: test "
                "at those only."
            )
        return self.topics.index(topics)

    def columns(self) -> Columns:
        """Return one row per look."""
        return {
            "topics": list(self.topics),
            "level": self.level.tolist(),
            "spent": self.spent.tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per look."""
        shown = {"topics": Column("topics"), "level": Column("p at most", 6),
                 "spent": Column("alpha spent", 6)}  # fmt: skip
        return (chosen_table(self.columns(), shown, title="Boundary of repeated tests"),)

    def sentences(self) -> tuple[str, ...]:
        """Say at which p value each look may end the experiment."""
        looks = [
            f"at {counted(n, 'topic') if not i else n} if p ≤ {level:#.2g}".replace("e-0", "e-")
            for i, (n, level) in enumerate(zip(self.topics, self.level.tolist(), strict=True))
        ]
        return (
            f"A difference is significant {', '.join(looks)}.",
            (
                f"All looks together find one in {self.alpha:.1%} of experiments without a "
                "difference."
            ),
        )


@recorded
def sequential_boundary(topics: Sequence[int], *, alpha: float = 0.05) -> SequentialBoundary:
    """Return at which p value a paired t test may end an experiment early.

    The level is spent as Lan and DeMets propose, much as O'Brien and Fleming's boundary does: next
    to nothing at first, so that the last look has nearly the whole of it. Looks that were not
    planned are not covered.

    Parameters
    ----------
    topics
        Topics judged at each look, in rising order.

    Returns
    -------
    SequentialBoundary
        The level of each look, and p values that allow for the looks before.

    Examples
    --------
    >>> sequential_boundary([50, 100]).level.round(4).tolist()
    [0.0031, 0.049]
    """
    check_alpha(alpha)
    looks = tuple(int(n) for n in topics)
    if not looks or looks[0] < 2 or any(b <= a for a, b in pairwise(looks)):
        raise OptionError(
            f"topics: looks must be rising numbers of topics, 2 or more; got {list(topics)}. "
            "Hint: use [20, 40, 60]."
        )
    from scipy.special import ndtr  # noqa: PLC0415 -- late: slow to import

    spent = _alpha_spent(np.array(looks) / looks[-1], alpha)
    walk, limits, used = _Walk(), [], 0.0
    for n, total in zip(looks, spent.tolist(), strict=True):
        limits.append(walk.limit_for(n, total - used))
        walk, used = walk.within(n, limits[-1]), total
    level = 2 * ndtr(-np.array(limits) / np.sqrt(looks))
    return SequentialBoundary(
        alpha, looks, level, spent, provenance=WITHOUT_FILES.with_options(alpha=alpha)
    )


def planned_looks(
    effect_size: float, every: int, *, power: float = 0.8, alpha: float = 0.05
) -> tuple[int, ...]:
    """Return the looks of an experiment that tests after every so many topics, and has the power.

    Examples
    --------
    >>> planned_looks(0.05 / 0.15, 20)
    (20, 40, 60, 75)
    """
    fixed = int(whole_topics(float(topics_needed(effect_size, power=power, alpha=alpha))))
    last = max(fixed, every)
    # The boundary costs a few topics, of which each is tried: the power rises with every one.
    while True:
        looks = (*range(every, last, every), last)
        found = sequential_boundary(looks, alpha=alpha)
        # By the normal law, so the t test's own loss is kept: it is in the fixed number.
        if found.crossing(_normal_drift(fixed, power, alpha)) >= power:
            return looks
        last += 1


def _normal_drift(topics: int, power: float, alpha: float) -> float:
    """Return the drift that one normal test of so many topics finds with the power wanted."""
    from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

    return float((ndtri(1 - alpha / 2) + ndtri(power)) / np.sqrt(topics))
