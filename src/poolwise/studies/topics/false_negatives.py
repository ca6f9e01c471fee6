"""How often a comparison between collections misses a difference that is there (W10 §4.6.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.errors import OptionError
from poolwise.findings.comparison.resampling import Resamples
from poolwise.findings.comparison.significance import run_test
from poolwise.scores.score_table import ScoreTable
from poolwise.studies.topics.partitions import random_parts, two_sample_verdict

__all__ = ["FalseNegatives", "false_negatives"]


@dataclass(frozen=True)
class FalseNegatives:
    """How often a difference that is surely there is missed between two collections.

    Attributes
    ----------
    different : int
        Pairs of systems that are surely different.
    rates : dict
        For each measure, the share of tests that did not find the difference.
    """

    pairs: int
    different: int
    samples: int
    alpha: float
    rates: dict[str, float]

    def __str__(self) -> str:
        head = f"{self.different} of {self.pairs} pairs surely differ; missed at alpha"
        rows = (f"  {measure:<12} {rate:.3f}" for measure, rate in self.rates.items())
        return "\n".join([f"{head} {self.alpha:g}, {self.samples} samples:", *rows])


def false_negatives(
    tables: Sequence[ScoreTable],
    *,
    rng: int | np.random.Generator,
    samples: int = 5000,
    alpha: float = 0.05,
    sure_alpha: float = 0.001,
) -> FalseNegatives:
    """Test pairs that surely differ, each system on its own random half of the topics.

    Parameters
    ----------
    tables
        The same systems and topics, scored in several ways (raw, normalized, standardized).
    sure_alpha
        A pair surely differs if a paired t test on all topics says so at this level, and in the
        same direction, in every table (W10 §4.6.1).

    Examples
    --------
    >>> values = np.random.default_rng(1).random((4, 40)) + np.arange(4)[:, None] / 4
    >>> table = ScoreTable.from_matrix(values, systems="abcd", topics=map(str, range(40)),
    ...                                measure="AP")
    >>> 0 < false_negatives([table], rng=1, samples=500).rates["AP"] < 0.5
    True
    """
    values = _scores_of(tables)
    sure = _surely_different(tables, sure_alpha)
    if not sure.any():
        raise OptionError(
            f"tables: no pair of systems differs at {sure_alpha} in all of them. "
            "Hint: raise sure_alpha, or use more topics."
        )
    left, right = (side[sure] for side in np.triu_indices(len(tables[0].systems), 1))
    planned = Resamples.plan(samples, rng=rng)
    missed = planned.map(_missed, values=values, left=left, right=right, alpha=alpha)
    rates = np.sum(missed, axis=0) / planned.count
    return FalseNegatives(
        pairs=len(sure),
        different=int(sure.sum()),
        samples=planned.count,
        alpha=alpha,
        rates={str(table.measure): float(rate) for table, rate in zip(tables, rates, strict=True)},
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
    """Count, per table, the sampled pairs that a two-sample t test does not tell apart."""
    pair = rng.integers(0, len(left), size)
    topics = values.shape[2]
    in_left = random_parts(rng, size, topics, topics // 2)
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
    """Return which pairs a paired t test tells apart in every table, the same way round."""
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
            f"tables: {defined.sum()} topics with scores cannot be parted into two samples. "
            "Hint: use four or more."
        )
    return np.stack([table.value[:, defined] for table in tables])
