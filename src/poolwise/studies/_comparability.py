"""Whether scores on two sets of topics may be set side by side (W10 §4.6)."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import TOLERANCE, Booleans, Floats, Indices, Integers
from poolwise.errors import OptionError
from poolwise.findings.agreement._rank_correlation import correlate
from poolwise.findings.comparison._resampling import Resamples, counted_pvalue
from poolwise.findings.comparison._significance import run_test
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._standardization import standardize
from poolwise.studies._swaps import TwoSets, joined_topics, random_subsets, two_sample_verdict
from poolwise.words import counted, p_words

__all__ = [
    "Comparability",
    "ComparabilityStudy",
    "FalseNegatives",
    "Repartitions",
    "comparability",
    "compare_topic_sets",
    "false_negatives",
    "repartition",
]


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
    pearson, tau_b : float
        Correlations of the mean scores on the one with those on the other (W10 table 4.7).
    first_mean, second_mean : float
        The mean score of all systems on either collection (W10 table 4.13).

    Examples
    --------
    >>> scores = {"12": [[0.1, 0.3], [0.4, 0.6]], "34": [[0.2, 0.4], [0.5, 0.9]]}
    >>> compared = comparability(*(
    ...     ScoreTable.from_matrix(of, systems="ab", topics=topics, measure="AP")
    ...     for topics, of in scores.items()))
    >>> compared.systems, compared.topics, round(compared.rmse, 3)
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
    pearson: float
    tau_b: float
    first_mean: float
    second_mean: float

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
            "pearson": [self.pearson],
            "tau_b": [self.tau_b],
            "first_mean": [self.first_mean],
            "second_mean": [self.second_mean],
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
        misled = (
            f"{wrong} of {counted(self.systems, 'system')} would be called significantly different "
            f"from themselves at level {self.alpha:g}: {self.higher_on_first} better on the first "
            f"collection, {self.higher_on_second} on the second."
        )
        return (
            apart,
            misled,
            (
                f"The mean {self.measure} on the one correlates with that on the other by r = "
                f"{self.pearson:.3f} and tau_b = {self.tau_b:.3f}."
            ),
        )


@recorded
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
    >>> compared = comparability(first, second)
    >>> round(compared.kappa, 3), compared.higher_on_second
    (0.639, 0)
    """
    both, size = joined_topics(first, second)
    # The real collections are one more partition, so that their κ comes from the same code.
    sets = TwoSets.of(both, (np.arange(both.shape[1]) < size)[None])
    signs = sets.significant(alpha)
    means = both[:, :size].mean(axis=1), both[:, size:].mean(axis=1)
    return Comparability(
        measure=first.measure,
        systems=len(first.systems),
        topics=(size, both.shape[1] - size),
        rmse=float(sets.rmse()[0]),
        kappa=float(sets.kappa()[0]),
        higher_on_first=int((signs > 0).sum()),
        higher_on_second=int((signs < 0).sum()),
        alpha=alpha,
        pearson=float(correlate(*means, method="pearson")),
        tau_b=float(correlate(*means, method="tau_b")),
        first_mean=float(means[0].mean()),
        second_mean=float(means[1].mean()),
        provenance=first.provenance.with_options(alpha=alpha),
    )


