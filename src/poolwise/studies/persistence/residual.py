"""The residual that a measure without one borrows from RBP (U18 §3.3–3.4)."""

from collections.abc import Sequence

import numpy as np

from poolwise.evidence.grades import Grades
from poolwise.measures.derived import External, Residual
from poolwise.printout.columns import Columns
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.scoring import score
from poolwise.studies.persistence.match import PersistenceMatch

__all__ = ["matched_columns", "matched_residual"]


def matched_residual(evidence: Grades, match: PersistenceMatch) -> ScoreTable:
    """Return RBP's residual, at the persistence that matches a measure, per system and topic.

    It is the third uncertainty of a measure that has no residual of its own, beside its bounds
    and its interval over topics. Topics on which the measure is undefined have none, and so have
    all if no persistence matches.

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


def matched_columns(
    columns: Columns, matches: Sequence[PersistenceMatch], residuals: Sequence[ScoreTable]
) -> Columns:
    """Add the matched persistence and residual to tidy columns of scores.

    Examples
    --------
    >>> from poolwise import tidy
    >>> from poolwise.studies import match_persistence
    >>> evidence = Grades.from_grades([[1, 0, None], [0, 1, None], [0, 0, 1]])
    >>> match, table = match_persistence(evidence, "AP"), score(evidence, "AP")
    >>> columns = matched_columns(tidy([table]), [match], [matched_residual(evidence, match)])
    >>> columns["run"][2:4], columns["topic"][2:4], columns["matched_residual"][2:4]
    (['run3', 'run1'], ['1', 'all'], [0.125, 0.25])
    """
    p_of = {str(match.measure): match.p for match in matches}
    residual_of = {
        (str(match.measure), run, topic): value
        for match, table in zip(matches, residuals, strict=True)
        for run, row, mean in zip(table.systems, table.value, table.means(), strict=True)
        for topic, value in zip((*table.topics, "all"), (*row.tolist(), float(mean)), strict=True)
    }
    keys = zip(columns["measure"], columns["run"], columns["topic"], strict=True)
    return columns | {
        "matched_p": [p_of[measure] for measure in columns["measure"]],
        "matched_residual": [residual_of[key] for key in keys],
    }
