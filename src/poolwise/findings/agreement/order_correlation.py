"""How far two score tables order the same systems alike, and how far that rests on the topics."""

import math
from statistics import NormalDist

import numpy as np

from poolwise.arrays import Floats, generator
from poolwise.errors import InputError, OptionError
from poolwise.findings.agreement.rank_correlation import correlate_within
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, Provenance, seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._uncertainty import check_level
from poolwise.words import counted, range_text

__all__ = ["OrderCorrelation", "correlate_orders"]


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
    >>> found = correlate_orders(table, table, rng=1, resamples=100)
    >>> found.value, found.systems, found.paired
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
    rng : int or numpy.random.Generator
        Seed or generator.

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
        provenance=_origin(first.provenance, second.provenance).with_options(
            method=method, resamples=resamples, **seed_option(rng)
        ),
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
