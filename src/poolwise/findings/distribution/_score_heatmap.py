"""Scores of systems on topics as shades, and which topics order systems as the others do."""

import math

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.errors import OptionError
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import StandardizationFactors, standardize
from poolwise.words import counted, named, p_words

__all__ = ["SHADES", "ItemTotals", "ScoreIntensity", "item_total_correlations", "score_intensity"]

SHADES = 11
"""Shades with an equal number of scores each, as in W10 fig. 4.1 and 4.6."""


@finding
class ScoreIntensity(Finding):
    """Each score by the shade that it falls into, before and after standardization.

    Raw scores show easy topics as stripes; standardized ones show good systems.

    Attributes
    ----------
    measure : Measure
        What was measured.
    systems, topics : tuple of str
        Systems from the best; topics in the order of the table.
    raw, standardized : float array, systems × topics
        The scores, and the same with mean 0 and deviation 1 on each topic.
    raw_limits, standardized_limits : float array, shades − 1
        Where one shade ends and the next begins, in ascending order.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.7], [0.3, 0.9]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> intensity = score_intensity(table)
    >>> intensity.raw_shades.tolist()  # topic 2 is easy
    [[3, 10], [0, 7]]
    >>> intensity.standardized.round(2).tolist()  # b is better
    [[0.71, 0.71], [-0.71, -0.71]]
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    raw: Floats
    standardized: Floats
    raw_limits: Floats
    standardized_limits: Floats

    @property
    def raw_shades(self) -> Integers:
        """The shade of each raw score, from 0 for the lowest."""
        return np.searchsorted(self.raw_limits, self.raw, side="right")

    @property
    def standardized_shades(self) -> Integers:
        """The shade of each standardized score, from 0 for the lowest."""
        return np.searchsorted(self.standardized_limits, self.standardized, side="right")

    def columns(self) -> Columns:
        """Return one row per system and topic."""
        return {
            "run": [s for s in self.systems for _ in self.topics],
            "topic": list(self.topics) * len(self.systems),
            "raw": self.raw.ravel().tolist(),
            "raw_shade": self.raw_shades.ravel().tolist(),
            "standardized": self.standardized.ravel().tolist(),
            "standardized_shade": self.standardized_shades.ravel().tolist(),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return one row per system: its mean scores and shades; a plot has every topic."""
        columns = {
            "run": list(self.systems),
            "raw": self.raw.mean(axis=1).tolist(),
            "raw_shade": self.raw_shades.mean(axis=1).tolist(),
            "standardized": self.standardized.mean(axis=1).tolist(),
            "standardized_shade": self.standardized_shades.mean(axis=1).tolist(),
        }
        title = f"{self.measure}: means over {counted(len(self.topics), 'topic')}"
        return (table_of(columns, title=title),)

    def sentences(self) -> tuple[str, ...]:
        """Say how much of what is seen is the topics, and where the shades end."""
        topics = _between_topics(self.raw)
        return (
            (
                f"{topics:.0%} of the variance of {self.measure} lies between topics, and none "
                "after standardization."
            ),
            (
                f"The lightest of {counted(SHADES, 'shade')} are raw scores above "
                f"{self.raw_limits[-1]:.2g} and standardized ones above "
                f"{self.standardized_limits[-1]:.2f}; each shade has as many scores."
            ),
        )


@recorded
def score_intensity(table: ScoreTable) -> ScoreIntensity:
    """Sort the scores into shades of equal size, raw and standardized by the systems themselves.

    The standard deviations have divisor n − 1, as those that W10 prints. Topics on which a score
    is undefined are left out.

    Returns
    -------
    ScoreIntensity
        Both kinds of scores, the best system first, with the limits of the shades.

    Examples
    --------
    >>> scores = np.random.default_rng(1).beta(1, 3, (11, 10))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefghijk", topics="0123456789",
    ...                                measure="AP")
    >>> np.bincount(score_intensity(table).raw_shades.ravel()).tolist()
    [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10]
    """
    topics = [t for t, is_defined in zip(table.topics, table.defined, strict=True) if is_defined]
    ordered = table.select(runs=[table.systems[s] for s in table.order().tolist()], topics=topics)
    # one system has no deviation with the divisor n − 1
    ddof = int(len(table.systems) > 1)
    factors = StandardizationFactors.from_table(ordered, ddof=ddof)
    z = standardize(ordered, factors).value
    shares = np.arange(1, SHADES) / SHADES
    return ScoreIntensity(
        measure=table.measure,
        systems=ordered.systems,
        topics=ordered.topics,
        raw=ordered.value,
        standardized=z,
        raw_limits=np.quantile(ordered.value, shares),
        standardized_limits=np.quantile(z, shares),
        provenance=table.provenance,
    )


