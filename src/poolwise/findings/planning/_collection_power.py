"""What the runs of a collection say about the power of the next experiment (W10 §5.2, §5.3.1)."""

import math
from functools import lru_cache

import numpy as np

from poolwise.arrays import Floats, levels
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison._resampling import Resamples, counted_pvalue
from poolwise.findings.comparison._samples import Sample, paired_sample
from poolwise.findings.planning._power import detectable_effect, topics_needed, whole_topics
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, p_words

__all__ = [
    "CollectionPower",
    "DispersionTest",
    "baseline_pairs",
    "collection_power",
    "dispersion_test",
]

EXPERIMENTAL = {
    "better": "every system that scores higher than the baseline",
    "upper": "every other system of the best three quarters",
}


@finding
class CollectionPower(Finding):
    """Spread of per-topic differences between past systems, and what it lets one detect.

    Attributes
    ----------
    sigma_median, sigma_95 : float
        Median and 95th percentile, over all pairs, of the deviation of per-topic differences.
    delta_median : float
        Median over all pairs of the difference of means.
    detectable_median, detectable_95 : float
        Differences that this many topics detect, at these deviations (W10 table 5.2).
    intercept, slope : float
        The line σ ≈ intercept + slope · δ over all pairs (W10 fig. 5.4).
    baseline_pairs : int
        Pairs of a second-quartile system with a better one.
    baseline_delta, baseline_sigma : float
        Medians over those pairs; NaN if there are none, which takes four systems.
    topics_needed : float
        Topics that detect the one at the other (W10 table 5.3).
    delta : float, optional
        A difference that a new experiment is to detect.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = ScoreTable.from_matrix(rng.beta(1, 3, (12, 50)), systems="abcdefghijkl",
    ...                                topics=[str(t) for t in range(50)], measure="AP")
    >>> for sentence in collection_power(table).sentences():
    ...     print(sentence)
    50 topics detect a difference of 0.111 in AP between typical systems, and of 0.129 between
    unlike ones.
    The test is two-sided, with a power of 0.8 at alpha 0.05.
    The standard deviation of per-topic differences (sigma) is 0.276, the median of 66 pairs of 12
    systems, and 0.318 at the 95th percentile.
    Systems above a baseline of the second quartile are 0.015 better, with a sigma of 0.278
    (medians of 12 pairs), which takes 2,664 topics to detect.
    """

    measure: Measure
    systems: int
    topics: int
    power: float
    alpha: float
    alternative: str
    pairs: int
    sigma_median: float
    sigma_95: float
    delta_median: float
    detectable_median: float
    detectable_95: float
    intercept: float
    slope: float
    baseline_pairs: int
    baseline_delta: float
    baseline_sigma: float
    topics_needed: float
    delta: float | None = None

    def columns(self) -> Columns:
        """Return one row; the topics that a difference takes are in it where one was asked for."""
        columns = super().columns()
        del columns["delta"]
        if self.delta is None:
            return columns
        topics, cautious = self.topics_for(self.delta)
        return columns | {
            "delta": [self.delta],
            "topics_for_delta": [topics],
            "topics_for_delta_95": [cautious],
        }

    def topics_for(self, delta: float) -> tuple[float, float]:
        """Return the topics that a new experiment needs to detect ``delta``, judging by the past.

        The first number goes by the median deviation, and leaves half of the experiments short of
        power; the second goes by the 95th percentile and costs some 80% more (W10 §5.3.1).
        """
        sigmas = np.maximum([self.sigma_median, self.sigma_95], 1e-12)
        median, cautious = topics_needed(
            delta / sigmas, power=self.power, alpha=self.alpha, alternative=self.alternative
        )
        return float(median), float(cautious)

    def curve(self) -> Columns:
        """Return the difference that a number of topics detects, at both deviations.

        Examples
        --------
        >>> table = ScoreTable.from_matrix([[0.1, 0.5, 0.3], [0.2, 0.1, 0.2]], systems=["a", "b"],
        ...                                topics="123", measure="AP")
        >>> curve = collection_power(table).curve()
        >>> sorted(set(curve["spread"])), curve["topics"][0], round(curve["difference"][0], 3)
        (['95th percentile', 'median pair'], 10, 0.251)
        """
        topics, effect = _drawn_effects(self.topics, self.power, self.alpha, self.alternative)
        sigmas = {"median pair": self.sigma_median, "95th percentile": self.sigma_95}
        return {
            "topics": topics.astype(int).tolist() * 2,
            "spread": [name for name in sigmas for _ in topics],
            "difference": [float(s * e) for s in sigmas.values() for e in effect],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what can be detected, at which spread, and what a baseline would take."""
        test = f"{self.alternative}, with a power of {self.power:g} at alpha {self.alpha:g}"
        wanted = () if self.delta is None else (self._wanted(self.delta),)
        return (
            *wanted,
            self._detectable(),
            f"The test is {test}.",
            self._spread(),
            self._baseline(),
        )

    def _wanted(self, delta: float) -> str:
        topics, cautious = (whole_topics(number) for number in self.topics_for(delta))
        return (
            f"{topics:,.0f} topics are needed to detect a difference of {delta:g} in "
            f"{self.measure} between typical systems, and {cautious:,.0f} between unlike ones."
        )

    def _detectable(self) -> str:
        return (
            f"{counted(self.topics, 'topic')} detect a difference of {self.detectable_median:.3f} "
            f"in {self.measure} between typical systems, and of {self.detectable_95:.3f} between "
            "unlike ones."
        )

    def _spread(self) -> str:
        pairs = f"{counted(self.pairs, 'pair')} of {counted(self.systems, 'system')}"
        return (
            "The standard deviation of per-topic differences (sigma) is "
            f"{self.sigma_median:.3f}, the median of {pairs}, and {self.sigma_95:.3f} at the 95th "
            "percentile."
        )

    def _baseline(self) -> str:
        if not self.baseline_pairs:
            return "There is no baseline: a second quartile takes four systems that differ."
        medians = f"sigma of {self.baseline_sigma:.3f} ({_medians_of(self.baseline_pairs)})"
        needed = (
            "which no number of topics detects"
            if math.isinf(self.topics_needed)
            else f"which takes {whole_topics(self.topics_needed):,.0f} topics to detect"
        )
        return (
            "Systems above a baseline of the second quartile are "
            f"{self.baseline_delta:.3f} better, with a {medians}, {needed}."
        )


def _medians_of(pairs: int) -> str:
    return f"medians of {pairs:,} pairs" if pairs > 1 else "one pair"


@lru_cache(maxsize=8)
def _drawn_effects(
    topics: int, power: float, alpha: float, alternative: str
) -> tuple[Floats, Floats]:
    """Return the numbers of topics of a curve, and the effects; they are the same for measures."""
    # even steps on a logarithmic axis, as the curve is drawn
    numbers = np.unique(np.geomspace(10, max(400, 4 * topics), 40).round())
    return numbers, detectable_effect(numbers, power=power, alpha=alpha, alternative=alternative)


@recorded
def collection_power(
    table: ScoreTable,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    delta: float | None = None,
) -> CollectionPower:
    """Say what the topics of a table can detect, judging by the systems in it.

    Parameters
    ----------
    table
        Scores of past systems; topics with an undefined score are left out.
    power, alpha, alternative
        Of the test to plan: see :func:`~poolwise.power`.
    delta : float, optional
        A difference to detect in a new experiment: the result says how many topics that takes.

    Returns
    -------
    CollectionPower
        The difference that so many topics detect, from the deviations of the pairs of systems.

    Examples
    --------
    >>> scores = np.random.default_rng(1).beta(1, 3, (6, 50))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdef", topics=map(str, range(50)),
    ...                                measure="AP")
    >>> power = collection_power(table)
    >>> power.sentences()[0]
    '50 topics detect a difference of 0.114 in AP between typical systems, and of 0.124
    between unlike ones.'
    """
    _check_delta(delta)
    sample = paired_sample(table, Pairs.of_all(table.systems))
    topics = topics_of(sample)
    past, sigma = np.abs(sample.difference), sample.deviation
    median, high = np.median(sigma), np.percentile(sigma, 95)
    effect = detectable_effect(topics, power=power, alpha=alpha, alternative=alternative)
    line = _line(past, sigma)
    pairs = baseline_pairs(table)
    baseline_delta, baseline_sigma = _medians(table, pairs)
    needed = topics_needed(
        baseline_delta / baseline_sigma if baseline_sigma > 0 else 0.0,
        power=power,
        alpha=alpha,
        alternative=alternative,
    )
    return CollectionPower(
        measure=table.measure,
        systems=len(table.systems),
        topics=topics,
        power=power,
        alpha=alpha,
        alternative=alternative,
        pairs=len(sigma),
        sigma_median=float(median),
        sigma_95=float(high),
        delta_median=float(np.median(past)),
        detectable_median=float(median * effect),
        detectable_95=float(high * effect),
        intercept=line[0],
        slope=line[1],
        baseline_pairs=len(pairs),
        baseline_delta=baseline_delta,
        baseline_sigma=baseline_sigma,
        topics_needed=float(needed) if len(pairs) else float("nan"),
        delta=delta,
        provenance=table.provenance.with_options(power=power, alpha=alpha, alternative=alternative),
    )


def _check_delta(delta: float | None) -> None:
    if delta is not None and not delta > 0:
        raise OptionError(f"delta: {delta} is not above 0. Hint: use 0.05.")


@recorded
def baseline_pairs(table: ScoreTable, *, experimental: str = "better") -> Pairs:
    """Pair each system of the second quartile by mean score, as baseline, with experimental ones.

    Parameters
    ----------
    table : ScoreTable
        Scores of past systems.
    experimental : {"better", "upper"}
        Which systems stand for experimental ones (left in the pairs): those above the baseline
        (W10 §5.2), or all others of the best three quarters (W10 §5.3.3).

    Returns
    -------
    Pairs
        Positions of the systems in the table: experimental ones left, baselines right.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1], [0.4], [0.3], [0.2]], systems="abcd", topics="1",
    ...                                measure="AP")
    >>> pairs = baseline_pairs(table)
    >>> [(table.systems[i], table.systems[j]) for i, j in zip(pairs.left, pairs.right)]
    [('b', 'c')]
    """
    require_choice("experimental", experimental, EXPERIMENTAL)
    order, n = table.order(), len(table.systems)
    level = levels(table.means(), table.tolerance)
    # W10 §5.2: a baseline is decent but beatable, a system of the second quartile
    baselines = order[n // 4 : n // 2]
    others = order[: 3 * n // 4]
    left, right = np.tile(others, len(baselines)), np.repeat(baselines, len(others))
    kept = level[left] > level[right] if experimental == "better" else left != right
    family = f"second-quartile systems with {EXPERIMENTAL[experimental]}"
    return Pairs(left[kept], right[kept], family)


def topics_of(sample: Sample) -> int:
    """Return the number of topics, or say that one has no spread."""
    topics = sample.scores.shape[1]
    if topics < 2:
        raise OptionError(
            f"table: {topics} topic with scores has no spread. Hint: use two or more."
        )
    return topics


def _medians(table: ScoreTable, pairs: Pairs) -> tuple[float, float]:
    """Return the median difference and the median deviation over pairs."""
    if not len(pairs):
        return float("nan"), float("nan")
    sample = paired_sample(table, pairs)
    return float(np.median(sample.difference)), float(np.median(sample.deviation))


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return intercept and slope of the least squares line; slope 0 where x does not vary."""
    off = x - x.mean()
    slope = float(off @ y / (off @ off)) if off.any() else 0.0
    return float(y.mean() - slope * x.mean()), slope


