"""Whether a score on one collection may be set beside a score on another (W10 §4.6)."""

import numpy as np

from poolwise.arrays import TOLERANCE, Floats
from poolwise.findings.comparison._resampling import Resamples, counted_pvalue
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.studies.topics.topic_sets import TwoSets, joined_topics, random_subsets
from poolwise.words import counted, p_words

__all__ = ["Comparability", "Repartitions", "comparability", "repartition"]


@finding
class Comparability(Finding):
    """How much the scores of the same systems differ between two collections.

    Attributes
    ----------
    measure : Measure
    systems : int
    topics : tuple of two int
        Topics of the first collection and of the second.
    rmse : float
        Root mean squared difference of mean scores between the two (W10 eq. 4.9).
    kappa : float
        That error in standard deviations of mean scores on one collection (W10 eq. 4.10); smaller
        is better.
    higher_on_first, higher_on_second : int
        Systems found significantly better than themselves, by a two-sample t test at ``alpha``,
        two-sided. Every one is a false positive.

    Examples
    --------
    >>> scores = {"12": [[0.1, 0.3], [0.4, 0.6]], "34": [[0.2, 0.4], [0.5, 0.9]]}
    >>> found = comparability(*(
    ...     ScoreTable.from_matrix(of, systems="ab", topics=topics, measure="AP")
    ...     for topics, of in scores.items()))
    >>> found.systems, found.topics, round(found.rmse, 3)
    (2, (2, 2), 0.158)
    """

    measure: Measure
    systems: int
    topics: tuple[int, int]
    rmse: float
    kappa: float
    higher_on_first: int
    higher_on_second: int
    alpha: float

    @property
    def false_positives(self) -> float:
        """Share of systems found different from themselves."""
        return (self.higher_on_first + self.higher_on_second) / self.systems

    def columns(self) -> Columns:
        """Return one row."""
        return {
            "measure": [str(self.measure)],
            "systems": [self.systems],
            "first_topics": [self.topics[0]],
            "second_topics": [self.topics[1]],
            "kappa": [self.kappa],
            "rmse": [self.rmse],
            "higher_on_first": [self.higher_on_first],
            "higher_on_second": [self.higher_on_second],
            "false_positives": [self.false_positives],
            "alpha": [self.alpha],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how far apart the two collections are, and how many systems that misleads."""
        wrong = self.higher_on_first + self.higher_on_second
        apart = (
            f"Between {_sizes(self.topics)}, the mean {self.measure} of the same system differs by "
            f"{self.rmse:.4f} (root mean square), which is {self.kappa:.3f} standard deviations of "
            "mean scores (kappa)."
        )
        return apart, (
            f"{wrong} of {counted(self.systems, 'system')} would be called significantly different "
            f"from themselves at level {self.alpha:g}: {self.higher_on_first} better on the first "
            f"collection, {self.higher_on_second} on the second."
        )


def comparability(first: ScoreTable, second: ScoreTable, *, alpha: float = 0.05) -> Comparability:
    """Compare the scores that the same systems have on two sets of topics.

    Standardize the tables first to see what that gains (W10 tables 4.9 to 4.12).

    Parameters
    ----------
    first, second
        Scores of the same systems by one measure, on the topics of either collection; topics with
        an undefined score are left out.
    alpha
        Level of the test of each system against itself.

    Returns
    -------
    Comparability
        How far the scores of a system are apart, and how many are found better than themselves.

    Examples
    --------
    >>> first = ScoreTable.from_matrix([[0.1, 0.3], [0.4, 0.6]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> second = ScoreTable.from_matrix([[0.2, 0.4], [0.5, 0.9]], systems="ab", topics="34",
    ...                                 measure="AP")
    >>> found = comparability(first, second)
    >>> round(found.kappa, 3), found.higher_on_second
    (0.639, 0)
    """
    both, size = joined_topics(first, second)
    sets = TwoSets.of(both, (np.arange(both.shape[1]) < size)[None])
    found = sets.significant(alpha)
    return Comparability(
        measure=first.measure,
        systems=len(first.systems),
        topics=(size, both.shape[1] - size),
        rmse=float(sets.rmse()[0]),
        kappa=float(sets.kappa()[0]),
        higher_on_first=int((found > 0).sum()),
        higher_on_second=int((found < 0).sum()),
        alpha=alpha,
        provenance=first.provenance.with_options(alpha=alpha),
    )


@finding
class Repartitions(Finding):
    """What random partitions of topics into two collections give.

    Attributes
    ----------
    measure : Measure
    systems : int
    topics : tuple of two int
        Topics on either side of each partition.
    kappas : float array
        κ of each partition.
    false_positives : float array
        Share of systems found different from themselves, in each partition.
    observed : float
        κ of the collections as they are; NaN where one table was partitioned.
    pvalue : float
        Of the test that topics are assigned to the two collections at random; likewise.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((8, 40))
    >>> table = ScoreTable.from_matrix(values, systems="abcdefgh", topics=map(str, range(40)),
    ...                                measure="P@5")
    >>> found = repartition(table, rng=1, partitions=50)
    >>> found.topics, found.kappas.shape
    ((20, 20), (50,))
    """

    measure: Measure
    systems: int
    topics: tuple[int, int]
    kappas: Floats
    false_positives: Floats
    alpha: float
    observed: float = float("nan")
    pvalue: float = float("nan")

    def columns(self) -> Columns:
        """Return one row: κ as it is, with its p value, and what random partitions give."""
        return {
            "measure": [str(self.measure)],
            "systems": [self.systems],
            "first_topics": [self.topics[0]],
            "second_topics": [self.topics[1]],
            "kappa": [self.observed],
            "p": [self.pvalue],
            "random_kappa": [float(self.kappas.mean())],
            "false_positives": [float(self.false_positives.mean())],
            "false_positives_median": [float(np.median(self.false_positives))],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what random partitions give, and whether the real one is like them."""
        middle, high = np.percentile(self.false_positives, [50, 97.5])
        rates = (
            f"Over {counted(len(self.kappas), 'random partition')} into {_sizes(self.topics)}, "
            f"{self.false_positives.mean():.1%} of {counted(self.systems, 'system')} would be "
            f"called significantly different from themselves in {self.measure} at level "
            f"{self.alpha:g} (median {middle:.1%}, 97.5th percentile {high:.1%})."
        )
        kappa = f"Kappa of {self.measure} is {self.kappas.mean():.3f} on average"
        if np.isnan(self.observed):
            return rates, f"{kappa}."
        return rates, (
            f"{kappa}, and {self.observed:.3f} for the collections as they are; partitions at "
            f"random give so large a kappa with {p_words(self.pvalue)}."
        )


def repartition(
    first: ScoreTable,
    second: ScoreTable | None = None,
    *,
    rng: int | np.random.Generator = 1,
    partitions: int = 1000,
    alpha: float = 0.05,
) -> Repartitions:
    """Split topics at random, over and over, into two collections, and compare these.

    One table is split into halves: what comparisons between collections drawn alike would be
    worth (W10 §4.6.2). Two tables are joined and split into their own sizes: if that seldom gives
    so large a κ as theirs, the collections differ by more than chance (W10 §4.6.3).

    Parameters
    ----------
    first, second
        Scores of the same systems by one measure.
    rng
        Seed or Generator.
    partitions
        How many partitions to draw.
    alpha
        Level of the test of each system against itself.

    Returns
    -------
    Repartitions
        κ and the share of false positives of every partition, and a test of chance for two tables.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((8, 40))
    >>> table = ScoreTable.from_matrix(values, systems="abcdefgh", topics=map(str, range(40)),
    ...                                measure="P@5")
    >>> found = repartition(table, rng=1, partitions=200)
    >>> bool(0.02 < found.false_positives.mean() < 0.08)
    True
    """
    both, size = joined_topics(first, second)
    planned = Resamples.plan(partitions, rng=rng)
    batches = planned.map(_random_partitions, values=both, size=size, alpha=alpha)
    kappas, rates = np.concatenate(batches, axis=1)
    observed = pvalue = float("nan")
    if second is not None:
        observed = comparability(first, second, alpha=alpha).kappa
        as_large = np.count_nonzero(kappas >= observed * (1 - TOLERANCE))
        pvalue = float(counted_pvalue(as_large, planned))
    return Repartitions(
        measure=first.measure,
        systems=len(first.systems),
        topics=(size, both.shape[1] - size),
        kappas=kappas,
        false_positives=rates,
        alpha=alpha,
        observed=observed,
        pvalue=pvalue,
        provenance=first.provenance.with_options(
            **seed_option(rng), partitions=partitions, alpha=alpha
        ),
    )


def _random_partitions(
    rng: np.random.Generator, size_of_batch: int, *, values: Floats, size: int, alpha: float
) -> Floats:
    """Return κ and the share of false positives of each random partition."""
    sets = TwoSets.of(values, random_subsets(rng, size_of_batch, values.shape[1], size))
    return np.stack([sets.kappa(), (sets.significant(alpha) != 0).mean(axis=1)])


def _sizes(topics: tuple[int, int]) -> str:
    return f"{topics[0]} and {counted(topics[1], 'topic')}"
