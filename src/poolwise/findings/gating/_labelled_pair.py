"""A candidate against a baseline, where people labelled a part and a machine all."""

from dataclasses import dataclass

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.findings.gating._limits import (
    MeanLimits,
    candidate_powered,
    labelled_again,
    mean_limits,
    prediction_limits,
)
from poolwise.findings.labels._label_estimates import LabelDifferences
from poolwise.scores._uncertainty import Uncertainty
from poolwise.words import counted

__all__ = ["FEWEST_TOPICS", "LabelledPair", "PowerScores"]

FEWEST_TOPICS = 20
"""Topics with labels by people below which a gate with machine labels decides nothing.

On fewer, losses that few topics carry are often among the topics that people did not judge: worse
candidates passed in up to 10% of cases.
"""


@dataclass(frozen=True, eq=False)
class PowerScores:
    """Scores of baseline and candidate: by people on some topics, by the machine on all.

    Attributes
    ----------
    human : float array, 2 × judged topics
    machine : float array, 2 × topics
    judged : int array
        Which of the topics people judged.
    """

    human: Floats
    machine: Floats
    judged: Indices


@dataclass(frozen=True, eq=False)
class LabelledPair:
    """Candidate less baseline, from people's labels on a part and a machine's on all.

    Attributes
    ----------
    found : LabelDifferences
        The difference, and what it is uncertain over, as ``compare`` has them.
    topics : tuple of str
        The topics with labels by people.
    deltas : float array
        The difference on each of these: by people, or estimated from the documents they labelled.
    means : tuple of two float
        Those of baseline and candidate, estimated alike.
    all_topics : int
        How many topics the machine labelled.
    unchanged : bool
        Whether nothing tells the two apart, neither for people nor for the machine.
    scores : PowerScores, optional
        Where people judged whole topics; None where they labelled a sample of documents.
    """

    found: LabelDifferences
    topics: tuple[str, ...]
    deltas: Floats
    means: tuple[float, float]
    all_topics: int
    unchanged: bool
    scores: PowerScores | None = None

    @property
    def difference(self) -> float:
        """Candidate less baseline."""
        return float(self.found.difference[0])

    @property
    def decides(self) -> bool:
        """Whether there are topics enough to decide by."""
        return len(self.topics) >= FEWEST_TOPICS

    @property
    def uncertain(self) -> tuple[Uncertainty, ...]:
        """What the difference is uncertain over beside topics, which the limits are over."""
        return tuple(
            uncertainty for uncertainty in self.found.further if uncertainty.over != "topics"
        )

    @property
    def never_drawn(self) -> tuple[float, float]:
        """By how much documents that no sample could draw might lower and raise it."""
        never = [uncertainty for uncertainty in self.uncertain if uncertainty.over == "never drawn"]
        return (float(never[0].low[0]), float(never[0].high[0])) if never else (0.0, 0.0)

    @property
    def error(self) -> float:
        """The standard error of the difference for topics like these."""
        if self.scores is None:
            return float(self.deltas.std(ddof=1) / np.sqrt(len(self.deltas)))
        scores = self.scores
        return float(
            candidate_powered(scores.human, scores.machine, scores.judged).error(like_these=True)[0]
        )

    @property
    def words(self) -> str:
        """How many topics, and labels, there are."""
        topics = counted(self.all_topics, "topic")
        if self.scores is None:
            return f"{topics}, {counted(self.found.rests_on.people, 'label')} by people"
        return f"{len(self.topics):,} of {topics} judged by people"

    def limits(self, margin: float, alpha: float) -> MeanLimits:
        """Return the one-sided limits for topics like these, and the p values at the margin."""
        if self.scores is not None:
            scores = self.scores
            return prediction_limits(
                scores.human, scores.machine, scores.judged, margin, alpha=alpha
            )
        # Documents that no sample could draw may be as bad, or as good, as they can be.
        down, up = self.never_drawn
        again = labelled_again(len(self.deltas), sampled=True)
        worst, best = (
            mean_limits(self.deltas[None], margin + end, alpha=alpha, again=again)
            for end in (down, up)
        )
        return MeanLimits(worst.low + down, best.high + up, worst.p_pass, best.p_fail)