BLOCK = 256
"""Virtual pairs drawn at once, few enough to stay in the processor's cache."""


@finding
class DispersionTest(Finding):
    """Whether all pairs of systems could share one deviation of per-topic differences.

    Attributes
    ----------
    observed : float
        Standard deviation, over pairs, of the deviation of their differences.
    expected : float
        The mean of the same under one common deviation.
    pvalue : float
        Share of resamples at least as dispersed, the observed one counted in.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal(size=(6, 40)) * np.arange(1, 7)[:, None]
    >>> table = ScoreTable.from_matrix(scores, systems="abcdef", topics=map(str, range(40)),
    ...                                measure="x")
    >>> test = dispersion_test(table, rng=1, resamples=99)
    >>> test.observed > test.expected, test.pvalue
    (True, 0.01)
    """

    measure: Measure
    pairs: int
    topics: int
    observed: float
    expected: float
    pvalue: float
    resamples: int

    def sentences(self) -> tuple[str, ...]:
        """Say how dispersed the deviations are, and how they would be if they were one."""
        spread = f"{self.observed:.4f}, where one common sigma would vary by {self.expected:.4f}"
        p = f"{p_words(self.pvalue)} by {counted(self.resamples, 'resample')}"
        size = f"{counted(self.pairs, 'pair')} of systems on {counted(self.topics, 'topic')}"
        return (
            f"The sigma of differences in {self.measure} varies over pairs by {spread} ({p}).",
            f"Sigma is the standard deviation of per-topic differences, here of {size}.",
        )


