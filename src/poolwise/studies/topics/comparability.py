"""Whether a score on one collection may be set beside a score on another (W10 §4.6)."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import TOLERANCE, Floats
from poolwise.findings.comparison.resampling import Resamples, counted_pvalue
from poolwise.measures.measure import Measure
from poolwise.scores.score_table import ScoreTable
from poolwise.studies.topics.partitions import Halves, joined, random_parts

__all__ = ["Comparability", "Repartitions", "compare_collections", "repartition"]


@dataclass(frozen=True)
class Comparability:
    """How much the scores of the same systems differ between two collections.

    Attributes
    ----------
    kappa : float
        The error between mean scores on the two, in standard deviations of mean scores on one
        (W10 eq. 4.10); smaller is better.
    rmse : float
        That error: root mean squared difference of mean scores (W10 eq. 4.9).
    higher_on_first, higher_on_second : int
        Systems found significantly better than themselves, by a two-sample t test at ``alpha``,
        two-sided. Every one is a false positive.
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

    def __str__(self) -> str:
        first, second = self.topics
        counts = f"{self.higher_on_first} on the first, {self.higher_on_second} on the second"
        return "\n".join(
            [
                f"{self.measure}, {self.systems} systems on {first} and on {second} topics:",
                f"  kappa               {self.kappa:.3f}",
                f"  error of means      {self.rmse:.4f}",
                f"  better than itself  {counts}, at alpha {self.alpha:g}",
            ]
        )


def compare_collections(
    first: ScoreTable, second: ScoreTable, *, alpha: float = 0.05
) -> Comparability:
    """Compare the scores that the same systems have on two sets of topics.

    Standardize the tables first to see what that gains (W10 tables 4.9 to 4.12).

    Examples
    --------
    >>> first = ScoreTable.from_matrix([[0.1, 0.3], [0.4, 0.6]], systems="ab", topics="12",
    ...                                measure="AP")
    >>> second = ScoreTable.from_matrix([[0.2, 0.4], [0.5, 0.9]], systems="ab", topics="34",
    ...                                 measure="AP")
    >>> round(compare_collections(first, second).kappa, 3)
    0.639
    """
    both, size = joined(first, second)
    halves = Halves.of(both, (np.arange(both.shape[1]) < size)[None])
    found = halves.significant(alpha)
    return Comparability(
        measure=first.measure,
        systems=len(first.systems),
        topics=(size, both.shape[1] - size),
        rmse=float(halves.rmse()[0]),
        kappa=float(halves.kappa()[0]),
        higher_on_first=int((found > 0).sum()),
        higher_on_second=int((found < 0).sum()),
        alpha=alpha,
    )


@dataclass(frozen=True, eq=False)
class Repartitions:
    """What random partitions of topics into two collections give.

    Attributes
    ----------
    kappas : float array
        κ of each partition.
    false_positives : float array
        Share of systems found different from themselves, in each partition.
    observed : float
        κ of the collections as they are; NaN where one table was partitioned.
    pvalue : float
        Of the test that topics are assigned to the two collections at random; likewise.
    """

    measure: Measure
    systems: int
    topics: tuple[int, int]
    kappas: Floats
    false_positives: Floats
    alpha: float
    observed: float = float("nan")
    pvalue: float = float("nan")

    def __str__(self) -> str:
        low, high = np.percentile(self.false_positives, [50, 97.5])
        rates = f"{self.false_positives.mean():.3f} on average, median {low:.3f}, 97.5th % "
        first, second = self.topics
        split = f"{len(self.kappas)} random partitions into {first} and {second} topics"
        lines = [
            f"{self.measure}, {self.systems} systems, {split}:",
            f"  kappa            {self.kappas.mean():.3f} on average",
            f"  false positives  {rates}{high:.3f}, at alpha {self.alpha:g}",
        ]
        if not np.isnan(self.observed):
            lines.append(f"  as they are      kappa {self.observed:.3f}, p {self.pvalue:.4f}")
        return "\n".join(lines)


def repartition(
    first: ScoreTable,
    second: ScoreTable | None = None,
    *,
    rng: int | np.random.Generator,
    partitions: int = 1000,
    alpha: float = 0.05,
) -> Repartitions:
    """Part topics at random, over and over, into two collections, and compare these.

    One table is parted into halves: what comparisons between collections drawn alike would be
    worth (W10 §4.6.2). Two tables are thrown together and parted into their own sizes: if that
    seldom gives so large a κ as theirs, the collections differ by more than chance (W10 §4.6.3).

    Examples
    --------
    >>> values = np.random.default_rng(1).random((8, 40))
    >>> table = ScoreTable.from_matrix(values, systems="abcdefgh", topics=map(str, range(40)),
    ...                                measure="P@5")
    >>> found = repartition(table, rng=1, partitions=200)
    >>> bool(0.02 < found.false_positives.mean() < 0.08)
    True
    """
    both, size = joined(first, second)
    planned = Resamples.plan(partitions, rng=rng)
    batches = planned.map(_parted, values=both, size=size, alpha=alpha)
    kappas, rates = np.concatenate(batches, axis=1)
    observed = pvalue = float("nan")
    if second is not None:
        observed = compare_collections(first, second, alpha=alpha).kappa
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
    )


def _parted(
    rng: np.random.Generator, size_of_batch: int, *, values: Floats, size: int, alpha: float
) -> Floats:
    """Return κ and the share of false positives of each random partition."""
    halves = Halves.of(values, random_parts(rng, size_of_batch, values.shape[1], size))
    return np.stack([halves.kappa(), (halves.significant(alpha) != 0).mean(axis=1)])
