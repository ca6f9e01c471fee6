"""What adding topics until power, or significance, seems reached does to a result (W10 §5.3.3)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Pairs
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.comparison._samples import paired_sample
from poolwise.findings.planning._collection_power import topics_of
from poolwise.findings.planning._power import (
    checked,
    critical_values,
    detectable_effect,
    topics_needed,
)
from poolwise.findings.planning._trials import checked_deltas
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted, p_words, signed

__all__ = [
    "IterativeDesign",
    "Moments",
    "Peeking",
    "TopicInclusion",
    "moments",
    "peek",
    "running_moments",
    "simulate_iterative_design",
    "topic_inclusion",
]

LONGEST = 3
"""Simulated experiments stop at this many times the topics that the true deviation needs."""


class Moments(NamedTuple):
    """Mean and standard deviation of the differences of simulated experiments."""

    mean: Floats
    deviation: Floats

    def are_significant(self, topics: Integers, alpha: float) -> Booleans:
        """Say of which the two-sided t test finds a difference."""
        critical = critical_values(topics, alpha)
        return np.asarray(np.abs(self.mean) * np.sqrt(topics) > critical * self.deviation)


def running_moments(drawn: Floats, sizes: Indices) -> Moments:
    """Return mean and deviation of the first topics of each row, at these sizes."""
    first = sizes - 1
    return moments(np.cumsum(drawn, axis=1)[:, first], np.cumsum(drawn**2, axis=1)[:, first], sizes)


def moments(sums: Floats, squares: Floats, topics: Integers) -> Moments:
    """Return mean and deviation of so many topics, from the sums of differences and squares."""
    mean = sums / topics
    # rounding may take the mean of squares below the square of the mean, where nothing varies
    spread = np.maximum(squares / topics - mean**2, 0) * topics / (topics - 1)
    return Moments(mean, np.sqrt(spread))


@finding
class IterativeDesign(Finding):
    """What comes of adding topics until the experiment seems powerful enough (W10 alg. 5.2).

    Its stopping rule prefers topic sets that happen to vary little: the deviation is estimated
    too small, and the significance found is exaggerated. Report the method if you use it.

    Attributes
    ----------
    sigma, sigma_mean : float
        The true deviation, and the mean of those estimated at the stop.
    topics_mean : float
        Mean number of topics at the stop.
    false_positives, false_positives_fixed : float
        Share of experiments found significant when the true difference is 0, and the same with
        topic sets of the same sizes drawn beforehand.
    unfinished : int
        Simulated experiments that had not stopped at the longest allowed; left out.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0, 0.15, 500)
    >>> design = simulate_iterative_design(deltas, delta=0.06, rng=1)
    >>> design.bias < 0, design.unfinished
    (True, 0)
    """

    delta: float
    sigma: float
    sigma_mean: float
    topics_mean: float
    alpha: float
    false_positives: float
    false_positives_fixed: float
    simulations: int
    unfinished: int

    @property
    def bias(self) -> float:
        """Relative error of the estimated deviation: −0.035 is 3.5% too small."""
        return self.sigma_mean / self.sigma - 1

    def columns(self) -> Columns:
        """Return one row, one column per attribute, and the bias."""
        return row_of(self) | {"bias": [self.bias]}

    def sentences(self) -> tuple[str, ...]:
        """Say what the design came to, how far it was wrong, and to beware of it."""
        sigmas = f"{self.sigma_mean:.4f} on average, where {self.sigma:.4f} is true"
        return (
            self._stop(),
            f"Sigma was estimated as {sigmas}: {signed(100 * self.bias, digits=1)}%.",
            self._errors(),
            "Warning: this design understates sigma and overstates significance.",
            *self._unfinished(),
        )

    def _stop(self) -> str:
        stopped = counted(self.simulations - self.unfinished, "simulated experiment")
        return (
            f"{stopped} added topics until a difference of {self.delta:g} seemed detectable, "
            f"which took {self.topics_mean:,.1f} topics on average."
        )

    def _errors(self) -> str:
        return (
            f"The share of false positives was {self.false_positives:.4f}, where alpha is "
            f"{self.alpha:g}, and {self.false_positives_fixed:.4f} with topic sets of the same "
            "sizes that were fixed beforehand."
        )

    def _unfinished(self) -> tuple[str, ...]:
        if not self.unfinished:
            return ()
        left_out = counted(self.unfinished, "other experiment")
        return (f"{left_out} had not stopped at the longest allowed, and count nowhere.",)


@recorded
def simulate_iterative_design(
    deltas: ArrayLike,
    *,
    delta: float,
    rng: int | np.random.Generator = DEFAULT_SEED,
    start: int = 30,
    step: int = 1,
    simulations: int = 2000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> IterativeDesign:
    """Add topics, drawn with replacement, until a difference of ``delta`` seems detectable.

    Parameters
    ----------
    deltas
        Per-topic differences of two systems, taken as all there are.
    start, step
        Topics at first, and how many are added at a time.
    power, alpha
        Of the two-sided test.

    Returns
    -------
    IterativeDesign
        How many topics the experiments came to have, and the power they reached.

    Notes
    -----
    An experiment of 3 times the topics that the true deviation needs is broken off. Memory is
    500 such experiments at a time.

    Examples
    --------
    >>> deltas = np.random.default_rng(1).normal(0.05, 0.15, 500)
    >>> design = simulate_iterative_design(deltas, delta=0.05, rng=1, simulations=200)
    >>> design.sentences()[0]
    '200 simulated experiments added topics until a difference of 0.05 seemed detectable, which took
    60.3 topics on average.'
    """
    centred = checked_deltas(deltas)
    # without a true difference every significant experiment is a false positive
    centred = centred - centred.mean()
    sigma = float(centred.std())
    needed = float(topics_needed(delta / sigma, power=power, alpha=alpha))
    sizes = np.arange(max(2, start), LONGEST * max(needed, start) + step, step).astype(np.intp)
    # a deviation of at most this, at that size, ends the experiment
    enough = delta / detectable_effect(sizes, power=power, alpha=alpha)
    batches = Resamples.plan(simulations, rng=rng).map(
        _iterate, deltas=centred, sizes=sizes, enough=enough, alpha=alpha
    )
    topics, deviation, detected, found_fixed = np.concatenate(batches, axis=1)
    return IterativeDesign(
        delta=delta,
        sigma=sigma,
        sigma_mean=float(deviation.mean()),
        topics_mean=float(topics.mean()),
        alpha=alpha,
        false_positives=float(detected.mean()),
        false_positives_fixed=float(found_fixed.mean()),
        simulations=simulations,
        unfinished=simulations - len(topics),
        provenance=WITHOUT_FILES.with_options(
            delta=delta,
            start=start,
            step=step,
            power=power,
            alpha=alpha,
        ),
    )


def _iterate(
    rng: np.random.Generator,
    size: int,
    *,
    deltas: Floats,
    sizes: Indices,
    enough: Floats,
    alpha: float,
) -> Floats:
    """Return topics, deviation and both verdicts of the experiments that came to a stop."""
    looked_at, fixed = (
        running_moments(rng.choice(deltas, (size, sizes[-1])), sizes) for _ in range(2)
    )
    stops = looked_at.deviation <= enough
    ended = np.flatnonzero(stops.any(axis=1))
    at = stops[ended].argmax(axis=1)
    # the other topics have the size at which these stopped, but did not decide it
    verdicts = [m.are_significant(sizes, alpha)[ended, at] for m in (looked_at, fixed)]
    return np.stack([sizes[at].astype(np.float64), looked_at.deviation[ended, at], *verdicts])


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
    >>> inclusion = topic_inclusion(table, "a", "b", delta=0.04, rng=1, simulations=500)
    >>> inclusion.inclusion.shape, inclusion.near > inclusion.far
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


@recorded
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
    start
        Topics that every experiment has at least.
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
    >>> inclusion = topic_inclusion(table, "a", "b", delta=0.04, rng=1, simulations=2000)
    >>> inclusion.near > inclusion.far
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
            power=power,
            alpha=alpha,
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
    stops = running_moments(drawn, sizes).deviation <= enough
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
    # with equal chances Σ(count − mean)² has the expectation n · variance: scaled to n − 1
    chi2 = (n - 1) / n * float(((counts - counts.mean()) ** 2).sum()) / variance
    return chi2, float(chdtrc(n - 1, chi2))


@finding
class Peeking(Finding):
    """How many pairs that just miss significance reach it on some first topics.

    Attributes
    ----------
    topics, start : int
        All topics, and those after which significance is first looked at.
    alpha, highest : float
        The pairs have a p value between these two on all topics.
    pairs : int
        How many such pairs there are.
    orders : int
        In how many random orders the topics were added.
    found_mean, found_low, found_high : float
        Pairs that are significant after some number of topics: mean, least and most over orders.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal(size=(12, 60))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefghijkl",
    ...                                topics=map(str, range(60)), measure="x")
    >>> peeking = peek(table, rng=1, start=20, orders=20)
    >>> peeking.found_mean > 0
    True
    """

    measure: Measure
    topics: int
    start: int
    alpha: float
    highest: float
    pairs: int
    orders: int
    found_mean: float
    found_low: float
    found_high: float

    def sentences(self) -> tuple[str, ...]:
        """Say how many pairs would have been called significant by looking too early."""
        near = (
            f"{counted(self.pairs, 'pair')} of systems have a p value from {self.alpha:g} to "
            f"{self.highest:g} in {self.measure} on {counted(self.topics, 'topic')}"
        )
        if not self.pairs:
            return (f"{near}, so that there is nothing to look at.",)
        share = self.found_mean / self.pairs
        return (
            (
                f"{near}; {self.found_mean:.1f} of them ({share:.1%}) would have been called "
                "significant by testing after each topic."
            ),
            (
                f"That is the mean over {counted(self.orders, 'random order')} of the topics (from "
                f"{self.found_low:g} to {self.found_high:g}), looking from topic {self.start} on."
            ),
            "Test once, after the last topic.",
        )


@recorded
def peek(
    table: ScoreTable,
    *,
    rng: int | np.random.Generator = DEFAULT_SEED,
    start: int = 25,
    orders: int = 100,
    alpha: float = 0.05,
    highest: float = 0.1,
) -> Peeking:
    """Add topics in random orders, and look at significance after each (W10 §5.3.3).

    Parameters
    ----------
    table
        Scores of two or more systems; topics with an undefined score are left out.
    start
        Topics after which significance is first looked at.
    orders
        How many random orders of the topics are tried.
    alpha, highest
        Pairs are those that miss significance on all topics, with a p value up to ``highest``.

    Returns
    -------
    Peeking
        How often the pairs would have been called significant at some look.

    Examples
    --------
    >>> scores = np.random.default_rng(4).beta(1, 3, (8, 60))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefgh", topics=map(str, range(60)),
    ...                                measure="AP")
    >>> peeking = peek(table, rng=1, start=20, orders=20, highest=0.3)
    >>> peeking.sentences()[0]
    '4 pairs of systems have a p value from 0.05 to 0.3 in AP on 60 topics; 2.6 of them
    (66.2%) would have been called significant by testing after each topic.'
    """
    sample = paired_sample(table, Pairs.of_all(table.systems))
    topics = topics_of(sample)
    if not 2 <= start <= topics:
        raise OptionError(
            f"start: {start} must be from 2 to the number of topics, {topics}. Hint: use "
            f"{max(2, topics // 3)}."
        )
    near = _near(sample.difference, sample.standard_error, topics, alpha, highest)
    deltas = sample.scores[sample.pairs.left[near]] - sample.scores[sample.pairs.right[near]]
    sizes = np.arange(start, topics + 1)
    batches = Resamples.plan(orders, rng=rng).map(
        _significant_by_order, deltas=deltas, sizes=sizes, alpha=alpha
    )
    detected = np.concatenate(batches)
    return Peeking(
        measure=table.measure,
        topics=topics,
        start=start,
        alpha=alpha,
        highest=highest,
        pairs=len(near),
        orders=orders,
        found_mean=float(detected.mean()),
        found_low=float(detected.min()),
        found_high=float(detected.max()),
        provenance=table.provenance.with_options(
            start=start, orders=orders, alpha=alpha, highest=highest
        ),
    )


def _near(difference: Floats, error: Floats, topics: int, alpha: float, highest: float) -> Indices:
    """Return the pairs whose p value on all topics lies between two levels."""
    # by |t| between two critical values, which spares a p value for every pair
    low, high = (critical_values(np.array([topics]), level)[0] for level in (highest, alpha))
    size = np.abs(difference)
    return np.flatnonzero((size > low * error) & (size <= high * error) & (error > 0))


def _significant_by_order(
    rng: np.random.Generator, size: int, *, deltas: Floats, sizes: Integers, alpha: float
) -> Floats:
    """Return, for each random order, how many pairs are significant after some of the sizes."""
    orders = (rng.permutation(deltas.shape[1]) for _ in range(size))
    looks = (running_moments(deltas[:, order], sizes) for order in orders)
    return np.array([float(m.are_significant(sizes, alpha).any(axis=1).sum()) for m in looks])
