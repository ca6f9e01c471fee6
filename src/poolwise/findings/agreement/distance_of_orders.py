"""How far an order of systems is from scores, over topics: d_rank of Carterette (W10 §3.3.6)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, generator, levels, tolerance
from poolwise.errors import InputError, OptionError, require_draws
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["OrderDistance", "order_distance", "order_distances"]


@finding
class OrderDistance(Finding):
    """How far the order by one measure is from the scores of another, over the same topics.

    Attributes
    ----------
    first, second : Measure
        The measure that scores the systems, and the one that orders them.
    systems, topics : int
        How many systems are ordered, and on how many topics they have scores.
    value : float
        The distance d_rank, in standard errors: 0 where both measures order systems alike.
    drawn : float array
        The distance of the orders by the first measure itself on topics drawn anew.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.7, 0.6], [0.3, 0.6, 0.4]])
    >>> names = {"systems": "ab", "topics": "123"}
    >>> first = ScoreTable.from_matrix(scores, measure="AP", **names)
    >>> second = ScoreTable.from_matrix(1 - scores, measure="RR", **names)
    >>> round(order_distance(first, second, shrinkage=0).value, 2)  # the t of the paired t test
    5.0
    """

    first: Measure
    second: Measure
    systems: int
    topics: int
    value: float
    drawn: Floats

    @property
    def pvalue(self) -> float:
        """How often the first measure orders systems at least so differently on other topics."""
        if math.isnan(self.value):
            return float("nan")
        beyond = int((self.drawn >= self.value * (1 - 1e-9)).sum())
        return (beyond + 1) / (len(self.drawn) + 1)

    def columns(self) -> Columns:
        """Return one row: the distance and its p value."""
        return {
            "first": [str(self.first)],
            "second": [str(self.second)],
            "systems": [self.systems],
            "topics": [self.topics],
            "d_rank": [self.value],
            "p_value": [self.pvalue],
            "resamples": [len(self.drawn)],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far the order is, and whether other topics would move the scores as far."""
        if math.isnan(self.value):
            of = f"{counted(self.systems, 'system')} on {counted(self.topics, 'topic')}"
            return (f"{of} have no distance: their differences in {self.first} do not vary.",)
        return (
            (
                f"The order of {counted(self.systems, 'system')} by {self.second} is at a distance "
                f"d_rank = {self.value:.2f} from their scores by {self.first}; orders by "
                f"{self.first} on topics drawn anew are at least as far in "
                f"{self.pvalue:.1%} of the draws."
            ),
        )


