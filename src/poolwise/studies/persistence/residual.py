"""The residual that a measure without one borrows from RBP (U18 §3.3–3.4)."""

import numpy as np

from poolwise.evidence._grades import Grades
from poolwise.measures._derived import External, Residual
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.studies.persistence.match import PersistenceMatch

__all__ = ["matched_residual"]


def matched_residual(evidence: Grades, match: PersistenceMatch) -> ScoreTable:
    """Return RBP's residual, at the persistence that matches a measure, per system and topic.

    It is the third uncertainty of a measure that has no residual of its own, beside its bounds
    and its interval over topics. Topics on which the measure is undefined have none, and so have
    all if no persistence matches.

    Parameters
    ----------
    evidence : Grades
        Runs met with judgments.
    match : PersistenceMatch
        The persistence that matches the measure on the same evidence.

    Returns
    -------
    ScoreTable
        The weight of what is unjudged or past the end of the list, by system and topic.

    Examples
    --------
    >>> from poolwise.studies import match_persistence
    >>> evidence = Grades.from_grades([[1, 0, None], [0, 1, None], [0, 0, 1]])
    >>> match = match_persistence(evidence, "AP")
    >>> match.p, matched_residual(evidence, match).value.round(3).tolist()
    (0.5, [[0.25], [0.25], [0.125]])
    """
    value = np.full((len(evidence.systems), len(evidence.topics)), np.nan)
    if match.p > 0:
        defined = score(evidence, match.measure, bounds="none").defined
        value[:, defined] = match.rbp.residual(evidence)[:, defined]
    return ScoreTable.from_matrix(
        value,
        systems=evidence.systems,
        topics=evidence.topics,
        measure=Residual(of=match.rbp) if match.p > 0 else External(label="no residual"),
    )
