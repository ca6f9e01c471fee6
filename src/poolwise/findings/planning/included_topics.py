"""Which topics an experiment that adds topics until power is reached comes to have (W10 §5.3.3)."""

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.errors import OptionError
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.planning.iterative_design import running_moments
from poolwise.findings.planning.t_test_power import checked, detectable_effect
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, p_words

__all__ = ["TopicInclusion", "topic_inclusion"]


@finding
class TopicInclusion(Finding):
    """How often each topic is in the topic set of an iterative experiment (W10 fig. 5.8).

    A topic whose difference is far from the mean makes the deviation larger, and so the experiment
    longer: short topic sets hold typical topics.

    Attributes
    ----------
    a, b : str
        The two systems.
    delta : float
        The difference to detect.
    topics : tuple of str
    difference : float array, topics
        Score of ``a`` less score of ``b``.
    inclusion : float array, topics
        Share of the experiments that have the topic.
    chi2, pvalue : float
        Whether all topics could have the same chance (on one degree of freedom less than topics).
    exhausted : int
        Experiments that ran out of topics before power was reached, and have all of them.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = ScoreTable.from_matrix([rng.standard_t(3, 80) / 20, np.zeros(80)], systems="ab",
    ...                                topics=map(str, range(80)), measure="AP")
    >>> found = topic_inclusion(table, "a", "b", delta=0.04, rng=1, simulations=500)
    >>> found.inclusion.shape, found.near > found.far
    ((80,), True)
    """

    measure: Measure
    a: str
    b: str
    delta: float
    topics: tuple[str, ...]
    difference: Floats
    inclusion: Floats
    chi2: float
    pvalue: float
    exhausted: int
    simulations: int

    @property
    def near(self) -> float:
        """Mean share of the half of the topics whose difference is nearest the mean."""
        return float(self.inclusion[self._by_distance[: len(self.topics) // 2]].mean())

    @property
    def far(self) -> float:
        """Mean share of the other half."""
        return float(self.inclusion[self._by_distance[len(self.topics) // 2 :]].mean())

    @property
    def _by_distance(self) -> Indices:
        off = np.abs(self.difference - self.difference.mean())
        return np.argsort(off, kind="stable")

    def columns(self) -> Columns:
        """Return one row per topic."""
        return {
            "topic": list(self.topics),
            "difference": self.difference.tolist(),
            "inclusion": self.inclusion.tolist(),
            "chi2": [self.chi2] * len(self.topics),
            "pvalue": [self.pvalue] * len(self.topics),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say whether typical topics are preferred, and what that does."""
        alike = f"chi² = {self.chi2:,.0f}, {p_words(self.pvalue)}"
        return (
            (
                f"Typical topics are in {self.near:.1%} of the experiments, the others in "
                f"{self.far:.1%} ({alike} for equal chances)."
            ),
            (
                f"Each of {counted(self.simulations, 'experiment')} added topics at random until a "
                f"difference of {self.delta:g} in {self.measure} between {self.a} and {self.b} "
                "seemed detectable."
            ),
            "Typical is the half of the topics whose difference is nearest the mean.",
            *self._exhausted(),
        )

    def _exhausted(self) -> tuple[str, ...]:
        if not self.exhausted:
            return ()
        return (f"{counted(self.exhausted, 'experiment')} ran out of topics, and had all of them.",)


def topic_inclusion(
    table: ScoreTable,
    a: str,
    b: str,
    *,
    delta: float,
    rng: int | np.random.Generator = DEFAULT_SEED,
    start: int = 10,
    simulations: int = 20_000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> TopicInclusion:
    """Add topics without replacement until a difference seems detectable, again and again.

    Parameters
    ----------
    table
        Scores of two or more systems; topics with an undefined score are left out.
    a, b
        Names of the two systems.
    delta
        The difference that an experiment is to detect.
    start
        Topics that every experiment has at least.
    rng : int or numpy.random.Generator
        Seed or generator.
    simulations
        How many experiments are simulated.
    power, alpha
        The chance to find the difference, and the significance level, of the two-sided test.

    Returns
    -------
    TopicInclusion
        The share of experiments that have each topic, and a test of equal shares.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = [rng.standard_t(3, 80) / 20, np.zeros(80)]
    >>> table = ScoreTable.from_matrix(scores, systems="ab", topics=map(str, range(80)),
    ...                                measure="AP")
    >>> found = topic_inclusion(table, "a", "b", delta=0.04, rng=1, simulations=2000)
    >>> found.near > found.far
    True
    """
    deltas = table.deltas(a, b)
    names, values = deltas.topics, deltas.difference
    sizes = np.arange(start, len(names) + 1)
    _check_sizes(start, len(names))
    enough = checked("delta", delta) / detectable_effect(sizes, power=power, alpha=alpha)
    batches = Resamples.plan(simulations, rng=rng).map(
        _lengths_and_counts, deltas=values, sizes=sizes, enough=enough
    )
    lengths = np.concatenate([part[0] for part in batches])
    counts = np.sum([part[1] for part in batches], axis=0)
    chi2, pvalue = _equal_chances(counts, lengths)
    return TopicInclusion(
        measure=table.measure,
        a=a,
        b=b,
        delta=delta,
        topics=names,
        difference=values,
        inclusion=counts / simulations,
        chi2=chi2,
        pvalue=pvalue,
        exhausted=int((lengths > len(names)).sum()),
        simulations=simulations,
        provenance=table.provenance.with_options(
            delta=delta,
            start=start,
            simulations=simulations,
            power=power,
            alpha=alpha,
            **seed_option(rng),
        ),
    )


def _check_sizes(start: int, topics: int) -> None:
    if not 2 <= start < topics:
        raise OptionError(
            f"start: {start} topics to start with must be 2 or more, and fewer than the {topics} "
            "there are. Hint: use 10."
        )


def _lengths_and_counts(
    rng: np.random.Generator, size: int, *, deltas: Floats, sizes: Integers, enough: Floats
) -> tuple[Integers, Integers]:
    """Return the length of each experiment, and how many experiments have each topic.

    An experiment that ran out of topics is one topic longer than all of them.
    """
    order = rng.permuted(np.tile(np.arange(len(deltas)), (size, 1)), axis=1)
    drawn = deltas[order]
    stops = running_moments(drawn, sizes)[1] <= enough
    lengths = np.where(stops.any(axis=1), sizes[stops.argmax(axis=1)], len(deltas) + 1)
    taken = np.arange(len(deltas)) < lengths[:, None]
    return lengths, np.bincount(order[taken], minlength=len(deltas))


def _equal_chances(counts: Integers, lengths: Integers) -> tuple[float, float]:
    """Test whether all topics have one chance, given how many topics each experiment has.

    A set of m of n topics has each with variance m/n (1 − m/n), and any two of them with a
    covariance of −1/(n − 1) of that, which leaves n − 1 degrees of freedom.
    """
    from scipy.special import chdtrc  # noqa: PLC0415 -- late: slow to import

    n = len(counts)
    share = np.minimum(lengths, n) / n
    variance = float((share * (1 - share)).sum())
    if variance == 0:
        return 0.0, 1.0
    chi2 = (n - 1) / n * float(((counts - counts.mean()) ** 2).sum()) / variance
    return chi2, float(chdtrc(n - 1, chi2))
