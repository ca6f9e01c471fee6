"""How far another sample of documents could move scores that are estimates from one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Graded, join_topics
from poolwise.measures._measure import Measure
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.results._columns import Columns
from poolwise.results._tables import Column
from poolwise.words import range_text

__all__ = ["SAMPLING_COLUMNS", "SamplingErrors", "normal_interval", "sampling_errors"]

SAMPLING_COLUMNS = ("sample_low", "sample_high", "never_drawn")
"""What the columns of scores have more where the scores are estimates from a sample."""


@dataclass(frozen=True, eq=False)
class SamplingErrors:
    """What is known of the sampling error of scores, systems × topics.

    Attributes
    ----------
    variance : float array, systems × topics
        Over the samples that the design could have drawn; NaN where it is not known.
    of_intervals : float array, systems × topics
        The variance that intervals of means are by: of the same samples, estimated so that it
        varies less; NaN where no interval was seen to hold the truth as often as it says.
    never_drawn : float array, systems × topics
        What the documents that no sample could have drawn might add; NaN where it is not known.
    by_strata : bool
        Whether the variance is that of a design with strata. Else it takes documents as drawn one
        by one, which is too large where their number was fixed.
    """

    variance: Floats
    of_intervals: Floats
    never_drawn: Floats
    by_strata: bool = True

    def select(self, systems: Indices, topics: Indices) -> "SamplingErrors":
        """Return the errors of these systems on these topics."""
        cells = np.ix_(systems, topics)
        return SamplingErrors(
            self.variance[cells],
            self.of_intervals[cells],
            self.never_drawn[cells],
            self.by_strata,
        )

    def mean_interval(self, means: Floats, topics: Booleans, level: float) -> tuple[Floats, Floats]:
        """Return the interval of each mean over these topics, each sampled by itself."""
        variance = self.of_intervals[:, topics].sum(axis=1) / max(1, int(topics.sum())) ** 2
        return normal_interval(means, variance, level)

    def mean_never_drawn(self, topics: Booleans) -> Floats:
        """Return what documents that could not be drawn might add to each mean."""
        return self.never_drawn[:, topics].sum(axis=1) / max(1, int(topics.sum()))

    def topic_columns(self) -> Columns:
        """Return the columns of ``SAMPLING_COLUMNS`` of each score.

        A score of one topic has no interval: it rests on too few documents for one to hold.
        """
        none = np.full(self.never_drawn.size, np.nan)
        return _named(none, none, self.never_drawn.ravel())

    def mean_columns(self, means: Floats, topics: Booleans, level: float) -> Columns:
        """Return the columns of ``SAMPLING_COLUMNS`` of each mean over these topics."""
        return _named(*self.mean_interval(means, topics, level), self.mean_never_drawn(topics))

    def leaderboard_columns(
        self, means: Floats, topics: Booleans, level: float
    ) -> dict[Column, NDArray[Any]]:
        """Return the columns that people see, without what cannot add anything."""
        found: dict[Column, NDArray[Any]] = {}
        low, high = self.mean_interval(means, topics, level)
        if not np.isnan(low).all():
            ends = zip(low.tolist(), high.tolist(), strict=True)
            texts = np.array([range_text(*two) for two in ends], object)
            found[Column(f"{level:.0%} over samples")] = texts
        never = self.mean_never_drawn(topics)
        if (never > 0).any():
            found[Column("never drawn could add", digits=4)] = never
        return found

    def sentences(self) -> tuple[str, ...]:
        """Say what the interval over samples is about."""
        also = "The interval over topics holds the error of the sample, too."
        return (self._about_interval(), also)

    def _about_interval(self) -> str:
        if np.isnan(self.of_intervals).all():
            return (
                "There is no interval over samples: the estimate is biased and skewed, and none of "
                "level 95% was seen to hold the truth so often. HT(M), M a measure such as P@10, "
                "has one."
            )
        how = "The interval over samples takes the gains of documents that weigh alike together"
        if self.by_strata:
            return f"{how}."
        return f"{how}, and documents as drawn one by one: too wide where their number was fixed."


def _named(*cells: Floats) -> Columns:
    return {name: c.tolist() for name, c in zip(SAMPLING_COLUMNS, cells, strict=True)}


def normal_interval(value: Floats, variance: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the interval of a normal distribution about each value.

    Examples
    --------
    >>> low, high = normal_interval(np.array([0.5]), np.array([0.01]), 0.95)
    >>> low.round(3).item(), high.round(3).item()
    (0.304, 0.696)
    """
    from statistics import NormalDist  # noqa: PLC0415, late: slow to import

    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance)
    return value - half, value + half


def sampling_errors(grades: Graded, measure: Measure) -> SamplingErrors | None:
    """Return the errors of a measure that is an estimate from a sample; None for any other."""
    if not isinstance(measure, SampledMeasure) or not isinstance(grades, Evidence):
        return None
    return SamplingErrors(
        variance=_variances(measure.covariances(grades)),
        of_intervals=_variances(measure.interval_covariances(grades)),
        never_drawn=join_topics(measure.never_drawn_block(block) for block in grades.blocks),
        by_strata=all(block.sample is not None and block.sample.strata for block in grades.blocks),
    )


def _variances(covariances: Iterable[Floats]) -> Floats:
    """Return the variances of each topic, systems × topics."""
    own = np.array([np.diag(covariance) for covariance in covariances]).T
    # A sum of squares that is 0 may come out a little below it.
    return np.asarray(np.maximum(own, 0.0))
