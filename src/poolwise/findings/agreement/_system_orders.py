"""How far measures order the same systems alike, and whether that holds on other topics."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist

import numpy as np

from poolwise.arrays import Floats, generator, levels, tolerance
from poolwise.errors import InputError, OptionError, require_draws
from poolwise.findings.agreement._rank_correlation import (
    correlate_within,
    tau_difference,
    tau_pvalue,
)
from poolwise.measures._derived import External
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, OF_SCORES, Provenance, seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._progress import counting
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_level
from poolwise.words import are, counted, range_text

__all__ = [
    "MeasureOrders",
    "OrderCorrelation",
    "OrderDistance",
    "OrderLag",
    "correlate_orders",
    "measure_orders",
    "order_distance",
    "order_distances",
]


@finding
class OrderCorrelation(Finding):
    """How far two score tables order the systems alike, and how far that rests on the topics.

    Attributes
    ----------
    method : str
        A key of ``CORRELATIONS``.
    first, second : Measure
        The measures of the two tables.
    systems : int
        How many systems both tables order.
    value : float
        The correlation of the mean scores.
    resampled : float array
        The correlation for topics drawn anew, with replacement; one value per draw.
    paired : bool
        Whether both tables have the same topics, which were then drawn together.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7], [0.3, 0.6], [0.2, 0.1]], systems="abc",
    ...                                topics="12", measure="AP")
    >>> correlation = correlate_orders(table, table, rng=1, resamples=100)
    >>> correlation.value, correlation.systems, correlation.paired
    (1.0, 3, True)
    """

    method: str
    first: Measure
    second: Measure
    systems: int
    value: float
    resampled: Floats
    paired: bool

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the correlation that sets of as many topics give on average.

        It is the correlation found, ± the standard deviation over draws of topics times the normal
        quantile. Drawn topics repeat, so that their means are noisier and their orders agree less:
        percentiles of the draws lie too low, and often below the correlation itself. The orders
        that all topics there could be would give agree more than any interval here says.
        """
        check_level(level)
        # The deviation of equal numbers would be their rounding error.
        spread = 0.0 if np.ptp(self.resampled) == 0 else float(self.resampled.std(ddof=1))
        half = NormalDist().inv_cdf((1 + level) / 2) * spread
        if math.isnan(half):
            return half, half
        return max(-1.0, self.value - half), min(1.0, self.value + half)

    def columns(self) -> Columns:
        """Return one row: the correlation with its 95% interval over topics."""
        low, high = self.interval()
        return {
            "method": [self.method],
            "first": [str(self.first)],
            "second": [str(self.second)],
            "systems": [self.systems],
            "value": [self.value],
            "ci_low": [low],
            "ci_high": [high],
            "paired": [self.paired],
            "resamples": [len(self.resampled)],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far the orders agree, and how far that rests on the topics."""
        orders = f"{self.first} and {self.second} order {counted(self.systems, 'system')}"
        if math.isnan(self.value):
            why = "there are fewer than two, or all of them are tied"
            return (f"{orders} without {self.method}: {why}.",)
        topics = "The same topics were" if self.paired else "The topics of each table were"
        times = counted(len(self.resampled), "time")
        return (
            f"{orders} with {self.method} = {self.value:.3f}, {self._interval_words()}.",
            f"{topics} drawn with replacement {times}; the interval is for sets of as many topics.",
        )

    def _interval_words(self) -> str:
        low, high = self.interval()
        if math.isnan(low):
            return "without an interval, since some draws of topics leave all systems tied"
        return f"95% interval {range_text(low, high, digits=3)} over topics"


@recorded
def correlate_orders(
    first: ScoreTable,
    second: ScoreTable,
    *,
    method: str = "tau_b",
    resamples: int = 1000,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> OrderCorrelation:
    """Correlate the orders that two score tables give the same systems, by mean score.

    The interval resamples topics: together where both tables have the same topics (two measures
    on one collection), apart where they differ (one measure on two collections).

    Parameters
    ----------
    first, second : ScoreTable
        Scores; the systems are those of the first table, all of which the second must have.
    method : str
        A key of ``CORRELATIONS``.
    resamples : int
        How often topics are drawn.

    Returns
    -------
    OrderCorrelation
        The correlation of the mean scores, and those of the topics drawn anew.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.5, 0.7], [0.3, 0.6], [0.2, 0.1]], systems="abc",
    ...                                topics="12", measure="AP")
    >>> for sentence in correlate_orders(table, table, rng=1).sentences():
    ...     print(sentence)
    AP and AP order 3 systems with tau_b = 1.000, 95% interval 1.000 to 1.000 over topics.
    The same topics were drawn with replacement 1,000 times; the interval is for sets of as many
    topics.
    """
    random = generator(rng)
    second = second.select(first.systems) if second.systems != first.systems else second
    paired = first.topics == second.topics
    used = (first.defined & second.defined) if paired else first.defined
    x, y = first.value[:, used], second.value[:, used if paired else second.defined]
    _refuse_nothing(resamples, min(x.shape[1], y.shape[1]))
    within = first.tolerance, second.tolerance
    shares = _draws(random, resamples, x.shape[1])
    other = shares if paired else _draws(random, resamples, y.shape[1])
    return OrderCorrelation(
        method=method,
        first=first.measure,
        second=second.measure,
        systems=len(first.systems),
        value=float(correlate_within(x.mean(axis=1), y.mean(axis=1), method, within)),
        resampled=correlate_within(shares @ x.T, other @ y.T, method, within),
        paired=paired,
        provenance=_origin(first.provenance, second.provenance).with_options(method=method),
    )


def _origin(first: Provenance, second: Provenance) -> Provenance:
    """Return where the first table comes from, and name the second one's judgments if others."""
    if first.judgments == second.judgments:
        return first
    return first.with_options(second=second.judgments.path)


