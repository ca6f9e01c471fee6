"""When a test may be repeated as topics come in: a boundary that spends alpha (W10 §5.3.3)."""

from collections.abc import Iterator, Sequence
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
_PATHS, _SEED = 200_000, 20
"""Experiments whose t tests are simulated; the same ones always, so that levels are a function."""
_FEW = 20
"""So few of them that end at a look say nothing about its level."""


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


def _crossing(looks: Sequence[int], limits: Sequence[float], drift: float) -> float:
    """Return the chance to be beyond a limit at any of the looks."""
    walk, chance = _Walk(drift=drift), 0.0
    for n, limit in zip(looks, limits, strict=True):
        chance += walk.beyond(n, limit)
        walk = walk.within(n, limit)
    return chance


@finding
class SequentialBoundary(Finding):
    """At which p value an experiment may end early, look by look.

    Attributes
    ----------
    alpha : float
        The chance, over all looks together, to find a difference where there is none.
    topics : tuple of int
        Topics judged at each look; the last number is all that are planned.
    critical : float array, looks
        The size that a normal test statistic must have, sigma being known.
    level : float array, looks
        The p value of the paired t test at or below which the difference is significant: as many
        experiments without a difference end at each look as by the normal statistic.
    spent : float array, looks
        What of alpha is used up by this look and those before it.

    Examples
    --------
    >>> boundary = sequential_boundary([20, 40, 60, 80, 100])
    >>> boundary.level.round(5).tolist()
    [0.0, 0.00078, 0.00763, 0.02195, 0.04177]
    >>> boundary.critical.round(3).tolist()
    [4.877, 3.357, 2.68, 2.29, 2.031]
    >>> boundary.sentences()[0]
    'A difference is significant at 20 topics if p ≤ 1.1e-6, at 40 if p ≤ 0.00078, at 60 if
    p ≤ 0.0076, at 80 if p ≤ 0.022, at 100 if p ≤ 0.042.'
    """

    alpha: float
    topics: tuple[int, ...]
    critical: Floats
    level: Floats
    spent: Floats

    def pvalue(self, topics: int, plain: float) -> float:
        """Return the p value of a look, the looks before it allowed for.

        The chance without a difference to cross the boundary at an earlier look, or to be as far
        from 0 at this one (stagewise ordering). It is at most alpha where the boundary is reached.

        Examples
        --------
        >>> boundary = sequential_boundary([20, 40, 60])
        >>> round(boundary.pvalue(20, 0.2), 6), 0.2 < boundary.pvalue(60, 0.2) < 0.22
        (0.2, True)
        """
        from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

        at = self._position(topics)
        walk, limits = _Walk(), self._limits()
        for n, limit in zip(self.topics[:at], limits[:at], strict=True):
            walk = walk.within(n, limit)
        before = float(self.spent[at - 1]) if at else 0.0
        # at the level of this look it is the critical size, whatever t differs from the normal law
        size = ndtri(max(plain, 1e-300) / 2) / ndtri(self.level[at] / 2) * self.critical[at]
        return min(before + walk.beyond(topics, float(size) * np.sqrt(topics)), 1.0)

    def crossing(self, drift: float) -> float:
        """Return the chance to find a difference of so many deviations per topic: the power."""
        return _crossing(self.topics, self._limits(), drift)

    def _limits(self) -> list[float]:
        return (self.critical * np.sqrt(self.topics)).tolist()

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
            "critical": self.critical.tolist(),
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
    critical, spent = _critical(looks, alpha)
    return SequentialBoundary(
        alpha, looks, critical, _levels(looks, critical), spent,
        provenance=WITHOUT_FILES.with_options(alpha=alpha),
    )  # fmt: skip


def _critical(looks: tuple[int, ...], alpha: float) -> tuple[Floats, Floats]:
    """Return the sizes at which a normal statistic ends the experiment, and the alpha spent."""
    spent = _alpha_spent(np.array(looks) / looks[-1], alpha)
    walk, limits, used = _Walk(), [], 0.0
    for n, total in zip(looks, spent.tolist(), strict=True):
        limits.append(walk.limit_for(n, total - used))
        walk, used = walk.within(n, limits[-1]), total
    return np.array(limits) / np.sqrt(looks), spent


def _levels(looks: tuple[int, ...], critical: Floats) -> Floats:
    """Return the p values of t tests by which as many experiments end as by the normal statistic.

    A t test repeated is not the normal one: sigma is estimated anew at every look. Both are made of
    the same simulated experiments, so that the level of a look is off by little.
    """
    from scipy.special import ndtr, stdtr  # noqa: PLC0415 -- late: slow to import

    levels = 2 * ndtr(-critical)
    known, estimated = (np.ones(_PATHS, np.bool_) for _ in range(2))
    for i, (n, mean, squares) in enumerate(_experiments(looks)):
        ended = known & (np.abs(mean) * np.sqrt(n) > critical[i])
        p = 2 * stdtr(n - 1, -np.abs(mean) * np.sqrt(n * (n - 1) / squares))
        # the first test is like any other: its level is exact
        if i and ended.sum() > _FEW:
            levels[i] = np.partition(p[estimated], ended.sum())[ended.sum()]
        known &= ~ended
        estimated &= p > levels[i]
    return np.asarray(levels)


def _experiments(looks: tuple[int, ...]) -> Iterator[tuple[int, Floats, Floats]]:
    """Yield for each look its topics, and the means and sums of squares of normal differences."""
    rng = np.random.default_rng(_SEED)
    mean, squares = np.zeros(_PATHS), np.zeros(_PATHS)
    for before, n in pairwise((0, *looks)):
        added = n - before
        off = rng.normal(0, 1 / np.sqrt(added), _PATHS) - mean
        within = rng.chisquare(added - 1, _PATHS) if added > 1 else 0.0
        squares = squares + within + off**2 * before * added / n
        mean = mean + off * added / n
        yield n, mean, squares


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
        limits = _critical(looks, alpha)[0] * np.sqrt(looks)
        # By the normal law, so the t test's own loss is kept: it is in the fixed number.
        if _crossing(looks, limits.tolist(), _normal_drift(fixed, power, alpha)) >= power:
            return looks
        last += 1


def _normal_drift(topics: int, power: float, alpha: float) -> float:
    """Return the drift that one normal test of so many topics finds with the power wanted."""
    from scipy.special import ndtri  # noqa: PLC0415 -- late: slow to import

    return float((ndtri(1 - alpha / 2) + ndtri(power)) / np.sqrt(topics))