@recorded
def dispersion_test(
    table: ScoreTable, *, rng: int | np.random.Generator = DEFAULT_SEED, resamples: int = 999
) -> DispersionTest:
    """Test whether pairs differ in the deviation of their differences (W10 algorithm 5.1).

    Differences of all pairs are centred and thrown together; as many virtual pairs are drawn
    from them, and the dispersion of their deviations is compared with the observed one. Memory
    is that of two arrays of pairs × topics and one of resamples × pairs.

    Parameters
    ----------
    resamples : int
        How many sets of virtual pairs are drawn.

    Returns
    -------
    DispersionTest
        The observed and the expected dispersion, and the p value.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal(size=(6, 40)) * np.arange(1, 7)[:, None]
    >>> table = ScoreTable.from_matrix(scores, systems="abcdef", topics=map(str, range(40)),
    ...                                measure="x")
    >>> dispersion_test(table, rng=1, resamples=99).pvalue
    0.01
    """
    sample = paired_sample(table, Pairs.of_all(table.systems))
    topics = topics_of(sample)
    deltas = sample.scores[sample.pairs.left] - sample.scores[sample.pairs.right]
    # W10 algorithm 5.1: under the null all differences, each less its pair's mean, come from one
    # distribution, so that virtual pairs are drawn from all of them thrown together
    pool = (deltas - sample.difference[:, None]).ravel()
    observed = float(sample.deviation.std(ddof=1)) if len(sample.deviation) > 1 else 0.0
    planned = Resamples.plan(resamples, rng=rng)
    virtual = np.concatenate(planned.map(_virtual_dispersions, pool=pool, topics=topics))
    return DispersionTest(
        measure=table.measure,
        pairs=len(sample.deviation),
        topics=topics,
        observed=observed,
        expected=float(virtual.mean()),
        pvalue=float(counted_pvalue(np.count_nonzero(virtual >= observed), planned)),
        resamples=planned.count,
        provenance=table.provenance,
    )


def _virtual_dispersions(
    rng: np.random.Generator, size: int, *, pool: Floats, topics: int
) -> Floats:
    """Return the dispersion of deviations among virtual pairs, one per resample."""
    pairs = len(pool) // topics
    squares = np.empty((size, pairs))
    for row in squares:
        for start in range(0, pairs, BLOCK):
            drawn = row[start : start + BLOCK]
            deltas = pool[rng.integers(0, len(pool), (len(drawn), topics), np.int32)]
            # the pool has mean 0, so no digits are lost
            drawn[:] = np.einsum("pt,pt->p", deltas, deltas) - deltas.sum(axis=1) ** 2 / topics
    return np.sqrt(np.maximum(squares, 0) / (topics - 1)).std(axis=1, ddof=1)
