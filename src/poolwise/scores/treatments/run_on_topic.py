"""What one run could score on one topic: drawn grades beside other treatments (B23 fig. 1)."""

from dataclasses import replace
from typing import Any

from poolwise.evidence._evidence import Evidence
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.scores.scoring import score
from poolwise.scores.treatments.drawn_scores import DrawnScores
from poolwise.scores.treatments.score_distribution import ScoreDistribution, bootstrap
from poolwise.scores.treatments.treatments import Condensed

__all__ = ["draw_scores", "with_other_treatments"]


def draw_scores(
    evidence: Evidence, measure: Measure | str, *, run: str, topic: str, **options: Any
) -> DrawnScores:
    """Draw grades for the unjudged documents of one run on one topic, many times (B23 fig. 1).

    Parameters
    ----------
    evidence : Evidence
        Runs met with judgments.
    measure : Measure or str
        What to score by.
    run, topic : str
        Which score to draw.
    options
        Those of :func:`~poolwise.scores.bootstrap`.

    Returns
    -------
    DrawnScores
        How often each score comes out, beside the plain and the condensed score and the naive
        upper bound.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0]], judged=[1, 1, 0, 0])
    >>> found = draw_scores(evidence, "P@2", run="run1", topic="1", rng=1)
    >>> found.plain, found.condensed, found.highest
    (0.5, 0.5, 1.0)
    """
    drawn = bootstrap(evidence, measure, **options)
    return with_other_treatments(drawn, evidence, run, topic)


def with_other_treatments(
    drawn: ScoreDistribution, evidence: Evidence, run: str, topic: str
) -> DrawnScores:
    """Return one score as it was drawn, and what other treatments make of it.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[None, 1, 0]], judged=[1, 1, 0, 0])
    >>> with_other_treatments(bootstrap(evidence, "RR", rng=1), evidence, "run1", "1").condensed
    1.0
    """
    found, measure = drawn.at(run, topic), parse_measure(drawn.plain.measure)
    one, place = evidence.select([run]), evidence.topics.index(topic)
    condensed = Condensed().table(one, measure, 1).value[0, place]
    highest = score(one, measure, bounds="naive").upper[0, place]
    return replace(found, condensed=float(condensed), highest=float(highest))