def _between_topics(scores: Floats) -> float:
    """Return the share of the variance of all scores that lies between the means of topics."""
    whole = scores.var()
    return float(scores.mean(axis=0).var() / whole) if whole > 0 else 0.0


@finding
class ItemTotals(Finding):
    """For each topic, how its scores correlate with those of all other topics together.

    Attributes
    ----------
    measure : Measure
        What was measured.
    systems : int
        How many systems the correlations are over.
    topics : tuple of str
        The topics on which every score is defined.
    mean, deviation : float array, topics
        Mean and standard deviation of the systems' scores on the topic.
    item_total : float array, topics
        Pearson's r, over systems, of the score on the topic with the sum over all other topics;
        NaN where all systems score alike.
    correlation, pvalue : float
        Pearson's r of ``item_total`` and ``deviation`` over topics, and the p value of 0: whether
        topics on which systems differ more also tell more.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> item_total_correlations(table).sentences()[-1]
    'Topics that order systems against the rest: 3.'
    """

    measure: Measure
    systems: int
    topics: tuple[str, ...]
    mean: Floats
    deviation: Floats
    item_total: Floats
    correlation: float
    pvalue: float

    def columns(self) -> Columns:
        """Return one row per topic, the least reliable first."""
        order = np.argsort(self.item_total, kind="stable").tolist()
        rows = len(order)
        return {
            "measure": [str(self.measure)] * rows,
            "topic": [self.topics[t] for t in order],
            "mean": self.mean[order].tolist(),
            "deviation": self.deviation[order].tolist(),
            "item_total": self.item_total[order].tolist(),
            "correlation": [self.correlation] * rows,
            "pvalue": [self.pvalue] * rows,
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how topics agree with the rest, and whether wide topics agree more."""
        correlations = self.item_total[~np.isnan(self.item_total)]
        against = [t for t, r in zip(self.topics, self.item_total, strict=True) if r < 0]
        size = f"{counted(len(self.topics), 'topic')} and {counted(self.systems, 'system')}"
        said = [
            (
                f"The median item–total correlation in {self.measure} is "
                f"{np.median(correlations):.3f}, over {size}."
            )
        ]
        if not math.isnan(self.correlation):
            statistics = f"r = {self.correlation:.3f}, {p_words(self.pvalue)}"
            more = "tell more about systems" if self.pvalue < 0.05 else "do not tell more"
            said += [f"Topics on which scores spread more {more}: {statistics}.".replace("-", "−")]
        if against:
            said += [f"Topics that order systems against the rest: {named(against)}."]
        return tuple(said)


@recorded
def item_total_correlations(table: ScoreTable) -> ItemTotals:
    """Correlate the scores on each topic with the sum of those on all others.

    A topic's own score is taken out of the sum, as item analysis does. Topics on which a score is
    undefined are left out.

    Parameters
    ----------
    table : ScoreTable
        Scores of three systems or more on three topics or more.

    Returns
    -------
    ItemTotals
        One correlation per topic, and whether wide topics correlate more.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.2, 0.9], [0.3, 0.5, 0.8], [0.5, 0.6, 0.7]],
    ...                                systems="abc", topics="123", measure="AP")
    >>> item_total_correlations(table).item_total.round(2).tolist()
    [0.87, 0.96, -0.99]
    """
    scores = table.value[:, table.defined]
    if min(scores.shape) < 3:
        raise OptionError(
            f"table: it has {counted(len(scores), 'system')} and "
            f"{counted(scores.shape[1], 'topic')} with all scores; three of each are needed. "
            "Hint: give more runs."
        )
    total = scores.sum(axis=1, keepdims=True)
    deviation = scores.std(axis=0, ddof=1)
    # a topic correlates with any sum that holds its own scores, so those are taken out
    item_total = correlate(scores.T, (total - scores).T, method="pearson")
    r, pvalue = _pearson(item_total, deviation)
    return ItemTotals(
        measure=table.measure,
        systems=len(scores),
        topics=tuple(
            t for t, is_defined in zip(table.topics, table.defined, strict=True) if is_defined
        ),
        mean=scores.mean(axis=0),
        deviation=deviation,
        item_total=item_total,
        correlation=r,
        pvalue=pvalue,
        provenance=table.provenance,
    )


def _pearson(first: Floats, second: Floats) -> tuple[float, float]:
    """Return r and the p value of no correlation, from t on n − 2 degrees of freedom."""
    from scipy.special import stdtr  # noqa: PLC0415 -- late: slow to import

    defined = ~np.isnan(first)
    n = int(defined.sum())
    r = float(correlate(first[defined], second[defined], method="pearson")) if n > 2 else math.nan
    if math.isnan(r) or abs(r) >= 1:
        return r, 0.0 if abs(r) >= 1 else math.nan
    t = abs(r) * math.sqrt((n - 2) / (1 - r * r))
    return r, float(2 * stdtr(n - 2, -t))