_REAL = (
    *("higher_on_first", "higher_on_second", "pearson", "tau_b"),
    *("first_mean", "second_mean"),
)
"""What is known of two collections as they are, and of no random partition."""


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
    real : Comparability, optional
        The collections as they are; None where one table was partitioned.
    pvalue : float
        Of the test that topics are assigned to the two collections at random; NaN likewise.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((8, 40))
    >>> table = ScoreTable.from_matrix(values, systems="abcdefgh", topics=map(str, range(40)),
    ...                                measure="P@5")
    >>> halves = repartition(table, rng=1, partitions=50)
    >>> halves.topics, halves.kappas.shape
    ((20, 20), (50,))
    """

    measure: Measure
    systems: int
    topics: tuple[int, int]
    kappas: Floats
    false_positives: Floats
    alpha: float
    real: Comparability | None = None
    pvalue: float = float("nan")

    @property
    def observed(self) -> float:
        """κ of the collections as they are; NaN where one table was partitioned."""
        return self._real("kappa")

    def _real(self, number: str) -> float:
        return float("nan") if self.real is None else getattr(self.real, number)

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
            **{name: [self._real(name)] for name in _REAL},
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
        if self.real is None:
            return rates, f"{kappa}."
        of_real = (
            f"{kappa}, and {self.observed:.3f} for the collections as they are; partitions at "
            f"random give so large a kappa with {p_words(self.pvalue)}."
        )
        return rates, of_real, *self.real.sentences()[1:]


@recorded
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
    >>> halves = repartition(table, rng=1, partitions=200)
    >>> bool(0.02 < halves.false_positives.mean() < 0.08)
    True
    """
    both, size = joined_topics(first, second)
    planned = Resamples.plan(partitions, rng=rng)
    batches = planned.map(_random_partitions, values=both, size=size, alpha=alpha)
    kappas, rates = np.concatenate(batches, axis=1)
    real, pvalue = None, float("nan")
    if second is not None:
        real = comparability(first, second, alpha=alpha)
        # A random partition can be the real one, with its sums in another order.
        as_large = np.count_nonzero(kappas >= real.kappa * (1 - TOLERANCE))
        pvalue = float(counted_pvalue(as_large, planned))
    return Repartitions(
        measure=first.measure,
        systems=len(first.systems),
        topics=(size, both.shape[1] - size),
        kappas=kappas,
        false_positives=rates,
        alpha=alpha,
        real=real,
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


@finding
class FalseNegatives(Finding):
    """How often a difference that is surely there is missed between two collections.

    Attributes
    ----------
    measures : tuple of Measure
    missed : tuple of float
        For each measure, the share of tests that did not find the difference.
    pairs, different : int
        Pairs of systems, and those of them that surely differ.
    samples : int
        Tests made with each measure.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((4, 40)) + np.arange(4)[:, None] / 4
    >>> table = ScoreTable.from_matrix(values, systems="abcd", topics=map(str, range(40)),
    ...                                measure="AP")
    >>> missed = false_negatives([table], rng=1, samples=200)
    >>> missed.pairs, missed.samples, missed.different <= missed.pairs
    (6, 200, True)
    """

    measures: tuple[Measure, ...]
    missed: tuple[float, ...]
    pairs: int
    different: int
    samples: int
    alpha: float

    @property
    def rates(self) -> dict[str, float]:
        """The share missed, by name of the measure."""
        return dict(zip(map(str, self.measures), self.missed, strict=True))

    def columns(self) -> Columns:
        """Return one row per measure."""
        rows = len(self.measures)
        return {
            "measure": [str(measure) for measure in self.measures],
            "pairs": [self.pairs] * rows,
            "different": [self.different] * rows,
            "samples": [self.samples] * rows,
            "alpha": [self.alpha] * rows,
            "false_negatives": list(self.missed),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how often each measure misses a difference that all topics show."""
        rates = ", ".join(f"{rate:.1%} by {name}" for name, rate in self.rates.items())
        missed = (
            "With each system of a pair on its own half of the topics, a test at level "
            f"{self.alpha:g} misses this share of the differences that all topics show: {rates} "
            f"({counted(self.samples, 'sample')})."
        )
        different = (
            f"{self.different} of {counted(self.pairs, 'pair')} of systems differ on all topics."
        )
        return missed, different


@recorded
def false_negatives(
    tables: Iterable[ScoreTable],
    *,
    rng: int | np.random.Generator = 1,
    samples: int = 5000,
    alpha: float = 0.05,
    sure_alpha: float = 0.001,
) -> FalseNegatives:
    """Test pairs that surely differ, each system on its own random half of the topics.

    Parameters
    ----------
    tables
        The same systems and topics, scored in several ways (raw, normalized, standardized).
    samples
        How many pairs and halves to draw.
    sure_alpha
        A pair surely differs if a paired t test on all topics says so at this level, and in the
        same direction, in every table (W10 §4.6.1).

    Returns
    -------
    FalseNegatives
        The share of tests that missed the difference, by measure.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((4, 40)) + np.arange(4)[:, None] / 4
    >>> table = ScoreTable.from_matrix(values, systems="abcd", topics=map(str, range(40)),
    ...                                measure="AP")
    >>> 0 < false_negatives([table], rng=1, samples=500).rates["AP"] < 0.5
    True
    """
    all_tables = list(tables)
    values = _scores_of(all_tables)
    sure = _surely_different(all_tables, sure_alpha)
    if not sure.any():
        raise OptionError(
            f"tables: no pair of systems differs at {sure_alpha} in all of them. "
            "Hint: raise sure_alpha, or use more topics."
        )
    left, right = (side[sure] for side in np.triu_indices(len(all_tables[0].systems), 1))
    planned = Resamples.plan(samples, rng=rng)
    missed = planned.map(_missed, values=values, left=left, right=right, alpha=alpha)
    rates = np.sum(missed, axis=0) / planned.count
    options = {"samples": samples, "alpha": alpha, "sure_alpha": sure_alpha}
    return FalseNegatives(
        measures=tuple(table.measure for table in all_tables),
        missed=tuple(rates.tolist()),
        pairs=len(sure),
        different=int(sure.sum()),
        samples=planned.count,
        alpha=alpha,
        provenance=all_tables[0].provenance.with_options(**seed_option(rng), **options),
    )


def _missed(
    rng: np.random.Generator,
    size: int,
    *,
    values: Floats,
    left: Indices,
    right: Indices,
    alpha: float,
) -> Integers:
    """Count, per table, the sampled pairs that a two-sample t test does not find different."""
    # Every table meets the same pairs and halves, so that their rates differ by the scores alone.
    pair = rng.integers(0, len(left), size)
    topics = values.shape[2]
    in_left = random_subsets(rng, size, topics, topics // 2)
    left_mean, left_squares = _moments(values[:, left[pair]], in_left)
    right_mean, right_squares = _moments(values[:, right[pair]], ~in_left)
    half = topics // 2
    # The pooled variance of the two-sample t test; an odd number of topics makes uneven halves.
    share = (1 / half + 1 / (topics - half)) / (topics - 2)
    error = np.sqrt((left_squares + right_squares) * share)
    verdict = two_sample_verdict(left_mean - right_mean, error, topics - 2, alpha)
    return np.count_nonzero(verdict == 0, axis=1)


def _moments(values: Floats, mask: Booleans) -> tuple[Floats, Floats]:
    """Return the mean and the sum of squared deviations over the topics of the mask."""
    mean = (values * mask).sum(axis=2) / mask.sum(axis=1)
    return mean, (((values - mean[:, :, None]) * mask) ** 2).sum(axis=2)


def _surely_different(tables: Sequence[ScoreTable], alpha: float) -> Booleans:
    """Return which pairs a paired t test finds different in every table, the same way round."""
    tests = [run_test(table) for table in tables]
    # A pair that is equal on every topic has no p value: NaN is not below alpha.
    signs = np.stack([np.sign(f.difference) * (f.pvalue < alpha) for f in tests])
    return np.asarray((signs == signs[0]).all(axis=0) & (signs[0] != 0))


def _scores_of(tables: Sequence[ScoreTable]) -> Floats:
    """Return tables × systems × topics, on the topics that all have scores for."""
    if len({(table.systems, table.topics) for table in tables}) != 1:
        raise OptionError(
            f"tables: {len(tables)} tables must be of the same systems and topics. Hint: "
            "give one table or more, all scored from the same runs."
        )
    defined = np.logical_and.reduce([table.defined for table in tables])
    # A variance takes two topics on either side.
    if defined.sum() < 4:
        raise OptionError(
            f"tables: {counted(int(defined.sum()), 'topic')} with scores cannot be split into two "
            "samples. Hint: use four or more."
        )
    return np.stack([table.value[:, defined] for table in tables])


@finding
class ComparabilityStudy(Finding):
    """How the same systems compare between two sets of topics, by several measures.

    Attributes
    ----------
    repartitions : tuple of Repartitions
        One for each measure.
    missed : tuple of FalseNegatives
        Rates of false negatives of some or all of the measures; may be empty.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=12, topics=40, depth=50, rng=3)
    >>> table = pw.score(pw.align(made.truth, made.runs), "AP", bounds="none")
    >>> forms = table, pw.standardize(table)
    >>> study = ComparabilityStudy.of(
    ...     (pw.studies.repartition(form, partitions=200) for form in forms),
    ...     [pw.studies.false_negatives(forms, samples=500)])
    >>> study.columns()["measure"], [round(rate, 2) for rate in study.columns()["false_negatives"]]
    (['AP', 'sAP'], [0.41, 0.01])
    """

    repartitions: tuple[Repartitions, ...]
    missed: tuple[FalseNegatives, ...] = ()

    @classmethod
    def of(
        cls, repartitions: Iterable[Repartitions], missed: Iterable[FalseNegatives] = ()
    ) -> "ComparabilityStudy":
        """Join findings about the same systems, with the provenance of the first."""
        first, *others = repartitions
        return cls((first, *others), tuple(missed), provenance=first.provenance)

    def columns(self) -> Columns:
        """Return one row per measure; false negatives that nobody counted are NaN."""
        rates = {name: rate for missing in self.missed for name, rate in missing.rates.items()}
        columns = stack_columns([halves.columns() for halves in self.repartitions])
        missed = [rates.get(name, float("nan")) for name in columns["measure"]]
        return columns | {"false_negatives": missed}

    def sentences(self) -> tuple[str, ...]:
        """Say what each part found."""
        parts = (*self.repartitions, *self.missed)
        return tuple(sentence for part in parts for sentence in part.sentences())

    def tables(self) -> tuple[Table, ...]:
        """Return one table, with a row per measure."""
        return (table_of(self.columns(), p_values=("p",)),)


@recorded
def compare_topic_sets(
    tables: Iterable[ScoreTable],
    *,
    second: Sequence[str] = (),
    partitions: int = 1000,
    missed: bool = False,
    alpha: float = 0.05,
    rng: int = 1,
) -> ComparabilityStudy:
    """Compare the scores of the same systems on two sets of topics, raw and standardized.

    Without a second set, topics are split at random into halves. Every system that is found
    significantly different from itself is a false positive; kappa is the error between its two
    mean scores, in standard deviations of mean scores.

    Parameters
    ----------
    second : sequence of str
        File with the topics of a second collection, one per line; the other topics are
        the first collection.
    partitions : int
        Number of random partitions of the topics.
    missed : bool
        Count as well how often a difference that is significant on all topics is missed when each
        system is tested on its own half of the topics.

    Returns
    -------
    ComparabilityStudy
        κ and the share of false positives by measure, raw and standardized.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> compare_topic_sets(tables, partitions=50).columns()["measure"]
    ['AP', 'sAP']
    """
    # Factors belong to single topics: to standardize before topics are split is the same as after.
    forms = [(table, standardize(table)) for table in tables]
    repartitions = [
        repartition(*_split(table, second), rng=rng, partitions=partitions, alpha=alpha)
        for pair in forms
        for table in pair
    ]
    rates = [false_negatives(pair, rng=rng, alpha=alpha) for pair in forms if missed]
    return ComparabilityStudy.of(repartitions, rates)


def _split(table: ScoreTable, second: Sequence[str]) -> tuple[ScoreTable, ScoreTable | None]:
    if not second:
        return table, None
    first = [topic for topic in table.topics if topic not in second]
    return table.select(topics=first), table.select(topics=second)
