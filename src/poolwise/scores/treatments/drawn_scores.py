"""The scores that one run can have on one topic, and how often drawn grades give each (B23)."""

import numpy as np

from poolwise.arrays import Floats
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Provenance
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.scores.score_table import ScoreTable
from poolwise.words import counted

__all__ = ["DrawnScores", "drawn_scores"]

_SAME = 1e-12
"""Scores that differ by no more are one."""


@finding
class DrawnScores(Finding):
    """How often each score comes out for one run on one topic (B23 fig. 1).

    Attributes
    ----------
    run, topic : str
        Whose score it is.
    measure : Measure
        What was measured.
    draws : int
        How often grades were drawn.
    values, shares : float array
        Each score, in ascending order, and the share of the draws that give it.
    plain : float
        The score with unjudged documents taken as not relevant.
    condensed, highest : float
        The score without the unjudged documents, and the naive upper bound; NaN where they were
        not asked for.

    Examples
    --------
    >>> from poolwise import Evidence
    >>> from poolwise.scores import bootstrap
    >>> evidence = Evidence.from_grades([[1, None, 0]], judged=[1, 1, 0, 0])
    >>> found = bootstrap(evidence, "P@2", rng=1).at(*evidence.systems, *evidence.topics)
    >>> found.plain, found.values.tolist(), found.mode  # a relevant document is still to be found
    (0.5, [0.5, 1.0], 1.0)
    """

    run: str
    topic: str
    measure: Measure
    draws: int
    values: Floats
    shares: Floats
    plain: float
    condensed: float = float("nan")
    highest: float = float("nan")

    @property
    def mode(self) -> float:
        """The most frequent score, the smaller of equals: the estimate of B23."""
        return float(self.values[self.shares.argmax()])

    @property
    def reached(self) -> float:
        """The smallest score that at least 95% of the draws do not exceed."""
        return float(self.values[int(np.argmax(np.cumsum(self.shares) >= 0.95 - _SAME))])

    def columns(self) -> Columns:
        """Return one row per score."""
        rows = len(self.values)
        return {
            "run": [self.run] * rows,
            "topic": [self.topic] * rows,
            "measure": [str(self.measure)] * rows,
            "plain": [self.plain] * rows,
            "condensed": [self.condensed] * rows,
            "naive_upper": [self.highest] * rows,
            "score": self.values.tolist(),
            "share": self.shares.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which score is the most frequent, and what it is without the unjudged documents."""
        what = f"{self.measure} of {self.run} on topic {self.topic}"
        times = counted(self.draws, "draw")
        if len(self.values) == 1:
            only = f"{what} is {self.plain:.4f} in all of {times}"
            return (f"{only}: no unjudged document can change it.",)
        often = f"{what} is most often {self.mode:.4f} over {times}"
        return (
            f"{often}, and at most {self.reached:.4f} in 95% of them.",
            f"With unjudged documents as not relevant it is {self.plain:.4f}.",
        )


def drawn_scores(
    plain: ScoreTable, place: tuple[int, int], ordered: Floats, provenance: Provenance
) -> DrawnScores:
    """Count the scores of one run on one topic, which stand in ascending order."""
    first = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > _SAME)
    counts = np.diff(np.append(first, len(ordered)))
    run, topic = plain.systems[place[0]], plain.topics[place[1]]
    return DrawnScores(
        run=run,
        topic=topic,
        measure=plain.measure,
        draws=len(ordered),
        values=ordered[first],
        shares=counts / len(ordered),
        plain=float(plain.value[place]),
        provenance=provenance.with_options(run=run, topic=topic),
    )