def order_distance(
    first: ScoreTable,
    second: ScoreTable,
    *,
    shrinkage: float | None = None,
    resamples: int = 1000,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> OrderDistance:
    """Return how far the order by one table is from the scores of another: d_rank.

    It is the distance, in the covariance of systems over topics, from the mean scores of the first
    table to the nearest means that are in the order of the second (Carterette 2009, W10 §3.3.6).
    So it costs little to swap two systems whose scores differ by chance, and much to swap two
    whose scores go up and down together. Systems tied in the second order stand in that of the
    first. The p value asks how often the first measure is as far from itself on other topics.

    Parameters
    ----------
    first, second : ScoreTable
        Scores of the same systems on the same topics; the first is the reference.
    shrinkage : float, optional
        How far the covariance is drawn to equal variances without covariances, from 0 to 1: by
        default as far as Ledoit and Wolf (2004) have it. With 0 it is d_rank as published, which
        takes more topics than systems.
    resamples : int
        How often topics are drawn anew, for the p value.
    rng : int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    OrderDistance
        The distance, and those of orders by the first measure on topics drawn anew.

    Examples
    --------
    >>> rows = np.random.default_rng(1).random((6, 20)) / 5 + np.arange(6)[:, None] / 10
    >>> names = {"systems": "abcdef", "topics": [str(i) for i in range(20)]}
    >>> first = ScoreTable.from_matrix(rows, measure="AP", **names)
    >>> turned = ScoreTable.from_matrix(-rows, measure="RR", **names)
    >>> order_distance(first, first).value, order_distance(first, turned).pvalue < 0.01
    (0.0, True)
    """
    (found,) = order_distances(first, [second], shrinkage=shrinkage, resamples=resamples, rng=rng)
    return found


def order_distances(
    first: ScoreTable,
    others: Sequence[ScoreTable],
    *,
    shrinkage: float | None = None,
    resamples: int = 1000,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> tuple[OrderDistance, ...]:
    """Return the distance of each other order from the scores of the first table, over one draw."""
    require_draws(resamples)
    x, *orders = _same_cells(first, others)
    scored = _ScoredSystems.of(x, shrinkage) if _vary(x) else None
    drawn = scored.distances_of_draws(x, resamples, generator(rng)) if scored else np.empty(0)
    origin = first.provenance.with_options(
        shrinkage="Ledoit-Wolf" if shrinkage is None else shrinkage,
        resamples=resamples,
        **seed_option(rng),
    )
    return tuple(
        OrderDistance(
            first=first.measure,
            second=other.measure,
            systems=len(x),
            topics=x.shape[1],
            value=scored.distance_to(y.mean(axis=1)) if scored else float("nan"),
            drawn=drawn,
            provenance=origin,
        )
        for other, y in zip(others, orders, strict=True)
    )


@dataclass(frozen=True, eq=False)
class _ScoredSystems:
    """Mean scores of systems and their covariance, from which orders have a distance.

    ``error`` is the covariance of the means over samples of topics, as far as systems differ.
    """

    means: Floats
    error: Floats
    shrinkage: float

    @classmethod
    def of(cls, scores: Floats, shrinkage: float | None = None) -> "_ScoredSystems":
        """Take the scores of systems × topics."""
        systems, topics = scores.shape
        # What all systems gain on an easy topic is in no difference of two.
        off = scores - scores.mean(axis=0)
        off -= off.mean(axis=1, keepdims=True)
        share = _shrinkage(off) if shrinkage is None else shrinkage
        covariance = off @ off.T / (topics - 1)
        level = np.trace(covariance) / (systems - 1)
        error = ((1 - share) * covariance + share * level * np.eye(systems)) / topics
        return cls(scores.mean(axis=1), error, share)

    def distance_to(self, scores: Floats) -> float:
        """Return the distance to the nearest means that are in the order of these scores."""
        from scipy.linalg import solve_triangular  # noqa: PLC0415 -- late: scipy is slow to import
        from scipy.optimize import nnls  # noqa: PLC0415 -- as above

        order = np.lexsort((-self.means, -levels(scores, tolerance(scores))))
        steps = -np.diff(self.means[order])
        if (steps >= 0).all():
            return 0.0
        # Means in this order have steps of 0 or more: least squares without negative numbers.
        root = self._root(order)
        whitened = solve_triangular(root, np.column_stack([np.eye(len(steps)), steps]), lower=True)
        return float(nnls(whitened[:, :-1], whitened[:, -1])[1])

    def distances_of_draws(self, scores: Floats, draws: int, random: np.random.Generator) -> Floats:
        """Return the distances to the orders that topics drawn with replacement give."""
        topics = scores.shape[1]
        shares = random.multinomial(topics, np.full(topics, 1 / topics), size=draws) / topics
        drawn = counting(shares @ scores.T, "draws ranked", draws)
        return np.array([self.distance_to(means) for means in drawn])

    def _root(self, order: np.ndarray) -> Floats:
        """Return the Cholesky root of the covariance of steps from each system to the next."""
        by_order = self.error[np.ix_(order, order)]
        steps = np.diff(np.diff(by_order, axis=0), axis=1)
        try:
            return np.linalg.cholesky(steps)
        except np.linalg.LinAlgError as error:
            raise OptionError(
                f"shrinkage: scores of {counted(len(order), 'system')} on these topics have no "
                f"covariance that can be inverted with {self.shrinkage:g}. Hint: leave out the "
                "shrinkage, or use more topics than systems."
            ) from error


def _shrinkage(off: Floats) -> float:
    """Return the share of equal variances in a covariance that Ledoit and Wolf (2004) choose.

    ``off`` holds the deviations from the means of topics and of systems, systems × topics, which
    leave one dimension fewer than there are systems.
    """
    systems, topics = off.shape
    covariance = off @ off.T / topics
    size = float((covariance**2).sum())
    away = size - float(np.trace(covariance)) ** 2 / (systems - 1)
    noise = float(((off**2).sum(axis=0) ** 2).mean() - size) / topics
    return min(1.0, noise / away) if away > 0 else 1.0


def _vary(scores: Floats) -> bool:
    """Return whether differences of systems vary from topic to topic."""
    differences = scores - scores[:1]
    return bool((np.ptp(differences, axis=1) > tolerance(scores)).any())


def _same_cells(first: ScoreTable, others: Sequence[ScoreTable]) -> list[Floats]:
    """Return the scores of all tables, on the topics on which all are defined."""
    tables = (first, *others)
    if any((t.systems, t.topics) != (first.systems, first.topics) for t in others):
        raise InputError(
            "first, second",
            "both tables must have the same systems and topics",
            value=[(len(table.systems), len(table.topics)) for table in tables],
            remedy="select those that both have, in one order",
        )
    used = np.all([table.defined for table in tables], axis=0)
    return [table.value[:, used] for table in tables]
