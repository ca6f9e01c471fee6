"""Which measure orders systems most like a reference, and whether that holds on other topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from poolwise.arrays import generator
from poolwise.errors import InputError
from poolwise.findings.agreement.distance_of_orders import OrderDistance, order_distances
from poolwise.findings.agreement.order_correlation import OrderCorrelation, correlate_orders
from poolwise.findings.agreement.tau_tests import tau_difference, tau_pvalue
from poolwise.provenance._provenance import DEFAULT_SEED, seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import are, counted

__all__ = ["MeasureOrders", "OrderLag", "measure_orders"]


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
    >>> found = measure_orders([first, second], resamples=100, rng=1)
    >>> found.lags[0].difference, found.sentences()
    (0.0, ('P@10 orders 6 systems most like AP, with tau = 1.000.',))
    """

    correlations: tuple[OrderCorrelation, ...]
    lags: tuple[OrderLag, ...]
    distances: tuple[OrderDistance, ...]

    def columns(self) -> Columns:
        """Return one row per measure."""
        ends = [found.interval() for found in self.correlations]
        return {
            "reference": [str(found.first) for found in self.correlations],
            "measure": [str(found.second) for found in self.correlations],
            "method": [found.method for found in self.correlations],
            "value": [found.value for found in self.correlations],
            "ci_low": [low for low, _ in ends],
            "ci_high": [high for _, high in ends],
            "behind": [lag.difference for lag in self.lags],
            "p_over_topics": [lag.over_topics for lag in self.lags],
            "p_over_systems": [lag.over_systems for lag in self.lags],
            "p_unrelated": [lag.unrelated for lag in self.lags],
            "d_rank": [one.value for one in self.distances],
            "p_d_rank": [one.pvalue for one in self.distances],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which measure is nearest, and which others are behind by more than chance."""
        values = [found.value for found in self.correlations]
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
    rng : int or numpy.random.Generator
        Seed or generator of the draws.

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
    >>> found = measure_orders([first, first, second], rng=1)
    >>> [round(one.value, 2) for one in found.correlations]
    [1.0, -1.0]
    """
    reference, *others = _checked(tables)
    seed = int(generator(rng).integers(1 << 32))
    found = tuple(
        correlate_orders(reference, other, method=method, resamples=resamples, rng=seed)
        for other in others
    )
    best = int(np.nanargmax([one.value for one in found]))
    means = [table.aggregate("mean") for table in (reference, *others)]
    lags = tuple(
        OrderLag(
            difference=found[best].value - one.value,
            over_topics=_pvalue(found[best], one),
            over_systems=tau_difference(means[0], means[best + 1], means[i]).pvalue,
            unrelated=tau_pvalue(means[0], means[i]),
        )
        for i, one in enumerate(found, 1)
    )
    origin = reference.provenance.with_options(
        method=method, resamples=resamples, **seed_option(rng)
    )
    distances = order_distances(reference, others, resamples=resamples, rng=seed)
    return MeasureOrders(found, lags, distances, provenance=origin)


def _pvalue(best: OrderCorrelation, other: OrderCorrelation) -> float:
    """Return the two-sided p value of no difference, over topics drawn for both at once."""
    difference, spread = best.value - other.value, (best.resampled - other.resampled).std(ddof=1)
    return 2 * NormalDist().cdf(-abs(difference) / spread) if difference and spread else 1.0


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