def _refuse_nothing(resamples: int, topics: int) -> None:
    if resamples < 1:
        raise OptionError(f"resamples: must be at least 1; got {resamples!r}. Hint: use 1000.")
    if topics < 1:
        raise InputError(
            "first, second",
            "orders are compared over topics on which every system has a score",
            value="no such topic",
            remedy="leave out the systems without scores",
        )


def _draws(rng: np.random.Generator, draws: int, topics: int) -> Floats:
    """Return the share of each topic in topics drawn with replacement, draws × topics."""
    return rng.multinomial(topics, np.full(topics, 1 / topics), size=draws) / topics


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
        # a draw with the same order comes out equal but for rounding
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


@recorded
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
    (distance,) = order_distances(
        first, [second], shrinkage=shrinkage, resamples=resamples, rng=rng
    )
    return distance


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
        # What all systems gain on an easy topic is in no difference of two: it is taken out, which
        # leaves the covariance one dimension fewer than systems.
        off = scores - scores.mean(axis=0)
        off -= off.mean(axis=1, keepdims=True)
        share = _shrinkage(off) if shrinkage is None else shrinkage
        covariance = off @ off.T / (topics - 1)
        # Ledoit & Wolf 2004: towards equal variances, which makes the matrix invertible
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
        shares = _draws(random, draws, scores.shape[1])
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
    # Ledoit & Wolf 2004: the noise of the estimate over its distance from the target
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


@dataclass(frozen=True)
class OrderLag:
    """How far a measure is behind the one that orders systems most like the reference.

    Attributes
    ----------
    difference : float
        The correlation of the nearest measure less that of this one.
    over_topics : float
        p value of no difference, from topics drawn anew for all measures at once.
    over_systems : float
        p value of no difference of Kendall's τ, were other systems drawn (Cliff 1996).
    unrelated : float
        p value of Kendall's τ, were this measure's order unrelated to the reference.
    """

    difference: float
    over_topics: float
    over_systems: float
    unrelated: float


