"""Whether a topic orders systems as all the others do (W10 §4.2.2; Bodoff & Li 2007)."""

import math

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.findings.agreement.rank_correlation import correlate
from poolwise.measures._measure import Measure
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, named, p_words

__all__ = ["ItemTotals", "item_total_correlations"]


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
        known = self.item_total[~np.isnan(self.item_total)]
        against = [t for t, r in zip(self.topics, self.item_total, strict=True) if r < 0]
        size = f"{counted(len(self.topics), 'topic')} and {counted(self.systems, 'system')}"
        said = [
            (
                f"The median item–total correlation in {self.measure} is {np.median(known):.3f}, "
                f"over {size}."
            )
        ]
        if not math.isnan(self.correlation):
            found = f"r = {self.correlation:.3f}, {p_words(self.pvalue)}"
            more = "tell more about systems" if self.pvalue < 0.05 else "do not tell more"
            said += [f"Topics on which scores spread more {more}: {found}.".replace("-", "−")]
        if against:
            said += [f"Topics that order systems against the rest: {named(against)}."]
        return tuple(said)


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
    found = correlate(scores.T, (total - scores).T, method="pearson")
    r, pvalue = _pearson(found, deviation)
    return ItemTotals(
        measure=table.measure,
        systems=len(scores),
        topics=tuple(t for t, known in zip(table.topics, table.defined, strict=True) if known),
        mean=scores.mean(axis=0),
        deviation=deviation,
        item_total=found,
        correlation=r,
        pvalue=pvalue,
        provenance=table.provenance,
    )


def _pearson(first: Floats, second: Floats) -> tuple[float, float]:
    """Return r and the p value of no correlation, from t on n − 2 degrees of freedom."""
    from scipy.special import stdtr  # noqa: PLC0415 -- late: slow to import

    known = ~np.isnan(first)
    n = int(known.sum())
    r = float(correlate(first[known], second[known], method="pearson")) if n > 2 else math.nan
    if math.isnan(r) or abs(r) >= 1:
        return r, 0.0 if abs(r) >= 1 else math.nan
    t = abs(r) * math.sqrt((n - 2) / (1 - r * r))
    return r, float(2 * stdtr(n - 2, -t))
