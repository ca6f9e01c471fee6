"""How far another sample of documents could move scores that are estimates from one."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import Graded, join_topics
from poolwise.measures._measure import Measure
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.scores._uncertainty import Uncertainty, normal_interval

__all__ = ["SamplingErrors", "sampling_errors"]

_ALSO_IN_TOPICS = "The interval over topics holds the error of the sample, too."


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
        # Each topic has a sample of its own, so that variances add up.
        variance = self.of_intervals[:, topics].sum(axis=1) / max(1, int(topics.sum())) ** 2
        return normal_interval(means, variance, level)

    def mean_never_drawn(self, topics: Booleans) -> Floats:
        """Return what documents that could not be drawn might add to each mean."""
        return self.never_drawn[:, topics].sum(axis=1) / max(1, int(topics.sum()))

    def of_means(
        self, means: Floats, topics: Booleans, level: float
    ) -> tuple[Uncertainty, Uncertainty]:
        """Return that of means over these topics: over samples, and by what none could draw."""
        sampled = Uncertainty(
            "samples",
            *self.mean_interval(means, topics, level),
            level=level,
            meaning=(self._about_interval(), _ALSO_IN_TOPICS),
        )
        never = self.mean_never_drawn(topics)
        return sampled, Uncertainty("never drawn", np.zeros(len(never)), never)

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
