"""How often a comparison between collections misses a difference that is there (W10 §4.6.1)."""

from collections.abc import Iterable, Sequence

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.errors import OptionError
from poolwise.findings.comparison._resampling import Resamples
from poolwise.findings.comparison._significance import run_test
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import seed_option
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores._score_table import ScoreTable
from poolwise.studies.topics.topic_sets import random_subsets, two_sample_verdict
from poolwise.words import counted

__all__ = ["FalseNegatives", "false_negatives"]


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
    >>> found = false_negatives([table], rng=1, samples=200)
    >>> found.pairs, found.samples, found.different <= found.pairs
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
        known = (
            f"{self.different} of {counted(self.pairs, 'pair')} of systems differ on all topics."
        )
        return missed, known


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
    rng
        Seed or Generator.
    samples
        How many pairs and halves to draw.
    alpha
        Level of the test.
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
    given = list(tables)
    values = _scores_of(given)
    sure = _surely_different(given, sure_alpha)
    if not sure.any():
        raise OptionError(
            f"tables: no pair of systems differs at {sure_alpha} in all of them. "
            "Hint: raise sure_alpha, or use more topics."
        )
    left, right = (side[sure] for side in np.triu_indices(len(given[0].systems), 1))
    planned = Resamples.plan(samples, rng=rng)
    missed = planned.map(_missed, values=values, left=left, right=right, alpha=alpha)
    rates = np.sum(missed, axis=0) / planned.count
    options = {"samples": samples, "alpha": alpha, "sure_alpha": sure_alpha}
    return FalseNegatives(
        measures=tuple(table.measure for table in given),
        missed=tuple(rates.tolist()),
        pairs=len(sure),
        different=int(sure.sum()),
        samples=planned.count,
        alpha=alpha,
        provenance=given[0].provenance.with_options(**seed_option(rng), **options),
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
    pair = rng.integers(0, len(left), size)
    topics = values.shape[2]
    in_left = random_subsets(rng, size, topics, topics // 2)
    left_mean, left_squares = _moments(values[:, left[pair]], in_left)
    right_mean, right_squares = _moments(values[:, right[pair]], ~in_left)
    half = topics // 2
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
    found = [run_test(table) for table in tables]
    signs = np.stack([np.sign(f.difference) * (f.pvalue < alpha) for f in found])
    return np.asarray((signs == signs[0]).all(axis=0) & (signs[0] != 0))


def _scores_of(tables: Sequence[ScoreTable]) -> Floats:
    """Return tables × systems × topics, on the topics that all have scores for."""
    if len({(table.systems, table.topics) for table in tables}) != 1:
        raise OptionError(
            f"tables: {len(tables)} tables must be of the same systems and topics. Hint: "
            "give one table or more, all scored from the same runs."
        )
    defined = np.logical_and.reduce([table.defined for table in tables])
    if defined.sum() < 4:
        raise OptionError(
            f"tables: {counted(int(defined.sum()), 'topic')} with scores cannot be split into two "
            "samples. Hint: use four or more."
        )
    return np.stack([table.value[:, defined] for table in tables])
