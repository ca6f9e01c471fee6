"""What looking at significance while topics are still added does (W10 §5.3.3)."""

import numpy as np

from poolwise.arrays import Floats, Indices, Integers
from poolwise.errors import OptionError
from poolwise.evidence._pairs import Pairs
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.comparison._samples import paired_sample
from poolwise.findings.planning.iterative_design import critical_values, running_moments
from poolwise.findings.planning.past_systems import topics_of
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, seed_option
from poolwise.results._columns import Columns, row_of
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.words import counted

__all__ = ["Peeking", "peek"]


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
    >>> found = peek(table, rng=1, start=20, orders=20)
    >>> found.found_mean > 0
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

    def columns(self) -> Columns:
        """Return one row, one column per attribute."""
        return row_of(self)

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


def peek(
    table: ScoreTable,
    *,
    rng: int | np.random.Generator = DEFAULT_SEED,
    start: int = 50,
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
    rng : int or numpy.random.Generator
        Seed or generator of the orders.

    Returns
    -------
    Peeking
        How often the pairs would have been called significant at some look.

    Examples
    --------
    >>> scores = np.random.default_rng(4).beta(1, 3, (8, 60))
    >>> table = ScoreTable.from_matrix(scores, systems="abcdefgh", topics=map(str, range(60)),
    ...                                measure="AP")
    >>> found = peek(table, rng=1, start=20, orders=20, highest=0.3)
    >>> found.sentences()[0]
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
        _found, deltas=deltas, sizes=sizes, critical=critical_values(sizes, alpha)
    )
    found = np.concatenate(batches)
    return Peeking(
        measure=table.measure,
        topics=topics,
        start=start,
        alpha=alpha,
        highest=highest,
        pairs=len(near),
        orders=orders,
        found_mean=float(found.mean()),
        found_low=float(found.min()),
        found_high=float(found.max()),
        provenance=table.provenance.with_options(
            start=start, orders=orders, alpha=alpha, highest=highest, **seed_option(rng)
        ),
    )


def _near(difference: Floats, error: Floats, topics: int, alpha: float, highest: float) -> Indices:
    """Return the pairs whose p value on all topics lies between two levels."""
    low, high = (critical_values(np.array([topics]), level)[0] for level in (highest, alpha))
    size = np.abs(difference)
    return np.flatnonzero((size > low * error) & (size <= high * error) & (error > 0))


def _found(
    rng: np.random.Generator, size: int, *, deltas: Floats, sizes: Integers, critical: Floats
) -> Floats:
    """Return, for each random order, how many pairs are significant after some of the sizes."""
    return np.array([_significant(rng, deltas, sizes, critical) for _ in range(size)])


def _significant(
    rng: np.random.Generator, deltas: Floats, sizes: Integers, critical: Floats
) -> float:
    drawn = deltas[:, rng.permutation(deltas.shape[1])]
    mean, deviation = running_moments(drawn, sizes)
    return float((np.abs(mean) * np.sqrt(sizes) > critical * deviation).any(axis=1).sum())