@finding
class MeasureOrders(Finding):
    """Correlations of orders of systems with that of a reference measure (W10 §3.3.6).

    Attributes
    ----------
    correlations : tuple of OrderCorrelation
        One per measure, all over the same draws of topics.
    lags : tuple of OrderLag
        One per measure.
    distances : tuple of OrderDistance
        One per measure: how far its order is from the scores of the reference (Carterette 2009).

    Examples
    --------
    >>> rows = np.random.default_rng(1).random((6, 20)) / 5 + np.arange(6)[:, None] / 10
    >>> names = {"systems": "abcdef", "topics": [str(i) for i in range(20)]}
    >>> first, second = (ScoreTable.from_matrix(r, measure=m, **names)
    ...                  for r, m in ((rows, "AP"), (rows**2, "P@10")))
    >>> orders = measure_orders([first, second], resamples=100, rng=1)
    >>> orders.lags[0].difference, orders.sentences()
    (0.0, ('P@10 orders 6 systems most like AP, with tau = 1.000.',))
    """

    correlations: tuple[OrderCorrelation, ...]
    lags: tuple[OrderLag, ...]
    distances: tuple[OrderDistance, ...]

    def columns(self) -> Columns:
        """Return one row per measure."""
        ends = [correlation.interval() for correlation in self.correlations]
        return {
            "reference": [str(correlation.first) for correlation in self.correlations],
            "measure": [str(correlation.second) for correlation in self.correlations],
            "method": [correlation.method for correlation in self.correlations],
            "value": [correlation.value for correlation in self.correlations],
            "ci_low": [low for low, _ in ends],
            "ci_high": [high for _, high in ends],
            "behind": [lag.difference for lag in self.lags],
            "p_over_topics": [lag.over_topics for lag in self.lags],
            "p_over_systems": [lag.over_systems for lag in self.lags],
            "p_unrelated": [lag.unrelated for lag in self.lags],
            "d_rank": [distance.value for distance in self.distances],
            "p_d_rank": [distance.pvalue for distance in self.distances],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which measure is nearest, and which others are behind by more than chance."""
        values = [correlation.value for correlation in self.correlations]
        best = self.correlations[int(np.nanargmax(values))]
        clear = sum(lag.over_topics < 0.05 for lag in self.lags)
        near = (
            f"{best.second} orders {counted(best.systems, 'system')} most like {best.first}, with "
            f"{best.method} = {best.value:.3f}."
        )
        if len(values) < 2:
            return (near,)
        return (
            near,
            (
                f"{_behind(clear, len(values) - 1)} significantly behind it over topics "
                "(p < 0.05, not corrected for many comparisons)."
            ),
        )


def _behind(clear: int, others: int) -> str:
    """Return how many of the other measures are behind, with the verb."""
    if not clear:
        return "No other measure is"
    return f"{clear} of {counted(others, 'other measure')} {are(clear)}"


@recorded
def measure_orders(
    tables: Sequence[ScoreTable],
    *,
    method: str = "tau",
    resamples: int = 1000,
    rng: int | np.random.Generator = DEFAULT_SEED,
) -> MeasureOrders:
    """Correlate the orders by measures with that of the first table, over the same topics.

    Parameters
    ----------
    tables : sequence of ScoreTable
        The reference first, then the measures to correlate with it, all over the same systems and
        topics. Topics on which some score is undefined are left out.
    method : str
        The correlation, a key of ``CORRELATIONS``.
    resamples : int
        How often topics are drawn anew, the same ones for every measure.

    Returns
    -------
    MeasureOrders
        The correlation of each measure with the reference, and how far each is behind the nearest.

    Examples
    --------
    >>> rows = np.random.default_rng(1).random((6, 20)) / 5 + np.arange(6)[:, None] / 10
    >>> names = {"systems": "abcdef", "topics": [str(i) for i in range(20)]}
    >>> first = ScoreTable.from_matrix(rows, measure="AP", **names)
    >>> second = ScoreTable.from_matrix(rows[::-1], measure="P@10", **names)
    >>> orders = measure_orders([first, first, second], rng=1)
    >>> [round(correlation.value, 2) for correlation in orders.correlations]
    [1.0, -1.0]
    """
    reference, *others = _told_apart(_checked(tables))
    # one seed for all measures, so that they are compared on the same draws of topics
    seed = int(generator(rng).integers(1 << 32))
    correlations = tuple(
        correlate_orders(reference, other, method=method, resamples=resamples, rng=seed)
        for other in others
    )
    best = int(np.nanargmax([correlation.value for correlation in correlations]))
    means = [table.aggregate("mean") for table in (reference, *others)]
    lags = tuple(
        OrderLag(
            difference=correlations[best].value - correlation.value,
            over_topics=_pvalue(correlations[best], correlation),
            over_systems=tau_difference(means[0], means[best + 1], means[i]).pvalue,
            unrelated=tau_pvalue(means[0], means[i]),
        )
        for i, correlation in enumerate(correlations, 1)
    )
    origin = reference.provenance.with_options(method=method)
    distances = order_distances(reference, others, resamples=resamples, rng=seed)
    return MeasureOrders(correlations, lags, distances, provenance=origin)


def _pvalue(best: OrderCorrelation, other: OrderCorrelation) -> float:
    """Return the two-sided p value of no difference, over topics drawn for both at once."""
    difference, spread = best.value - other.value, (best.resampled - other.resampled).std(ddof=1)
    return 2 * NormalDist().cdf(-abs(difference) / spread) if difference and spread else 1.0


def _told_apart(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Call scores of one measure that come from several files by these files, too."""
    often = Counter(str(table.measure) for table in tables)
    return [
        replace(table, measure=External(label=f"{table.measure} ({Path(_source(table)).name})"))
        if often[str(table.measure)] > 1 and _source(table)
        else table
        for table in tables
    ]


def _source(table: ScoreTable) -> str:
    """Return the file that scores were read from; empty for scores that were computed."""
    origin = table.provenance
    return origin.judgments.path if origin.tie_rule == OF_SCORES else ""


def _checked(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Return two or more tables of the same systems, over the topics on which all are defined."""
    first, *others = tables
    same = all((t.systems, t.topics) == (first.systems, first.topics) for t in others)
    if not others or not same:
        raise InputError(
            "tables",
            "two or more measures must have scores for the same systems and topics",
            value=counted(len(tables), "table"),
            remedy="name a reference and another measure, -m AP -m P@10, over the same runs",
        )
    defined = np.all([t.defined for t in tables], axis=0)
    if defined.all():
        return list(tables)
    kept = [topic for topic, use in zip(first.topics, defined, strict=True) if use]
    return [table.select(topics=kept) for table in tables]
